#include "eval/interval_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "calibrate/calibrate.h"
#include "eval/error.h"
#include "privacy/stream_dice.h"
#include "publish/probed.h"
#include "query/answerer.h"
#include "query/pair_answer.h"
#include "release_io/release_io.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr double kNoShare = std::numeric_limits<double>::quiet_NaN();

using Ends = std::pair<double, double>;

// What was told about a question at one level.
struct Told {
  double truth, estimate;
  Ends noise, likely, bounds;
  bool on_data, claimed;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A release as `publish` makes it, but with a key that can be repeated.
struct StudiedRelease {
  Release release;
  double mechanism_seconds = 0, calibrate_seconds = 0;
};

Result<StudiedRelease> make_release(const std::string& data, const Matrix& matrix, const StudySpec& spec,
                                    std::uint32_t rep) {
  StudiedRelease made;
  auto start = std::chrono::steady_clock::now();
  StreamDice dice(test_key(fmt::format("intervals {} {} {} {} {}", spec.seed, data, spec.mechanism->name,
                                       format_epsilon(spec.epsilon), rep)));
  Kernel kernel(matrix, dice, spec.epsilon, spec.k);
  made.release = run_probed(*spec.mechanism, spec.params, kernel, spec.k > 1 ? Unit::user : Unit::trip,
                            probe_ticks(*spec.mechanism, spec.epsilon, spec.probe_share));
  made.mechanism_seconds = seconds_since(start);
  if (made.release.probes) return made;
  start = std::chrono::steady_clock::now();
  const Result<std::string> hash = content_sha256(made.release);
  if (!hash) return hash.error();
  Result<Calibration> table = calibrate(made.release, {.seed = std::stoull(hash->substr(0, 16), nullptr, 16)});
  if (table) made.release.calibration = *std::move(table);
  made.calibrate_seconds = seconds_since(start);
  return made;
}

// Asks at one level.
class Asker {
 public:
  Asker(const BoxIndex& index, double level) : index_(index), options_{.level = level}, ask_(index, options_) {}

  Told operator()(const CoverageQuestion& question, const RegionQuery& query) {
    if (question.other) return pair(question, query);
    return told(question, query.planes.empty() ? ask_(query.box) : ask_(query));
  }

 private:
  static Told told(const CoverageQuestion& question, const Answer& a) {
    return {question.truth,
            a.estimate,
            {a.noise_lower, a.noise_upper},
            {a.lower, a.upper},
            {a.bounds_lower, a.bounds_upper},
            question.on_data,
            a.claimed};
  }

  Told pair(const CoverageQuestion& question, const RegionQuery& query) {
    const auto selection = [](const BoxQuery& box) { return Selection::of(RegionQuery::of(box)); };
    const BoxQuery other = BoxQuery::of(*question.other);
    const PairAnswer p =
        answer_pair(index_, {selection(query.box), selection(other), selection(intersect(query.box, other))}, options_);
    if (!question.as_ratio) return told(question, p.difference);
    Answer ratio;
    ratio.estimate = p.ratio.value.value_or(0);
    ratio.lower = ratio.bounds_lower = ratio.noise_lower = p.ratio.lower;
    ratio.upper = ratio.bounds_upper = ratio.noise_upper =
        p.ratio.upper.value_or(std::numeric_limits<double>::infinity());
    ratio.claimed = p.ratio.claimed;
    return told(question, ratio);
  }

