#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "exports/omx_file.h"
#include "exports/period_table.h"
#include "exports/plausible_trips.h"
#include "job/export_job.h"
#include "job/pair_rows.h"
#include "job/zones_asked.h"

namespace stopover {
namespace {

// What one release puts into an OMX file.
class OmxPart {
 public:
  // Everything that can be refused, and the job's card.
  static Result<std::unique_ptr<OmxPart>> make(ExportJob& job) {
    Result<ZonesAsked> asked = ask_zones(job);
    if (!asked) return asked.error();
    const Result<ExportJob::Leg> leg = job.leg();
    if (!leg) return leg.error();
    const std::uint64_t draws = job.draws(), n = asked->flows.zones();
    if (Status s = asked->flows.check_pairs(draws > 0); !s) return s.error();
    if (draws > 0 && job.spec.at_least) return Error{Failure::usage, "`at_least` does not go with `draws`"};
    if (Status s = narrow(job, *asked, {leg->from, leg->to}); !s) return s.error();
    if (draws > 0 && (3 + draws) * n * n > OmxFile::kMostValues) {
      return Error{Failure::usage,
                   fmt::format("{} draws of {} x {} zones are more than an OMX file of {} values\n  Use fewer draws, "
                               "or `as zones`.",
                               draws, n, n, OmxFile::kMostValues)};
    }
    job.card.settings.emplace_back("from", leg->from_name);
    job.card.settings.emplace_back("to", leg->to_name);
    if (draws > 0) {
      job.card.settings.emplace_back("draws", std::to_string(draws));
      job.card.settings.emplace_back("seed", std::to_string(job.seed()));
    }
    if (job.spec.sparse) job.card.settings.emplace_back("sparse", "yes");
    std::unique_ptr<OmxPart> part(new OmxPart(job, std::move(*asked), *leg));
    if (Status s = part->pairs_.adjust(); !s) return s.error();
    if (Status s = job.describe(); !s) return s.error();
    return part;
  }

  const std::vector<std::string>& zones() const { return asked_.flows.names(); }
  std::size_t matrices() const { return (job_.spec.integers ? 4 : 3) + job_.draws(); }

  // Matrices NAME, NAME_lower, NAME_upper and, of whole numbers, NAME_whole; draws have `before` before their names.
  Status put(OmxFile& file, const std::string& name, const std::string& before) {
    ZoneFlows& flows = asked_.flows;
    const std::size_t n = flows.zones();
    const std::string way = leg_.from_name + " to " + leg_.to_name;
    std::vector<std::string> names = {name, name + "_lower", name + "_upper"};
    Status done = file.begin(names[0], "estimated trips, " + way);
    if (done) done = file.begin(names[1], "lower end of the interval at 95 %, " + way);
    if (done) done = file.begin(names[2], "upper end of the interval at 95 %, " + way);
    if (done && job_.spec.integers) {
      names.emplace_back(name + "_whole");
      done = file.begin(names[3], "estimated trips as whole numbers that add up, " + way);
    }
    SparseRows sparse{names, {0}, {}, std::vector<std::vector<double>>(names.size())};
    for (std::size_t first = 0; done && first < n; first += OmxFile::kRows) {
      const std::size_t last = std::min(n, first + OmxFile::kRows);
      std::vector<std::vector<double>> rows(names.size(), std::vector<double>((last - first) * n, 0.0));
      const auto take = [&](std::size_t a, std::size_t b, const Answer& answer) {
        const std::size_t at = (a - first) * n + b;
        rows[0][at] = answer.estimate;
        rows[1][at] = answer.lower;
        rows[2][at] = answer.upper;
        if (job_.spec.integers) rows[3][at] = static_cast<double>(pairs_.whole(a, b));
        if (!job_.spec.sparse) return;
        sparse.starts.resize(a + 1, static_cast<std::int64_t>(sparse.columns.size()));
        sparse.columns.push_back(static_cast<std::int32_t>(b));
        for (std::size_t i = 0; i < rows.size(); ++i) sparse.values[i].push_back(rows[i][at]);
      };
      while (done && pairs_.done() < last) done = pairs_.next(take, last - pairs_.done());
      for (std::size_t i = 0; done && i < rows.size(); ++i) done = file.put(names[i], first, rows[i]);
    }
    if (done && job_.spec.sparse) {
      sparse.starts.resize(n + 1, static_cast<std::int64_t>(sparse.columns.size()));
      done = file.add_sparse(sparse);
      job_.facts["entries"] = sparse.columns.size();
    }
    if (done && job_.draws() > 0) {
      const Result<PlausibleTrips> plausible = PlausibleTrips::make(job_.release);
      if (!plausible) return plausible.error();
      for (std::uint64_t i = 1; i <= job_.draws() && done; ++i) {
        NumberSequence numbers(job_.seed(), 1'000'000 + i);
        const std::vector<double> counts = flows.count(plausible->draw(job_.seed(), i), leg_.from, leg_.to, numbers);
        done = file.add(fmt::format("{}draw_{:04d}", before, i),
                        "a matrix that may have been behind the release, " + way, counts);
      }
    }
    if (!done) return done;
    pairs_.tell();
    job_.facts.erase("rows");
    job_.facts["matrices"] = matrices();
    job_.summary = fmt::format("{} matrices of {}, {}", matrices(), job_.summary, way);
    return {};
  }

