#include "synthetic/city.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "synthetic/generate.h"

namespace stopover {
namespace {

constexpr std::size_t kVenues = 60;
constexpr double kVenueHome = 0.15, kVenueAway = 0.5;  // share of visits at popular addresses
constexpr double kStraggler = 0.03;                    // share that lies four times as far out
constexpr double kVenueSpread = 0.0004;
constexpr double kHubReach = 2;  // a hub's decay length, in the usual one
constexpr double kDetour = 0.04;

double distance(MapPoint a, MapPoint b) {
  const double x = a.east - b.east, y = a.north - b.north;
  return std::sqrt(x * x + y * y);
}

MapPoint offset(MapPoint from, MapPoint direction, double length) {
  return {from.east + direction.east * length, from.north + direction.north * length};
}

MapPoint draw_direction(NumberSequence& numbers) {
  const MapPoint v{numbers.normal(), numbers.normal()};
  const double length = distance(v, {});
  return length > 0 ? MapPoint{v.east / length, v.north / length} : MapPoint{1, 0};
}

MapPoint draw_around(const Quarter& quarter, double spread, NumberSequence& numbers) {
  const MapPoint across{-quarter.along.north, quarter.along.east};
  const MapPoint p = offset(quarter.centre, quarter.along, spread * numbers.normal());
  return offset(p, across, spread * quarter.flat * numbers.normal());
}

bool on_map(MapPoint p) { return p.east >= 0 && p.east < 1 && p.north >= 0 && p.north < 1; }

MapPoint keep_on_map(MapPoint p) { return {std::clamp(p.east, 0.03, 0.97), std::clamp(p.north, 0.03, 0.97)}; }

}  // namespace

City::City(std::uint64_t seed) {
  NumberSequence numbers(seed, 1);
  add_quarters(numbers);
  add_laws();
}

void City::add_quarter(NumberSequence& numbers, Quarter quarter) {
  quarter.centre = keep_on_map(quarter.centre);
  quarter.along = draw_direction(numbers);
  quarter.flat = numbers.uniform(0.4, 1);
  while (quarter.venues.size() < kVenues) {
    const MapPoint p = draw_around(quarter, quarter.spread, numbers);
    if (on_map(p)) quarter.venues.push_back(p);
  }
  quarters_.push_back(std::move(quarter));
}

// Braces, not parentheses, where several numbers are drawn: only they fix the order.
void City::add_quarters(NumberSequence& numbers) {
  const auto varied = [&](double weight) { return weight * plain_exp(0.6 * numbers.normal()); };
  const auto away = [&](MapPoint from, double least, double most) {
    const MapPoint direction = draw_direction(numbers);
    return offset(from, direction, numbers.uniform(least, most));
  };
  const MapPoint middle{numbers.uniform(0.4, 0.6), numbers.uniform(0.4, 0.6)};
  add_quarter(numbers, {middle, 0.014, 4, 30, 16});
  for (int i = 0; i < 10; ++i) {
    add_quarter(numbers, {away(middle, 0.02, 0.09), numbers.uniform(0.012, 0.025), varied(5), varied(4), varied(4)});
  }
  for (int i = 0; i < 7; ++i) {
    add_quarter(numbers, {away(middle, 0.1, 0.3), numbers.uniform(0.006, 0.014), varied(1.5), varied(4), varied(4)});
  }
  for (int corridor = 0; corridor < 5; ++corridor) {
    const MapPoint direction = draw_direction(numbers);
    for (int i = 0; i < 7; ++i) {
      const MapPoint on_line = offset(middle, direction, 0.1 + 0.05 * i + numbers.uniform(0, 0.03));
      add_quarter(numbers, {away(on_line, 0, 0.03), numbers.uniform(0.008, 0.03), varied(2), varied(0.4), varied(0.5)});
    }
  }
  for (int i = 0; i < 6; ++i) {
    add_quarter(numbers,
                {away(middle, 0.3, 0.5), numbers.uniform(0.006, 0.015), varied(0.8), varied(0.5), varied(0.4)});
  }
  add_quarter(numbers, {away(middle, 0.012, 0.012), 0.0012, 0.1, 1, 6, true});
  add_quarter(numbers, {away(middle, 0.05, 0.05), 0.0012, 0.1, 0.5, 3, true});
  add_quarter(numbers, {away(middle, 0.3, 0.3), 0.003, 0.05, 2, 5, true});
}

void City::add_laws() {
  const std::size_t n = quarters_.size();
  std::vector<double> homes, jobs, errands;
  for (const Quarter& q : quarters_) {
    homes.push_back(q.homes);
    jobs.push_back(q.jobs);
    errands.push_back(q.errands);
  }
  const auto towards = [&](const std::vector<double>& attraction, double decay, std::size_t from) {
    std::vector<double> weights;
    for (std::size_t to = 0; to < n; ++to) {
      const double reach = decay * (quarters_[to].hub || quarters_[from].hub ? kHubReach : 1);
      weights.push_back(attraction[to] * plain_exp(-distance(quarters_[from].centre, quarters_[to].centre) / reach));
    }
    return DiscreteLaw(weights);
  };
  kind_.emplace_back(std::array{0.4, 0.3, 0.3});
  origin_[commute].emplace_back(homes);
  origin_[way_home].emplace_back(jobs);
  origin_[errand].emplace_back(errands);
  for (std::size_t from = 0; from < n; ++from) {
    destination_[commute].push_back(towards(jobs, 0.12, from));
    destination_[way_home].push_back(towards(homes, 0.12, from));
    destination_[errand].push_back(towards(errands, 0.05, from));
  }
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t to = 0; to < n; ++to) {
      const double straight = distance(quarters_[from].centre, quarters_[to].centre);
      std::vector<double> weights;
      for (const Quarter& via : quarters_) {
        const double way = distance(quarters_[from].centre, via.centre) + distance(via.centre, quarters_[to].centre);
        weights.push_back(via.errands * (via.hub ? 2 : 1) * plain_exp(-(way - straight) / kDetour));
      }
      between_.emplace_back(weights);
    }
  }
  std::vector<double> popularity;
  for (std::size_t rank = 1; rank <= kVenues; ++rank) popularity.push_back(1 / static_cast<double>(rank));
  venue_.emplace_back(popularity);
}

