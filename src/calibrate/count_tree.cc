#include "calibrate/count_tree.h"

#include <algorithm>
#include <cmath>

#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr double kLeastTheta = 1e-5, kMostTheta = 0.98;
constexpr std::uint32_t kMostUrn = 200;  // trips that are sent one by one
constexpr double kMostSteps = 600;       // whole numbers that are weighed one by one
constexpr double kPoints = 96;           // places at which a wider law is looked at

// Marsaglia and Tsang 2000.
// A squeeze on the cube of a normal variable; exact but for the doubles. A shape below 1 from the one above: G(a) = G(a
// + 1) U^(1/a).
double draw_gamma(double shape, NumberSequence& numbers) {
  if (shape < 1) {
    const double u = 1 - numbers.uniform();
    return draw_gamma(shape + 1, numbers) * portable_exp(portable_log(u) / shape);
  }
  // Marsaglia and Tsang's constants: d v^3 with v = 1 + c x, x normal.
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = numbers.normal();
    const double v = 1 + c * x;
    if (v <= 0) continue;
    const double v3 = v * v * v;
    const double u = 1 - numbers.uniform();
    if (u < 1 - 0.0331 * (x * x) * (x * x)) return d * v3;  // nearly always, and never where the next would refuse
    if (portable_log(u) < 0.5 * x * x + d - d * v3 + d * portable_log(v3)) return d * v3;
  }
}

}  // namespace

double draw_share(double share, double theta, NumberSequence& numbers) {
  // No mass on one side: all goes to the other.
  if (share <= 0 || share >= 1) return share <= 0 ? 0 : 1;
  // Beta(share alpha, (1 - share) alpha) as A/(A + B) of two Gamma variables. Its variance is share (1 - share)/(alpha
  // + 1), so alpha = 1/theta - 1 makes it theta share (1 - share): none at theta = 0, one side takes all at 1.
  const double alpha = 1 / std::clamp(theta, kLeastTheta, kMostTheta) - 1;
  const double a = draw_gamma(share * alpha, numbers), b = draw_gamma((1 - share) * alpha, numbers);
  // Of very small shapes both may come out as 0: then one side takes all, by its share.
  return a + b > 0 ? a / (a + b) : (numbers.uniform() < share ? 1 : 0);
}

std::uint32_t draw_side(std::uint32_t trips, double share, double theta, NumberSequence& numbers) {
  if (trips == 0 || share <= 0) return 0;
  if (share >= 1) return trips;
  if (trips <= kMostUrn) {
    // Polya's urn, exact: trip i goes left with the chance (share alpha + left so far)/(alpha + i).
    const double weight = theta >= kMostTheta ? 1 / kMostTheta - 1 : 1 / std::max(theta, kLeastTheta) - 1;
    std::uint32_t left = 0;
    // The draws of an urn are exchangeable, and their number is Beta-binomial: no share has to be drawn.
    for (std::uint32_t i = 0; i < trips; ++i) left += numbers.uniform() * (weight + i) < share * weight + left;
    return left;
  }
  const double p = draw_share(share, theta, numbers);
  // Many trips: the share is drawn, then the binomial by a normal variable of its mean and variance, rounded.
  // Approximate where p trips is small, which is of no weight among so many.
  const double x = trips * p + std::sqrt(trips * p * (1 - p)) * numbers.normal();
  return static_cast<std::uint32_t>(std::clamp(std::floor(x + 0.5), 0.0, static_cast<double>(trips)));
}

