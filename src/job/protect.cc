#include "job/protect.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace stopover {

void protect_process() {
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace stopover
