// Kernel: the only door between the true matrix and the world.
//
// A mechanism holds a Kernel& and writes a plan: open a view of the data for a slice of the budget, split regions, ask
// for noisy counts, let the kernel pick one of several cuts. It never sees a true count; what it gets back is already
// released. A wrong plan can be useless; it cannot leak. (One class of a plan sees a secret: RankRule below.)
//
//   Family root = kernel.view("joint", {0, 1}, kernel.left());        // all trips, all of epsilon
//   std::int64_t n = kernel.count(root, root.left() / 100)[0];         // charged first, drawn second
//   Region all = std::move(kernel.open(std::move(root))[0]);
//   Family parts = kernel.split(std::move(all), 0, {250, 500, 750});
//   std::vector<std::int64_t> counts = kernel.count(parts, parts.left());
//
// Why the sum is right (AUDIT.md has the proofs):
//   - Regions of one view form a tree and children come only from a split, so siblings are disjoint: one trip is on one
//     path. Every charge is made against the budget left on its path; the kernel aborts before it would be exceeded.
//   - Views are charged one after the other: their slices add up to at most epsilon.
//   - Region and Family move and never copy, and every call that divides or opens one consumes it: no budget can be
//     spent twice by holding an old handle. A moved-from handle aborts when used.
//   - A family is counted at most once. To measure a region again, `again` it: a family of one, one level deeper.
//   - Regions of one view that are alive at the same time are disjoint (dividing one consumes it), so they may be
//     counted together.
//   - Only the kernel divides by the unit's trips k, and by the points a trip has in a pooled view.
//   - Randomness comes from one stream a (node, call, purpose); a label used twice aborts.
//
// Threads: calls on different regions and families may run at the same time; one region or family belongs to one
// thread. Results do not depend on threads: labels come from the position in the tree. view(), left(), keep_back(),
// take_back() and close() are for one thread. A plan may decide by values of a region's own path, closed views and
// completed levels, not by siblings still under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ticks.h"
#include "domain/domain.h"
#include "matrix/cuts.h"
#include "privacy/rate.h"

namespace stopover {

class CellSorter;  // private to the kernel
class CountSource;
class Dice;
class Kernel;
class Matrix;
struct HiddenCounts;  // the refinements of a gradual count; private to the kernel
struct NodeName;      // a place in the tree and its calls so far; private to the kernel
struct View;          // a projection of the matrix and its account; private to the kernel
struct StreamLabel;
struct NumberedCount {  // a cell by its number in a box
  std::uint64_t cell = 0;
  std::int64_t count = 0;
};
enum class Purpose : std::uint32_t;

// How good a cut is. Closed list: the sensitivity of each is proved in AUDIT.md. Lower is better, floored to integers.
enum class Score {
  homogeneity,  // sum over intervals of sum over their cells of |f - mean|; one trip moves it by at most 2
  balance,  // most trips in an interval less the fewest; one trip moves it by at most 1. One cut: its distance to the
            // median, in ranks, times 2
};

// One cut of one axis.
struct AxisCut {
  std::uint32_t axis;
  std::uint32_t cut;
};

// Ranks of the trips in a box: those after the bands before, up to `last`, count in entry `entry` of a histogram. An
// entry that the histogram does not have, kNoEntry for one, counts nothing.
struct RankBand {
  static constexpr std::uint32_t kNoEntry = static_cast<std::uint32_t>(-1);
  std::uint64_t last;
  std::uint32_t entry;
};

// Which entry the ranks of a box count in. `bands_of` is asked for boxes that hold trips and for no others, so which
// boxes it is asked for is SECRET. So a rule is a function of (lattice, box) and of what is public when it is made: it
// keeps nothing, writes nothing, prints nothing, calls no kernel, and what it says of a box does not depend on which
// others it is asked for with, not in the last bit (AUDIT.md, "Ranks"; tests/house/rules.py, testing/rule_check.h).
class RankRule {
 public:
  virtual ~RankRule() = default;
  // Which boxes of a lattice are looked at at all: a public sample, asked for once and before any row is looked at.
  virtual BoxSample sample(std::size_t lattice) const = 0;
  // How many bands a box has, the same for all: 1 to 1000.
  virtual std::size_t bands() const = 0;
  // `bands()` bands per box, one box after the other. A rank counts in the first band whose `last` it does not exceed;
  // one that exceeds all counts nowhere. Boxes ascend, each once, numbered as a family's children.
  virtual void bands_of(std::size_t lattice, std::span<const std::uint64_t> boxes, std::span<RankBand> out) const = 0;
};

// A box of a view that may still be measured or divided. Made by Kernel::open.
class Region {
 public:
  Region(Region&&) noexcept;
  Region& operator=(Region&&) noexcept;
  ~Region();