 private:
  OmxPart(ExportJob& job, ZonesAsked asked, ExportJob::Leg leg)
      : job_(job), asked_(std::move(asked)), leg_(std::move(leg)), pairs_(job_, asked_.flows, leg_) {}

  ExportJob& job_;
  ZonesAsked asked_;
  ExportJob::Leg leg_;
  PairRows pairs_;
};

}  // namespace

Status export_omx(ExportJob& job, const std::string& path) {
  const Result<std::unique_ptr<OmxPart>> part = OmxPart::make(job);
  if (!part) return part.error();
  Result<OmxFile> file = OmxFile::make((*part)->zones(), job.encoded);
  if (!file) return file.error();
  if (Status s = (*part)->put(*file, "trips", ""); !s) return s;
  const Result<std::string> bytes = file->finish();
  if (!bytes) return bytes.error();
  return job.files.write_file(path, *bytes);
}

Status export_omx_series(std::span<SeriesExport> parts, const std::string& path) {
  if (parts[0].job.spec.sparse) {
    return Error{Failure::usage,
                 "`sparse` is for one release, and this is a series\n  Export some periods each by itself."};
  }
  std::vector<std::unique_ptr<OmxPart>> made;
  std::vector<std::pair<std::string, std::string>> cards;
  std::uint64_t values = 0;
  for (SeriesExport& part : parts) {
    Result<std::unique_ptr<OmxPart>> one = OmxPart::make(part.job);
    if (!one) return in_period(part, one.error());
    made.push_back(std::move(*one));
    cards.emplace_back(part.period, part.job.encoded);
    const std::vector<std::string>& zones = made.back()->zones();
    if (zones != made.front()->zones()) {
      return Error{Failure::usage, fmt::format("{} and {} do not have the same zones\n  Give `zones`: the same areas "
                                               "are then asked of both.",
                                               parts[0].period, part.period)};
    }
    values += std::uint64_t{zones.size()} * zones.size() * made.back()->matrices();
  }
  if (values > OmxFile::kMostValues) {
    return Error{Failure::usage, fmt::format("{0} periods of {1} x {1} zones are more than an OMX file of {2} values\n"
                                             "  Export some periods each by itself, or `as zones`.",
                                             parts.size(), made[0]->zones().size(), OmxFile::kMostValues)};
  }
  Result<OmxFile> file = OmxFile::make(made[0]->zones(), series_card(cards));
  if (!file) return file.error();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& period = parts[i].period;
    if (Status s = made[i]->put(*file, period, period + "_"); !s) return in_period(parts[i], s.error());
  }
  const Result<std::string> bytes = file->finish();
  if (!bytes) return bytes.error();
  return parts[0].job.files.write_file(path, *bytes);
}

}  // namespace stopover
