#include "ingest/user_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace stopover {
namespace {

// Beyond so many halvings it is one user that does not fit, or the limit is far too low.
constexpr std::uint64_t kMostBuckets = 4096;
constexpr std::uint64_t kMostHalvings = 64;

// Measured of the window over a person's trips (1e7 rows of four axes go into two buckets of 763 MiB, not into one).
constexpr std::uint64_t kBytesOfARow = 80, kBytesOfAnAxis = 20;

}  // namespace

std::string UserBucket::select_from(const std::string& all_rows, const std::string& columns) const {
  if (of == 1) return fmt::format("SELECT * FROM {}", all_rows);
  return fmt::format("SELECT * FROM {} WHERE hash({}) % {} = {}", all_rows, columns, of, number);
}

std::string bucket_columns(const TripRequest& request) {
  if (request.user.empty()) return "";
  const bool by_user =
      request.max_trips_per_user || request.shape == RowShape::pings || request.model == StopModel::frames;
  if (by_user) return "person";
  return request.shape == RowShape::trips ? "" : "person, trip";
}

std::uint64_t buckets_for(std::uint64_t rows, std::size_t axes, std::uint64_t memory) {
  const std::uint64_t bytes = std::min(rows, std::uint64_t{1} << 40) * (kBytesOfARow + kBytesOfAnAxis * axes);
  return std::clamp<std::uint64_t>((bytes + memory - 1) / memory, 1, kMostBuckets);
}

Status each_bucket(std::uint64_t first, const std::function<Status(const UserBucket&)>& work) {
  std::vector<UserBucket> left;
  for (std::uint64_t number = first; number > 0; --number) left.push_back({number - 1, first});
  while (!left.empty()) {
    const UserBucket bucket = left.back();
    left.pop_back();
    const Status done = work(bucket);
    if (done) continue;
    if (!is_out_of_memory(done.error())) return done;
    if (bucket.of >= first * kMostHalvings) {
      return Error{Failure::bad_input,
                   fmt::format("these rows need more memory than there is, also {} at a time\n  Give a larger "
                               "`memory_limit`, or fewer `threads`.",
                               fmt::format("one in {} of the users", bucket.of))};
    }
    const auto [one, other] = bucket.halves();
    left.push_back(other);
    left.push_back(one);
  }
  return {};
}

bool is_out_of_memory(const Error& error) {
  return error.failure == Failure::bad_input && error.message.find("Out of Memory Error") != std::string::npos;
}

}  // namespace stopover