MapPoint City::draw_point(std::size_t quarter, double venue_share, NumberSequence& numbers) const {
  const Quarter& q = quarters_[quarter];
  for (;;) {
    MapPoint p;
    if (numbers.uniform() < venue_share) {
      p = q.venues[venue_[0].draw(numbers)];
      p = {p.east + kVenueSpread * numbers.normal(), p.north + kVenueSpread * numbers.normal()};
    } else {
      const double spread = q.spread * (numbers.uniform() < kStraggler ? 4 : 1);
      p = draw_around(q, spread, numbers);
    }
    if (on_map(p)) return p;
  }
}

void City::draw_trip(NumberSequence& numbers, std::vector<MapPoint>& stops) const {
  const std::size_t n = quarters_.size();
  const auto kind = static_cast<Kind>(kind_[0].draw(numbers));
  std::size_t at = origin_[kind][0].draw(numbers);
  const std::size_t last = destination_[kind][at].draw(numbers);
  stops[0] = draw_point(at, kind == commute ? kVenueHome : kVenueAway, numbers);
  for (std::size_t i = 1; i + 1 < stops.size(); ++i) {
    at = between_[at * n + last].draw(numbers);
    stops[i] = draw_point(at, kVenueAway, numbers);
  }
  if (stops.size() > 1) stops.back() = draw_point(last, kind == way_home ? kVenueHome : kVenueAway, numbers);
}

Result<SyntheticTrips> generate_city(std::uint64_t stops, std::uint64_t n, std::uint64_t grid, std::uint64_t seed) {
  if (stops < 1 || stops > kMaxAxes / 2)
    return Error{Failure::usage, "`stops` must be 1 to 6, not " + std::to_string(stops)};
  if (n > kMaxSyntheticTrips) return Error{Failure::usage, "`n` must be at most 1000000000, not " + std::to_string(n)};
  if (grid < 8 || grid > kMaxSyntheticWidth) {
    return Error{Failure::usage, "`grid` must be 8 to 1048576 cells, not " + std::to_string(grid)};
  }
  std::vector<Axis> axes;
  std::vector<Stop> names;
  for (std::size_t i = 0; i < stops; ++i) {
    for (std::size_t axis : {2 * i, 2 * i + 1}) {
      axes.push_back({std::string("a") += std::to_string(axis),
                      static_cast<std::uint32_t>(grid),
                      AxisKind::number,
                      0,
                      static_cast<double>(grid),
                      {}});
    }
    std::string name = "stop";
    if (stops != 3) name += std::to_string(i);
    names.push_back({i == 0 ? "origin" : i + 1 == stops ? "destination" : name, {2 * i, 2 * i + 1}});
  }
  Result<Domain> domain = Domain::make(std::move(axes), std::move(names));
  if (!domain) return domain.error();
  SyntheticTrips trips{std::move(*domain), {}, {}};
  trips.summary = "city, " + std::to_string(stops) + (stops == 1 ? " stop on " : " stops on ") + std::to_string(grid) +
                  " x " + std::to_string(grid) + " cells, " + std::to_string(n) + " trips, seed " +
                  std::to_string(seed);
  trips.cells.assign(2 * stops, std::vector<std::uint32_t>(n));

  const City city(seed);
  NumberSequence numbers(seed, 2);
  std::vector<MapPoint> points(stops);
  const auto cell = [&](double x) { return static_cast<std::uint32_t>(x * static_cast<double>(grid)); };
  for (std::size_t row = 0; row < n; ++row) {
    city.draw_trip(numbers, points);
    for (std::size_t i = 0; i < stops; ++i) {
      trips.cells[2 * i][row] = cell(points[i].east);
      trips.cells[2 * i + 1][row] = cell(points[i].north);
    }
  }
  return trips;
}

}  // namespace stopover
