#include <fmt/format.h>

#include "base/grouped.h"
#include "exports/sumo_matrix.h"
#include "job/export_job.h"
#include "job/pair_rows.h"
#include "job/zones_asked.h"
#include "release_io/release_io.h"

namespace stopover {

Status export_sumo(ExportJob& job, const std::string& path) {
  DayHours hours;
  if (!job.spec.hours.empty()) {
    const Result<DayHours> read = DayHours::parse(job.spec.hours);
    if (!read) return read.error();
    hours = *read;
  }
  Result<ZonesAsked> asked = ask_zones(job);
  if (!asked) return asked.error();
  ZoneFlows& flows = asked->flows;
  const Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  if (Status s = flows.check_pairs(false); !s) return s;
  if (Status s = narrow(job, *asked, {leg->from, leg->to}); !s) return s;
  job.card.settings.emplace_back("from", leg->from_name);
  job.card.settings.emplace_back("to", leg->to_name);
  job.card.settings.emplace_back("hours", hours.text());
  job.card.notes.emplace_back(
      "For SUMO's od2trips: ids are the zones' names with _ for blanks. That the trips begin within `hours` was "
      "declared "
      "for this export; a release with hours of its own is narrowed with `stop`. Pairs of no trips are left out.");
  PairRows pairs(job, flows, *leg);
  if (Status s = pairs.adjust(); !s) return s;
  if (Status s = job.describe(); !s) return s;
  const Result<std::string> content = content_sha256(job.release);
  if (!content) return content.error();
  SumoMatrix matrix(path.ends_with(".xml") ? SumoMatrix::Form::intervals : SumoMatrix::Form::o_format, flows.names(),
                    hours, *content);
  while (pairs.done() < flows.zones()) {
    const Status answered = pairs.next([&](std::size_t a, std::size_t b, const Answer& answer) {
      const double count = job.spec.integers ? static_cast<double>(pairs.whole(a, b)) : answer.estimate;
      matrix.add(a, b, count, answer.lower, answer.upper);
    });
    if (!answered) return answered;
  }
  pairs.tell();
  job.facts["rows"] = matrix.pairs();
  job.summary = fmt::format("{} pairs of {}", grouped(matrix.pairs()), job.summary);
  return job.files.write_file(path, std::move(matrix).finish());
}

}  // namespace stopover
