#include "cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/disk_full.h"

namespace stopover {
namespace {

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::strong: return "1";
    case Tone::faint: return "2";
    case Tone::good: return "32";
    case Tone::bad: return "1;31";
    case Tone::accent: return "36";
    case Tone::plain: break;
  }
  return "";
}

std::string_view kind_of(Failure failure) {
  switch (failure) {
    case Failure::internal: return "internal";
    case Failure::usage: return "usage";
    case Failure::bad_input: return "bad_input";
    case Failure::privacy: return "privacy";
    case Failure::check_failed: return "check_failed";
    case Failure::output_exists: return "output_exists";
    case Failure::locked: return "locked";
    case Failure::disk_full: return "disk_full";
    case Failure::interrupted: return "interrupted";
  }
  return "internal";
}

std::string painted(bool colors, Tone tone, std::string_view text) {
  if (!colors || tone == Tone::plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(tone), text);
}

}  // namespace

std::string Terminal::paint(Tone tone, std::string_view text) const { return painted(options_.color_out, tone, text); }

void Terminal::print(std::string_view text) const {
  errno = 0;
  const bool ok = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fputc('\n', stdout) != EOF;
  if (!ok && memory_->out_failed == 0) memory_->out_failed = errno;
}

void Terminal::say(std::string_view voice, Tone tone, std::string_view text) const {
  const std::string line = fmt::format("{}{} {}\n", options_.live_err ? "\r\x1b[K" : "",
                                       painted(options_.color_err, tone, voice), text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Terminal::note(std::string_view text) const {
  if (!options_.quiet) say("note:", Tone::accent, text);
}

void Terminal::private_note(std::string_view text) const {
  if (options_.quiet) return;
  if (options_.private_notes) {
    if (!text.empty()) say("private:", Tone::accent, text);
    return;
  }
  if (!std::exchange(memory_->told_hidden, true)) {
    say("note:", Tone::accent, "private figures are hidden here; --private-notes always shows them");
  }
}

void Terminal::warn(std::string_view text) const { say("warning:", Tone::bad, text); }

void Terminal::error(const Error& error) const {
  if (!options_.json) return say("error:", Tone::bad, error.message);
  const std::string line = fmt::format("{}{}\n", options_.live_err ? "\r\x1b[K" : "", error_json(error));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Status Terminal::flush() const {
  const int code = std::fflush(stdout) == 0 ? memory_->out_failed : errno;
  if (code == 0 && std::ferror(stdout) == 0) return {};
  return Error{write_failure(code, Failure::internal), fmt::format("the output could not be written: {}", std::strerror(code))};
}

std::string error_json(const Error& error) {
  const std::size_t end = std::min(error.message.find('\n'), error.message.size());
  std::string hint;
  for (std::size_t at = end; at < error.message.size();) {
    const std::size_t begin = std::min(error.message.find_first_not_of(" \n", at), error.message.size());
    at = std::min(error.message.find('\n', begin), error.message.size());
    if (begin < at) hint += (hint.empty() ? "" : "\n") + error.message.substr(begin, at - begin);
  }
  return nlohmann::ordered_json{{"error",
                                 {{"code", static_cast<int>(error.failure)},
                                  {"kind", kind_of(error.failure)},
                                  {"message", error.message.substr(0, end)},
                                  {"hint", hint}}}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number_text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.12g", value == 0 ? 0.0 : value);  // no "-0"
  return buffer;
}

double rounded(double value) {
  const std::string text = number_text(value);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace stopover
