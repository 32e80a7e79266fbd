#include "privacy/view.h"

#include <algorithm>
#include <cstring>

namespace stopover {
namespace {

constexpr std::size_t kMostChildren = std::size_t{1} << 27;
constexpr std::uint32_t kWidestLookup = 1u << 20;

std::vector<std::uint32_t> widths_of(const Domain& domain, const std::vector<std::size_t>& axes) {
  std::vector<std::uint32_t> widths;
  for (std::size_t axis : axes) widths.push_back(domain.axis(axis).cells);
  return widths;
}

}  // namespace

CellSorter::CellSorter(const Box& box, const Cuts& cuts, const CellKeys& layout) : layout_(&layout) {
  STOPOVER_CHECK(cuts.size() <= box.axes(), "cuts name more axes than the view has");
  for (std::size_t axis = cuts.size(); axis-- > 0;) {
    if (cuts[axis].empty()) continue;
    const Interval side = box[axis];
    std::uint32_t previous = side.lo;
    for (std::uint32_t cut : cuts[axis]) {
      STOPOVER_CHECK(cut > previous && cut < side.hi, "cuts must increase strictly inside the box");
      previous = cut;
    }
    CutAxis entry{axis, side.lo, {}, &cuts[axis], children_};
    if (side.width() <= kWidestLookup) {
      entry.of_cell.reserve(side.width());
      std::size_t child = 0;
      for (std::uint32_t cell = side.lo; cell < side.hi; ++cell) {
        if (child < cuts[axis].size() && cell == cuts[axis][child]) ++child;
        entry.of_cell.push_back(child * children_);
      }
    }
    axes_.push_back(std::move(entry));
    STOPOVER_CHECK(children_ <= kMostChildren / (cuts[axis].size() + 1), "a split has at most 2^27 children");
    children_ *= cuts[axis].size() + 1;
  }
}

std::size_t CellSorter::CutAxis::child(std::uint32_t cell) const {
  if (!of_cell.empty()) return of_cell[cell - lo];
  return static_cast<std::size_t>(std::upper_bound(cuts->begin(), cuts->end(), cell) - cuts->begin()) * stride;
}

View::View(std::string view_name, const Matrix& matrix, std::vector<std::size_t> view_axes, Ticks view_slice,
           std::uint32_t view_number)
    : name(std::move(view_name)),
      axes(std::move(view_axes)),
      slice(view_slice),
      number(view_number),
      layout(widths_of(matrix.domain(), axes)),
      counts(matrix.counts().begin(), matrix.counts().end()) {
  const Box all = matrix.domain().whole();
  std::array<Interval, kMaxAxes> sides;
  for (std::size_t i = 0; i < axes.size(); ++i) sides[i] = all[axes[i]];
  whole = Box(std::span(sides.data(), axes.size()));
  if (axes.size() == matrix.domain().d()) {
    keys.assign(matrix.keys().begin(), matrix.keys().end());
  } else {
    keys.reserve(matrix.keys().size());
    std::array<std::uint32_t, kMaxAxes> cell;
    for (u128 key : matrix.keys()) {
      for (std::size_t i = 0; i < axes.size(); ++i) cell[i] = matrix.keys_of_axes().cell(key, axes[i]);
      keys.push_back(layout.pack(std::span(cell.data(), axes.size())));
    }
    sort_and_merge(keys, counts);
  }
  STOPOVER_CHECK(keys.size() < (std::size_t{1} << 32), "a view has fewer than 2^32 non-empty cells");
  keys_scratch.resize(keys.size());
  counts_scratch.resize(keys.size());
}

std::vector<std::int64_t> View::totals(std::size_t begin, std::size_t end, const CellSorter& sorter) const {
  std::vector<std::int64_t> sums(sorter.children(), 0);
  for (std::size_t row = begin; row < end; ++row) {
    std::int64_t& sum = sums[sorter.child_of(keys[row])];
    sum = static_cast<std::int64_t>(std::min(kMaxCount, static_cast<std::uint64_t>(sum) + counts[row]));
  }
  return sums;
}

std::vector<std::size_t> View::arrange(std::size_t begin, std::size_t end, const CellSorter& sorter) {
  std::vector<std::size_t> first(sorter.children() + 1, 0);
  for (std::size_t row = begin; row < end; ++row) ++first[sorter.child_of(keys[row]) + 1];
  first[0] = begin;
  for (std::size_t child = 1; child < first.size(); ++child) first[child] += first[child - 1];
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t row = begin; row < end; ++row) {
    const std::size_t to = next[sorter.child_of(keys[row])]++;
    keys_scratch[to] = keys[row];
    counts_scratch[to] = counts[row];
  }
  std::copy(keys_scratch.begin() + begin, keys_scratch.begin() + end, keys.begin() + begin);
  std::copy(counts_scratch.begin() + begin, counts_scratch.begin() + end, counts.begin() + begin);
  return first;
}

void View::use_label(const StreamLabel& label) {
  std::array<std::uint64_t, 3> key;
  std::memcpy(key.data(), label.node.data(), 16);
  key[2] = (static_cast<std::uint64_t>(label.call) << 32) | label.purpose;
  LabelShard& shard = labels_[key[0] % labels_.size()];
  const std::lock_guard lock(shard.mutex);
  STOPOVER_CHECK(shard.used.insert(key).second, "a stream of randomness was about to be used twice");
}

}  // namespace stopover