namespace {

struct Side {
  double value, variance;
  bool single;
  double log_chance(double t) const {
    if (std::isinf(variance)) return 0;
    const double gap = t - value;
    // Log density, up to a constant, of a count off by that much: Laplace noise of variance v has the rate sqrt(2/v);
    // the sum of several is taken as normal.
    if (single) return -std::fabs(gap) * std::sqrt(2 / variance);
    return -gap * gap / (2 * variance);
  }
};

// No factor so large that a product of three overflows.
double bounded_exp(double x) { return portable_exp(std::clamp(x, -150.0, 150.0)); }

// How a side's chance changes from one whole number to the next, up or down.
class Steps {
 public:
  Steps(const Side& side, double from, double direction) : side_(side), at_(from), direction_(direction) {
    if (std::isinf(side.variance)) return;
    if (side.single) {
      // Laplace: a step towards the count multiplies by e^rate, one away from it divides.
      up_ = bounded_exp(std::sqrt(2 / side.variance));
    } else {
      // Normal: exp(-((gap + 1)^2 - gap^2)/(2v)) = exp(-(2 gap + 1)/(2v)), and from one step to the next that ratio
      // itself changes by exp(-1/v).
      const double gap = direction * (from - side.value);
      ratio_ = bounded_exp(-(2 * gap + 1) / (2 * side.variance));
      up_ = bounded_exp(-1 / side.variance);
    }
  }
  double next() {
    // Not counted: the chance does not change.
    if (std::isinf(side_.variance)) return 1;
    if (!side_.single) {
      const double ratio = ratio_;
      ratio_ *= up_;
      return ratio;
    }
    const double before = at_;
    at_ += direction_;
    // A step towards the count raises the chance; once past it, each lowers it.
    return (direction_ > 0 ? before < side_.value : before > side_.value) ? up_ : 1 / up_;
  }

 private:
  const Side& side_;
  double at_, direction_;
  double ratio_ = 1, up_ = 1;
};

// Chances, on any scale, of lo, lo + 1, ... of n going left: each from the one before, by products alone. Their sum.
double weigh_each(double n, double a, double b, double lo, const Side& left, const Side& right,
                  std::vector<double>& weights) {
  // As one side gains a trip the other loses one.
  Steps from_left(left, lo, 1), from_right(right, n - lo, -1);
  double chance = 1, sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i > 0) {
      // The Beta-binomial law C(n, s) B(s + a, n - s + b)/B(a, b), by the ratio of neighbours: (n - s)(s + a)/((s +
      // 1)(n - s - 1 + b)). Times that of both counts' chances.
      const double s = lo + static_cast<double>(i) - 1;
      chance *= (n - s) * (s + a) / ((s + 1) * (n - s - 1 + b)) * from_left.next() * from_right.next();
      // Only ratios matter: all are scaled down before they overflow.
      if (chance > 1e200) {
        for (std::size_t k = 0; k < i; ++k) weights[k] *= 1e-200;
        sum *= 1e-200;
        chance *= 1e-200;
      }
    }
    weights[i] = chance;
    sum += chance;
  }
  return sum;
}

// The same for lo, lo + step, ..., where there are too many.
double weigh_apart(double n, double a, double b, double lo, double step, const Side& left, const Side& right,
                   std::vector<double>& weights) {
  double most = -1e300, sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // Logarithms, as the range is wide; the largest is taken off before the exponential, so that nothing overflows.
    const double t = lo + step * static_cast<double>(i);
    // For large n the Beta-binomial law is the Beta density at t/n, t^(a - 1) (n - t)^(b - 1) up to a constant; half a
    // trip keeps the ends finite.
    weights[i] =
        (a - 1) * plain_log(t + 0.5) + (b - 1) * plain_log(n - t + 0.5) + left.log_chance(t) + right.log_chance(n - t);
    most = std::max(most, weights[i]);
  }
  for (double& weight : weights) sum += weight = portable_exp(weight - most);
  return sum;
}

