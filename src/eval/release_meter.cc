#include "eval/release_meter.h"

#include <chrono>

#include "query/answerer.h"

namespace stopover {
namespace {

std::vector<Outcome> ask(const BoxIndex& index, const Workload& workload, const AnswerOptions& options) {
  Answerer answerer(index, options);
  std::vector<Outcome> outcomes;
  outcomes.reserve(workload.boxes.size());
  for (std::size_t i = 0; i < workload.boxes.size(); ++i) {
    const Answer a = answerer(BoxQuery::of(workload.boxes[i]));
    outcomes.push_back({static_cast<double>(workload.truth[i]), a.estimate, a.noise_lower, a.noise_upper});
  }
  return outcomes;
}

// The same partition, its leaves holding what is true.
Release without_noise(Release release, const RangeCounter& truth) {
  Table& table = release.tables.at(0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    table.count[row] = static_cast<std::int64_t>(truth.count(table.box(row)));
    table.estimate[row] = static_cast<double>(table.count[row]);
  }
  return release;
}

}  // namespace

Result<ReleaseMeter> ReleaseMeter::make(const Release& release, const RangeCounter& truth, double level,
                                        bool count_leaves) {
  Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  std::optional<BoxIndex> exact;
  if (count_leaves) {
    Result<BoxIndex> counted = BoxIndex::make(without_noise(release, truth));
    if (!counted) return counted.error();
    exact = *std::move(counted);
  }
  return ReleaseMeter(*std::move(index), std::move(exact), truth, level);
}

Measured ReleaseMeter::measure(const Workload& workload) const {
  const std::uint64_t trips = truth_->total();
  Measured measured;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Outcome> consistent = ask(index_, workload, {Estimates::consistent, level_, true});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!workload.boxes.empty()) measured.seconds_per_query = seconds / static_cast<double>(workload.boxes.size());
  measured.consistent = summarise(consistent, trips, level_);
  measured.plain = summarise(ask(index_, workload, {Estimates::plain, level_, false}), trips, level_);
  if (exact_) measured.exact = summarise(ask(*exact_, workload, {Estimates::consistent, level_, false}), trips, level_);
  return measured;
}

}  // namespace stopover
