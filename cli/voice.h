// Voice: how a job speaks to whoever started it, and how it hears that it shall stop. The command line gives it its terminal,
// Python its own ears; the job is the same.
//
//   Progress progress(terminal);
//   Result<Published> published = run_publish(flags, nullptr, terminal_voice(terminal, progress, threads));
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "cli/progress.h"
#include "cli/terminal.h"

namespace stopover {

struct Voice {
  std::function<void(std::size_t)> steps;       // how many phases there will be
  std::function<void(std::string_view)> phase;  // one begins; fixed names, nothing about the data
  std::function<void()> pause;                  // the current one is over
  std::function<void(std::string_view)> note;
  // Un-noised: for the curator's eyes. Called whatever the data are, with "" where there is nothing to tell (cli/terminal.h).
  std::function<void(std::string_view)> private_note;
  std::function<void(std::string_view)> warn;
  std::function<bool()> interrupted;  // asked now and then
  unsigned threads = 0;               // for the work; DEFAULT: 0, all the machine's
};

// Signals are heard through an Interrupt, which the caller keeps. REQUIRES: terminal and progress outlive it.
Voice terminal_voice(const Terminal& terminal, Progress& progress, unsigned threads);

}  // namespace stopover