// How many of `trips` went left, given noisy counts of both sides.
std::uint32_t draw_seen(std::uint32_t trips, double share, double theta, const Side& left, const Side& right,
                        NumberSequence& numbers) {
  if (trips == 0) return 0;
  // Away from 0 and 1, so that a and b are above 0.
  share = std::clamp(share, 1e-12, 1 - 1e-12);
  theta = std::clamp(theta, kLeastTheta, kMostTheta);
  const double n = trips;
  const double alpha = 1 / theta - 1, a = share * alpha, b = alpha - a;
  // Where to look. The Beta-binomial variance is n share (1 - share) (1 + (n - 1) theta); 8 of its deviations are
  // enough, but not where trips clump so much that the law has its mass at the ends.
  const double prior_sd = std::sqrt(n * share * (1 - share) * (1 + (n - 1) * theta)) + 1;
  double lo = n * share - 8 * prior_sd, hi = n * share + 8 * prior_sd;
  if (theta > 0.2) {
    lo = 0;
    hi = n;
  }
  // What the counts say of the number that went left: the left count, and n less the right one, by inverse variance.
  double precision = 0, mean = 0;
  if (!std::isinf(left.variance)) {
    precision += 1 / left.variance;
    mean += left.value / left.variance;
  }
  if (!std::isinf(right.variance)) {
    precision += 1 / right.variance;
    mean += (n - right.value) / right.variance;
  }
  // Nine deviations of what the counts say: Laplace tails are longer than normal ones.
  if (precision > 0) {
    mean /= precision;
    const double reach = 9 / std::sqrt(precision) + 1;
    // Where belief and counts do not meet at all, what lies between them is looked at.
    const double low = std::max(lo, mean - reach), high = std::min(hi, mean + reach);
    if (low <= high) {
      lo = low;
      hi = high;
    } else {
      lo = std::min(high, low);
      hi = std::max(high, low);
    }
  }
  // Whole numbers of trips, from 0 to n.
  lo = std::floor(std::clamp(lo, 0.0, n));
  hi = std::ceil(std::clamp(hi, 0.0, n));
  // Up to kMostSteps every number is weighed. Beyond, some hundred places are enough: the law is smooth at that scale.
  const double step = hi - lo > kMostSteps ? std::ceil((hi - lo) / kPoints) : 1;
  const auto points = static_cast<std::size_t>((hi - lo) / step) + 1;
  std::vector<double> weights(points);
  const double sum =
      step > 1 ? weigh_apart(n, a, b, lo, step, left, right, weights) : weigh_each(n, a, b, lo, left, right, weights);
  // Inversion of the cumulative weights. Between points that stand apart, evenly.
  double u = numbers.uniform() * sum;
  std::size_t i = 0;
  while (i + 1 < points && (u -= weights[i]) >= 0) ++i;
  double t = lo + step * static_cast<double>(i);
  if (step > 1) t = std::clamp(t + std::floor(step * numbers.uniform()) - std::floor(step / 2), 0.0, n);
  return static_cast<std::uint32_t>(t);
}

}  // namespace

// Inverse variance, children before parents, as release/consistency.cc has it; here rows that were not counted have an
// infinite variance.
void CountTree::go_up() {
  for (std::size_t at = nodes.size(); at-- > 0;) {
    Node& node = nodes[at];
    node.up = node.count;
    node.up_variance = node.variance;
    if (node.first == node.last) continue;
    double sum = 0, variance = 0;
    for (std::uint32_t c = node.first; c < node.last; ++c) {
      sum += nodes[c].up;
      variance += nodes[c].up_variance;
    }
    if (std::isinf(node.variance) || std::isinf(variance)) {
      if (std::isinf(node.variance)) {
        node.up = sum;
        node.up_variance = variance;
      }
      continue;
    }
    // Own count and children's sum by inverse variance; where only one of them is known, that one.
    const double all = node.variance + variance;
    node.up = (node.count * variance + sum * node.variance) / all;
    node.up_variance = node.variance * variance / all;
  }
}

double CountTree::misfit() {
  // `up` depends on counts alone, not on the shares that are tried: once is enough.
  if (below_.empty()) {
    go_up();
    below_.resize(nodes.size());
  }
  double sum = 0;
  for (const Node& node : nodes) {
    if (node.last - node.first < 2) continue;
    double noise;
    const double total = total_of(node, noise);
    for (std::uint32_t c = node.first; c < node.last; ++c) {
      // A chi-square with noise, and with chance as if the children were alike: its weights do not depend on the base
      // that is tried.
      const double e = nodes[c].share * total, gap = nodes[c].up - e;
      sum += gap * gap / (nodes[c].up_variance + total / (node.last - node.first));
    }
  }
  return sum;
}

