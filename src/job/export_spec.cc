#include "job/export_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMostDraws = 10'000;
constexpr std::uint64_t kMostTiles = 1024;

}  // namespace

std::vector<std::string> ExportSpec::given() const {
  const std::pair<const char*, bool> all[] = {{"layer", !layer.empty()},
                                              {"from", !from.empty()},
                                              {"to", !to.empty()},
                                              {"seed", seed.has_value()},
                                              {"n", n.has_value()},
                                              {"estimates", estimates.has_value()},
                                              {"top", top.has_value()},
                                              {"tiles", tiles.has_value()},
                                              {"zones", !zones.empty()},
                                              {"zone_name", !zone_name.empty()},
                                              {"draws", draws.has_value()},
                                              {"stop", !where.empty()},
                                              {"overlaps", overlaps},
                                              {"summary", summary},
                                              {"expand", !expand.empty()},
                                              {"integers", integers},
                                              {"fix_totals", !fix_totals.empty()},
                                              {"hours", !hours.empty()},
                                              {"sparse", sparse},
                                              {"mode", !mode.empty()},
                                              {"at_least", at_least.has_value()}};
  std::vector<std::string> names;
  for (const auto& [name, set] : all) {
    if (set) names.emplace_back(name);
  }
  return names;
}

Result<ExportSpec> read_export(const FieldValues& values) {
  FieldReader fields(values);
  ExportSpec spec;
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  fields.text("release", spec.release)
      .text("as", spec.as)
      .text("output", spec.output)
      .truth("overwrite", spec.overwrite);
  fields.text("layer", spec.layer).whole("top", spec.top, 1, UINT32_MAX).whole("tiles", spec.tiles, 1, kMostTiles);
  fields.text("zones", spec.zones).text("zone_name", spec.zone_name).truth("overlaps", spec.overlaps);
  fields.texts("stop", spec.where).decimal("at_least", spec.at_least);
  fields.truth("summary", spec.summary).text("from", spec.from).text("to", spec.to);
  fields.whole("draws", spec.draws, 1, kMostDraws).whole("n", spec.n, 0, kAny).whole("seed", spec.seed, 0, kAny);
  fields.parsed("estimates", spec.estimates, parse_estimates);
  fields.text("hours", spec.hours).text("mode", spec.mode).truth("sparse", spec.sparse);
  fields.text("fix_totals", spec.fix_totals).truth("integers", spec.integers);
  if (fields.has("expand") && !fields.is_text("expand")) {
    double factor = 0;
    fields.decimal("expand", factor);
    spec.expand = fmt::format("{}", factor);
  } else {
    fields.text("expand", spec.expand);
  }
  if (spec.at_least && !(*spec.at_least > 0)) {
    fields.fail(usage_error(fmt::format("`at_least` must be a number of trips above 0, not {}", *spec.at_least)));
  }
  if (Status s = fields.done(); !s) return s.error();
  return spec;
}

}  // namespace stopover
