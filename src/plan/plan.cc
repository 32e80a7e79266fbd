#include "plan/plan.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/usage_error.h"
#include "mechanism/automatic.h"
#include "plan/trial_cache.h"

namespace stopover {
namespace {

constexpr int kTrialVersion = 1;

Status check(const PlanRequest& r) {
  if (r.people && !(r.people->people >= 1 && r.people->trips_per_person >= 1)) {
    return usage_error(fmt::format(
        "a plan is for people with at least 1 trip each on average, not {}\n  Who has none is not in the data.",
        r.people->trips_per_person));
  }
  if (r.trips < 1 || r.trips > kMaxPlannedTrips) {
    return usage_error(fmt::format("a plan is for 1 to {} trips, not {}", kMaxPlannedTrips, r.trips));
  }
  if (r.stops < 1 || r.stops > kMaxAxes / 2)
    return usage_error(fmt::format("a trip has 1 to 6 stops, not {}", r.stops));
  if (r.epsilons.empty()) return usage_error("a plan needs an epsilon");
  for (const double side : r.sides) {
    if (!(side > 0 && side <= std::max(r.map.width, r.map.height))) {
      return usage_error(
          fmt::format("a query of side {} does not fit a map of {} x {}", side, r.map.width, r.map.height));
    }
  }
  return {};
}

class Planner {
 public:
  Planner(const PlanRequest& request, const PlanDoors& doors)
      : request_(request), doors_(doors), cache_(doors.cache), sample_(std::min(request.trips, kMostSimulated)) {}

  Result<Plan> run() {
    Plan plan;
    const Result<Domain> domain = planned_domain(request_.stops, request_.map);
    if (!domain) return domain.error();
    if (Status s = domain->check_keys(); request_.simulate && !s) return s.error();
    plan.automatic = choose_mechanism(*domain).mechanism->name;
    plan.simulated_trips = request_.simulate ? sample_ : 0;
    const Result<std::vector<const Mechanism*>> chosen = mechanisms_of(*domain);
    if (!chosen) return chosen.error();
    if (request_.people) {
      if (Status s = compare_bounds(plan, *choose_mechanism(*domain).mechanism); !s) return s.error();
    }
    for (const Ticks epsilon : request_.epsilons) {
      for (const Mechanism* mechanism : *chosen) {
        if (Status s = add(plan.rows, *mechanism, epsilon, request_.stops, k_for(plan, epsilon)); !s) return s.error();
      }
    }
    if (!request_.simulate) return plan;
    for (const Ticks epsilon : request_.epsilons) {
      const Mechanism& automatic = *choose_mechanism(*domain).mechanism;
      if (Status s = add(plan.one_more_trip, automatic, epsilon, request_.stops, k_for(plan, epsilon) + 1); !s)
        return s.error();
      const Result<Domain> longer = planned_domain(request_.stops + 1, request_.map);
      if (request_.stops == kMaxAxes / 2 || !longer || !longer->has_keys()) continue;
      const Mechanism& next = *choose_mechanism(*longer).mechanism;
      if (Status s = add(plan.one_more_stop, next, epsilon, request_.stops + 1, k_for(plan, epsilon)); !s)
        return s.error();
    }
    plan.trials = trials_;
    return plan;
  }

 private:
  Result<std::vector<const Mechanism*>> mechanisms_of(const Domain& domain) const {
    std::vector<const Mechanism*> chosen;
    for (const std::string& name : request_.mechanisms) {
      const Mechanism* m = name == "auto" ? choose_mechanism(domain).mechanism : find_mechanism(name);
      if (m == nullptr) {
        return usage_error(fmt::format("there is no mechanism {}\n  Did you mean {}?", name, nearest_mechanism(name)));
      }
      const Result<Params> params = read_params(*m, {});
      if (!params) return params.error();
      if (Status s = check_mechanism(*m, *params, domain); !s) return s.error();
      if (std::find(chosen.begin(), chosen.end(), m) == chosen.end()) chosen.push_back(m);
    }
    return chosen;
  }

  // Of the planned trips, those that a bound of k keeps.
  std::uint64_t trips_with(std::uint32_t k) const {
    if (!request_.people) return request_.trips;
    const double kept = kept_share(request_.people->trips_per_person, k) * static_cast<double>(request_.trips);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(kept + 0.5));
  }

