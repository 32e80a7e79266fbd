#include "eval/attack.h"

#include <algorithm>
#include <cmath>

#include "base/usage_error.h"
#include "eval/trip_list.h"
#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "query/query_engine.h"
#include "testing/proof.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

struct Person {
  std::string who;
  std::vector<std::uint32_t> cell;
};

// Four people: whom one would worry about, and whom not.
std::vector<Person> people_of(const Matrix& matrix, NumberSequence& numbers) {
  const TripList trips(matrix);
  const auto counts = matrix.counts();
  std::vector<Person> people;
  std::vector<std::size_t> single;
  for (std::size_t row = 0; row < counts.size(); ++row)
    if (counts[row] == 1) single.push_back(row);
  if (!single.empty())
    people.push_back({"alone on their way", trips.cell_of_row(single[numbers.below(single.size())])});
  std::vector<std::uint32_t> nowhere;
  for (std::size_t tries = 0; tries < 1000 && (nowhere.empty() || count_at(matrix, nowhere) > 0); ++tries) {
    nowhere.clear();
    for (std::size_t axis = 0; axis < matrix.domain().d(); ++axis)
      nowhere.push_back(static_cast<std::uint32_t>(numbers.below(matrix.domain().axis(axis).cells)));
  }
  if (count_at(matrix, nowhere) == 0) people.push_back({"where nobody goes", nowhere});
  people.push_back({"anybody", trips.cell(numbers.below(trips.size()))});
  const auto most = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  people.push_back({"with the crowd", trips.cell_of_row(most)});
  return people;
}

// Publishes with or without the person, run by run, and has the attacker guess.
Result<Membership> attack_person(const Matrix& without, const Person& person, const AttackSpec& spec,
                                 const std::function<bool()>& interrupted) {
  Membership told{person.who, 0, 0, 0, 0};
  const Matrix with = with_trips(without, person.cell, spec.k);
  const Plan plan = [&](Kernel& kernel) { return run_in_lab(*spec.mechanism, spec.params, kernel, spec.unit); };
  for (std::size_t run = 0; run < spec.runs; ++run) {
    if (interrupted && interrupted()) return Error{Failure::interrupted, "the attack was ended"};
    const bool in = run % 2 == 0;
    const ReleaseKey key = test_key(spec.key + "/" + person.who + "/" + std::to_string(run));
    const Proof proof = prove(plan, in ? with : without, in ? without : with, spec.epsilon, spec.k, key);
    if (!proof.faults.empty()) return Error{Failure::check_failed, proof.text()};
    // How much likelier the release is on the data it was made from. The attacker takes the likelier side.
    const auto loss = static_cast<double>((proof.loss.lo + proof.loss.hi) / 2);
    const double sure = 1 / (1 + std::exp(-std::fabs(loss)));
    told.right += loss > 0 || (loss == 0 && run % 4 < 2) ? 1 : 0;
    told.success += sure;
    told.surest = std::max(told.surest, sure);
    ++told.runs;
  }
  told.success /= static_cast<double>(told.runs);
  return told;
}

using Cell = std::vector<std::uint32_t>;

// What the attacker knows: the first stop; of a bare matrix the first half of its axes.
std::vector<std::size_t> known_axes(const Domain& domain) {
  if (domain.stops().size() > 1) return domain.stops()[0].axes;
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < std::max<std::size_t>(1, domain.d() / 2); ++axis) axes.push_back(axis);
  return axes;
}

// Two ways to go on from one first stop: of `asked` trips, the share of which `says` gives the true way more.
double linked(const Matrix& half, std::size_t asked, NumberSequence& numbers,
              const std::function<double(const Cell&)>& says) {
  const TripList trips(half);
  const std::vector<std::size_t> known = known_axes(half.domain());
  double right = 0;
  for (std::size_t i = 0; i < asked; ++i) {
    const Cell truth = trips.cell(numbers.below(trips.size()));
    Cell other = trips.cell(numbers.below(trips.size()));
    for (const std::size_t axis : known) other[axis] = truth[axis];
    const double here = says(truth), there = says(other);
    right += here > there ? 1 : here == there ? 0.5 : 0;
  }
  return right / static_cast<double>(asked);
}

Result<Linking> link(const Matrix& matrix, const AttackSpec& spec) {
  Linking told;
  NumberSequence numbers(1, 2);
  const auto [published, withheld] = halves(matrix, numbers);
  StreamDice dice(test_key(spec.key + "/linking"));
  Kernel kernel(published, dice, spec.epsilon, spec.k);
  const LabResult made = run_in_lab(*spec.mechanism, spec.params, kernel, spec.unit);
  const Result<QueryEngine> engine = QueryEngine::make(made.release);
  if (!engine) return engine.error();
  Answerer ask(engine->index(), {.intervals = false});
  const auto estimate = [&](const Cell& cell) {
    BoxQuery box = BoxQuery::whole(matrix.domain());
    for (std::size_t axis = 0; axis < cell.size(); ++axis) {
      box.lo[axis] = cell[axis];
      box.hi[axis] = cell[axis] + 1.0;
    }
    return ask(RegionQuery::of(box)).estimate;
  };
  const auto truth = [&published = published](const Cell& cell) {
    return static_cast<double>(count_at(published, cell));
  };
  told.asked = spec.links;
  told.published = linked(published, spec.links, numbers, estimate);
  told.withheld = linked(withheld, spec.links, numbers, estimate);
  told.without_noise = linked(published, spec.links, numbers, truth);
  const auto variance = [&](double p) { return p * (1 - p) / static_cast<double>(spec.links); };
  told.doubt = 2 * std::sqrt(variance(told.published) + variance(told.withheld));
  return told;
}

}  // namespace

bool AttackReport::within() const {
  return std::all_of(people.begin(), people.end(), [&](const Membership& m) { return m.surest <= bound + 1e-9; });
}

Result<AttackReport> attack(const Matrix& matrix, const AttackSpec& spec,
                            const std::function<void(const std::string&)>& progress,
                            const std::function<bool()>& interrupted) {
  if (!spec.mechanism->publishes())
    return usage_error("mechanism " + std::string(spec.mechanism->name) + " publishes no release to attack");
  if (Status s = check_in_lab(*spec.mechanism, spec.params, matrix.domain()); !s) return s.error();
  if (matrix.total() < 20) return usage_error("there are fewer than 20 trips\n  Give the trips behind the release.");
  AttackReport report{std::string(spec.mechanism->name), spec.epsilon, spec.k, spec.unit, 0, {}, {}};
  const double epsilon = static_cast<double>(spec.epsilon) / kTicksPerEpsilon;
  report.bound = 1 / (1 + std::exp(-epsilon));
  NumberSequence numbers(1, 1);
  for (const Person& person : people_of(matrix, numbers)) {
    if (progress) progress("is somebody in it, " + person.who + "?");
    Result<Membership> told = attack_person(matrix, person, spec, interrupted);
    if (!told) return told.error();
    report.people.push_back(*std::move(told));
  }
  if (matrix.domain().d() > 1) {
    if (progress) progress("where did somebody go on to?");
    Result<Linking> told = link(matrix, spec);
    if (!told) return told.error();
    report.linking = *told;
  }
  return report;
}

}  // namespace stopover
