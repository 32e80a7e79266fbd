#include "desk/desk_page.h"

#include <cstddef>

#ifdef STOPOVER_DESK_PAGE
asm(".pushsection .rodata\n"
    ".global stopover_desk_begin\n"
    ".global stopover_desk_end\n"
    "stopover_desk_begin:\n"
    ".incbin \"" STOPOVER_DESK_PAGE
    "\"\n"
    "stopover_desk_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char stopover_desk_begin[];
extern "C" const char stopover_desk_end[];
#endif

namespace stopover {

std::string_view desk_page() {
#ifdef STOPOVER_DESK_PAGE
  return {stopover_desk_begin, static_cast<std::size_t>(stopover_desk_end - stopover_desk_begin)};
#else
  return {};
#endif
}

}  // namespace stopover
