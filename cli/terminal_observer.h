// The observer of a job that runs on a terminal.
//
//   const Interrupt interrupt;
//   Progress progress(terminal);
//   Result<Published> published = run_publish(spec, terminal_observer(terminal, progress, threads));
#pragma once

#include "cli/progress.h"
#include "cli/terminal.h"
#include "job/observer.h"

namespace stopover {

// Signals are heard through an Interrupt, which the caller keeps. REQUIRES: terminal and progress outlive it.
Observer terminal_observer(const Terminal& terminal, Progress& progress, unsigned threads);
// Of what is too short to show any.
Observer terminal_observer(const Terminal& terminal, unsigned threads);

}  // namespace stopover
