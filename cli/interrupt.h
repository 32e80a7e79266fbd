// Interrupt: while it lives, the first Ctrl-C (SIGINT), SIGTERM or SIGHUP only asks the command to stop at its next
// safe place, so that nothing private is left behind; the second one ends the process at once. A SIGHUP that is ignored
// (nohup) stays so.
#pragma once

#include "base/result.h"

namespace stopover {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Any thread may ask.
  static bool asked();
  // Failure::interrupted once asked.
  static Status check();
  // What the process ends with after an interrupt: 128 and the signal's number, as shells count; that of Ctrl-C (130)
  // if none came.
  static int exit_code();
};

}  // namespace stopover
