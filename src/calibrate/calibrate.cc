#include "calibrate/calibrate.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/portable_math.h"
#include "calibrate/posterior_draws.h"
#include "calibrate/trip_columns.h"
#include "query/answerer.h"
#include "query/calibration.h"
#include "query/normal.h"

namespace stopover {
namespace {

constexpr double kAnywhereShare = 0.4;                 // of the questions: boxes placed without regard to trips
constexpr double kLeastSide = 0.007, kMostSide = 0.2;  // of an axis, of boxes placed on trips
constexpr double kLongShare = 0.3;                     // of those: sides of different shares
constexpr double kMarginOfOneStop = 1.1;               // for what the draws do not know
constexpr int kRounds = 300;                           // of the fit
constexpr double kWorthOfNormal = 40;                  // questions that the normal quantiles count as much as
constexpr std::size_t kRows = 10;
constexpr std::size_t kLeastLearned = 200;
constexpr std::array<double, 7> kTails = {0.25, 0.1, 0.05, 0.025, 0.0125, 0.005, 0.0025};

// A question and what the release answers.
struct Answered {
  Box box;
  Features features;
  double estimate, centre;
};

// The same asked of drawn trips.
struct AskedBox : Answered {
  double truth;
  std::size_t draw;
};

// Placed without regard to trips.
Box box_anywhere(const Domain& domain, NumberSequence& numbers) {
  Box box = domain.whole();
  // Two places at random and all between them: a third of the side on average.
  for (std::size_t axis = 0; axis < box.axes(); ++axis) {
    const std::uint64_t a = numbers.below(box[axis].hi), b = numbers.below(box[axis].hi);
    box[axis] = {static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b) + 1)};
  }
  return box;
}

Box box_on_a_trip(const Domain& domain, const TripColumns& trips, NumberSequence& numbers) {
  // A question about a place where people are, as people ask.
  Box box = domain.whole();
  const std::uint64_t trip = numbers.below(trips.trips());
  // Sides are even in their logarithm: as many small questions as large ones.
  const double side = kLeastSide * portable_exp(numbers.uniform() * portable_log(kMostSide / kLeastSide));
  const bool long_sides = numbers.uniform() < kLongShare;
  for (std::size_t axis = 0; axis < box.axes(); ++axis) {
    const double cells = box[axis].hi;
    // Up to e times longer or shorter than the others.
    const double own = long_sides ? side * portable_exp(numbers.uniform(-1, 1)) : side;
    const auto width = static_cast<std::uint32_t>(std::clamp(std::floor(own * cells + 0.5), 1.0, cells));
    const std::uint32_t centre = trips.cell(axis, trip);
    // Moved inward at the edge, so that the box keeps its size.
    const std::uint32_t lo = std::min(centre > width / 2 ? centre - width / 2 : 0, box[axis].hi - width);
    box[axis] = {lo, lo + width};
  }
  return box;
}

class Asker {
 public:
  // The ends of intervals are not used.
  explicit Asker(const BoxIndex& index) : answerer_(index, {.quick = true}) {}
  Answered operator()(const Box& box) {
    const Answer answer = answerer_(BoxQuery::of(box));
    return {box, features_of(answer), answer.estimate, centre_of(answer)};
  }

 private:
  Answerer answerer_;
};

// Questions that the trips of every draw are asked.
std::vector<Answered> ask_anywhere(const Release& release, const BoxIndex& index, std::uint32_t questions,
                                   NumberSequence numbers) {
  std::vector<Box> boxes;
  // Drawn one after the other before they are asked in parallel: the same for any number of threads.
  while (boxes.size() < questions) boxes.push_back(box_anywhere(release.domain, numbers));
  std::vector<Answered> answered(boxes.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, boxes.size(), 32), [&](const auto& range) {
    Asker ask(index);
    for (std::size_t i = range.begin(); i < range.end(); ++i) answered[i] = ask(boxes[i]);
  });
  return answered;
}

