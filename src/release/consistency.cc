#include "release/consistency.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/portable_math.h"
#include "release/children.h"

namespace stopover {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A larger family is halved first: see make_consistent.
constexpr std::size_t kMostAtOnce = 4;

// What a subtree says about its total: value and variance of the measured part, and the volume nothing was said about.
// free > 0 means that the total is unknown.
struct Known {
  double value = 0;
  double variance = 0;
  double free = 0;

  void operator+=(const Known& other) {
    value += other.value;
    variance += other.variance;
    free += other.free;
  }
};

struct Upward {
  std::vector<Known> row;       // each row's subtree, its own count included
  std::vector<Known> children;  // sum over each row's children
};

// The upward pass of generalized least squares on a tree: the best linear unbiased estimate of every subtree's total
// from the counts at and below it. Noises are independent, so siblings' estimates are, and no more than a value and a
// variance has to be carried up. Exact; Hay, Rastogi, Miklau, Suciu 2010 for equal noise, here for any. Parents stand
// before their children, so going backwards meets children first.
Upward upward(const Table& table, double ticks_to_rate) {
  Upward up;
  up.row.resize(table.rows());
  up.children.resize(table.rows());
  std::vector<bool> inner(table.rows());
  Ticks ticks = 0;
  double variance = kInfinity;
  for (std::size_t r = table.rows(); r-- > 0;) {
    // Neighbouring rows mostly have the same budget: the exponential is computed once for all of them.
    if (table.row_ticks[r] != ticks) {
      ticks = table.row_ticks[r];
      variance = noise_variance(static_cast<double>(ticks) * ticks_to_rate);
    }
    const auto count = static_cast<double>(table.count[r]);
    // Complete when the row is met: all of its children stand behind it and have added themselves.
    const Known& parts = up.children[r];
    if (ticks == 0) {
      // Not measured: an inner row passes on what its parts say, a leaf says nothing of its volume.
      // An unmeasured row has infinite variance, and the formula below tends to the sum of its parts.
      up.row[r] = inner[r] ? parts : Known{0, 0, static_cast<double>(table.box(r).volume())};
    } else if (!inner[r] || parts.free > 0) {
      // Parts of which one is unknown can sum to anything: they add nothing to the row's own count y.
      up.row[r] = {count, variance, 0};
    } else {
      // Two independent estimates of one total, the count y of variance v and the parts' sum s of variance V, joined by
      // inverse variance: z = (s v + y V)/(v + V) = s + V/(v + V) (y - s), of variance v V/(v + V).
      const double weight = parts.variance / (parts.variance + variance);
      up.row[r] = {parts.value + weight * (count - parts.value), weight * variance, 0};
    }
    if (table.parent[r] >= 0) {
      const auto parent = static_cast<std::size_t>(table.parent[r]);
      inner[parent] = true;
      up.children[parent] += up.row[r];
    }
  }
  return up;
}

// Neumaier's compensated sum.
// Values of both signs cancel in these sums, and a family may have a million rows: a plain sum would lose digits.
class Sum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    const bool larger = (sum_ < 0 ? -sum_ : sum_) >= (x < 0 ? -x : x);
    // What the sum lost of the smaller operand; exact, as both are doubles.
    lost_ += larger ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

// The x >= 0 with sum `total` nearest to the values z, squares weighted by 1/w: x = max(0, z + lambda w).
// It is used with w the variances of z: then the least reliable values give way most.
class Projection {
 public:
  void clear() {
    z_.clear();
    w_.clear();
  }
  void add(double z, double w) {
    z_.push_back(z);
    w_.push_back(w);
  }
  bool empty() const { return z_.empty(); }

  // REQUIRES: total >= 0, every w > 0.
  // Minimizes sum (x - z)^2/(2w) subject to sum x = total and x >= 0. With a multiplier lambda for the sum and one for
  // every bound, the conditions of Kuhn and Tucker give x = max(0, z + lambda w); its sum grows with lambda and is
  // piecewise linear, so there is one lambda that meets the total. (The projection onto a simplex: Held, Wolfe, Crowder
  // 1974.) If no bound is active, lambda = (total - sum z)/sum w.
  const std::vector<double>& solve(double total) {
    const std::size_t n = z_.size();
    x_.assign(n, 0);
    if (!(total > 0)) return x_;
    Sum z, w;
    for (std::size_t i = 0; i < n; ++i) {
      z.add(z_[i]);
      w.add(w_[i]);
    }
    // First as if no bound were active: where that holds, it is the answer and nothing is sorted.
    double lambda = (total - z.value()) / w.value();
    bool inside = true;
    for (std::size_t i = 0; i < n && inside; ++i) inside = z_[i] + lambda * w_[i] >= 0;
    if (!inside) lambda = sweep(total);
    for (std::size_t i = 0; i < n; ++i) {
      // What falls below 0 is at its bound. The entries above 0 have the sum Z + lambda W = total.
      const double x = z_[i] + lambda * w_[i];
      x_[i] = x > 0 ? x : 0;
    }
    return x_;
  }

