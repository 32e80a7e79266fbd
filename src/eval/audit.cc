#include "eval/audit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "eval/black_box.h"
#include "mechanism/history.h"
#include "peers/haar.h"
#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "testing/table_rule.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr std::size_t kTests = 3;
constexpr std::uint64_t kExactRuns = 400;  // a pair and side
constexpr double kSeeing = 0.85;

// A multiply and xorshift hash. A collision could only merge two outcomes, which makes the audit weaker, not wrong.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

// What the row's count is of: trips, in a grid of differences with its signs.
std::int64_t trips_in(const Trips& trips, const Table& table, std::size_t row, const HaarGrid* signs) {
  std::int64_t sum = 0;
  for (const std::vector<std::uint32_t>& cell : trips.cells) {
    bool inside = true;
    for (std::size_t i = 0; i < table.axes.size(); ++i) {
      const std::uint32_t place = cell[table.axes[i]];
      inside = inside && place >= table.lo[i][row] && place < table.hi[i][row];
    }
    if (inside) sum += signs ? signs->sign(cell) : 1;
  }
  return sum;
}

// Laplace noise has a constant likelihood ratio on each side of the two true counts. So which side a count lies on is
// all that it tells; between them lies something only where a unit is several trips. REQUIRES: less <= more.
std::uint64_t side_of(std::int64_t count, std::int64_t less, std::int64_t more) {
  if (less == more) return 3;
  return count <= less ? 0 : count >= more ? 1 : 2;
}

// A release as an outcome. On rows that the added unit is in: whether the count speaks for the data set without it,
// with it or for neither; coarse grain. Fine grain: all boxes too.
Shown shown_by(const LabResult& made, const Trips& without, const Trips& with) {
  // Starts from the release's number: the outcome of a choice alone.
  Shown shown = {made.release.number, made.release.number};
  std::uint64_t grids = 0;
  for (const Table& table : made.tables()) {
    std::optional<HaarGrid> signs;
    // Grids of differences count trips with signs, which depend on the number of the grid.
    if (made.differences) signs.emplace(made.release.domain, grids++);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::int64_t less = trips_in(without, table, row, signs ? &*signs : nullptr);
      std::int64_t more = trips_in(with, table, row, signs ? &*signs : nullptr);
      std::int64_t count = table.count[row];
      // Where the added unit counts as negative, all three are mirrored: the unit then always adds.
      if (more < less) less = -less, more = -more, count = -count;
      std::uint64_t word = table.row_ticks[row] > 0 ? side_of(count, less, more) : 3;
      // Whether something was paid beside the row is public, too.
      word = word * 2 + (table.side_ticks[row] > 0);
      // Coarse: rows that the unit is not in have the same law with and without it, given the boxes.
      if (less != more) shown[0] = mixed(shown[0], word);
      shown[1] = mixed(shown[1], word);
      for (std::size_t i = 0; i < table.axes.size(); ++i) {
        shown[1] = mixed(shown[1], static_cast<std::uint64_t>(table.lo[i][row]) << 32 | table.hi[i][row]);
      }
    }
  }
  return shown;
}

ReleaseKey key_of(const AuditSpec& spec, std::size_t pair, int side, std::uint64_t run) {
  return test_key(spec.key + " " + std::to_string(pair) + " " + std::to_string(side) + " " + std::to_string(run));
}

AuditPair pair_of(std::string name, Trips without, const std::vector<std::uint32_t>& cell, std::uint32_t k, Plan plan) {
  // The added unit is k equal trips: the most that one unit can change a single count by.
  Trips with = without;
  with.cells.insert(with.cells.end(), k, cell);
  return {std::move(name), std::move(without), std::move(with), std::move(plan)};
}

// Asked by running: the release lists its charges. Twenty runs, as a tree may stop before its first choice.
bool chooses(const AuditPair& pair, const AuditSpec& spec) {
  for (std::uint64_t run = 0; run < 20; ++run) {
    const Matrix matrix = pair.with.matrix();
    StreamDice dice(key_of(spec, 0, 0, run));
    Kernel kernel(matrix, dice, spec.epsilon, spec.k);
    for (const Charge& charge : pair.plan(kernel).release.charges) {
      if (charge.purpose == "choose") return true;
    }
  }
  return false;
}

