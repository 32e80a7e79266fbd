// Terminal: where a command writes, and in which voice.
//
// Results go to stdout, everything else to stderr. Four voices on stderr: `error:` (always), `note:` and progress (not with
// --quiet), and `private:` for un-noised facts that are the curator's alone. With --json an error is one line of JSON, the last on
// stderr; stdout stays empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

enum class ProgressMode { automatic, always, never, json };

struct TerminalOptions {
  bool json = false;
  bool quiet = false;
  ProgressMode progress = ProgressMode::automatic;
  bool color_out = false;  // stdout takes colours
  bool color_err = false;
  bool live_err = false;   // stderr is a screen: lines may be written over
};

enum class Tone { plain, strong, faint, good, bad, accent };

class Terminal {
 public:
  explicit Terminal(const TerminalOptions& options) : options_(options) {}

  bool json() const { return options_.json; }
  const TerminalOptions& options() const { return options_; }

  // The text in a tone, for stdout; as it is where there are no colours.
  std::string paint(Tone tone, std::string_view text) const;

  void print(std::string_view text) const;          // stdout, and a newline
  void note(std::string_view text) const;           // note: ...
  void private_note(std::string_view text) const;   // private: ...
  void warn(std::string_view text) const;           // warning: ..., also with --quiet
  void error(const Error& error) const;             // error: ..., or error_json

  // Everything printed has reached its file. Fails (internal) on a full disk.
  Status flush() const;

 private:
  void say(std::string_view voice, Tone tone, std::string_view text) const;

  TerminalOptions options_;
};

// {"error": {"code": 3, "kind": "bad_input", "message": first line, "hint": further lines}}
std::string error_json(const Error& error);

// At most 12 significant digits, so that every face prints the same: 12.5, -3, 1e+20.
std::string number_text(double value);
// The double that number_text shows.
double rounded(double value);
// 1,234,567
std::string grouped(std::uint64_t value);
// Lines of at most `width` columns, each after the first begun with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace stopover
