#include "privacy/view.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stopover {
namespace {

constexpr std::uint32_t kWidestLookup = 1u << 20;

std::vector<std::uint32_t> widths_of(const Domain& domain, const std::vector<std::vector<std::size_t>>& stops,
                                     bool pooled, std::uint32_t step) {
  std::vector<std::uint32_t> widths;
  if (pooled) widths.push_back(static_cast<std::uint32_t>(stops.size()));
  for (std::size_t axis : stops[0]) widths.push_back((domain.axis(axis).cells - 1) / step + 1);
  for (const auto& stop : stops) {
    STOPOVER_CHECK(stop.size() == stops[0].size(), "pooled stops must have as many axes as each other");
    for (std::size_t i = 0; i < stop.size(); ++i) {
      STOPOVER_CHECK(domain.axis(stop[i]).cells == domain.axis(stops[0][i]).cells,
                     "pooled stops must have equal widths");
    }
  }
  return widths;
}

// Widths for keys. Where a cell has too many bits for one there are no rows in memory either: no key is asked for.
std::vector<std::uint32_t> keyed(std::vector<std::uint32_t> widths) {
  int bits = 0;
  for (const std::uint32_t width : widths) bits += std::bit_width(width - 1);
  return bits <= Domain::kMaxKeyBits ? std::move(widths) : std::vector<std::uint32_t>();
}

Box box_of(const std::vector<std::uint32_t>& widths) {
  std::array<Interval, kMaxAxes> sides;
  for (std::size_t i = 0; i < widths.size(); ++i) sides[i] = {0, widths[i]};
  return Box(std::span(sides.data(), widths.size()));
}

}  // namespace

std::vector<Box> boxes_of(const Box& box, const CutTree& tree) {
  STOPOVER_CHECK(tree.nodes.size() < CellSorter::kMostChildren, "a split has at most 2^27 children");
  if (tree.nodes.empty()) return {box};
  std::vector<Box> of_node(tree.nodes.size()), of_child(tree.nodes.size() + 1);
  of_node[0] = box;
  const auto place = [&](std::int32_t at, std::size_t from, const Box& part) {
    const std::size_t i = static_cast<std::size_t>(at >= 0 ? at : ~at);
    auto& boxes = at >= 0 ? of_node : of_child;
    STOPOVER_CHECK((at < 0 || i > from) && i < boxes.size() && boxes[i].axes() == 0, "a tree of cuts that is none");
    boxes[i] = part;
  };
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const CutTree::Node& node = tree.nodes[i];
    STOPOVER_CHECK(of_node[i].axes() > node.axis, "a tree of cuts that is none");
    Box below = of_node[i], above = of_node[i];
    STOPOVER_CHECK(node.cut > below[node.axis].lo && node.cut < below[node.axis].hi, "cuts must lie strictly inside");
    below[node.axis].hi = above[node.axis].lo = node.cut;
    place(node.below, i, below);
    place(node.above, i, above);
  }
  return of_child;  // n nodes name 2n places, each at most once: n - 1 nodes and n + 1 children, so all are named
}

CellSorter::CellSorter(const Box& box, const Cuts& cuts, const CellKeys& layout, std::size_t most) : layout_(&layout) {
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
    STOPOVER_CHECK(children_ <= most / (cuts[axis].size() + 1),
                   "a split has at most 2^27 children, a lattice 2^62 boxes");
    children_ *= cuts[axis].size() + 1;
  }
}

std::size_t CellSorter::CutAxis::child(std::uint32_t cell) const {
  if (!of_cell.empty()) return of_cell[cell - lo];
  return static_cast<std::size_t>(std::upper_bound(cuts->begin(), cuts->end(), cell) - cuts->begin()) * stride;
}