// Ten sets of cuts of a strip: ten empty cells, one with `middle` trips, ten with ten trips each. The first keeps the
// middle cell with the empty ones, the others with the full ones, so that a trip in the middle moves them apart by
// nearly 4.
AuditPair selection_pair(const AuditSpec& spec, std::size_t middle) {
  constexpr std::uint32_t kSide = 10;
  // Candidates differ in where the middle cell belongs. Sweeping its count moves their scores past each other.
  std::vector<std::size_t> counts(2 * kSide + 1, kSide);
  std::fill_n(counts.begin(), kSide, std::size_t{0});
  counts[kSide] = middle;
  std::vector<std::vector<std::uint32_t>> candidates = {{kSide + 1}};
  for (std::uint32_t j = 1; j < kSide; ++j) candidates.push_back({j, kSide});
  // All of epsilon for one choice, and its number as the outcome.
  const Plan plan = [candidates](Kernel& kernel) {
    Region region = std::move(kernel.open(kernel.view("joint", {0}, kernel.left()))[0]);
    Release release;
    release.number = kernel.choose(region, 0, candidates, Score::homogeneity, region.left());
    kernel.close();
    return release;
  };
  return pair_of("choice, " + std::to_string(middle) + " in the middle", filled({2 * kSide + 1}, counts), {kSide},
                 spec.k, plan);
}

// A strip of four cells, `trips` trips in each but the first and nobody there; the unit is added to `cell`. All of
// epsilon for ranks, but for a half where a count comes first and says how far the first band goes. Entries 0 and 1 are
// the first and the second band of a box; with `apart` every lattice has two of its own.
AuditPair rank_pair(const AuditSpec& spec, const std::string& name, const std::vector<Cuts>& lattices, bool apart,
                    bool count_first, std::uint32_t cell, std::size_t trips) {
  const Trips without = filled({4}, {0, trips, trips, trips});
  Trips with = without;
  with.cells.insert(with.cells.end(), spec.k, {cell});
  // What the histogram is without noise, by the definition of a rank.
  const auto exactly = [lattices, apart](const Trips& of, std::uint64_t bound) {
    std::vector<std::int64_t> entries(apart ? 2 * lattices.size() : 2, 0);
    for (std::size_t lattice = 0; lattice < lattices.size(); ++lattice) {
      std::map<std::size_t, std::uint64_t> ranks;  // by box
      for (const std::vector<std::uint32_t>& place : of.cells) {
        const std::vector<std::uint32_t> cuts =
            lattices[lattice].empty() ? std::vector<std::uint32_t>() : lattices[lattice][0];
        const auto box = static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), place[0]) - cuts.begin());
        ++entries[(apart ? 2 * lattice : 0) + (++ranks[box] > bound ? 1 : 0)];
      }
    }
    return entries;
  };
  const Plan plan = [=](Kernel& kernel) {
    Region region = std::move(kernel.open(kernel.view("joint", {0}, kernel.left()))[0]);
    Release release;
    std::uint64_t bound = 2;
    if (count_first) {
      const std::int64_t count = kernel.count_parts(region, {}, region.left() / 2)[0];
      bound = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
      const auto all = [](const Trips& of) { return static_cast<std::int64_t>(of.cells.size()); };
      release.number = mixed(release.number, side_of(count, all(without), all(with)));
    }
    // Row 3 l of the table is the one of box 0 of lattice l; lattices have at most three boxes where they are apart.
    std::vector<std::vector<RankBand>> rows;
    for (std::uint32_t row = 0; row < (apart ? 3 * lattices.size() : 1); ++row) {
      const std::uint32_t first = apart ? 2 * (row / 3) : 0;
      rows.push_back({{bound, first}, {~std::uint64_t{0}, first + 1}});
    }
    const auto less = exactly(without, bound), more = exactly(with, bound);
    const auto counts = kernel.count_ranks(region, lattices, TableRule(std::move(rows)), less.size(), region.left());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      release.number = mixed(release.number, side_of(counts[i], less[i], more[i]));
    }
    kernel.close();
    return release;
  };
  return {"ranks, " + name, without, std::move(with), plan};
}

