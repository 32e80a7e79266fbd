#include "page/template.h"

#ifdef STOPOVER_PAGE
asm(".pushsection .rodata\n"
    ".global stopover_page_begin\n"
    ".global stopover_page_end\n"
    "stopover_page_begin:\n"
    ".incbin \"" STOPOVER_PAGE "\"\n"
    "stopover_page_end:\n"
    ".global stopover_world_begin\n"
    ".global stopover_world_end\n"
    "stopover_world_begin:\n"
    ".incbin \"" STOPOVER_WORLD "\"\n"
    "stopover_world_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char stopover_page_begin[];
extern "C" const char stopover_page_end[];
extern "C" const char stopover_world_begin[];
extern "C" const char stopover_world_end[];
#endif

namespace stopover {

std::string_view page_template() {
#ifdef STOPOVER_PAGE
  return {stopover_page_begin, static_cast<std::size_t>(stopover_page_end - stopover_page_begin)};
#else
  return {};
#endif
}

std::string_view world_map() {
#ifdef STOPOVER_PAGE
  return {stopover_world_begin, static_cast<std::size_t>(stopover_world_end - stopover_world_begin)};
#else
  return {};
#endif
}

}  // namespace stopover