 private:
  // Entry i is above 0 from lambda = -z/w on: takes entries in that order until the sum is met before the next one
  // starts.
  double sweep(double total) {
    // Between two starts the entries above 0 are known, and the sum is Z + lambda W over them: lambda = (total - Z)/W
    // is the answer if it lies before the next start. Exact, in O(n log n).
    starts_.resize(z_.size());
    // Where z + lambda w passes 0. Ties are sorted by number, so that the order of summation is always the same.
    for (std::size_t i = 0; i < starts_.size(); ++i) starts_[i] = {-z_[i] / w_[i], static_cast<std::uint32_t>(i)};
    std::sort(starts_.begin(), starts_.end());
    Sum z, w;
    double lambda = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      z.add(z_[starts_[i].second]);
      w.add(w_[starts_[i].second]);
      lambda = (total - z.value()) / w.value();
      // By the next start the sum has reached the total: no further entry takes part.
      if (i + 1 < starts_.size() && lambda <= starts_[i + 1].first) break;
    }
    return lambda;
  }

  std::vector<double> z_, w_, x_;
  std::vector<std::pair<double, std::uint32_t>> starts_;
};

// Divides parents' estimates among families.
class Divider {
 public:
  Divider(const Upward& up, Table& table) : up_(up), table_(table), estimate_(table.estimate) {}

  // Invariant: afterwards the estimates of the family are not negative and sum to `total`, but for rounding.
  void divide(std::span<const std::uint32_t> family, double total) {
    Sum measured;
    bool open = false;
    for (std::uint32_t r : family) {
      const Known& known = up_.row[r];
      open = open || known.free > 0;
      // The most that measured rows ask for; a negative value asks for nothing.
      if (known.free == 0 && known.value > 0) measured.add(known.value);
    }
    if (!open) {
      if (family.size() <= kMostAtOnce) {
        project(family, total, false);
      } else {
        order_.assign(family.begin(), family.end());
        gather(order_, 1);
        hand_down(order_, 1, total);
      }
      return;
    }
    // Rows nothing was said about can take any rest, so measured siblings keep their values as long as there is one.
    // The rest is what unknown rows share. If the measured ones ask for more than there is, they are projected onto the
    // total and unknown ones get 0.
    const double rest = total - measured.value();
    for (std::uint32_t r : family) {
      const Known& known = up_.row[r];
      estimate_[r] = known.free == 0 && known.value > 0 ? known.value : 0;
    }
    project(family, rest > 0 ? rest : total, rest > 0);
  }

 private:
  // What the rows of a group add up to, by their own subtrees.
  struct Group {
    double value = 0;
    double variance = 0;
  };