std::vector<AskedBox> ask(const Release& release, const BoxIndex& index, const std::vector<Answered>& anywhere,
                          DrawnTrips drawn, std::uint32_t on_trips, NumberSequence& numbers, std::size_t draw) {
  const TripColumns trips(std::move(drawn));
  std::vector<AskedBox> asked;
  // Nothing was drawn: nothing can be compared.
  if (trips.trips() == 0) return asked;
  const auto compare = [&](const Answered& a) {
    // The drawn trips are the truth here: the error is theirs less what the release says.
    // Posterior draws: given the release, the truth is as likely to be one of them as another. So truth less centre is
    // distributed as the error is, as far as the belief behind them holds.
    asked.push_back({a, static_cast<double>(trips.count(a.box)), draw});
  };
  for (const Answered& answered : anywhere) compare(answered);
  Asker ask(index);
  for (std::uint32_t i = 0; i < on_trips; ++i) compare(ask(box_on_a_trip(release.domain, trips, numbers)));
  return asked;
}

// Weights, not negative, under which squared errors are most likely as variances of normal variables: the
// multiplicative updates of Fevotte and Idier (2011), which never increase the distance. That of the noise's own
// variance is 1.
std::array<double, Calibration::kFeatures> fit_variance(const std::vector<AskedBox>& asked) {
  constexpr std::size_t n = Calibration::kFeatures, kNoiseVariance = Calibration::kNoiseVariance;
  // The model: an error's variance is V = sum of weight times feature. Minimized is sum (log V + gap^2/V), twice the
  // negative log likelihood of normal errors. Its gradient is down - up below, and multiplying a weight by
  // sqrt(up/down) never increases it. Features are scaled to a mean of 1, so that all start alike.
  std::array<double, n> scale{}, weights{};
  double mean = 0;
  for (const AskedBox& a : asked) {
    for (std::size_t i = 0; i < n; ++i) scale[i] += a.features[i] / static_cast<double>(asked.size());
    mean += (a.truth - a.centre) * (a.truth - a.centre) / static_cast<double>(asked.size());
  }
  std::vector<Features> scaled;
  for (const AskedBox& a : asked) {
    scaled.emplace_back();
    for (std::size_t i = 0; i < n; ++i) scaled.back()[i] = scale[i] > 0 ? a.features[i] / scale[i] : 0;
  }
  // A weight that starts at 0 stays there: all others start with an equal part of the mean square.
  for (std::size_t i = 0; i < n; ++i) weights[i] = scale[i] > 0 ? std::max(mean, 1e-6) / n : 0;
  // In scaled features the weight 1 of the noise variance is its mean.
  weights[kNoiseVariance] = scale[kNoiseVariance];
  for (int round = 0; round < kRounds; ++round) {
    std::array<double, n> up{}, down{};
    for (std::size_t q = 0; q < asked.size(); ++q) {
      // down = sum f/V, up = sum f gap^2/V^2.
      // A little above 0: a question without noise and without trips has no variance at all.
      double variance = 1e-9;
      for (std::size_t i = 0; i < n; ++i) variance += weights[i] * scaled[q][i];
      const double gap = asked[q].truth - asked[q].centre, once = 1 / variance, twice = once * once * gap * gap;
      for (std::size_t i = 0; i < n; ++i) {
        down[i] += scaled[q][i] * once;
        up[i] += scaled[q][i] * twice;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      // The noise is known exactly, so its weight is not learned.
      // The root is what the proof of descent needs for this distance (Itakura and Saito's). Products keep weights from
      // becoming negative.
      if (down[i] > 0 && i != kNoiseVariance) weights[i] *= std::sqrt(up[i] / down[i]);
      // As good as 0 for good; denormal numbers would only be slow.
      if (weights[i] < 1e-30) weights[i] = 0;
    }
  }
  // Back to features as they come.
  for (std::size_t i = 0; i < n; ++i) weights[i] = scale[i] > 0 ? weights[i] / scale[i] : 0;
  return weights;
}

// To six digits, so that the table is short.
double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return 0;
  const double size = std::fabs(x);
  double unit = 1;
  // By products and quotients of ten: no logarithm, and so the same digits everywhere.
  while (size / unit >= 1e6) unit *= 10;
  while (size / unit < 1e5 && unit > 1e-30) unit /= 10;
  return std::floor(x / unit + 0.5) * unit;
}