// First the levels, as a family is drawn towards its level.
void CountTree::settle() {
  go_up();
  std::uint16_t deepest = 0;
  for (const Node& node : nodes) deepest = std::max(deepest, node.depth);
  std::vector<Clumping> levels;
  for (std::uint16_t depth = 0; depth <= deepest; ++depth) levels.push_back(level_clumping(depth));
  below_.assign(nodes.size(), Clumping{});
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    Node& node = nodes[at];
    // A family of one tells nothing and inherits from the family around it.
    node.clumping = node.last - node.first < 2 ? below_[at] : family_clumping(node, levels[node.depth]);
    for (std::uint32_t c = node.first; c < node.last; ++c) below_[c] = node.clumping;
  }
}

double CountTree::total_of(const Node& node, double& noise) const {
  double sum = 0;
  noise = 0;
  for (std::uint32_t c = node.first; c < node.last; ++c) {
    sum += nodes[c].up;
    noise += nodes[c].up_variance;
  }
  // At least one trip, so that no quotient has 0 below.
  return std::max(1.0, sum);
}

// The squared departure of a child's count from the base, less what noise and chance explain.
double CountTree::excess(const Node& child, double total, double noise) {
  // gap = z - s sum(z): its noise has the variance v (1 - s)^2 + s^2 (noise - v) = v (1 - 2s) + s^2 noise, v the
  // child's and `noise` that of the sum; chance (multinomial) e (1 - s).
  const double s = child.share, e = s * total, gap = child.up - e;
  return gap * gap - child.up_variance * (1 - 2 * s) - s * s * noise - e * (1 - s);
}

// Least squares of the departures on e^2 and e over a depth's children, not negative, weighted by what each can tell.
Clumping CountTree::level_clumping(std::uint16_t depth) const {
  // The model: excess z of a child is smooth e^2 + cluster e (1 - s) on average. Weighted least squares by the normal
  // equations of two unknowns; the weights are one over the squared variance of the gap (the variance of a normal
  // variable's square is twice that), which depends on the result: four rounds are enough.
  Clumping result{0.1, 0};
  for (int round = 0; round < 4; ++round) {
    double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
    for (const Node& node : nodes) {
      if (node.depth != depth || node.last - node.first < 2) continue;
      double noise;
      const double total = total_of(node, noise);
      for (std::uint32_t c = node.first; c < node.last; ++c) {
        const double e = nodes[c].share * total, x = e * e, y = e * (1 - nodes[c].share);
        const double spread = nodes[c].up_variance + e + result.smooth * x + result.cluster * y;
        const double weight = 1 / (spread * spread), z = excess(nodes[c], total, noise);
        xx += weight * x * x;
        xy += weight * x * y;
        yy += weight * y * y;
        xz += weight * x * z;
        yz += weight * y * z;
      }
    }
    // No family at this depth says anything.
    if (xx <= 0) return {};
    // Of the normal equations. Near 0 where all children have nearly the same share and size: e^2 and e cannot be told
    // apart then, and one of them has to do.
    const double det = xx * yy - xy * xy;
    double smooth = det > 1e-9 * xx * yy ? (xz * yy - yz * xy) / det : -1;
    double cluster = det > 1e-9 * xx * yy ? (yz * xx - xz * xy) / det : -1;
    // Not negative: if the best pair is, the best lies on an edge, and the edge that lowers the sum of squares more is
    // taken (by xz^2/xx or yz^2/yy).
    if (smooth < 0 || cluster < 0) {
      const double only_smooth = std::max(0.0, xz / xx), only_cluster = std::max(0.0, yz / yy);
      const bool first = xz * only_smooth >= yz * only_cluster;
      smooth = first ? only_smooth : 0;
      cluster = first ? 0 : only_cluster;
    }
    result = {smooth, cluster};
  }
  return result;
}

