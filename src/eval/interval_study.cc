#include "eval/interval_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "calibrate/calibrate.h"
#include "eval/range_counter.h"
#include "eval/workload.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "release_io/release_io.h"
#include "synthetic/number_sequence.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMostEmpty = 4;  // boxes without a trip that are asked, for each that has one
const std::array<const char*, 7> kKinds = {"random", "dcov1", "dcov5", "dcov10", "circle1", "circle5", "circle10"};

// A box, or around each stop a circle.
struct AskedBox {
  Box box;
  std::vector<Coverage> circles;  // one a pair of axes
  double truth = 0;
};

struct Told {
  double truth, estimate;
  std::array<std::pair<double, double>, 3> intervals;  // noise, calibrated, bounds
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Cells whose centre lies within the radius of a cell's, on a map of width x height.
Coverage circle_of(std::uint32_t x, std::uint32_t y, double radius, std::uint32_t width, std::uint32_t height) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;
  const auto reach = static_cast<std::int64_t>(radius);
  for (std::int64_t i = std::max<std::int64_t>(0, x - reach); i <= std::min<std::int64_t>(width - 1, x + reach); ++i) {
    for (std::int64_t j = std::max<std::int64_t>(0, y - reach); j <= std::min<std::int64_t>(height - 1, y + reach);
         ++j) {
      const double dx = static_cast<double>(i) - x, dy = static_cast<double>(j) - y;
      if (dx * dx + dy * dy <= radius * radius) cells.emplace_back(i, j);
    }
  }
  return Coverage::of_cells(cells);
}

class Questions {
 public:
  Questions(const Matrix& matrix, std::size_t wanted, std::uint64_t seed)
      : matrix_(matrix), truth_(matrix), wanted_(wanted), seed_(seed) {}

  std::vector<AskedBox> of(const std::string& kind) const {
    if (kind.starts_with("circle")) return circles(std::stod(kind.substr(6)) / 100);
    std::vector<AskedBox> asked;
    if (kind == "random") return random_boxes();
    const Workload workload = draw_workload(*parse_workload(kind), matrix_, truth_, wanted_, seed_);
    for (std::size_t i = 0; i < workload.boxes.size(); ++i) {
      asked.push_back({workload.boxes[i], {}, static_cast<double>(workload.truth[i])});
    }
    return asked;
  }

 private:
  std::vector<AskedBox> random_boxes() const {
    std::vector<AskedBox> asked;
    NumberSequence numbers(seed_, 0x626f78);
    std::size_t met = 0, empty = 0;
    for (std::uint64_t drawn = 0; met < wanted_ && drawn < 1000 * wanted_; ++drawn) {
      Box box = matrix_.domain().whole();
      for (std::size_t axis = 0; axis < box.axes(); ++axis) {
        const std::uint64_t a = numbers.below(box[axis].hi), b = numbers.below(box[axis].hi);
        box[axis] = {static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b) + 1)};
      }
      const std::uint64_t count = truth_.count(box);
      if (count == 0 && ++empty > kMostEmpty * wanted_) continue;
      met += count > 0;
      asked.push_back({box, {}, static_cast<double>(count)});
    }
    return asked;
  }

  // Around the stops of trips. No circles where axes do not come in pairs.
  std::vector<AskedBox> circles(double diameter) const {
    const Domain& domain = matrix_.domain();
    if (domain.d() % 2 != 0) return {};
    std::vector<std::uint64_t> up_to;
    std::uint64_t sum = 0;
    for (std::uint64_t count : matrix_.counts()) up_to.push_back(sum += count);
    NumberSequence numbers(seed_, 0x63697263);
    std::vector<AskedBox> asked;
    while (asked.size() < wanted_) {
      const auto row = std::upper_bound(up_to.begin(), up_to.end(), numbers.below(sum)) - up_to.begin();
      AskedBox one{domain.whole(), {}, 0};
      for (std::size_t axis = 0; axis < domain.d(); axis += 2) {
        const std::uint32_t width = domain.axis(axis).cells, height = domain.axis(axis + 1).cells;
        one.circles.push_back(
            circle_of(cell(row, axis), cell(row, axis + 1), std::max(0.5, diameter * width / 2), width, height));
        one.box[axis] = one.circles.back().x;
        one.box[axis + 1] = one.circles.back().y;
      }
      one.truth = count(one);
      asked.push_back(std::move(one));
    }
    return asked;
  }

  std::uint32_t cell(std::ptrdiff_t row, std::size_t axis) const {
    return matrix_.keys_of_axes().cell(matrix_.keys()[static_cast<std::size_t>(row)], axis);
  }

  double count(const AskedBox& asked) const {
    double total = 0;
    for (std::size_t row = 0; row < matrix_.keys().size(); ++row) {
      bool inside = true;
      for (std::size_t c = 0; inside && c < asked.circles.size(); ++c) {
        const auto at = static_cast<std::ptrdiff_t>(row);
        inside = asked.circles[c].weight(cell(at, 2 * c), cell(at, 2 * c + 1)) > 0;
      }
      if (inside) total += static_cast<double>(matrix_.counts()[row]);
    }
    return total;
  }

  const Matrix& matrix_;
  RangeCounter truth_;
  std::size_t wanted_;
  std::uint64_t seed_;
};

