#include "page/html_page.h"

#include <filesystem>

#include "page/flow_map.h"

namespace stopover {

std::string release_title(const std::string& path) {
  const std::filesystem::path clean = std::filesystem::path(path).lexically_normal();
  return (clean.has_filename() ? clean.filename() : clean.parent_path().filename()).string();
}

Result<std::string> html_page(const std::vector<std::string>& paths, const std::vector<Release>& releases,
                              const std::vector<std::string>& superseded) {
  std::vector<PageRelease> pages;
  for (std::size_t i = 0; i < releases.size(); ++i)
    pages.push_back({release_title(paths[i]), &releases[i], superseded[i]});
  return explorer_page(pages, static_picture(releases[0]));
}

std::string static_picture(const Release& release) {
  constexpr std::size_t kRaster = 48, kZones = 8, kFlows = 12;
  if (release.domain.stops().size() > 3) return "";
  for (const Stop& stop : release.domain.stops()) {
    if (stop.axes.size() != 2) return "";
    for (const std::size_t axis : stop.axes) {
      if (release.domain.axis(axis).cells < kRaster || release.domain.axis(axis).kind == AxisKind::zone) return "";
    }
  }
  const Result<FlowMap> map = ask_flows(release, kZones, kRaster, kFlows);
  return map && !map->flows.empty() ? flow_svg(*map, release) : "";
}

}  // namespace stopover
