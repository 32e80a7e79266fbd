#include "cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/disk_full.h"
#include "base/field_words.h"

namespace stopover {
namespace {

std::string_view kind_of(Failure failure) {
  switch (failure) {
    case Failure::internal:
      return "internal";
    case Failure::usage:
      return "usage";
    case Failure::bad_input:
      return "bad_input";
    case Failure::privacy:
      return "privacy";
    case Failure::check_failed:
      return "check_failed";
    case Failure::output_exists:
      return "output_exists";
    case Failure::locked:
      return "locked";
    case Failure::disk_full:
      return "disk_full";
    case Failure::interrupted:
      return "interrupted";
  }
  return "internal";
}

}  // namespace

void Terminal::print(std::string_view text) const {
  errno = 0;
  const bool ok = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fputc('\n', stdout) != EOF;
  if (!ok && memory_->out_failed == 0) memory_->out_failed = errno;
}

void Terminal::say(std::string_view voice, Tone tone, std::string_view text) const {
  const std::string line =
      fmt::format("{}{} {}\n", options_.live_err ? "\r\x1b[K" : "", Paper(options_.color_err).paint(tone, voice), text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Terminal::note(std::string_view text) const {
  if (!options_.quiet) say("note:", Tone::accent, in_words_of(Face::command_line, text));
}

void Terminal::private_note(std::string_view text) const {
  if (options_.quiet) return;
  if (options_.private_notes) {
    if (!text.empty()) say("private:", Tone::accent, in_words_of(Face::command_line, text));
    return;
  }
  if (!std::exchange(memory_->told_hidden, true)) {
    say("note:", Tone::accent, "private figures are hidden here; --private-notes always shows them");
  }
}

void Terminal::warn(std::string_view text) const { say("warning:", Tone::bad, in_words_of(Face::command_line, text)); }

void Terminal::error(const Error& error) const {
  if (!options_.json) return say("error:", Tone::bad, in_words_of(Face::command_line, error.message));
  const std::string line = fmt::format("{}{}\n", options_.live_err ? "\r\x1b[K" : "", error_json(error));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Status Terminal::flush() const {
  const int code = std::fflush(stdout) == 0 ? memory_->out_failed : errno;
  if (code == 0 && std::ferror(stdout) == 0) return {};
  return Error{write_failure(code, Failure::internal),
               fmt::format("the output could not be written: {}", std::strerror(code))};
}

std::string error_json(const Error& error) {
  const std::string message = in_words_of(Face::command_line, error.message);
  const std::size_t end = std::min(message.find('\n'), message.size());
  std::string hint;
  for (std::size_t at = end; at < message.size();) {
    const std::size_t begin = std::min(message.find_first_not_of(" \n", at), message.size());
    at = std::min(message.find('\n', begin), message.size());
    if (begin < at) hint += (hint.empty() ? "" : "\n") + message.substr(begin, at - begin);
  }
  nlohmann::ordered_json told = {{"code", static_cast<int>(error.failure)},
                                 {"kind", kind_of(error.failure)},
                                 {"message", message.substr(0, end)},
                                 {"hint", hint}};
  if (const std::string field = named_field(error.message); !field.empty()) told["field"] = field;
  return nlohmann::ordered_json{{"error", std::move(told)}}.dump(-1, ' ', false,
                                                                 nlohmann::json::error_handler_t::replace);
}

}  // namespace stopover
