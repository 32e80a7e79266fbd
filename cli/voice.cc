#include "cli/voice.h"

#include "cli/interrupt.h"

namespace stopover {

Voice terminal_voice(const Terminal& terminal, Progress& progress, unsigned threads) {
  Voice voice;
  voice.steps = [&progress](std::size_t total) { progress.steps(total); };
  voice.phase = [&progress](std::string_view name) { progress.phase(name); };
  voice.pause = [&progress] { progress.pause(); };
  voice.note = [&terminal](std::string_view text) { terminal.note(text); };
  voice.private_note = [&terminal](std::string_view text) { terminal.private_note(text); };
  voice.warn = [&terminal](std::string_view text) { terminal.warn(text); };
  voice.interrupted = Interrupt::asked;
  voice.threads = threads;
  return voice;
}

}  // namespace stopover
