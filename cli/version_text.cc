#include "cli/version_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "page/template.h"
#include "release/release.h"
#include "release_io/release_document.h"

namespace stopover {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string standard_library() {
#if defined(_LIBCPP_VERSION)
  return fmt::format("libc++ {}", _LIBCPP_VERSION);
#else
  return fmt::format("libstdc++ {}", __GLIBCXX__);
#endif
}

std::string machine() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

}  // namespace

std::string version_json(std::string_view program) {
  nlohmann::ordered_json facts;
  facts["name"] = program;
  facts["version"] = STOPOVER_VERSION;
  facts["commit"] = STOPOVER_COMMIT;
  facts["machine"] = machine();
  facts["compiler"] = compiler();
  facts["standard_library"] = standard_library();
  facts["libraries"] = {
      {"duckdb", this_writer().duckdb},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)}};
  facts["release_format"] = Release::kFormat;
  facts["features"] = {{"page", !page_template().empty()}, {"portable", STOPOVER_IS_PORTABLE != 0}};
  return facts.dump();
}

}  // namespace stopover