// Ranks in one entry, which moves by as much as there are lattices, and in an entry per lattice, which move by 1 each.
std::vector<AuditPair> rank_pairs(const AuditSpec& spec) {
  const std::vector<Cuts> one = {{{1, 2, 3}}}, three = {{}, {{2}}, {{1, 3}}}, same(5, {{1, 2, 3}});
  return {rank_pair(spec, "one lattice, a box with nobody", one, false, false, 0, 3),
          rank_pair(spec, "one lattice, above the bound", one, false, false, 1, 2),
          rank_pair(spec, "three lattices, two bands", three, false, false, 1, 1),
          rank_pair(spec, "three lattices, each its own bands", three, true, false, 0, 0),
          rank_pair(spec, "five lattices alike", same, false, false, 0, 10),
          rank_pair(spec, "a count first", same, false, true, 2, 4)};
}

// Leaning on a release of an earlier period, which has the same trips in both data sets: a constant of the plan. The
// unit is added where that period had trips, or where it had none.
AuditPair leaning_pair(const AuditSpec& spec, const std::string& name, const std::vector<std::uint32_t>& cell) {
  Trips before = filled({2, 2, 2, 2}, {}), now = before;
  before.cells.assign(40, {0, 1, 1, 0});
  now.cells.assign(20, {1, 1, 1, 1});
  const Unit unit = spec.k == 1 ? Unit::trip : Unit::user;
  const Matrix earlier = before.matrix();
  StreamDice dice(test_key(spec.key + " before"));
  Kernel kernel(earlier, dice, spec.epsilon, spec.k);
  auto history = std::make_shared<History>();
  history->past = {std::make_shared<const PastRelease>(run_mechanism(*spec.mechanism, spec.params, kernel, unit))};
  Params params = spec.params;
  params.set_history(std::move(history));
  const Plan plan = [&mechanism = *spec.mechanism, params, unit](Kernel& own) {
    return LabResult{run_mechanism(mechanism, params, own, unit)};
  };
  return pair_of("leaning on an earlier release, " + name, std::move(now), cell, spec.k, plan);
}

}  // namespace

std::vector<AuditPair> audit_pairs(const AuditSpec& spec) {
  if (spec.mechanism == nullptr) return rank_pairs(spec);
  const Plan plan = [&mechanism = *spec.mechanism, params = spec.params, k = spec.k](Kernel& kernel) {
    return run_in_lab(mechanism, params, kernel, k == 1 ? Unit::trip : Unit::user);
  };
  std::vector<AuditPair> pairs;
  const auto add = [&](std::string name, Trips without, const std::vector<std::uint32_t>& cell) {
    const auto domain = Domain::of_shape(without.shape);
    // Not every mechanism takes every shape.
    if (!check_in_lab(*spec.mechanism, spec.params, *domain)) return;
    pairs.push_back(pair_of(std::move(name), std::move(without), cell, spec.k, plan));
  };
  // Tiny data sets. The unit is always added where nobody was.
  add("one cell, no trip", filled({1}, {0}), {0});
  add("2 cells, 3 trips", filled({2}, {0, 3}), {0});
  add("4 cells, 30 trips", filled({4}, {0, 10, 10, 10}), {0});
  add("2 x 2 cells, 20 trips", filled({2, 2}, {0, 5, 5, 10}), {0, 0});
  add("3 x 3 cells, 90 trips", filled({3, 3}, {0, 10, 20, 10, 0, 10, 30, 0, 10}), {1, 1});
  // Two stops; the added trip's stops are where neither a map nor the joint tree has anyone.
  Trips crowd = filled({2, 2, 2, 2}, {});
  crowd.cells.assign(20, {1, 1, 1, 1});
  add("two stops of 2 x 2 cells, 20 trips elsewhere", std::move(crowd), {0, 0, 0, 0});
  const bool choosing =
      std::any_of(pairs.begin(), pairs.end(), [&](const AuditPair& pair) { return chooses(pair, spec); });
  if (choosing) {
    for (std::size_t middle : {0u, 2u, 4u, 5u, 6u, 8u, 10u}) pairs.push_back(selection_pair(spec, middle));
  }
  return pairs;
}

