#include "page/template.h"

#include <cstddef>

#ifdef STOPOVER_PAGE
#define STOPOVER_CARRY(name, file)                 \
  asm(".pushsection .rodata\n"                     \
      ".global stopover_" #name                    \
      "_begin\n"                                   \
      ".global stopover_" #name                    \
      "_end\n"                                     \
      "stopover_" #name                            \
      "_begin:\n"                                  \
      ".incbin \"" file                            \
      "\"\n"                                       \
      "stopover_" #name                            \
      "_end:\n"                                    \
      ".byte 0\n"                                  \
      ".popsection\n");                            \
  extern "C" const char stopover_##name##_begin[]; \
  extern "C" const char stopover_##name##_end[];
STOPOVER_CARRY(page, STOPOVER_PAGE)
STOPOVER_CARRY(tiles, STOPOVER_TILES)
STOPOVER_CARRY(world, STOPOVER_WORLD)
#define STOPOVER_CARRIED(name) \
  std::string_view(stopover_##name##_begin, static_cast<std::size_t>(stopover_##name##_end - stopover_##name##_begin))
#else
#define STOPOVER_CARRIED(name) std::string_view()
#endif

namespace stopover {

std::string_view page_template() { return STOPOVER_CARRIED(page); }

TileScript tile_script() {
  const std::string_view both = STOPOVER_CARRIED(tiles);
  const std::size_t line = both.find('\n');
  if (line == std::string_view::npos) return {};
  return {both.substr(0, line), both.substr(line + 1)};
}

std::string_view world_map() { return STOPOVER_CARRIED(world); }

}  // namespace stopover
