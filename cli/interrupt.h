// Interrupt: while it lives, the first Ctrl-C only asks the command to stop at its next safe place; the second one ends the
// process as usual.
#pragma once

#include "base/result.h"

namespace stopover {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool asked();
  // Failure::interrupted once asked.
  static Status check();
};

}  // namespace stopover