std::vector<AuditPair> leaning_pairs(const AuditSpec& spec) {
  return {leaning_pair(spec, "a trip as there were", {0, 1, 1, 0}),
          leaning_pair(spec, "a trip where nobody was", {0, 0, 0, 0})};
}

AuditReport audit_mechanism(const AuditSpec& spec, const std::function<void(const std::string&)>& progress) {
  return audit_over(audit_pairs(spec), spec, progress);
}

AuditReport audit_over(const std::vector<AuditPair>& pairs, const AuditSpec& spec,
                       const std::function<void(const std::string&)>& progress) {
  AuditReport report;
  report.pairs = pairs.size();
  STOPOVER_CHECK(!pairs.empty(), "a mechanism that takes none of the audit's data sets");

  std::vector<BlackBox> boxes;
  std::vector<std::array<Matrix, 2>> matrices;
  for (const AuditPair& pair : pairs) matrices.push_back({pair.without.matrix(), pair.with.matrix()});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    // Fresh noise in every run, named by pair, side and number: a report can be had again.
    boxes.push_back([&, i](int side, std::uint64_t run) {
      StreamDice dice(key_of(spec, i, side, run));
      Kernel kernel(matrices[i][static_cast<std::size_t>(side)], dice, spec.epsilon, spec.k);
      return shown_by(pairs[i].plan(kernel), pairs[i].without, pairs[i].with);
    });
  }

  std::vector<std::pair<std::size_t, AuditEvent>> events;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (progress) progress("looking for events: " + pairs[i].name);
    for (int side : {0, 1}) {
      // Exact losses need few runs: they are computed from probabilities, not from frequencies.
      for (std::uint64_t run = 0; run < std::min(kExactRuns, spec.explore_runs); ++run) {
        const auto& m = matrices[i];
        const Proof proof =
            prove(pairs[i].plan, m[static_cast<std::size_t>(side)], m[static_cast<std::size_t>(1 - side)], spec.epsilon,
                  spec.k, key_of(spec, i, side, run));
        // In either direction: with against without, and without against with.
        report.exact_worst = std::max(report.exact_worst, static_cast<double>(std::max(proof.loss.hi, -proof.loss.lo)));
      }
    }
    events.emplace_back(i, find_event(boxes[i], spec.explore_runs));
    report.runs += 2 * spec.explore_runs;
  }
  // The most promising events are tested; looking cost nothing of the confidence, as it used other runs.
  std::sort(events.begin(), events.end(),
            [](const auto& a, const auto& b) { return a.second.promise > b.second.promise; });
  events.resize(std::min(events.size(), kTests));

  // Bonferroni: all bounds hold together with the confidence asked for.
  const double alpha = (1 - spec.confidence) / static_cast<double>(events.size());
  for (const auto& [i, event] : events) {
    if (progress) progress("testing an event: " + pairs[i].name);
    // log(p/q) is the loss that the event promises.
    const double slack = spec.slack * std::max(1e-9, std::log(event.p / event.q));
    const std::uint64_t runs = std::clamp<std::uint64_t>(runs_needed(event, slack, alpha), 1000, spec.most_runs);
    // On runs that were not looked at: numbers from explore_runs on. Testing on the same ones would favour luck.
    const TestedEvent tested = test_event(boxes[i], event, spec.explore_runs, runs, alpha);
    report.runs += 2 * runs;
    if (tested.lower_bound < report.lower_bound) continue;
    report.lower_bound = tested.lower_bound;
    report.best_pair = pairs[i].name;
  }
  const double claim = static_cast<double>(spec.epsilon) / static_cast<double>(kTicksPerEpsilon);
  report.violated = report.lower_bound > claim;
  // An audit that could not have seen a fault must not pass.
  report.blind = report.lower_bound < kSeeing * report.exact_worst;
  return report;
}

}  // namespace stopover