double quantile(const std::vector<double>& sorted, double share) {
  // Between the two order statistics beside it, linearly.
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  const double part = at - static_cast<double>(i);
  return i + 1 < sorted.size() ? sorted[i] + part * (sorted[i + 1] - sorted[i]) : sorted[i];
}

// As how many questions that have nothing to do with each other a row counts. Those of one draw share their errors, the
// large ones nearly all of it: in the extreme as many as there are draws.
double worth(const std::vector<double>& errors, const std::vector<double>& sums, const std::vector<double>& counts) {
  // `variance` is the total one, `squares` the mean size of a draw as a question sees it: sum of squared sizes over n.
  double n = static_cast<double>(errors.size()), mean = 0, variance = 0, between = 0, squares = 0, draws = 0;
  // One-way analysis of variance, draws as groups.
  for (double error : errors) mean += error / n;
  for (double error : errors) variance += (error - mean) * (error - mean) / n;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] == 0) continue;
    // The variance of the draws' means, each counted as often as it has questions.
    const double gap = sums[i] / counts[i] - mean;
    between += counts[i] * gap * gap / n;
    squares += counts[i] * counts[i] / n;
    ++draws;
  }
  if (draws < 2 || variance <= 0) return n;
  // The share of the variance that questions of one draw have in common (the intraclass correlation): what draws differ
  // by beyond the (draws - 1)/n of the variance that independent questions would show. Then n questions are worth n/(1
  // + (m - 1) shared), m the size of a draw: the design effect of cluster samples (Kish 1965).
  const double shared = std::clamp((between - (draws - 1) / n * variance) / variance, 0.0, 1.0);
  return n / (1 + (squares - 1) * shared);
}

// Rows of equally many questions by signal, and the quantiles of their errors: of the lower end over all questions, of
// the upper end over those that hold a trip.
void fit_rows(const std::vector<AskedBox>& asked, double margin, Calibration& table) {
  struct Point {
    double signal, error;
    bool met;
    std::size_t draw;
  };
  std::vector<Point> points;
  for (const AskedBox& a : asked) {
    const double scale = error_scale(table, a.features);
    // Errors in units of their own standard deviation: what is left for the rows is their shape.
    points.push_back({a.estimate / scale, (a.truth - a.centre) / scale, a.truth > 0, a.draw});
  }
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.signal < b.signal; });
  table.tails.assign(kTails.begin(), kTails.end());
  std::vector<std::size_t> met;  // numbers of the points whose truth is above 0
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].met) met.push_back(i);
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    // Rows of equally many questions that meet trips. Those in between that meet none belong to the lower ends: an
    // answer may be too high by all of itself, but a region without trips says nothing of how far one can be too low.
    const std::size_t first = met.size() * row / kRows, last = met.size() * (row + 1) / kRows;
    // The median signal of the row's questions stands for it.
    const double signal = rounded(points[met[(first + last) / 2]].signal);
    // Rows are told apart by signal: one that has the same as the row before adds nothing.
    if (!table.signals.empty() && signal <= table.signals.back()) continue;
    std::vector<double> low, high;
    std::vector<double> sums(table.draws, 0.0), counts(table.draws, 0.0);
    // From this row's first question that meets a trip to the next row's first. The first row also has all below it,
    // the last all above.
    for (std::size_t i = row == 0 ? 0 : met[first]; i < (last < met.size() ? met[last] : points.size()); ++i) {
      low.push_back(points[i].error);
      if (points[i].met) high.push_back(points[i].error);
      sums[points[i].draw] += points[i].error;
      ++counts[points[i].draw];
    }
    // A mean of the row's own quantiles and the normal ones, by the number of independent questions behind it.
    const double known = worth(low, sums, counts), own = margin * known / (known + kWorthOfNormal),
                 other = margin - own;
    std::sort(low.begin(), low.end());
    std::sort(high.begin(), high.end());
    table.signals.push_back(signal);
    for (double tail : kTails) {
      // P(normal > z) = tail.
      const double normal = normal_half_width(1 - 2 * tail);
      // The tail-quantile of all errors below; with the sign turned for the normal one. The lower end is never above
      // the centre.
      table.below.push_back(rounded(std::min(0.0, own * quantile(low, tail) - other * normal)));
      table.above.push_back(rounded(std::max(0.0, own * quantile(high, 1 - tail) + other * normal)));
    }
  }
}

}  // namespace

