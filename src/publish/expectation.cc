#include "publish/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/wide.h"
#include "privacy/kernel.h"

namespace stopover {
namespace {

constexpr double kFalseAlarm = 0.001;

double rate_of(Ticks ticks, std::uint32_t k) {
  return static_cast<double>(ticks) / static_cast<double>(kTicksPerEpsilon) / k;
}

}  // namespace

Ticks first_share(Ticks epsilon) { return std::max<Ticks>(1, epsilon / 100); }

std::int64_t draw_total(const CountSource& source, Dice& dice, Ticks first, std::uint32_t k) {
  Kernel kernel(source, dice, first, k);
  Family all = kernel.view("expected", {0}, kernel.left());
  const std::int64_t total = kernel.count(all, all.left())[0];
  kernel.close();
  return total;
}

std::uint64_t reach_of_total(const ExpectationPrice& price, std::size_t parts) {
  // P(X <= -q) = exp(-rate q)/(1 + exp(-rate)).
  const double rate = rate_of(price.first, price.k), tail = kFalseAlarm / static_cast<double>(parts);
  return static_cast<std::uint64_t>(std::ceil(-std::log(tail * (1 + std::exp(-rate))) / rate));
}

Status judge_totals(const Expectation& expected, std::span<const std::int64_t> totals, const ExpectationPrice& price) {
  const std::uint64_t reach = reach_of_total(price, totals.size());
  i128 sum = 0;
  for (const std::int64_t total : totals) sum += total;
  const i128 most = sum + static_cast<i128>(reach) * static_cast<i128>(totals.size());
  if (most < static_cast<i128>(expected.trips)) {
    return Error{Failure::privacy,
                 fmt::format("{} trips were expected, but there are at most about {} (noisy, sure to 99.9 %)\n"
                             "  Are `lat` and `lng` exchanged, is it another `bbox` or other `zones`, can the times be read?\n"
                             "  `dry_run` tells you alone, and spends nothing.",
                             expected.trips, static_cast<std::int64_t>(std::max<i128>(most, 0)))};
  }
  if (expected.accept_total_only) return {};
  const double rate = rate_of(price.rest, price.k);
  const std::int64_t largest = *std::max_element(totals.begin(), totals.end());
  if (static_cast<double>(largest) * rate >= kLeastWeight) return {};
  return Error{Failure::privacy,
               fmt::format("about {} trips are too few for more than their total: one partition\n"
                           "  It takes about {:.0f} trips at this epsilon{}. What would help: a larger `epsilon`,\n"
                           "  {}more data. Or publish the total alone: `accept_total_only`",
                           std::max<std::int64_t>(largest, 0), std::ceil(kLeastWeight / rate),
                           price.k == 1 ? "" : " and this K", price.k == 1 ? "" : "a smaller `max_trips_per_user`, ")};
}

void add_total(Release& release, const Expectation& expected, Ticks first, std::int64_t total) {
  release.epsilon += first;
  release.spent += first;
  release.charges.insert(release.charges.begin(), {"expected", 0, "count", first, 1});
  release.params.emplace_back("expect_total", std::to_string(total));
  release.params.emplace_back("expect_trips", std::to_string(expected.trips));
}

}  // namespace stopover
