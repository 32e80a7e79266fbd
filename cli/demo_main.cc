// stopover-demo FOLDER: what `stopover demo -o FOLDER --overwrite` does, and nothing else, so that `make demo` compiles
// little. scripts/demo runs it.
#include <cstdio>

#include "cli/demo_text.h"

int main(int argc, char** argv) {
  using namespace stopover;
  if (argc != 2) {
    std::fputs("usage: stopover-demo FOLDER\n", stderr);
    return static_cast<int>(Failure::usage);
  }
  const Result<DemoCity> city = make_demo({.output = argv[1], .overwrite = true}, {});
  if (!city) {
    std::fprintf(stderr, "error: %s\n", city.error().message.c_str());
    return static_cast<int>(city.error().failure);
  }
  std::puts(demo_text(*city, Paper()).c_str());
  if (!city->no_page.empty()) std::fprintf(stderr, "note: no page was made: %s\n", city->no_page.c_str());
  std::puts("\n`make build` makes the program stopover: build/release/stopover");
  return 0;
}