Result<Calibration> calibrate(const Release& release, const CalibrateOptions& options) {
  // Of many trips those of a cell are drawn together, which a release with one map allows.
  const bool together = release.tables[0].estimate[0] > kMostCalibratedTrips;
  if (together && release.tables.size() > 1) {
    return Error{Failure::usage, "a release of more than 5,000,000 trips over several stops is not calibrated"};
  }
  if (!release.tables[0].spread.empty()) {
    return Error{Failure::usage, "a release whose mechanism tells the spread of its leaves is not calibrated"};
  }
  std::optional<Result<BoxIndex>> made_index;
  std::optional<Result<PosteriorDraws>> made_posterior;
  // The two have nothing to do with each other.
  tbb::parallel_invoke([&] { made_index.emplace(BoxIndex::make(release)); },
                       [&] { made_posterior.emplace(PosteriorDraws::make(release)); });
  const Result<BoxIndex>& index = *made_index;
  const Result<PosteriorDraws>& posterior = *made_posterior;
  if (!index) return index.error();
  if (!posterior) return posterior.error();
  if (!posterior->fits(together ? kMostCalibratedCells : kMostCalibratedTrips, together)) {
    return Error{Failure::usage, "a release of more than 5,000,000 trips and 16,777,216 cells is not calibrated"};
  }
  // Some questions are asked of every draw, so their answers of the release are computed once.
  const auto anywhere_asked = static_cast<std::uint32_t>(kAnywhereShare * options.questions);
  // Branch `draws` of the seed: each draw has a branch of its own number.
  const std::vector<Answered> anywhere =
      ask_anywhere(release, *index, anywhere_asked, NumberSequence(options.seed, options.draws));
  std::vector<std::vector<AskedBox>> draws(options.draws);
  tbb::parallel_for(std::size_t{0}, draws.size(), [&](std::size_t i) {
    // How much near stops belong together is not known: the draws go through all of it, from not at all to the most.
    const double power =
        draws.size() > 1 ? posterior->most_power() * static_cast<double>(i) / static_cast<double>(draws.size() - 1) : 0;
    NumberSequence numbers(options.seed, i);
    DrawnTrips trips = posterior->draw(numbers, power, 1e18, together);
    draws[i] = ask(release, *index, anywhere, std::move(trips), options.questions - anywhere_asked, numbers, i);
  });
  // In the order of draws, whichever was ready first: sums over it have the same bits each time.
  std::vector<AskedBox> all;
  std::size_t met = 0;
  for (const std::vector<AskedBox>& draw : draws) {
    all.insert(all.end(), draw.begin(), draw.end());
    for (const AskedBox& asked : draw) met += asked.truth > 0;
  }
  // Quantiles at the ends need more than a few questions a row.
  if (met < kLeastLearned) return Error{Failure::usage, "too few trips to learn from"};
  Calibration table;
  table.draws = options.draws;
  table.questions = static_cast<std::uint32_t>(all.size());
  table.weights = fit_variance(all);
  // Rounded before the rows are fitted, so that rows are in units of what the table says.
  for (double& weight : table.weights) weight = rounded(weight);
  fit_rows(all, release.tables.size() == 1 ? kMarginOfOneStop : 1, table);
  if (Status ok = check_calibration(table); !ok) return ok.error();
  return table;
}

}  // namespace stopover