Told ask_box(Answerer& answerer, const BoxIndex& index, const AskedBox& asked) {
  Answer a;
  if (asked.circles.empty()) {
    a = answerer(BoxQuery::of(asked.box));
  } else {
    RegionQuery query = RegionQuery::of(BoxQuery::of(asked.box));
    for (std::size_t c = 0; c < asked.circles.size(); ++c)
      query.add(make_plane(index, 2 * c, 2 * c + 1, asked.circles[c]));
    a = answerer(query);
  }
  return {asked.truth,
          a.estimate,
          {{{a.noise_lower, a.noise_upper}, {a.lower, a.upper}, {a.bounds_lower, a.bounds_upper}}}};
}

bool held(const Told& told, std::size_t interval) {
  const auto [lower, upper] = told.intervals[interval];
  return lower <= told.truth && told.truth <= upper;
}

IntervalFigures figures(const std::vector<Told>& told, std::size_t interval, double level) {
  IntervalFigures result;
  for (const Told& t : told) {
    const auto [lower, upper] = t.intervals[interval];
    result.coverage += held(t, interval);
    result.width += upper - lower;
    result.score += upper - lower + 2 / (1 - level) * (std::max(0.0, lower - t.truth) + std::max(0.0, t.truth - upper));
  }
  const double n = std::max<double>(1, static_cast<double>(told.size()));
  return {100 * result.coverage / n, result.width / n, result.score / n};
}

StudyRow summary(std::string kind, const std::vector<Told>& all, double level) {
  StudyRow row;
  row.kind = std::move(kind);
  std::vector<Told> met;
  for (const Told& t : all) {
    if (t.truth > 0) met.push_back(t);
  }
  row.questions = met.size();
  row.noise = figures(met, 0, level);
  row.calibrated = figures(met, 1, level);
  row.bounds = figures(met, 2, level);
  row.coverage_all = figures(all, 1, level).coverage;
  std::stable_sort(met.begin(), met.end(), [](const Told& a, const Told& b) { return a.estimate < b.estimate; });
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    const std::size_t first = met.size() * tenth / 10, last = met.size() * (tenth + 1) / 10;
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += held(met[i], 1);
    row.deciles[tenth] = last > first ? 100 * sum / static_cast<double>(last - first) : 0;
  }
  return row;
}

}  // namespace

Result<IntervalStudy> study_intervals(const std::string& data, const Matrix& matrix, const StudySpec& spec) {
  if (Status ok = check_mechanism(*spec.mechanism, spec.params, matrix.domain()); !ok) return ok.error();
  IntervalStudy study;
  study.data = data;
  const Questions questions(matrix, spec.queries, spec.seed);
  std::vector<std::vector<AskedBox>> kinds;
  for (const char* kind : kKinds) kinds.push_back(questions.of(kind));
  std::vector<std::vector<Told>> told(kinds.size());
  for (std::uint32_t rep = 0; rep < spec.reps; ++rep) {
    auto start = std::chrono::steady_clock::now();
    StreamDice dice(test_key(fmt::format("intervals {} {} {} {} {}", spec.seed, data, spec.mechanism->name,
                                         format_epsilon(spec.epsilon), rep)));
    Kernel kernel(matrix, dice, spec.epsilon, 1);
    Release release = run_mechanism(*spec.mechanism, spec.params, kernel, Unit::trip);
    study.mechanism_seconds += seconds_since(start) / spec.reps;
    start = std::chrono::steady_clock::now();
    const Result<std::string> hash = content_sha256(release);
    if (!hash) return hash.error();
    const Result<Calibration> table = calibrate(release, {.seed = std::stoull(hash->substr(0, 16), nullptr, 16)});
    if (table) {
      release.calibration = *table;
      ++study.calibrated_releases;
    }
    study.calibrate_seconds += seconds_since(start) / spec.reps;
    const Result<BoxIndex> index = BoxIndex::make(release);
    if (!index) return index.error();
    Answerer answerer(*index, {.level = spec.level});
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (const AskedBox& asked : kinds[kind]) told[kind].push_back(ask_box(answerer, *index, asked));
    }
  }
  std::vector<Told> all;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (told[kind].empty()) continue;
    study.rows.push_back(summary(kKinds[kind], told[kind], spec.level));
    all.insert(all.end(), told[kind].begin(), told[kind].end());
  }
  study.rows.push_back(summary("all kinds", all, spec.level));
  return study;
}

}  // namespace stopover
