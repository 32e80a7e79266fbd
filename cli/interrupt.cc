#include "cli/interrupt.h"

#include <csignal>

namespace stopover {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;  // a signal handler can reach nothing else

void ask(int) { asked_to_stop = 1; }

}  // namespace

Interrupt::Interrupt() {
  asked_to_stop = 0;
  struct sigaction action {};
  action.sa_handler = ask;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() { std::signal(SIGINT, SIG_DFL); }

bool Interrupt::asked() { return asked_to_stop != 0; }

Status Interrupt::check() {
  if (!asked()) return {};
  return Error{Failure::interrupted, "interrupted"};
}

}  // namespace stopover
