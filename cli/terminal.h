// Terminal: where a command writes, and in which voice.
//
// Results go to stdout, everything else to stderr. Four voices on stderr: `error:` (always), `note:` and progress (not
// with
// --quiet), and `private:` for un-noised facts that are the curator's alone: on a screen, or where --private-notes
// always asks for them. Elsewhere (a log, a pipe) one line says that there are some and how to see them; it is the same
// whatever they say. With --json an error is one line of JSON, the last on stderr; stdout stays empty.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/paper.h"

namespace stopover {

enum class ProgressMode { automatic, always, never, json };

struct TerminalOptions {
  bool json = false;
  bool quiet = false;
  bool private_notes = false;  // shown
  ProgressMode progress = ProgressMode::automatic;
  bool color_out = false;  // stdout takes colours
  bool color_err = false;
  bool live_err = false;  // stderr is a screen: lines may be written over
};

class Terminal {
 public:
  explicit Terminal(const TerminalOptions& options) : options_(options) {}

  bool json() const { return options_.json; }
  const TerminalOptions& options() const { return options_; }

  // What results are written on: stdout.
  Paper paper() const { return Paper(options_.color_out); }
  std::string paint(Tone tone, std::string_view text) const { return paper().paint(tone, text); }

  void print(std::string_view text) const;  // stdout, and a newline
  void note(std::string_view text) const;   // note: ...
  // private: ... Where they are not shown, the first one is a line that says so. So whether this is called at all must
  // not depend on the data: what has nothing to tell says "", which is not shown.
  void private_note(std::string_view text) const;
  void warn(std::string_view text) const;  // warning: ..., also with --quiet
  void error(const Error& error) const;    // error: ..., or error_json

  // Everything printed has reached its file. Fails (disk_full, internal).
  Status flush() const;

 private:
  void say(std::string_view voice, Tone tone, std::string_view text) const;

  struct Memory {
    int out_failed = 0;  // errno of the first print that failed
    bool told_hidden = false;
  };
  TerminalOptions options_;
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

// {"error": {"code": 2, "kind": "usage", "message": first line, "hint": further lines, "field": "unit"}}; the field
// where one is named.
std::string error_json(const Error& error);

}  // namespace stopover
