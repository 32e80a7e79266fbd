#include "cli/terminal_observer.h"

#include "cli/interrupt.h"

namespace stopover {

Observer terminal_observer(const Terminal& terminal, Progress& progress, unsigned threads) {
  Observer observer = terminal_observer(terminal, threads);
  observer.steps = [&progress](std::size_t total) { progress.steps(total); };
  observer.phase = [&progress](std::string_view name) { progress.phase(name); };
  observer.pause = [&progress] { progress.pause(); };
  observer.progress = [&progress](std::uint64_t done, std::uint64_t of) { progress.rows(done, of); };
  return observer;
}

Observer terminal_observer(const Terminal& terminal, unsigned threads) {
  Observer observer;
  observer.note = [&terminal](std::string_view text) { terminal.note(text); };
  observer.private_note = [&terminal](std::string_view text) { terminal.private_note(text); };
  observer.warn = [&terminal](std::string_view text) { terminal.warn(text); };
  observer.interrupted = Interrupt::asked;
  observer.threads = threads;
  return observer;
}

}  // namespace stopover
