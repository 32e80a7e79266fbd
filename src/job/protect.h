// protect_process: what this process holds in memory, true counts and keys, stays there. It leaves no core dump
// (RLIMIT_CORE 0, soft and hard, also for its children), and other processes of the same user can neither trace it nor
// read its memory (PR_SET_DUMPABLE 0; which also keeps dumps from handlers that no limit stops). Both programs do this
// first. A debugger then needs root.
#pragma once

namespace stopover {

void protect_process();

}  // namespace stopover
