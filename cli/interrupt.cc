#include "cli/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>

namespace stopover {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> asked_by = 0;  // a signal handler can reach nothing else
static_assert(std::atomic<int>::is_always_lock_free);

void ask_to_end(int number) {
  if (asked_by.exchange(number) == 0) return;
  std::signal(number, SIG_DFL);
  std::raise(number);  // comes as soon as this handler is left
}

}  // namespace

Interrupt::Interrupt() {
  asked_by = 0;
  for (const int number : kSignals) {
    struct sigaction action{}, before{};
    action.sa_handler = ask_to_end;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

Interrupt::~Interrupt() {
  for (const int number : kSignals) {
    struct sigaction now{};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == ask_to_end) std::signal(number, SIG_DFL);
  }
}

bool Interrupt::asked() { return asked_by != 0; }

Status Interrupt::check() {
  if (!asked()) return {};
  return Error{Failure::interrupted, "interrupted"};
}

int Interrupt::exit_code() { return asked_by != 0 ? 128 + asked_by : static_cast<int>(Failure::interrupted); }

}  // namespace stopover