  const Box& box() const { return box_; }  // in the view's axes
  std::uint32_t depth() const { return depth_; }
  Ticks left() const;  // what may still be spent on this path

 private:
  friend class Kernel;
  Region();
  View* view_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  Box box_;
  std::unique_ptr<NodeName> name_;
  std::uint32_t depth_ = 0;
  Ticks spent_ = 0;
  std::int64_t total_ = 0;                      // SECRET
  std::shared_ptr<const HiddenCounts> hidden_;  // SECRET until revealed
  std::size_t child_ = 0;                       // which of the hidden counts are this region's
};

// The disjoint boxes that one split made, before they are opened one by one. Also the root: a family of one.
class Family {
 public:
  Family(Family&&) noexcept;
  Family& operator=(Family&&) noexcept;
  ~Family();

  std::size_t size() const { return totals_.size(); }
  // Children of a grid are numbered with the last axis running fastest; those of a CutTree as it says.
  Box box(std::size_t child) const;
  std::uint32_t depth() const { return depth_; }
  Ticks left() const;

 private:
  friend class Kernel;
  Family();
  View* view_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  Box box_;
  Cuts cuts_;
  std::shared_ptr<const CutTree> tree_;  // instead of cuts_, when set
  std::vector<Box> tree_boxes_;
  std::unique_ptr<NodeName> name_;
  std::uint32_t depth_ = 0;
  Ticks spent_ = 0;
  bool counted_ = false;
  std::vector<std::int64_t> totals_;            // SECRET
  std::shared_ptr<const HiddenCounts> hidden_;  // SECRET
};

// What a descent grew: all boxes, parents before children; the leaves also as regions, in the order of their nodes.
struct Grown {
  struct Node {
    Box box;
    std::int32_t parent;  // -1 for the region that was grown
    std::uint32_t depth;  // the view's depth
    bool leaf;
    Ticks chosen = 0;  // what choosing its cut cost
  };
  std::vector<Node> nodes;
  std::vector<Region> leaves;
};

// What was spent: `times` charges of `ticks` at one depth of one view for one purpose, on disjoint regions.
struct ChargeLine {
  std::string view;
  std::uint32_t depth = 0;
  std::string purpose;
  Ticks ticks = 0;
  std::uint64_t times = 0;
};

struct Receipt {
  std::vector<ChargeLine> charges;  // by view in order of opening, then depth, purpose, ticks
  Ticks spent = 0;                  // over views, the most any path spent, summed: at most epsilon
};

class Kernel {
 public:
  // `k`: the most trips one unit has in the matrix. REQUIRES: epsilon and k above 0; matrix and dice outlive the
  // kernel.
  Kernel(const Matrix& matrix, Dice& dice, Ticks epsilon, std::uint32_t k);
  // The same from rows that need not be in memory (matrix/count_source.h). Where they are not, a view of few cells is
  // made from one pass over them; in any other only trees of cuts, counts and ranks can be had, a pass for all that was
  // divided since the last one: divide a whole level before its first count. Whatever else is asked of it aborts.
  // Throws SourceFailure where a pass fails.
  Kernel(const CountSource& source, Dice& dice, Ticks epsilon, std::uint32_t k);
  static constexpr u128 kMostCellsOfAPass = u128{1} << 27;  // the cells of such a view, at most
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const Domain& domain() const;
  std::uint32_t k() const { return k_; }
  Ticks epsilon() const { return epsilon_; }
  // What no view has taken yet.
  Ticks left() const { return left_; }
  // Keeps `ticks` back: left() is less by them until take_back(). For what comes after a plan that spends all it finds.
  // Nothing is spent by it and nothing won: left() and what is kept back and all slices are epsilon together.
  // REQUIRES: 0 < ticks < left(); nothing is kept back yet.
  void keep_back(Ticks ticks);
  // REQUIRES: something is kept back. Comes before close().
  void take_back();
  // The rate of the noise that a charge of `ticks` buys: ticks/(1e9 k). For formulas ("effective epsilon").
  Rate rate(Ticks ticks) const { return {ticks, kTicksPerEpsilon * k_}; }

  // The trips projected on `axes` (ascending), as a family of one, for a slice of the budget. Views may repeat.
  // REQUIRES: 0 < slice <= left(), a name not used before.
  Family view(std::string name, std::vector<std::size_t> axes, Ticks slice);

