#include "ingest/trip_statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stopover {
namespace {

constexpr int kBounds = 17;  // K up to 2^16

Result<TripStatistics::Users> users_of(Ingest& in) {
  std::vector<std::string> figures = {"count(*)", "coalesce(sum(c), 0)"};
  for (const double q : TripStatistics::kQuantiles)
    figures.push_back(fmt::format("coalesce(quantile_disc(c, {}), 0)", q));
  for (int b = 0; b < kBounds; ++b) figures.push_back(fmt::format("coalesce(sum(LEAST(c, {})), 0)", 1 << b));
  const Result<std::vector<std::vector<std::uint64_t>>> rows = in.figures(fmt::format(
      "SELECT {} FROM (SELECT count(*) AS c FROM trips WHERE CAST(person AS VARCHAR) <> '' GROUP BY person)",
      fmt::join(figures, ", ")));
  if (!rows) return rows.error();
  const std::vector<std::uint64_t>& row = rows->front();
  TripStatistics::Users users;
  users.users = row[0];
  users.trips = row[1];
  std::copy_n(row.begin() + 2, users.trips_per_user.size(), users.trips_per_user.begin());
  for (int b = 0; b < kBounds && users.trips > 0; ++b) {
    users.kept.emplace_back(std::uint64_t{1} << b, row[2 + users.trips_per_user.size() + static_cast<std::size_t>(b)]);
    if (users.kept.back().second == users.trips) break;
  }
  return users;
}

}  // namespace

Result<TripStatistics> trip_statistics(Ingest& in) {
  TripStatistics told;
  const TripRequest& request = in.request();
  if (!request.user.empty()) {
    Result<TripStatistics::Users> users = users_of(in);
    if (!users) return users.error();
    told.users = std::move(*users);
  }
  if (request.shape != RowShape::trips && request.model != StopModel::frames) {
    const auto rows = in.figures("SELECT n, count(*) FROM ordered WHERE place = 1 GROUP BY n ORDER BY n LIMIT 20");
    if (!rows) return rows.error();
    for (const std::vector<std::uint64_t>& row : *rows) told.trips_by_stops.emplace_back(row[0], row[1]);
  }
  if (request.shape == RowShape::pings) {
    const auto rows = in.figures(
        "SELECT (SELECT count(*) FROM points), count(*), count(DISTINCT person), "
        "coalesce(quantile_disc((until_ms - ms) // 60000, 0.5), 0) FROM stays");
    if (!rows) return rows.error();
    const std::vector<std::uint64_t>& row = rows->front();
    told.stays = {row[0], row[1], row[2], row[3]};
  }
  return told;
}

}  // namespace stopover