  // Halves the rows again and again, along the axis with the most of them, down to groups that are divided at once.
  // Node g of `halves_` has the halves 2g and 2g + 1.
  Group gather(std::span<std::uint32_t> rows, std::size_t node) {
    // Numbered as in a heap, so the groups need no pointers.
    if (node >= halves_.size()) halves_.resize(2 * node);
    Group sum;
    if (rows.size() <= kMostAtOnce) {
      // nth_element leaves an order that depends on the library. Sorted, the sum below has the same bits everywhere;
      // the sets of rows are the same anyhow, as ties are broken by row number.
      std::sort(rows.begin(), rows.end());
      // Subtrees of different rows have independent noise: values and variances add.
      for (std::uint32_t r : rows) sum = {sum.value + up_.row[r].value, sum.variance + up_.row[r].variance};
    } else {
      const std::vector<std::uint32_t>& lo = table_.lo[longest(rows)];
      const std::size_t half = rows.size() / 2;
      std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(half), rows.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return lo[a] != lo[b] ? lo[a] < lo[b] : a < b; });
      // Halves are told apart by place alone, not by value: a choice by value would favour luck.
      const Group below = gather(rows.first(half), 2 * node), above = gather(rows.subspan(half), 2 * node + 1);
      sum = {below.value + above.value, below.variance + above.variance};
    }
    return halves_[node] = sum;
  }

  void hand_down(std::span<std::uint32_t> rows, std::size_t node, double total) {
    if (rows.size() <= kMostAtOnce) {
      project(rows, total, false);
      return;
    }
    const std::size_t half = rows.size() / 2;
    // The same projection for the two halves: the gap to the total is shared in proportion to their variances, and with
    // two entries clipping one to [0, total] is exact.
    const Group below = halves_[2 * node], above = halves_[2 * node + 1];
    // x_i = z_i + lambda w_i with lambda = (total - z_1 - z_2)/(w_1 + w_2).
    const double more = total - below.value - above.value;
    const double x = below.value + more * (below.variance / (below.variance + above.variance));
    const double first = x < 0 ? 0 : x > total ? total : x;
    hand_down(rows.first(half), 2 * node, first);
    // The difference, not a projection of its own: so the two sum to the total.
    hand_down(rows.subspan(half), 2 * node + 1, total - first);
  }

  // The axis along which the rows reach farthest, in widths of the first of them.
  std::size_t longest(std::span<const std::uint32_t> rows) const {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t axis = 0; axis < table_.lo.size(); ++axis) {
      std::uint32_t least = table_.lo[axis][rows[0]], last = least;
      for (std::uint32_t r : rows) {
        least = std::min(least, table_.lo[axis][r]);
        last = std::max(last, table_.lo[axis][r]);
      }
      // Boxes of a family mostly have one shape, so this counts rows along the axis.
      const double reach = static_cast<double>(last - least) / (table_.hi[axis][rows[0]] - table_.lo[axis][rows[0]]);
      if (reach > most) best = axis, most = reach;
    }
    return best;
  }

  // Projects the rows that are free, or those that are not, onto `total`.
  void project(std::span<const std::uint32_t> family, double total, bool free) {
    projection_.clear();
    for (std::uint32_t r : family) {
      const Known& known = up_.row[r];
      // Rows that nothing was said about take the rest in proportion to their volume: volume stands in for variance.
      if (free == (known.free > 0)) projection_.add(known.value, free ? known.free : known.variance);
    }
    const std::vector<double>& x = projection_.solve(total);
    std::size_t next = 0;
    for (std::uint32_t r : family) {
      if (free == (up_.row[r].free > 0)) estimate_[r] = x[next++];
    }
  }

  const Upward& up_;
  const Table& table_;
  std::vector<double>& estimate_;
  Projection projection_;
  std::vector<std::uint32_t> order_;
  std::vector<Group> halves_;
};

}  // namespace

double noise_variance(double rate) {
  if (!(rate > 0)) return kInfinity;
  // E x^2 of P(x) = (1 - p)/(1 + p) p^|x| with p = e^-rate: 2p/(1 - p)^2. By expm1, as 1 - p would lose all digits of a
  // small rate, where the variance is near 2/rate^2.
  const double one_minus = -portable_expm1(-rate);
  const double variance = 2 * portable_exp(-rate) / (one_minus * one_minus);
  return variance > 1e-200 ? variance : 1e-200;
}

std::vector<RowEstimate> least_squares(const Table& table, double ticks_to_rate) {
  // Two passes give what inverting the whole normal equations would: on a tree the precision matrix has no fill-in.
  const Upward up = upward(table, ticks_to_rate);
  // The way down: a parent's final value x differs from its children's sum S by a gap that the counts above have to
  // say. It is shared among the children as their variances are.
  std::vector<RowEstimate> result(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const Known& own = up.row[r];
    RowEstimate& out = result[r];
    out.subtree_variance = own.free > 0 ? kInfinity : own.variance;
    if (table.parent[r] < 0) {
      out.value = own.value;
      out.variance = out.subtree_variance;
      continue;
    }
    const auto p = static_cast<std::size_t>(table.parent[r]);
    const Known& family = up.children[p];
    // x - S.
    const double left = result[p].value - family.value;
    // Some child is open. Measured siblings keep their values, and open ones take the gap by volume. Where there is
    // only one, it is the parent less its siblings, whose noise is independent of the parent's (upward() left them out
    // of it); several are not determined.
    if (family.free > 0) {
      out.value = own.value + left * (own.free / family.free);
      if (own.free == 0) {
        out.variance = own.variance;
      } else {
        // Volumes of the same row, so the comparison is of equal sums and exact where the row is the only open one.
        const bool only = own.free == family.free;
        out.variance = only ? result[p].variance + (family.variance - own.variance) : kInfinity;
      }
    } else {
      // z + (v/V)(x - S), v the child's variance and V that of S. As x is the best estimate of what S estimates too,
      // cov(x, S) = var(x); and given S, z is independent of all above. So the variance is v - (v/V)^2 (V - var(x)).
      // v/V is the regression of z on S, as siblings are independent: cov(z, S) = v.
      const double share = own.variance / family.variance;
      out.value = own.value + share * left;
      const double gained = share * share * (family.variance - result[p].variance);
      // Never negative but by rounding.
      out.variance = gained < own.variance ? own.variance - gained : 0;
    }
  }
  return result;
}

