#include "matrix/tally.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "matrix/matrix.h"

namespace stopover {
namespace {

constexpr std::size_t kMergeAt = std::size_t{1} << 20;
constexpr std::size_t kAtOnce = 8;  // rows walked side by side: their nodes are fetched together

}  // namespace

u128 TallyTask::Lattice::boxes() const {
  u128 product = 1;
  for (const auto& axis : cuts) product = std::min<u128>(product, u128{1} << 63) * (axis.size() + 1);
  return product;
}

Tally::Tally(const TallyTask& task) : task_(task), slots_(task.slots - task.first_slot, 0) {
  for (const TallyTask::Lattice& lattice : task.lattices) {
    STOPOVER_CHECK(lattice.boxes() <= u128{1} << 62 && lattice.cuts.size() <= task.widths.size(),
                   "a lattice has at most 2^62 boxes");
    Found found;
    std::uint64_t stride = 1;
    for (std::size_t axis = lattice.cuts.size(); axis-- > 0;) {
      const std::vector<std::uint32_t>& cuts = lattice.cuts[axis];
      if (cuts.empty()) continue;
      AxisParts parts{axis, {}};
      std::size_t part = 0;
      for (std::uint32_t cell = 0; cell < task.widths[axis]; ++cell) {
        if (part < cuts.size() && cell == cuts[part]) ++part;
        parts.of_cell.push_back(part * stride);
      }
      STOPOVER_CHECK(part == cuts.size(), "cuts must increase strictly inside the box");
      found.axes.push_back(std::move(parts));
      stride *= cuts.size() + 1;
    }
    if (lattice.boxes() <= kMostCounters) found.counters.assign(static_cast<std::size_t>(lattice.boxes()), 0);
    found_.push_back(std::move(found));
  }
}

// Cut at kMaxCount, whoever else adds at the same time: a sum that is full stays full.
void Tally::add(std::uint64_t& sum, std::uint64_t count) {
  const std::atomic_ref<std::uint64_t> shared(sum);
  std::uint64_t old = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(old, std::min(kMaxCount, old + std::min(count, kMaxCount)),
                                       std::memory_order_relaxed)) {
  }
}

void Tally::add_box(std::size_t lattice, std::uint64_t box, std::uint64_t count) {
  Found& found = found_[lattice];
  if (!found.counters.empty()) return add(found.counters[box], count);
  const std::lock_guard lock(mutex_);
  found.keys.push_back(box);
  found.counts.push_back(count);
  compact(found);
}

void Tally::compact(Found& found) {
  if (found.keys.size() < std::max(kMergeAt, found.merge_at)) return;
  sort_and_merge(found.keys, found.counts);
  found.merge_at = 2 * found.keys.size();
}

std::uint64_t Tally::slot(std::size_t slot) const { return slots_[slot - task_.first_slot]; }

std::pair<std::vector<u128>, std::vector<std::uint64_t>> Tally::boxes(std::size_t lattice) {
  Found& found = found_[lattice];
  for (std::size_t box = 0; box < found.counters.size(); ++box) {
    if (found.counters[box] == 0) continue;
    found.keys.push_back(box);
    found.counts.push_back(found.counters[box]);
  }
  found.counters = {};
  sort_and_merge(found.keys, found.counts);
  return {std::move(found.keys), std::move(found.counts)};
}

TallyHand::~TallyHand() {
  const std::lock_guard lock(tally_.mutex_);
  for (std::size_t lattice = 0; lattice < found_.size(); ++lattice) {
    Tally::Found& all = tally_.found_[lattice];
    sort_and_merge(found_[lattice].keys, found_[lattice].counts);
    all.keys.insert(all.keys.end(), found_[lattice].keys.begin(), found_[lattice].keys.end());
    all.counts.insert(all.counts.end(), found_[lattice].counts.begin(), found_[lattice].counts.end());
    Tally::compact(all);
  }
}

void TallyHand::add(const CellRows& rows) {
  if (tally_.task_.slots > tally_.task_.first_slot) walk(rows);
  for (std::size_t lattice = 0; lattice < found_.size(); ++lattice) place(rows, lattice);
}

void TallyHand::walk(const CellRows& rows) {
  const TallyTask& task = tally_.task_;
  const std::size_t d = task.widths.size(), n = rows.counts.size();
  const CutTree::Node* const nodes = task.tree.data();
  std::array<std::int32_t, kAtOnce> at;
  std::size_t slot = 0;
  std::uint64_t waiting = 0;  // trips for `slot`: neighbours often share a box
  const auto flush = [&] {
    if (waiting > 0 && slot >= task.first_slot) Tally::add(tally_.slots_[slot - task.first_slot], waiting);
    waiting = 0;
  };
  for (std::size_t first = 0; first < n; first += kAtOnce) {
    const std::size_t some = std::min(kAtOnce, n - first);
    const std::uint32_t* const cells = rows.cells.data() + first * d;
    at.fill(task.root);
    for (bool more = task.root >= 0; more;) {
      more = false;
      for (std::size_t i = 0; i < some; ++i) {
        if (at[i] < 0) continue;
        const CutTree::Node& node = nodes[at[i]];
        at[i] = cells[i * d + node.axis] < node.cut ? node.below : node.above;
        more = more || at[i] >= 0;
      }
    }
    for (std::size_t i = 0; i < some; ++i) {
      const auto own = static_cast<std::size_t>(~at[i]);
      if (own != slot || waiting >= kMaxCount) flush();
      slot = own;
      waiting += std::min(rows.counts[first + i], kMaxCount);
    }
  }
  flush();
}

void TallyHand::place(const CellRows& rows, std::size_t lattice) {
  const TallyTask& task = tally_.task_;
  const BoxSample sample = task.lattices[lattice].sample;
  Tally::Found& shared = tally_.found_[lattice];
  Tally::Found& own = found_[lattice];
  const std::size_t d = task.widths.size();
  std::uint64_t box = ~std::uint64_t{0}, waiting = 0;
  const auto flush = [&] {
    if (waiting == 0) return;
    if (!shared.counters.empty()) {
      Tally::add(shared.counters[box], waiting);
    } else {
      own.keys.push_back(box);
      own.counts.push_back(std::min(waiting, kMaxCount));
    }
    waiting = 0;
  };
  bool taken = false;
  for (std::size_t row = 0; row < rows.counts.size(); ++row) {
    const std::uint32_t* const cells = rows.cells.data() + row * d;
    std::uint64_t at = 0;
    for (const Tally::AxisParts& axis : shared.axes) at += axis.of_cell[cells[axis.axis]];
    if (at != box || waiting >= kMaxCount) {
      flush();
      box = at;
      taken = sample.takes(box);
    }
    if (taken) waiting += std::min(rows.counts[row], kMaxCount);
  }
  flush();
  Tally::compact(own);
}

}  // namespace stopover
