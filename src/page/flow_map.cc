#include "page/flow_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "query/answerer.h"

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

// The largest flows. Estimates are additive and not negative, so a flow is no larger than any two stops of it: pairs are
// tried from the largest down, and no further than they can still win.
class LargestFlows {
 public:
  LargestFlows(const Domain& domain, const BoxIndex& index, std::size_t zones, std::size_t most)
      : domain_(domain), zones_(zones), squares_(zones * zones), most_(most), ask_(index, {.intervals = false}) {}

  std::vector<std::vector<std::size_t>> find() {
    const std::size_t stops = domain_.stops().size();
    pairs_.assign(stops, std::vector<double>(squares_ * squares_, 0));
    for (std::size_t s = 1; s < stops; ++s) {
      for (std::size_t from = 0; from < squares_; ++from) {
        for (std::size_t to = 0; to < squares_; ++to) {
          if (from != to) pairs_[s][from * squares_ + to] = estimate({{s - 1, from}, {s, to}});
        }
      }
    }
    for (std::size_t z = 0; z < squares_; ++z) {
      way_ = {z};
      extend();
    }
    std::vector<std::vector<std::size_t>> ways;
    for (const auto& [size, way] : best_) ways.push_back(way);
    return ways;
  }

 private:
  double estimate(const std::vector<std::pair<std::size_t, std::size_t>>& squares) {
    BoxQuery box = BoxQuery::whole(domain_);
    for (const auto& [stop, square] : squares) set_square(box, domain_, stop, square, zones_);
    return ask_(box).estimate;
  }

  // The same quarter, or one beside or across the corner.
  bool touch(std::size_t a, std::size_t b) const {
    const auto near = [](std::size_t i, std::size_t j) { return i <= j + 1 && j <= i + 1; };
    return near(a % zones_, b % zones_) && near(a / zones_, b / zones_);
  }

  double least() const { return best_.size() < most_ ? 0 : -best_.back().first; }

  void extend() {
    const std::size_t s = way_.size();
    if (s == domain_.stops().size()) {
      keep();
      return;
    }
    const double* pairs = pairs_[s].data() + way_.back() * squares_;
    std::vector<std::size_t> order(squares_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pairs[a] > pairs[b]; });
    for (const std::size_t to : order) {
      if (pairs[to] <= least()) break;
      const bool back = std::find(way_.begin(), way_.end(), to) != way_.end();
      const bool last = s + 1 == domain_.stops().size();
      if (back || (last && touch(way_.front(), to))) continue;
      way_.push_back(to);
      extend();
      way_.pop_back();
    }
  }

  void keep() {
    std::vector<std::pair<std::size_t, std::size_t>> squares;
    for (std::size_t s = 0; s < way_.size(); ++s) squares.emplace_back(s, way_[s]);
    const double size = squares.size() == 2 ? pairs_[1][way_[0] * squares_ + way_[1]] : estimate(squares);
    if (size <= least()) return;
    const std::pair entry(-size, way_);
    best_.insert(std::upper_bound(best_.begin(), best_.end(), entry), entry);
    if (best_.size() > most_) best_.pop_back();
  }

  const Domain& domain_;
  std::size_t zones_, squares_, most_;
  Answerer ask_;
  std::vector<std::vector<double>> pairs_;  // [stop][from at the stop before * squares + to]
  std::vector<std::size_t> way_;
  std::vector<std::pair<double, std::vector<std::size_t>>> best_;  // minus the estimate, largest first
};

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
  Answerer ask(*index, quick);
  for (std::size_t s = 0; s < domain.stops().size(); ++s) {
    map.stops.push_back(domain.stops()[s].name);
    std::vector<double>& density = map.density.emplace_back();
    for (std::size_t i = 0; i < raster * raster; ++i) {
      BoxQuery box = BoxQuery::whole(domain);
      set_square(box, domain, s, i, raster);
      density.push_back(ask(box).estimate);
    }
  }

  for (const std::vector<std::size_t>& way : LargestFlows(domain, *index, zones, most_flows).find()) {
    BoxQuery box = BoxQuery::whole(domain);
    for (std::size_t s = 0; s < way.size(); ++s) set_square(box, domain, s, way[s], zones);
    map.flows.push_back({way, answer(*index, box, {})});
  }
  return map;
}

}  // namespace stopover