  // The stops' points on one shared map: the axes of the view are the stop's number, then the axes of a stop. A trip is
  // one point a stop, so a path of the view may spend slice/stops. With a `step` the view's cells are squares of so
  // many cells of each axis of a stop, the last of an axis maybe fewer. REQUIRES: as view(); at least one stop, all of
  // equal widths; step > 0.
  Family pooled_view(std::string name, const std::vector<std::vector<std::size_t>>& stops, Ticks slice,
                     std::uint32_t step = 1);

  // Noisy counts of all children, empty ones too. Costs `ticks` on every path through the family.
  // REQUIRES: not counted before; 0 < ticks <= family.left().
  std::vector<std::int64_t> count(Family& family, Ticks ticks);

  // The same, each child apart by the cells of one axis that was never cut: result [child * cells + cell].
  std::vector<std::int64_t> count_by(Family& family, std::size_t axis, Ticks ticks);
  // Noisy counts of regions of one view, in one batch. REQUIRES: 0 < ticks <= each one's left(); none given away.
  std::vector<std::int64_t> count(std::span<Region> regions, Ticks ticks);

  // A coarse count now, at the price of `coarse`, whose refinement can be revealed later, the pair then costing `fine`
  // in all. What is not revealed when a region is divided is gone. With `by` an axis (as in count_by), else kWhole.
  // REQUIRES: as count; coarse <= fine <= family.left().
  std::vector<std::int64_t> count_gradually(Family& family, Ticks coarse, Ticks fine, std::size_t by = kWhole);
  static constexpr std::size_t kWhole = static_cast<std::size_t>(-1);
  // The refined counts of a region whose family was counted gradually; costs fine - coarse. Once.
  std::vector<std::int64_t> reveal(Region& region);

  // Noisy counts of the parts that a grid of cuts would make of a region, which stays whole and may be counted by
  // another grid after this one, each at its own price. Numbered as a family's children. With `in_pairs` the parts of
  // every axis that is cut are taken in pairs (the last may lack its second), and trips in second ones count -1; in the
  // second ones of two axes 1 again, and so on: a coefficient of Haar's wavelets is such a difference. One trip still
  // moves one value by 1.
  // REQUIRES: 0 < ticks <= region.left(); cuts as for split.
  std::vector<std::int64_t> count_parts(Region& region, const Cuts& cuts, Ticks ticks, bool in_pairs = false);

  // The cells of a region, each counted, of which only the first and those whose noisy count is at least `threshold` or
  // at most minus that are listed, by their number in the box (last axis fastest). Nothing tells an empty cell from
  // another. Works for up to 2^62 cells. The receipt has as many counts as are listed.
  // REQUIRES: as count_parts, and as sparse_noise.h says of the threshold.
  std::vector<NumberedCount> count_sparsely(Region& region, Ticks ticks, std::uint64_t threshold);

  // How many trips have which rank in the boxes of lattices, against public expectations. A lattice divides the region
  // by a grid of cuts; the trips of a box have the ranks 1, 2, ... n, and every rank counts once in the entry that
  // `rule` says. One trip more in a box adds the rank n + 1 and moves no other: it moves one entry per lattice by 1, so
  // all of them together by as many as there are lattices, which is what the noise is for. The histograms are summed
  // over lattices; the region stays whole. REQUIRES: 0 < ticks <= region.left(); 1 to 1000 lattices, cuts as for split
  // but of at most 2^62 boxes; 1 to 2^27 entries.
  std::vector<std::int64_t> count_ranks(Region& region, std::span<const Cuts> lattices, const RankRule& rule,
                                        std::size_t entries, Ticks ticks);

  // PrivTree's descent (Zhang, Xiao, Xie 2016): a region is divided by `cuts_of` while its count, less a bias that
  // grows with depth, plus noise, is above 0. Only the tree comes out; all of it costs `ticks` once. Regions for which
  // cuts_of gives no cut stay leaves, and no level is begun that could lead to more than `most_leaves`. `log2_fan_out`:
  // the analysis' fan-out as a power of two; privacy does not depend on it. REQUIRES: 1 .. 12.
  using CutsOf = std::function<Cuts(const Box&, std::uint32_t depth)>;
  Grown grow(Region&& region, Ticks ticks, int log2_fan_out, const CutsOf& cuts_of, std::size_t most_leaves);