namespace {

// The rows of a flat table: counts at one price, and nothing above them but the whole. Empty for other tables.
std::span<const std::uint32_t> flat_rows(const Table& table, const ChildIndex& children) {
  const bool rooted = children.roots().size() == 1;
  const std::span<const std::uint32_t> rows = rooted ? children.of(children.roots()[0]) : children.roots();
  if (rows.size() + rooted != table.rows() || rows.size() <= kMostAtOnce) return {};
  const bool alike = std::all_of(rows.begin(), rows.end(), [&](std::uint32_t r) {
    return table.row_ticks[r] > 0 && table.row_ticks[r] == table.row_ticks[rows[0]];
  });
  return alike ? rows : std::span<const std::uint32_t>();
}

// A count above this is no noise: with probability 0.975 not one of so many empty rows reaches it. Of n counts of no
// trip each exceeds t with probability below e^(-rate t)/2; where only those of at least `least` were listed, they
// exceed least + t with that probability, given that they were listed.
double surely_above(const Table& table, std::size_t n, double rate) {
  double least = 0;
  if (table.kind == TableKind::cells) {
    // The first cell is listed whatever it holds.
    least = kInfinity;
    for (std::size_t r = 1; r < table.rows(); ++r) {
      const auto count = static_cast<double>(table.count[r]);
      least = std::min(least, count < 0 ? -count : count);
    }
  }
  return least + portable_log(20 * static_cast<double>(n)) / rate;
}

}  // namespace

void make_consistent(Table& table, double ticks_to_rate) {
  // Not the least squares values from above but the subtrees' own: the projection takes the place of the way down. If
  // no bound is active it gives the same, as it shares the gap by variance, too.
  const Upward up = upward(table, ticks_to_rate);
  const ChildIndex children(table);
  if (const auto rows = flat_rows(table, children); !rows.empty()) {
    const double sure = surely_above(table, rows.size(), static_cast<double>(table.row_ticks[rows[0]]) * ticks_to_rate);
    // What a count of the whole adds to the sum of the rows' is shared by all of them alike, as in least_squares().
    Sum all, kept;
    for (std::uint32_t r : rows) all.add(up.row[r].value);
    const bool rooted = children.roots().size() == 1;
    const double whole = rooted ? up.row[children.roots()[0]].value : all.value();
    const double more = (whole - all.value()) / static_cast<double>(rows.size());
    std::vector<std::uint32_t> rest;
    for (std::uint32_t r : rows) {
      if (up.row[r].value > sure) {
        table.estimate[r] = up.row[r].value + more > 0 ? up.row[r].value + more : 0;
        kept.add(table.estimate[r]);
      } else {
        rest.push_back(r);
      }
    }
    const double total = rest.empty() ? 0 : std::max(0.0, whole - kept.value());
    if (!rest.empty()) Divider(up, table).divide(rest, total);
    if (rooted) table.estimate[children.roots()[0]] = kept.value() + total;
    return;
  }
  // Roots first, then every family below the value that its parent got: parents come first in the table.
  Divider divider(up, table);
  if (children.roots().size() == 1) {
    const std::uint32_t root = children.roots()[0];
    // One root: the best estimate of the total, which a clip at 0 hardly ever changes.
    table.estimate[root] = std::max(0.0, up.row[root].value);
  } else {
    Sum total;
    for (std::uint32_t root : children.roots()) total.add(up.row[root].value);
    divider.divide(children.roots(), std::max(0.0, total.value()));
  }
  for (std::size_t r = 0; r < table.rows(); ++r) {
    if (!children.of(r).empty()) divider.divide(children.of(r), table.estimate[r]);
  }
}

}  // namespace stopover