View::View(std::string view_name, const CountSource& source, const std::vector<std::vector<std::size_t>>& stops,
           bool pooled, Ticks slice, std::uint32_t view_number, std::uint32_t step)
    : name(std::move(view_name)),
      points(stops.size()),
      limit(slice / stops.size()),
      number(view_number),
      whole(box_of(widths_of(source.domain(), stops, pooled, step))),
      layout(keyed(widths_of(source.domain(), stops, pooled, step))) {
  if (source.matrix() == nullptr) {
    const u128 cells = whole.volume() / stops.size();
    if (!pooled && stops[0].size() == source.domain().d() && cells > source.most_cells()) {
      boxes = std::make_unique<BoxTree>(source);
    } else {
      STOPOVER_CHECK(cells <= Kernel::kMostCellsOfAPass, "a map of too many cells for one pass");
      count_cells(source, stops, pooled, step);
    }
    return;
  }
  const Matrix& matrix = *source.matrix();
  if (!pooled && stops[0].size() == matrix.domain().d()) {
    keys.assign(matrix.keys().begin(), matrix.keys().end());
    counts.assign(matrix.counts().begin(), matrix.counts().end());
  } else {
    std::array<std::uint32_t, kMaxAxes> cell;
    for (std::size_t s = 0; s < stops.size(); ++s) {
      if (pooled) cell[0] = static_cast<std::uint32_t>(s);
      for (u128 key : matrix.keys()) {
        for (std::size_t i = 0; i < stops[s].size(); ++i)
          cell[i + pooled] = matrix.keys_of_axes().cell(key, stops[s][i]) / step;
        keys.push_back(layout.pack(std::span(cell.data(), layout.axes())));
      }
      counts.insert(counts.end(), matrix.counts().begin(), matrix.counts().end());
    }
    sort_and_merge(keys, counts);
  }
  make_room();
}

void View::make_room() {
  STOPOVER_CHECK(keys.size() < (std::size_t{1} << 32), "a view has fewer than 2^32 non-empty cells");
  keys_scratch.resize(keys.size());
  counts_scratch.resize(keys.size());
}

void View::count_cells(const CountSource& source, const std::vector<std::vector<std::size_t>>& stops, bool pooled,
                       std::uint32_t step) {
  TallyTask task;
  for (const Axis& axis : source.domain().axes()) task.widths.push_back(axis.cells);
  for (const auto& stop : stops) {
    TallyTask::Lattice lattice;
    lattice.cuts.resize(task.widths.size());
    for (const std::size_t axis : stop) {
      for (std::uint64_t cut = step; cut < task.widths[axis]; cut += step)
        lattice.cuts[axis].push_back(static_cast<std::uint32_t>(cut));
    }
    task.lattices.push_back(std::move(lattice));
  }
  Tally tally(task);
  source.pass(tally);
  std::array<std::uint32_t, kMaxAxes> cell;
  for (std::size_t s = 0; s < stops.size(); ++s) {
    const auto [boxes_found, found] = tally.boxes(s);
    cell[0] = static_cast<std::uint32_t>(s);
    for (const u128 box : boxes_found) {
      auto rest = static_cast<std::uint64_t>(box);
      for (std::size_t i = stops[s].size(); i-- > 0; rest /= whole[i + pooled].width())
        cell[i + pooled] = static_cast<std::uint32_t>(rest % whole[i + pooled].width());
      keys.push_back(layout.pack(std::span(cell.data(), layout.axes())));
    }
    counts.insert(counts.end(), found.begin(), found.end());
  }
  make_room();
}

std::vector<std::int64_t> View::totals(std::size_t begin, std::size_t end, const CellSorter& sorter,
                                       std::size_t by) const {
  const std::size_t apart = by == Kernel::kWhole ? 1 : whole[by].width();
  std::vector<std::int64_t> sums(sorter.children() * apart, 0);
  for (std::size_t row = begin; row < end; ++row) {
    std::size_t at = sorter.child_of(keys[row]);
    if (apart > 1) at = at * apart + layout.cell(keys[row], by);
    sums[at] = static_cast<std::int64_t>(std::min(kMaxCount, static_cast<std::uint64_t>(sums[at]) + counts[row]));
  }
  return sums;
}

std::vector<std::size_t> View::arrange(std::size_t begin, std::size_t end, const CellSorter& sorter) {
  std::vector<std::uint32_t> child(end - begin);
  std::vector<std::size_t> next(sorter.children() + 1, 0);
  for (std::size_t i = 0; i < child.size(); ++i) {
    child[i] = static_cast<std::uint32_t>(sorter.child_of(keys[begin + i]));
    ++next[child[i] + std::size_t{1}];
  }
  next[0] = begin;
  for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
  const std::vector<std::size_t> first = next;
  for (std::size_t i = 0; i < child.size(); ++i) {
    const std::size_t to = next[child[i]]++;
    keys_scratch[to] = keys[begin + i];
    counts_scratch[to] = counts[begin + i];
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
