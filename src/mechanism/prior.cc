#include "mechanism/prior.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "mechanism/factors.h"

namespace stopover {
namespace {

// Of all weight, what a box is halved for: as fine as a release of some ten thousand trips would be.
constexpr double kJointPart = 1.0 / 8192, kMapPart = 1.0 / 4096;
// Only shares are read of it.
constexpr double kTrips = 1e6;

struct Place {
  std::vector<std::uint32_t> cell;  // of the table's axes
  double weight = 0;
};

std::vector<Place> places_of(const std::vector<std::size_t>& axes, std::size_t d, std::span<const std::uint32_t> cells,
                             std::span<const double> weights) {
  std::map<std::vector<std::uint32_t>, std::vector<double>> found;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    std::vector<std::uint32_t> cell;
    for (const std::size_t axis : axes) cell.push_back(cells[row * d + axis]);
    found[std::move(cell)].push_back(weights[row]);
  }
  double all = 0;
  std::vector<Place> places;
  for (auto& [cell, own] : found) {
    std::sort(own.begin(), own.end());  // sums do not hang on the order of the rows
    places.push_back({cell, std::accumulate(own.begin(), own.end(), 0.0)});
    all += places.back().weight;
  }
  for (Place& place : places) place.weight *= kTrips / all;
  return places;
}

// Halves the axis of which a box has the largest share, until boxes have few trips or one place.
class Halving {
 public:
  Halving(Table& table, const Domain& domain, std::vector<Place> places, double least)
      : table_(table), domain_(domain), places_(std::move(places)), least_(least) {
    std::vector<Interval> whole;
    for (const std::size_t axis : table.axes) whole.push_back({0, domain.axis(axis).cells});
    struct Part {
      std::size_t row, first, last;
    };
    std::vector<Part> parts = {{append(Box(whole), -1, 0, places_.size()), 0, places_.size()}};
    // Breadth first, so that children of a row stand together.
    for (std::size_t next = 0; next < parts.size(); ++next) {
      const auto [row, first, last] = parts[next];
      if (last - first < 2 || table_.estimate[row] <= least_) continue;
      const Box box = table_.box(row);
      std::size_t axis = 0;
      for (std::size_t a = 1; a < box.axes(); ++a) axis = share(box, a) > share(box, axis) ? a : axis;
      Box below = box, above = box;
      below[axis].hi = above[axis].lo = box[axis].lo + box[axis].width() / 2;
      const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = places_.begin() + static_cast<std::ptrdiff_t>(last);
      const auto middle =
          std::stable_partition(begin, end, [&](const Place& place) { return place.cell[axis] < below[axis].hi; });
      const auto cut = static_cast<std::size_t>(middle - places_.begin());
      const auto parent = static_cast<std::int32_t>(row);
      parts.push_back({append(below, parent, first, cut), first, cut});
      parts.push_back({append(above, parent, cut, last), cut, last});
    }
  }

 private:
  double share(const Box& box, std::size_t a) const {
    return box[a].width() < 2 ? 0 : static_cast<double>(box[a].width()) / domain_.axis(table_.axes[a]).cells;
  }
  std::size_t append(const Box& box, std::int32_t parent, std::size_t first, std::size_t last) {
    const std::size_t row = table_.append(box, parent, 0, 0, 0);
    for (std::size_t i = first; i < last; ++i) table_.estimate[row] += places_[i].weight;
    return row;
  }

  Table& table_;
  const Domain& domain_;
  std::vector<Place> places_;
  double least_;
};

}  // namespace

std::shared_ptr<const PastRelease> past_of_table(const Domain& domain, std::span<const std::uint32_t> cells,
                                                 std::span<const double> weights) {
  Release release;
  release.domain = domain;
  release.answer_model = AnswerModel::maps;
  const auto add = [&](std::vector<std::size_t> axes, double part, bool smooth) {
    Table& table = release.tables.emplace_back();
    table.axes = std::move(axes);
    table.smooth = smooth;
    table.lo.resize(table.axes.size());
    table.hi.resize(table.axes.size());
    Halving(table, domain, places_of(table.axes, domain.d(), cells, weights), part * kTrips);
  };
  std::vector<std::size_t> all(domain.d());
  std::iota(all.begin(), all.end(), std::size_t{0});
  add(std::move(all), kJointPart, false);
  for (const Factor& factor : factors_of(domain)) add(factor, kMapPart, true);
  return std::make_shared<const PastRelease>(PastRelease::of_table(release));
}

}  // namespace stopover
