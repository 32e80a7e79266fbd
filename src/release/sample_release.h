// Small releases for tests: made by hand, valid, the same every time.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "release/consistency.h"
#include "release/release.h"

namespace stopover::sample {

inline Box box(std::initializer_list<Interval> sides) { return Box(std::span(sides.begin(), sides.size())); }

inline Table table(std::string name, std::vector<std::size_t> axes, Ticks ticks) {
  Table t;
  t.name = std::move(name);
  t.axes = std::move(axes);
  t.ticks = ticks;
  t.lo.resize(t.axes.size());
  t.hi.resize(t.axes.size());
  return t;
}

// Fills charges, spent and estimates from the rows, as an honest mechanism's would be.
inline void settle(Release& release) {
  release.charges.clear();
  release.spent = 0;
  std::vector<std::string> views;
  std::map<std::string, std::map<std::tuple<std::uint32_t, std::string, Ticks>, std::uint64_t>> lines;
  for (Table& t : release.tables) {
    const std::string& view = t.view.empty() ? t.name : t.view;
    const bool first = !lines.contains(view);
    if (first) views.push_back(view);
    std::vector<Ticks> path(t.rows());
    Ticks most = 0;
    for (std::size_t r = 0; r < t.rows(); ++r) {
      if (t.row_ticks[r] > 0) ++lines[view][{t.depth[r], "count", t.row_ticks[r]}];
      if (t.side_ticks[r] > 0 && first) ++lines[view][{t.depth[r], "choose", t.side_ticks[r]}];
      path[r] = t.row_ticks[r] + t.side_ticks[r] + (t.parent[r] < 0 ? 0 : path[static_cast<std::size_t>(t.parent[r])]);
      most = std::max(most, path[r]);
    }
    release.spent += most;
    make_consistent(t, 1 / (1e9 * release.k));
  }
  for (const std::string& view : views) {
    for (const auto& [key, times] : lines[view]) {
      const auto& [depth, purpose, ticks] = key;
      release.charges.push_back({view, depth, purpose, ticks, times});
    }
  }
}

inline Release over(Domain domain, Ticks epsilon) {
  Release release;
  release.domain = std::move(domain);
  release.mechanism = "uniform";
  release.epsilon = epsilon;
  release.randomness = Randomness::system();
  release.number = 1;
  release.ledger_head = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  release.date = "2024-02-29";
  return release;
}

// The paper's example: a 3 x 2 x 3 matrix in partitions of 4, 8 and 6 cells, with counts 2, 4 and 12 and noise n1, n2,
// n3.
inline Release paper(std::int64_t n1, std::int64_t n2, std::int64_t n3) {
  Release release = over(*Domain::of_shape({3, 2, 3}), 100'000'000);
  Table t = table("joint", {0, 1, 2}, release.epsilon);
  t.append(box({{0, 1}, {0, 2}, {0, 2}}), -1, 2 + n1, release.epsilon, 0);
  t.append(box({{1, 3}, {0, 2}, {0, 2}}), -1, 4 + n2, release.epsilon, 0);
  t.append(box({{0, 3}, {0, 2}, {2, 3}}), -1, 12 + n3, release.epsilon, 0);
  release.tables.push_back(std::move(t));
  settle(release);
  return release;
}

// Two stops on a map and a tree of three levels: a cut chosen privately, an uneven family, a leaf counted twice,
// negative counts, an unmeasured row; and one stop's own map.
inline Release city() {
  const Axis lon{"o_lon", 16, AxisKind::longitude, -122.52, -122.36, {}},
      lat{"o_lat", 8, AxisKind::latitude, 37.7, 37.82, {}};
  Axis lon2 = lon, lat2 = lat;
  lon2.name = "d_lon";
  lat2.name = "d_lat";
  const Axis purpose{"purpose", 3, AxisKind::category, 0, 3, {"work", "school", "\"other\" \xc3\xbc"}};
  Release release =
      over(*Domain::make({lon, lat, lon2, lat2, purpose}, {{"origin", {0, 1}}, {"destination", {2, 3}}, {"why", {4}}}),
           1'000'000'000);
  release.mechanism = "daf-homogeneity";
  release.params = {{"q", "0.3"}, {"stop", "1"}};
  release.unit = Unit::user;
  release.k = 4;
  const Interval x{0, 16}, y{0, 8}, p{0, 3};
  Table t = table("joint", {0, 1, 2, 3, 4}, 700'000'000);
  t.append(box({x, y, x, y, p}), -1, 1000, 7'000'000, 3'000'000);
  t.append(box({{0, 5}, y, x, y, p}), 0, 420, 90'000'000, 0);
  t.append(box({{5, 16}, y, x, y, p}), 0, 561, 100'000'000, 20'000'000);
  t.append(box({{0, 5}, y, x, y, p}), 1, 433, 600'000'000, 0);
  t.append(box({{5, 16}, {0, 3}, x, y, p}), 2, 0, 0, 0);
  t.append(box({{5, 16}, {3, 8}, x, y, p}), 2, -17, 570'000'000, 0);
  t.append(box({{5, 16}, {0, 3}, {0, 8}, y, p}), 4, 300, 550'000'001, 0);
  t.append(box({{5, 16}, {0, 3}, {8, 16}, y, p}), 4, 255, 550'000'001, 0);
  release.tables.push_back(std::move(t));
  Table map = table("stop1", {0, 1}, 300'000'000);
  map.append(box({x, {0, 4}}), -1, 700, 300'000'000, 0);
  map.append(box({x, {4, 8}}), -1, 312, 300'000'000, 0);
  release.tables.push_back(std::move(map));
  settle(release);
  return release;
}

// Between three stations, of which two are one district.
inline Release stations() {
  const Result<ZoneSet> zones = ZoneSet::make({{"\xe6\x9d\xb1 1", {13.5, 52.5}, {}, {"east"}},
                                               {"\"2\"", {13.6, 52.5}, {}, {"east"}},
                                               {"3", {13.1, 52.4}, {}, {"west"}}},
                                              {"district"}, ZoneForm::points);
  const Axis from = Axis::of_labels("from", AxisKind::zone, zones->ids());
  Axis to = from;
  to.name = "to";
  Release release = over(*Domain::make({from, to}, {}, std::make_shared<const ZoneSet>(*zones)), 1'000'000'000);
  Table t = table("joint", {0, 1}, release.epsilon);
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      t.append(box({{i, i + 1}, {j, j + 1}}), -1, 10 * i + j, release.epsilon, 0);
    }
  }
  release.tables.push_back(std::move(t));
  settle(release);
  return release;
}

// Two stops of one axis each with maps that were bought together, and a joint table that is read with them.
inline Release maps() {
  const Axis axis{"from", 8, AxisKind::number, 0, 8, {}};
  Axis other = axis;
  other.name = "to";
  Release release = over(*Domain::make({axis, other}, {{"origin", {0}}, {"destination", {1}}}), 1'000'000'000);
  release.mechanism = "anchor";
  release.answer_model = AnswerModel::maps;
  Table joint = table("joint", {0, 1}, 600'000'000);
  joint.append(box({{0, 8}, {0, 4}}), -1, 41, 600'000'000, 0);
  joint.append(box({{0, 8}, {4, 8}}), -1, 7, 600'000'000, 0);
  release.tables.push_back(std::move(joint));
  for (std::size_t s = 0; s < 2; ++s) {
    Table map = table(s == 0 ? "stop1" : "stop2", {s}, 200'000'000);
    map.view = "stops";
    map.smooth = true;
    map.append(box({{0, 8}}), -1, 0, 0, 90'000'000);
    map.append(box({{0, 3}}), 0, 30 - 9 * static_cast<std::int64_t>(s), 110'000'000, 0);
    map.append(box({{3, 8}}), 0, 19, 110'000'000, 0);
    release.tables.push_back(std::move(map));
  }
  settle(release);
  return release;
}

// The same with what its mechanism believes of its rows.
inline Release believed() {
  Release release = maps();
  release.mechanism = "zones";
  for (Table& table : release.tables) {
    for (std::size_t row = 0; row < table.rows(); ++row)
      table.spread.push_back(table.leaves()[row] ? 1.5F + static_cast<float>(row) : 0);
  }
  return release;
}

// The same as the first, with counts that were refined.
inline Release gradual() {
  Release release = maps();
  for (std::size_t t = 1; t < release.tables.size(); ++t) {
    Table& map = release.tables[t];
    map.coarse_count = {0, 41, 12};
    map.coarse_ticks = {0, 20'000'000, 20'000'000};
  }
  return release;
}

// A root of a grid of n x n cells, each measured: the common large case.
inline Release grid(std::uint32_t n) {
  Release release = over(*Domain::of_shape({n, n}), 500'000'000);
  release.mechanism = "identity";
  Table t = table("joint", {0, 1}, release.epsilon);
  t.reserve(std::size_t{n} * n + 1);
  t.append(box({{0, n}, {0, n}}), -1, std::int64_t{n} * n / 2, 5'000'000, 0);
  std::uint64_t state = 1;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      t.append(box({{i, i + 1}, {j, j + 1}}), 0, static_cast<std::int64_t>(state >> 60) - 7, 495'000'000, 0);
    }
  }
  release.tables.push_back(std::move(t));
  settle(release);
  return release;
}

}  // namespace stopover::sample