  const BoxIndex& index_;
  AnswerOptions options_;
  Answerer ask_;
};

bool holds(const Ends& ends, double truth) { return ends.first <= truth && truth <= ends.second; }

// Share in per cent, width and score over some of the questions.
struct Figures {
  double held = kNoShare, width = kNoShare, score = kNoShare;
};

template <typename Which>
Figures figures(const std::vector<Told>& told, Ends Told::* ends, double level, Which&& which) {
  std::vector<Outcome> outcomes;
  for (const Told& t : told) {
    if (which(t)) outcomes.push_back({t.truth, t.estimate, (t.*ends).first, (t.*ends).second});
  }
  if (outcomes.empty()) return {};
  constexpr std::uint64_t kTrips = 1000;  // relative errors alone depend on it
  const ErrorSummary sum = summarise(outcomes, kTrips, level);
  return {100 * sum.coverage, sum.mean_width, sum.interval_score};
}

CoverageRow row_of(CoverageCase of, const std::vector<Told>& told) {
  CoverageRow row;
  const double level = of.level;
  row.of = std::move(of);
  row.against = kNoShare;
  const auto on_data = [](const Told& t) { return t.on_data; };
  const auto elsewhere = [](const Told& t) { return !t.on_data; };
  const auto any = [](const Told&) { return true; };
  const auto claimed = [](const Told& t) { return t.on_data && t.claimed; };
  row.questions = static_cast<std::size_t>(std::count_if(told.begin(), told.end(), on_data));
  row.uniform = told.size() - row.questions;
  const Figures likely = figures(told, &Told::likely, level, on_data);
  const Figures noise = figures(told, &Told::noise, level, on_data);
  const Figures bounds = figures(told, &Told::bounds, level, on_data);
  row.held = likely.held;
  row.width = likely.width;
  row.score = likely.score;
  row.noise_held = noise.held;
  row.noise_width = noise.width;
  row.noise_score = noise.score;
  row.bounds_held = bounds.held;
  row.bounds_width = bounds.width;
  row.bounds_score = bounds.score;
  row.held_uniform = figures(told, &Told::likely, level, elsewhere).held;
  row.held_all = figures(told, &Told::likely, level, any).held;
  row.held_claimed = figures(told, &Told::likely, level, claimed).held;
  std::size_t below = 0, above = 0;
  for (const Told& t : told) {
    below += t.on_data && t.truth < t.likely.first;
    above += t.on_data && t.truth > t.likely.second;
  }
  const auto share = [&](std::size_t n) {
    return row.questions == 0 ? kNoShare : 100 * static_cast<double>(n) / static_cast<double>(row.questions);
  };
  row.below = share(below);
  row.above = share(above);
  const auto sure = static_cast<double>(std::count_if(told.begin(), told.end(), claimed));
  row.claimed = row.questions == 0 ? kNoShare : 100 * sure / static_cast<double>(row.questions);

  std::vector<const Told*> met;
  for (const Told& t : told) {
    if (t.on_data) met.push_back(&t);
  }
  std::stable_sort(met.begin(), met.end(), [](const Told* a, const Told* b) { return a->estimate < b->estimate; });
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    const std::size_t first = met.size() * tenth / 10, last = met.size() * (tenth + 1) / 10;
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += holds(met[i]->likely, met[i]->truth);
    row.tenths[tenth] = last > first ? 100 * sum / static_cast<double>(last - first) : kNoShare;
  }
  return row;
}

}  // namespace

Result<IntervalStudy> study_intervals(const StudyData& data, const CoverageQuestions& questions,
                                      std::span<const AskedKind> kinds, const StudySpec& spec) {
  const Matrix& matrix = questions.matrix();
  if (Status ok = check_mechanism(*spec.mechanism, spec.params, matrix.domain()); !ok) return ok.error();
  IntervalStudy study;
  std::vector<std::vector<std::vector<Told>>> told(kinds.size(), std::vector<std::vector<Told>>(spec.levels.size()));
  for (std::uint32_t rep = 0; rep < spec.reps; ++rep) {
    const Result<StudiedRelease> made = make_release(data.name, matrix, spec, rep);
    if (!made) return made.error();
    study.mechanism_seconds += made->mechanism_seconds / spec.reps;
    study.calibrate_seconds += made->calibrate_seconds / spec.reps;
    study.calibrated_releases += made->release.has_likely_intervals();
    const auto start = std::chrono::steady_clock::now();
    const Result<BoxIndex> index = BoxIndex::make(made->release);
    if (!index) return index.error();
    std::vector<Asker> ask;
    for (const double level : spec.levels) ask.emplace_back(*index, level);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (const CoverageQuestion& question : kinds[kind].questions) {
        const RegionQuery query = questions.query(*index, question);
        for (std::size_t level = 0; level < ask.size(); ++level) {
          told[kind][level].push_back(ask[level](question, query));
        }
      }
      if (Status s = spec.check(); !s) return s.error();
    }
    study.ask_seconds += seconds_since(start) / spec.reps;
  }
  const auto add = [&](const std::string& kind, std::size_t level, const std::vector<Told>& of) {
    study.rows.push_back(
        row_of({data.name, stop_planes(matrix.domain()).size(), spec.label, format_epsilon(spec.epsilon), data.grid,
                kind, spec.levels[level], spec.seed, spec.queries, spec.reps},
               of));
  };
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (std::size_t level = 0; level < spec.levels.size(); ++level) {
      if (!told[kind][level].empty()) add(kinds[kind].name, level, told[kind][level]);
    }
  }
  for (std::size_t level = 0; level < spec.levels.size(); ++level) {
    std::vector<Told> all;
    for (const auto& of_kind : told) all.insert(all.end(), of_kind[level].begin(), of_kind[level].end());
    add("all", level, all);
  }
  return study;
}

}  // namespace stopover
