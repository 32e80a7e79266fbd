#include "privacy/ranks.h"

#include <algorithm>

#include "privacy/view.h"

namespace stopover {
namespace {

struct Filled {  // a box and its trips
  std::uint64_t box;
  std::uint64_t trips;
};

// The boxes that hold trips and that the rule takes, each once.
std::vector<Filled> filled_boxes(const View& view, std::pair<std::size_t, std::size_t> rows, const CellSorter& sorter,
                                 const BoxSample& sample) {
  std::vector<Filled> filled;
  for (std::size_t row = rows.first; row < rows.second; ++row) {
    const std::uint64_t box = sorter.child_of(view.keys[row]), trips = std::min(view.counts[row], kMaxCount);
    if (!filled.empty() && filled.back().box == box) {  // neighbours often share a box
      filled.back().trips = std::min(filled.back().trips + trips, kMaxCount);
    } else if (sample.takes(box)) {
      filled.push_back({box, trips});
    }
  }
  std::sort(filled.begin(), filled.end(), [](const Filled& a, const Filled& b) { return a.box < b.box; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < filled.size(); ++i) {
    if (filled[i].box == filled[last].box) {
      filled[last].trips = std::min(filled[last].trips + filled[i].trips, kMaxCount);
    } else {
      filled[++last] = filled[i];
    }
  }
  if (!filled.empty()) filled.resize(last + 1);
  return filled;
}

// The ranks of these boxes.
void add_filled(const std::vector<Filled>& filled, std::size_t lattice, const RankRule& rule,
                std::vector<std::int64_t>& histogram) {
  std::vector<std::uint64_t> boxes;
  for (const Filled& f : filled) boxes.push_back(f.box);
  const std::size_t each = rule.bands();
  std::vector<RankBand> bands(boxes.size() * each);
  rule.bands_of(lattice, boxes, bands);
  for (std::size_t i = 0; i < filled.size(); ++i) {
    std::uint64_t counted = 0;  // ranks up to here have their entry
    for (std::size_t b = i * each; b < (i + 1) * each; ++b) {
      const std::uint64_t until = std::min(bands[b].last, filled[i].trips);
      if (until <= counted) continue;
      if (bands[b].entry < histogram.size()) {  // no abort: that would tell that the box holds trips
        std::int64_t& entry = histogram[bands[b].entry];
        entry = static_cast<std::int64_t>(std::min(kMaxCount, static_cast<std::uint64_t>(entry) + (until - counted)));
      }
      counted = until;
    }
  }
}

}  // namespace

void add_ranks(const View& view, std::pair<std::size_t, std::size_t> rows, const Box& box, const Cuts& cuts,
               std::size_t lattice, const RankRule& rule, std::vector<std::int64_t>& histogram) {
  const CellSorter sorter(box, cuts, view.layout, CellSorter::kMostBoxes);
  add_filled(filled_boxes(view, rows, sorter, rule.sample(lattice)), lattice, rule, histogram);
}

void add_ranks(const CountSource& source, const Box& box, std::span<const Cuts> lattices, const CellKeys& layout,
               const RankRule& rule, std::vector<std::vector<std::int64_t>>& histograms) {
  TallyTask task;
  for (const Axis& axis : source.domain().axes()) task.widths.push_back(axis.cells);
  for (std::size_t l = 0; l < lattices.size(); ++l) {
    (void)CellSorter(box, lattices[l], layout, CellSorter::kMostBoxes);  // for its checks
    task.lattices.push_back({lattices[l], rule.sample(l)});
  }
  Tally tally(task);
  source.pass(tally);
  for (std::size_t l = 0; l < lattices.size(); ++l) {
    const auto [boxes, trips] = tally.boxes(l);
    std::vector<Filled> filled;
    for (std::size_t i = 0; i < boxes.size(); ++i) filled.push_back({static_cast<std::uint64_t>(boxes[i]), trips[i]});
    add_filled(filled, l, rule, histograms[l]);
  }
}

}  // namespace stopover