  // HDPView's descent (Kato et al. 2022): as grow, with a region's aggregation error (the homogeneity score of the
  // uncut box) less `threshold` in place of its count. `cut_of` is asked for regions that are to be divided and may
  // choose() in them at its own price. The noise is the published one for alpha = 1.6, of rate 3/28 of the charge, the
  // bias a level delta with exp(-rate*delta) <= 1/alpha, delta at least 4 (with less, what
  // is empty would be divided for ever), the least biased error 2 - delta.
  //   Why it costs `ticks`: let e and e' be the errors of the regions on one trip's path, with and without the trip. A
  //   part's error is at most its whole's (only deviations above the mean count, or only those below; the part's mean
  //   lies on one side of the whole's), so both biased errors fall by at least delta a level; and |e - e'| <= 2. A
  //   region whose larger biased error is at most 2 - delta is clamped alike in both: no loss. Going up from the last
  //   region above that, the smaller biased errors are at least 1 - delta, 1, 1 + delta, ...; dividing a region of
  //   biased error b >= 1 loses at most rate*exp(-rate*b) a unit, anything else at most rate. So all lose 2*rate*(1 + 1
  //   + 1/alpha + ...) = 22/28 of ticks.
  using CutOf = std::function<AxisCut(Region&)>;
  Grown grow_by_error(Region&& region, Ticks ticks, std::uint64_t threshold, const CutOf& cut_of,
                      std::size_t most_leaves);

  // The children as regions of their own. Free.
  std::vector<Region> open(Family&& family);

  // Divides a region. Free. REQUIRES: at most 2^27 children.
  Family split(Region&& region, const Cuts& cuts);
  Family split(Region&& region, std::size_t axis, std::vector<std::uint32_t> cuts);
  Family split(Region&& region, CutTree tree);
  // The same box once more, one level deeper, to be counted again. Free.
  Family again(Region&& region) { return split(std::move(region), Cuts{}); }

  // Picks one of several ways to cut `axis`, near the best by `score`; only its index comes out. Costs `ticks`.
  // REQUIRES: at least one candidate, each strictly increasing and strictly inside; 0 < ticks <= region.left().
  std::size_t choose(Region& region, std::size_t axis, std::span<const std::vector<std::uint32_t>> candidates,
                     Score score, Ticks ticks);
  // The same for single cuts of any axes, many at little cost: one pass over the region an axis.
  // REQUIRES: ascending by axis, then cut.
  std::size_t choose(Region& region, std::span<const AxisCut> candidates, Score score, Ticks ticks);

  // Uniform random words for the plan's own use (where to look, not what is there). Free: no data takes part.
  std::vector<std::uint64_t> public_coin(Region& region, std::size_t words);

  // The receipt. Nothing can be asked afterwards.
  Receipt close();

 private:
  // A descent asks whether value - depth*bias, at least `least`, plus noise of `rate`, is above 0.
  struct Descent {
    Rate rate;
    std::int64_t bias, least;
    std::function<std::int64_t(const Region&)> value;
    std::function<std::size_t(const Region&)> children;  // 1: it stays a leaf
    std::function<Cuts(Region&)> cuts;
  };
  Grown descend(Region root, Ticks ticks, const Descent& descent, std::size_t most_leaves);
  Family root_of(std::string name, const std::vector<std::vector<std::size_t>>& stops, bool pooled, Ticks slice,
                 std::uint32_t step);
  static Family child_family(Region&& region);
  static CellSorter sorter_of(const Family& family);
  static const std::vector<std::int64_t>& totals_of(Family& family);
  std::vector<std::int64_t> totals_by(const Family& family, std::size_t axis) const;
  std::size_t choose_by(Region& region, Ticks ticks, Score score,
                        const std::function<std::vector<std::uint64_t>()>& scores);
  std::vector<std::int64_t> count_truth(Family& family, std::span<const std::int64_t> truth, Ticks ticks);
  static StreamLabel family_label(const Family& family, Purpose purpose);
  static StreamLabel region_label(Region& region, Purpose purpose);
  // `instead`: the price of an earlier count of the same boxes that this charge completes (a reveal); the receipt then
  // has one line of both.
  void charge(View& view, Ticks& spent, std::uint32_t depth, const char* purpose, Ticks ticks, std::uint64_t times,
              Ticks instead = 0);

  std::unique_ptr<const CountSource> own_;  // of a matrix
  const CountSource& source_;
  Dice& dice_;
  Ticks epsilon_;
  Ticks left_;
  Ticks kept_back_ = 0;
  std::uint32_t k_;
  bool closed_ = false;
  std::vector<std::unique_ptr<View>> views_;
};

}  // namespace stopover
