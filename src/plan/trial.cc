#include "plan/trial.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "privacy/kernel.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"

namespace stopover {
namespace {

constexpr double kProbed = 0.05;  // of epsilon goes to probes (publish/probed.h)

struct Weighted {
  double value, weight;
};

double weighted_median(std::vector<Weighted> values) {
  std::sort(values.begin(), values.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0, sum = 0;
  for (const Weighted& v : values) total += v.weight;
  for (const Weighted& v : values) {
    sum += v.weight;
    if (sum >= total / 2) return v.value;
  }
  return values.empty() ? 0 : values.back().value;
}

double quantile_of(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The median side at one stop of a table's leaves, which has that stop's axes at x and x + 1.
double median_side(const Table& table, std::size_t x, const MapSize& map) {
  const std::vector<bool> leaves = table.leaves();
  std::vector<Weighted> sides;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    const double width = (table.hi[x][row] - table.lo[x][row]) * map.width / map.columns;
    const double height = (table.hi[x + 1][row] - table.lo[x + 1][row]) * map.height / map.rows;
    sides.push_back({std::sqrt(width * height), table.estimate[row]});
  }
  return weighted_median(std::move(sides));
}

// As if every count had been bought `times` cheaper. (Scaling the interval instead would scale its rounding to
// integers.)
Result<double> leaf_noise(Release release, double times) {
  for (Ticks& ticks : release.tables[0].row_ticks) {
    if (ticks > 0) ticks = std::max<Ticks>(1, static_cast<Ticks>(static_cast<double>(ticks) / times));
  }
  const Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  constexpr std::size_t kMost = 2000;
  const Table& table = release.tables[0];
  const std::vector<bool> leaves = table.leaves();
  const auto count = static_cast<std::size_t>(std::count(leaves.begin(), leaves.end(), true));
  const std::size_t step = count / kMost + 1;
  Answerer ask(*index, {});
  std::vector<Weighted> widths;
  for (std::size_t row = 0, seen = 0; row < table.rows(); ++row) {
    if (!leaves[row] || seen++ % step != 0) continue;
    const Answer a = ask(BoxQuery::of(table.box(row)));
    widths.push_back({(a.noise_upper - a.noise_lower) / 2, table.estimate[row]});
  }
  return weighted_median(std::move(widths));
}

SizeError size_error(const BoxIndex& index, double side, const std::vector<KnownCount>& questions, double times) {
  Answerer ask(index, {.intervals = false});
  std::vector<double> truths, errors;
  for (const KnownCount& question : questions) {
    const auto truth = static_cast<double>(question.truth);
    truths.push_back(truth);
    errors.push_back(std::abs(ask(BoxQuery::of(question.box)).estimate - truth) / truth);
  }
  return {side, times * quantile_of(truths, 0.5), quantile_of(errors, 0.5), quantile_of(errors, 0.9)};
}

nlohmann::json json_of(const std::vector<SizeError>& errors) {
  nlohmann::json rows = nlohmann::json::array();
  for (const SizeError& e : errors) rows.push_back({e.side, e.truth, e.median_re, e.p90_re});
  return rows;
}

std::vector<SizeError> errors_of(const nlohmann::json& rows) {
  std::vector<SizeError> errors;
  for (const nlohmann::json& row : rows) {
    errors.push_back(
        {row.at(0).get<double>(), row.at(1).get<double>(), row.at(2).get<double>(), row.at(3).get<double>()});
  }
  return errors;
}

}  // namespace

Result<Trial> run_trial(const SyntheticCity& city, const Mechanism& mechanism, const Params& params,
                        const TrialSpec& spec, const ReleaseKey& key) {
  if (Status s = check_mechanism(mechanism, params, city.domain()); !s) return s.error();
  StreamDice dice(key);
  const auto stretched =
      static_cast<Ticks>(std::min(static_cast<double>(kMaxTicks), static_cast<double>(spec.epsilon) * spec.times *
                                                                      (mechanism.probed ? 1 - kProbed : 1)));
  Kernel kernel(city.matrix(), dice, stretched, spec.k);
  const Release release = run_mechanism(mechanism, params, kernel, spec.k == 1 ? Unit::trip : Unit::user);
  const Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  Trial trial;
  trial.partitions = index->partitions();
  const std::size_t stops = city.domain().stops().size();
  for (std::size_t s = 0; s < stops; ++s) {
    trial.sides.push_back(median_side(release.tables[0], 2 * s, city.map()));
    if (release.tables.size() > s + 1) trial.map_sides.push_back(median_side(release.tables[s + 1], 0, city.map()));
  }
  const Result<double> noise = leaf_noise(release, spec.times);
  if (!noise) return noise.error();
  trial.noise_95 = *noise;
  for (const KnownCounts& known : city.questions()) {
    trial.one_stop.push_back(size_error(*index, known.side, known.one_stop, spec.times));
    trial.all_stops.push_back(size_error(*index, known.side, known.all_stops, spec.times));
  }
  return trial;
}

std::string encode_trial(const Trial& trial) {
  return nlohmann::json{{"partitions", trial.partitions},      {"sides", trial.sides},
                        {"map_sides", trial.map_sides},        {"noise_95", trial.noise_95},
                        {"one_stop", json_of(trial.one_stop)}, {"all_stops", json_of(trial.all_stops)}}
      .dump();
}

std::optional<Trial> decode_trial(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    return Trial{json.at("partitions").get<std::uint64_t>(),
                 json.at("sides").get<std::vector<double>>(),
                 json.at("map_sides").get<std::vector<double>>(),
                 json.at("noise_95").get<double>(),
                 errors_of(json.at("one_stop")),
                 errors_of(json.at("all_stops"))};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace stopover