  std::uint32_t k_for(const Plan& plan, Ticks epsilon) const {
    for (const BoundRow& row : plan.bounds) {
      if (request_.choose_k && row.epsilon == epsilon && row.recommended) return row.k;
    }
    return request_.k;
  }

  Status compare_bounds(Plan& plan, const Mechanism& automatic) {
    const double mean = request_.people->trips_per_person;
    std::vector<std::uint32_t> bounds = bounds_to_try(mean);
    if (!request_.choose_k && std::find(bounds.begin(), bounds.end(), request_.k) == bounds.end()) {
      bounds.insert(std::upper_bound(bounds.begin(), bounds.end(), request_.k), request_.k);
    }
    for (const Ticks epsilon : request_.epsilons) {
      for (const std::uint32_t k : bounds) {
        BoundRow row{epsilon, k, kept_share(mean, k),
                     k * static_cast<double>(kTicksPerEpsilon) / static_cast<double>(epsilon)};
        row.answer_error = hundredth_error(static_cast<double>(trips_with(k)), row.noise_scale);
        if (request_.simulate && !request_.sides.empty()) {
          const Result<Trial> trial = trial_of(automatic, epsilon, request_.stops, k);
          if (!trial) return trial.error();
          row.answer_error = trial->all_stops.back().median_re;
        }
        row.error = whole_error(row.kept, row.answer_error);
        plan.bounds.push_back(row);
      }
    }
    recommend(plan.bounds);
    return {};
  }

  Status add(std::vector<PlanRow>& rows, const Mechanism& mechanism, Ticks epsilon, std::size_t stops,
             std::uint32_t k) {
    const double effective_epsilon = static_cast<double>(epsilon) / static_cast<double>(kTicksPerEpsilon) / k;
    PlanRow row{epsilon, std::string(mechanism.name), stops, k, {}, {}};
    row.formula = forecast_grid(mechanism.name, static_cast<double>(trips_with(k)), effective_epsilon, stops,
                                request_.map, request_.sides);
    if (request_.simulate) {
      Result<Trial> trial = trial_of(mechanism, epsilon, stops, k);
      if (!trial) return trial.error();
      row.simulated = *std::move(trial);
    }
    rows.push_back(std::move(row));
    return {};
  }

  Result<Trial> trial_of(const Mechanism& mechanism, Ticks epsilon, std::size_t stops, std::uint32_t k) {
    const std::uint64_t trips = trips_with(k);
    const double times = static_cast<double>(trips) / static_cast<double>(sample_);
    const MapSize& map = request_.map;
    const std::string name =
        fmt::format("trial {} {} {} {} {} {} {}x{} {}x{} [{}] {} {} {}", kTrialVersion, STOPOVER_VERSION,
                    mechanism.name, stops, trips, sample_, map.columns, map.rows, map.width, map.height,
                    fmt::join(request_.sides, " "), request_.seed, epsilon, k);
    if (!request_.refresh) {
      if (std::optional<Trial> kept = cache_.find(name)) return *std::move(kept);
    }
    if (doors_.interrupted()) return Error{Failure::interrupted, "interrupted"};
    std::unique_ptr<SyntheticCity>& city = cities_[stops];
    if (!city) {
      doors_.phase("making a city up");
      city = std::make_unique<SyntheticCity>(stops, sample_, map, request_.sides, request_.seed);
    }
    doors_.phase("trying mechanisms on it");
    const Result<Params> params = read_params(mechanism, {});
    if (!params) return params.error();
    const Result<ReleaseKey> key = doors_.key();
    if (!key) return key.error();
    Result<Trial> trial = run_trial(*city, mechanism, *params, {epsilon, k, times}, *key);
    if (trial) {
      ++trials_;
      cache_.keep(name, *trial);
    }
    return trial;
  }

  const PlanRequest& request_;
  const PlanDoors& doors_;
  const TrialCache cache_;
  const std::uint64_t sample_;
  std::map<std::size_t, std::unique_ptr<SyntheticCity>> cities_;  // by stops
  std::uint64_t trials_ = 0;
};

}  // namespace

Result<Plan> make_plan(const PlanRequest& request, const PlanDoors& doors) {
  if (Status s = check(request); !s) return s.error();
  std::optional<tbb::global_control> limit;
  if (request.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, request.threads);
  return Planner(request, doors).run();
}

}  // namespace stopover
