// Progress: says on stderr which phase a command is in, once it takes longer than a second. Phases have fixed names:
// nothing about the data is shown, but on a screen, to whoever sits there, how quickly rows are passed over.
//
//   Progress progress(terminal);
//   progress.phase("reading the matrix");
//   ...
//   progress.phase("building the release");      // ends the one before
//
// A command that knows how many phases it has says so first, progress.steps(8): they are then shown with a bar,
// [###-----], on a screen and as [3/8] elsewhere.
//
// auto: a screen gets one line that is written over and vanishes at the end; a file gets a line for each phase that has
// taken a second. always: a line for every phase. json: {"phase":"...","seconds":1.2} when a phase ends. never:
// nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "cli/terminal.h"

namespace stopover {

class Progress {
 public:
  explicit Progress(const Terminal& terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // How many times phase() will be called from now on.
  void steps(std::size_t total);
  void phase(std::string_view name);
  // How far a pass over rows is. From any thread; nothing that is written anywhere but on a screen.
  void rows(std::uint64_t done, std::uint64_t of);
  // Ends the current phase, so that something else may be written to stderr.
  void pause();

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const std::stop_token& stop);
  void show(double seconds);
  void end_phase();
  std::string label(bool bar) const;
  std::string pass() const;

  const TerminalOptions options_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string phase_;
  std::size_t step_ = 0, steps_ = 0;
  Clock::time_point since_, pass_since_;
  std::uint64_t rows_ = 0, of_ = 0;
  bool shown_ = false;
  std::jthread watcher_;
};

}  // namespace stopover