Clumping CountTree::family_clumping(const Node& node, const Clumping& level) const {
  double noise, misfit = 0, base = 0, once = 0, squares = 0;
  const double total = total_of(node, noise);
  for (std::uint32_t c = node.first; c < node.last; ++c) {
    const double e = nodes[c].share * total;
    // Sums over the family before the quotient, as for a level.
    misfit += excess(nodes[c], total, noise);
    base += e * e;
    once += e * (1 - nodes[c].share);
    squares += nodes[c].share * nodes[c].share;
  }
  // The family's own smooth part by moments, drawn towards its level's by 4 times the noise of its sum.
  const double prior = 4 * noise;
  // The level's company part is taken off first: what is left is uneven ground.
  const double kappa = std::max(0.0, (misfit - level.cluster * once + prior * level.smooth) / (base + prior));
  // From one division into all children to a chain of halvings: E share^2 grows by 1 + theta at every halving, and by 1
  // + kappa in all. A family has as many halvings as bits of its entropy (of order 2): -log2 sum s^2.
  const double bits = std::max(0.5, -portable_log(squares) / 0.6931471805599453);
  return {portable_exp(portable_log(1 + kappa) / bits) - 1, level.cluster};
}

std::vector<std::uint32_t> CountTree::draw(NumberSequence& numbers, double doubt) const {
  std::vector<std::uint32_t> result(nodes.size(), 0);
  if (nodes.empty()) return result;
  const Node& root = nodes[0];
  // A root that nothing was counted of has no noise to draw.
  const double sd = std::isinf(root.up_variance) ? 0 : std::sqrt(root.up_variance);
  // The total: a normal variable about its estimate, as it has the noise of many counts.
  result[0] = static_cast<std::uint32_t>(std::max(0.0, std::floor(root.up + sd * numbers.normal() + 0.5)));
  std::vector<Seen> seen;
  std::vector<double> shares;
  // Parents first: a node's own number is drawn before it is divided.
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const Node& node = nodes[at];
    if (node.first == node.last) continue;
    seen.clear();
    shares.clear();
    for (std::uint32_t c = node.first; c < node.last; ++c) {
      seen.push_back({nodes[c].up, nodes[c].up_variance, nodes[c].first == nodes[c].last});
      // Above 0, so that a count can speak against the base.
      shares.push_back(std::max(nodes[c].share, 1e-15));
    }
    // Doubt widens the prior: counts then weigh more, and draws stray further from the base.
    const Clumping believed{doubt * node.clumping.smooth, doubt * node.clumping.cluster};
    divide(seen, shares, 0, seen.size(), result[at], believed, numbers, result.data() + node.first);
  }
  return result;
}

void CountTree::divide(const std::vector<Seen>& seen, const std::vector<double>& shares, std::size_t from,
                       std::size_t to, std::uint32_t trips, const Clumping& clumping, NumberSequence& numbers,
                       std::uint32_t* out) const {
  if (to - from == 1) {
    out[from] = trips;
    return;
  }
  if (trips == 0) {
    std::fill(out + from, out + to, 0u);
    return;
  }
  // Halves of the list of children, whose counts and shares add up. Conditioning half by half draws from the joint law,
  // as far as counts of different halves are independent, which they are.
  const std::size_t middle = (from + to) / 2;
  Side sides[2] = {{0, 0, middle - from == 1 && seen[from].single}, {0, 0, to - middle == 1 && seen[middle].single}};
  double mass[2] = {0, 0};
  for (std::size_t i = from; i < to; ++i) {
    Side& side = sides[i >= middle];
    side.value += seen[i].value;
    // Not below 0.01: noise that hardly exists would make the steps of the chance too large.
    side.variance += std::max(0.01, seen[i].variance);
    mass[i >= middle] += shares[i];
  }
  const std::uint32_t left =
      draw_seen(trips, mass[0] / (mass[0] + mass[1]), clumping.theta(trips), sides[0], sides[1], numbers);
  divide(seen, shares, from, middle, left, clumping, numbers, out);
  divide(seen, shares, middle, to, trips - left, clumping, numbers, out);
}

}  // namespace stopover
