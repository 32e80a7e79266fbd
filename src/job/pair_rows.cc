#include "job/pair_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/grouped.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

constexpr std::size_t kBlock = 65'536;       // answers
constexpr double kMany = 4e6, kBytes = 120;  // pairs; of a row of CSV

}  // namespace

PairRows::PairRows(ExportJob& job, ZoneFlows& flows, const ExportJob::Leg& leg)
    : job_(job),
      flows_(flows),
      leg_(leg),
      least_(job.spec.at_least.value_or(0)),
      gain_(flows.engine(), AnswerOptions{}.level) {
  if (job.observer.threads > 0) {
    limit_.emplace(tbb::global_control::max_allowed_parallelism, job.observer.threads);
  }
  const double pairs = static_cast<double>(flows.zones()) * static_cast<double>(flows.zones());
  if (least_ <= 0 && pairs > kMany) {
    job_.observer.note(
        fmt::format("{:.0f} million pairs: about {:.1f} GB as CSV, far less as Parquet or OMX"
                    "\n  `at_least 1` leaves out pairs of less than one trip.",
                    pairs / 1e6, pairs * kBytes / 1e9));
  }
  if (least_ <= 0) return;
  job_.card.notes.push_back(job.spec.integers
                                ? fmt::format("Pairs whose whole number is less than {} are left out.", least_)
                                : fmt::format("Pairs of fewer than {} trips, as estimated, are left out.", least_));
  job_.card.settings.emplace_back("at_least", fmt::format("{}", least_));
}

Status PairRows::adjust() {
  const Result<ExportAdjustment> adjustment = ExportAdjustment::make(job_, leg_, flows_.names());
  if (!adjustment) return adjustment.error();
  if (!adjustment->any()) return {};
  const std::size_t n = flows_.zones();
  std::vector<double> estimates;
  estimates.reserve(n * n);
  for (std::size_t first = 0; first < n;) {
    if (Status s = job_.observer.check(); !s) return s;
    const std::size_t last = std::min(n, first + rows_of_a_block());
    for (const Answer& answer : flows_.rows(leg_.from, first, last, leg_.to, HUGE_VAL)) {
      estimates.push_back(answer.estimate);
    }
    first = last;
  }
  Result<AdjustedPairs> adjusted = adjustment->apply(job_, std::move(estimates));
  if (!adjusted) return adjusted.error();
  adjusted_ = *std::move(adjusted);
  return {};
}

std::size_t PairRows::rows_of_a_block() const { return std::max<std::size_t>(1, kBlock / flows_.zones()); }

// What is compared with `at_least`: a whole number where there are such, so that those that are left out are known.
double PairRows::size_of(std::size_t from, std::size_t to, const Answer& answer) const {
  if (!adjusted_) return answer.estimate;
  return job_.spec.integers ? static_cast<double>(whole(from, to)) : adjusted_->estimate[from * flows_.zones() + to];
}

// The least estimate of the release's own that a pair of the block up to done_ must have to be asked for intervals.
double PairRows::least_asked(std::size_t first) const {
  if (!adjusted_ || least_ <= 0) return least_;
  const std::vector<Answer> bare = flows_.rows(leg_.from, first, done_, leg_.to, HUGE_VAL);
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < bare.size(); ++i) {
    const std::size_t from = first + i / flows_.zones(), to = i % flows_.zones();
    if (size_of(from, to, bare[i]) >= least_) least = std::min(least, bare[i].estimate);
  }
  return least;
}

Status PairRows::next(const Take& take, std::size_t most) {
  if (Status s = job_.observer.check(); !s) return s;
  const std::size_t n = flows_.zones(), first = done_;
  done_ = std::min(n, first + std::min(most, rows_of_a_block()));
  const std::vector<Answer> answers = flows_.rows(leg_.from, first, done_, leg_.to, least_asked(first));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::size_t from = first + i / n, to = i % n;
    const double size = size_of(from, to, answers[i]);
    all_ += adjusted_ ? adjusted_->estimate[from * n + to] : answers[i].estimate;
    if (size < least_) {
      left_out_ += size;
      continue;
    }
    gain_.add(answers[i]);
    ++pairs_;
    take(from, to, adjusted_ ? adjusted_->of(from, to, answers[i]) : answers[i]);
  }
  return {};
}

void PairRows::tell() const {
  if (const std::optional<std::string> note = gain_.note()) {
    job_.observer.note(*note);
    job_.facts["notes"].push_back(*note);
  }
  const double total = flows_.whole().estimate;
  job_.facts["rows"] = pairs_;
  job_.facts["sum"] = rounded(all_);
  job_.facts["total"] = rounded(total);
  const bool scaled = !job_.spec.expand.empty() || !job_.spec.fix_totals.empty();
  job_.summary = fmt::format("{} x {} zones, {:.0f} {}{:.0f}{}", grouped(flows_.zones()), grouped(flows_.zones()), all_,
                             scaled ? "trips (the release says " : "of ", total, scaled ? ")" : " trips");
  if (least_ <= 0) return;
  const std::uint64_t left_out = std::uint64_t{flows_.zones()} * flows_.zones() - pairs_;
  job_.facts["left_out"] = {{"pairs", left_out}, {"trips", rounded(left_out_)}};
  job_.summary += fmt::format("; {} pairs of {} trips or more listed, {} with {:.0f} trips together left out",
                              grouped(pairs_), least_, grouped(left_out), left_out_);
}

}  // namespace stopover
