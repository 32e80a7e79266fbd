#include "eval/release_meter.h"

#include <chrono>

#include "query/answerer.h"

namespace stopover {
namespace {

template <typename Ask>
std::vector<Outcome> ask_all(Ask&& ask, const Workload& workload) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(workload.boxes.size());
  for (std::size_t i = 0; i < workload.boxes.size(); ++i) {
    const Answer a = ask(BoxQuery::of(workload.boxes[i]));
    outcomes.push_back({static_cast<double>(workload.truth[i]), a.estimate, a.noise_lower, a.noise_upper});
  }
  return outcomes;
}

std::vector<Outcome> ask(const BoxIndex& index, const Workload& workload, const AnswerOptions& options) {
  return ask_all(Answerer(index, options), workload);
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

Result<ReleaseMeter> ReleaseMeter::make(const LabResult& made, const RangeCounter& truth, double level,
                                        bool count_leaves) {
  ReleaseMeter meter(truth, level);
  if (made.differences) {
    Result<HaarAnswerer> haar = HaarAnswerer::make(made, {Estimates::consistent, level, true});
    if (!haar) return haar.error();
    meter.haar_ = *std::move(haar);
    return meter;
  }
  if (made.kept_from) {
    Result<PlainAnswerer> counts = PlainAnswerer::make(made, {Estimates::plain, level, true});
    if (!counts) return counts.error();
    meter.counts_ = *std::move(counts);
    return meter;
  }
  if (!made.grids.empty()) {
    Result<CoverAnswerer> cover = CoverAnswerer::make(made, {Estimates::consistent, level, true});
    if (!cover) return cover.error();
    meter.cover_ = *std::move(cover);
    meter.plain_cover_ = *CoverAnswerer::make(made, {Estimates::plain, level, false});
    return meter;
  }
  const Release& release = made.release;
  Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  meter.index_ = *std::move(index);
  if (count_leaves && release.tables[0].rows() <= kMostLeaves) {
    Result<BoxIndex> counted = BoxIndex::make(without_noise(release, truth));
    if (!counted) return counted.error();
    meter.exact_ = *std::move(counted);
  }
  return meter;
}

Measured ReleaseMeter::measure(const Workload& workload) const {
  const std::uint64_t trips = truth_->total();
  Measured measured;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Outcome> consistent = cover_    ? ask_all(*cover_, workload)
                                          : haar_   ? ask_all(*haar_, workload)
                                          : counts_ ? ask_all(*counts_, workload)
                                                    : ask(*index_, workload, {Estimates::consistent, level_, true});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!workload.boxes.empty()) measured.seconds_per_query = seconds / static_cast<double>(workload.boxes.size());
  measured.consistent = summarise(consistent, trips, level_);
  measured.plain = haar_ || counts_ ? measured.consistent
                                    : summarise(cover_ ? ask_all(*plain_cover_, workload)
                                                       : ask(*index_, workload, {Estimates::plain, level_, false}),
                                                trips, level_);
  if (exact_) measured.exact = summarise(ask(*exact_, workload, {Estimates::consistent, level_, false}), trips, level_);
  return measured;
}

std::vector<double> ReleaseMeter::estimates(std::span<const Box> boxes) const {
  std::vector<double> all;
  const auto ask_each = [&](auto&& answer) {
    for (const Box& box : boxes) all.push_back(answer(BoxQuery::of(box)).estimate);
  };
  if (cover_) {
    ask_each(*cover_);
  } else if (haar_) {
    ask_each(*haar_);
  } else if (counts_) {
    ask_each(*counts_);
  } else {
    ask_each(Answerer(*index_, {Estimates::consistent, level_, false}));
  }
  return all;
}

}  // namespace stopover
