#include "cli/flow_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/answerer.h"
#include "query/batch.h"

namespace stopover {
namespace {

Interval part(std::size_t i, std::size_t parts, std::uint32_t cells) {
  const auto edge = [&](std::size_t k) { return static_cast<std::uint32_t>(std::uint64_t{cells} * k / parts); };
  return {edge(i), edge(i + 1)};
}

void set_square(BoxQuery& query, const Domain& domain, std::size_t stop, std::size_t square, std::size_t parts) {
  const std::vector<std::size_t>& axes = domain.stops()[stop].axes;
  for (std::size_t i = 0; i < 2; ++i) {
    const Interval side = part(i == 0 ? square % parts : square / parts, parts, domain.axis(axes[i]).cells);
    query.lo[axes[i]] = side.lo;
    query.hi[axes[i]] = side.hi;
  }
}

// All sequences of quarters without a repetition.
void add_sequences(std::size_t stops, std::size_t squares, std::vector<std::size_t>& so_far,
                   std::vector<std::vector<std::size_t>>& all) {
  if (so_far.size() == stops) {
    all.push_back(so_far);
    return;
  }
  for (std::size_t z = 0; z < squares; ++z) {
    if (std::find(so_far.begin(), so_far.end(), z) != so_far.end()) continue;
    so_far.push_back(z);
    add_sequences(stops, squares, so_far, all);
    so_far.pop_back();
  }
}

}  // namespace

std::string zone_name(std::size_t zone, std::size_t zones) {
  return fmt::format("{}{}", static_cast<char>('A' + zone % zones), zone / zones + 1);
}

std::string flow_box(const Flow& flow, std::size_t zones, const Domain& domain) {
  std::string text;
  for (std::size_t s = 0; s < flow.zones.size(); ++s) {
    const std::vector<std::size_t>& axes = domain.stops()[s].axes;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t at = i == 0 ? flow.zones[s] % zones : flow.zones[s] / zones;
      const Interval side = part(at, zones, domain.axis(axes[i]).cells);
      text += fmt::format("{}{}={}:{}", text.empty() ? "" : ",", domain.axis(axes[i]).name, side.lo, side.hi);
    }
  }
  return text;
}

Result<FlowMap> ask_flows(const Release& release, std::size_t zones, std::size_t raster, std::size_t most_flows) {
  const Domain& domain = release.domain;
  const Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  FlowMap map;
  map.zones = zones;
  map.raster = raster;
  const AnswerOptions quick{.intervals = false};
  const auto ask = [&](const std::vector<BoxQuery>& boxes, const AnswerOptions& options) {
    std::vector<Answer> answers(boxes.size());
    answer_all(*index, boxes, options, answers);
    return answers;
  };
  map.total = answer(*index, BoxQuery::whole(domain), quick).estimate;
  for (std::size_t s = 0; s < domain.stops().size(); ++s) {
    map.stops.push_back(domain.stops()[s].name);
    std::vector<BoxQuery> boxes(raster * raster, BoxQuery::whole(domain));
    for (std::size_t i = 0; i < boxes.size(); ++i) set_square(boxes[i], domain, s, i, raster);
    std::vector<double>& density = map.density.emplace_back();
    for (const Answer& a : ask(boxes, quick)) density.push_back(a.estimate);
  }

  std::vector<std::vector<std::size_t>> sequences;
  std::vector<std::size_t> so_far;
  add_sequences(domain.stops().size(), zones * zones, so_far, sequences);
  const auto box_of = [&](const std::vector<std::size_t>& sequence) {
    BoxQuery box = BoxQuery::whole(domain);
    for (std::size_t s = 0; s < sequence.size(); ++s) set_square(box, domain, s, sequence[s], zones);
    return box;
  };
  std::vector<BoxQuery> boxes;
  for (const std::vector<std::size_t>& sequence : sequences) boxes.push_back(box_of(sequence));
  const std::vector<Answer> answers = ask(boxes, quick);
  std::vector<std::size_t> order(sequences.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t most = std::min(most_flows, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return std::pair(-answers[a].estimate, a) < std::pair(-answers[b].estimate, b);
                    });
  for (std::size_t i = 0; i < most; ++i) {
    map.flows.push_back({sequences[order[i]], answer(*index, boxes[order[i]], {})});
  }
  return map;
}

}  // namespace stopover
