// Tally: one pass over the true rows. What is to be counted is public (TallyTask); what was found is SECRET.
//
// A row is walked down a public tree of boxes and added to the one it ends in; and it is added to the box of every
// lattice that it lies in. That is a sum, so it can be made in pieces, anywhere, in any order: the same sums come out.
//
//   Tally tally(task);
//   {
//     TallyHand hand(tally);        // one a thread
//     hand.add(rows);               // as often as there are rows
//   }
//   tally.slot(0); tally.boxes(0);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/wide.h"
#include "matrix/cuts.h"

namespace stopover {

// A few rows: cells one row after the other, each with an index an axis, and the rows' trips.
struct CellRows {
  std::span<const std::uint32_t> cells;
  std::span<const std::uint64_t> counts;
};

// PUBLIC: what one pass counts.
struct TallyTask {
  // A lattice of boxes, of which some are counted. Boxes are numbered with the last axis running fastest.
  struct Lattice {
    Cuts cuts;
    BoxSample sample;
    // How many boxes there are.
    u128 boxes() const;
  };

  std::vector<std::uint32_t> widths;  // of the axes
  // The tree: ~s is the box number s, its slot. Slots below first_slot are known already and not counted.
  std::vector<CutTree::Node> tree;
  std::int32_t root = ~0;
  std::size_t first_slot = 0, slots = 0;
  std::vector<Lattice> lattices;
};

class Tally {
 public:
  // Lattices of at most this many boxes have a counter each, others a sorted list of those met.
  static constexpr std::size_t kMostCounters = std::size_t{1} << 24;

  // REQUIRES: cuts increase strictly inside the widths; nodes name each other in ascending order, and slots below
  // task.slots; the task outlives the tally. Aborts where a lattice has more than 2^62 boxes.
  explicit Tally(const TallyTask& task);

  const TallyTask& task() const { return task_; }
  // Trips in a box of the tree, cut at kMaxCount. REQUIRES: first_slot <= slot < slots.
  std::uint64_t slot(std::size_t slot) const;
  // The boxes of a lattice that hold trips and are in its sample, ascending, with their trips, cut at kMaxCount. Once.
  std::pair<std::vector<u128>, std::vector<std::uint64_t>> boxes(std::size_t lattice);

  // What another tally of the same task has found, somewhere else. From any thread.
  void add_slot(std::size_t slot, std::uint64_t count) { add(slots_[slot - task_.first_slot], count); }
  void add_box(std::size_t lattice, std::uint64_t box, std::uint64_t count);

 private:
  friend class TallyHand;
  struct AxisParts {  // by cell: number of the part times its stride
    std::size_t axis;
    std::vector<std::uint64_t> of_cell;
  };
  struct Found {
    std::vector<AxisParts> axes;
    std::vector<std::uint64_t> counters;
    std::vector<u128> keys;  // where there are no counters
    std::vector<std::uint64_t> counts;
    std::size_t merge_at = 0;
  };
  static void add(std::uint64_t& sum, std::uint64_t count);
  static void compact(Found& found);

  const TallyTask& task_;
  std::vector<std::uint64_t> slots_;
  std::vector<Found> found_;
  std::mutex mutex_;  // guards lists of boxes
};

// One thread's part of a tally. What it holds is added when it goes.
class TallyHand {
 public:
  explicit TallyHand(Tally& tally) : tally_(tally), found_(tally.found_.size()) {}
  ~TallyHand();
  TallyHand(const TallyHand&) = delete;
  TallyHand& operator=(const TallyHand&) = delete;

  // REQUIRES: indices inside the task's widths.
  void add(const CellRows& rows);

 private:
  void walk(const CellRows& rows);
  void place(const CellRows& rows, std::size_t lattice);

  Tally& tally_;
  std::vector<Tally::Found> found_;
};

}  // namespace stopover
