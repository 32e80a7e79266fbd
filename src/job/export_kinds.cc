#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "exports/period_table.h"
#include "job/export_job.h"
#include "job/export_output.h"
#include "job/open_release.h"
#include "job/open_series.h"

namespace stopover {
namespace {

using Form = ExportOutput::Form;

bool is_json(const std::string& path) { return path.ends_with(".json"); }

Form by_name(const std::string& output) {
  return table_form(output) == TableForm::parquet ? Form::file : Form::file_and_card;
}

Form file(const std::string&) { return Form::file; }
Form file_and_card(const std::string&) { return Form::file_and_card; }

// What `as` names.
struct Kind {
  std::string name;
  std::vector<std::string> fields;   // that go with it, besides output and overwrite
  std::vector<std::string> endings;  // that the output's name may have
  bool needs_ending;                 // one of these; else any that no other kind has
  std::function<Form(const std::string& output)> form;
  std::function<Status(ExportJob&, const std::string& path)> write;
  // Of a series: one release's rows as Parquet, for a table of all; or all releases in one file. Neither: of one
  // release only.
  std::function<Status(ExportJob&, const std::string& path)> rows{};
  std::function<Status(std::span<SeriesExport>, const std::string& path)> whole{};
};

Status partitions_as_rows(ExportJob& job, const std::string& path) {
  return export_partitions(job, path, TableForm::parquet);
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = {
      {"csv",
       {"draws", "seed", "integers"},
       {".csv"},
       false,
       file_and_card,
       [](ExportJob& job, const auto& path) { return export_partitions(job, path, TableForm::csv); },
       partitions_as_rows},
      {"parquet",
       {"draws", "seed", "integers"},
       {".parquet"},
       false,
       file,
       [](ExportJob& job, const auto& path) { return export_partitions(job, path, TableForm::parquet); },
       partitions_as_rows},
      {"geojson",
       {"layer", "top", "tiles", "zones", "zone_name", "overlaps", "at_least"},
       {".geojson", ".json"},
       false,
       file,
       export_geojson},
      {"gpkg", {"top", "tiles", "zones", "zone_name", "overlaps"}, {".gpkg"}, true, file, export_gpkg},
      {"flowmap",
       {"from", "to", "at_least"},
       {".json"},
       false,
       [](const auto& output) { return is_json(output) ? Form::file : Form::folder; },
       [](ExportJob& job, const auto& path) { return export_flowmap(job, path, !is_json(job.spec.output)); }},
      {"zones",
       {"zones", "zone_name", "overlaps", "stop", "summary", "at_least", "from", "to", "draws", "seed", "expand",
        "fix_totals", "integers"},
       {".csv", ".parquet"},
       true,
       by_name,
       [](ExportJob& job, const auto& path) { return export_zones(job, path, table_form(job.spec.output)); },
       [](ExportJob& job, const auto& path) { return export_zones(job, path, TableForm::parquet); }},
      {"omx",
       {"zones", "zone_name", "overlaps", "stop", "at_least", "from", "to", "draws", "seed", "expand", "fix_totals",
        "integers", "sparse"},
       {".omx"},
       true,
       file,
       export_omx,
       {},
       export_omx_series},
      {"sumo",
       {"zones", "zone_name", "overlaps", "stop", "at_least", "from", "to", "expand", "fix_totals", "integers",
        "hours"},
       {".od", ".xml"},
       true,
       file_and_card,
       export_sumo},
      {"matsim", {"n", "seed", "hours", "mode"}, {".xml"}, true, file, export_matsim},
      {"kepler", {"top", "tiles", "zones", "zone_name", "overlaps"}, {".json"}, true, file, export_kepler},
      {"trips",
       {"n", "seed", "draws"},
       {".csv", ".parquet"},
       true,
       by_name,
       [](ExportJob& job, const auto& path) { return export_trips(job, path, table_form(job.spec.output)); },
       [](ExportJob& job, const auto& path) { return export_trips(job, path, TableForm::parquet); }},
      {"dense", {"estimates"}, {".npy"}, true, file_and_card, export_dense},
  };
  return table;
}

Status check_fields(const ExportSpec& o, const Kind& kind) {
  for (const std::string& field : o.given()) {
    if (std::find(kind.fields.begin(), kind.fields.end(), field) != kind.fields.end()) continue;
    return usage_error(fmt::format("`{}` does not go with `as {}`", field, o.as));
  }
  for (const auto& [field, given] :
       {std::pair{"integers", o.integers}, {"expand", !o.expand.empty()}, {"fix_totals", !o.fix_totals.empty()}}) {
    if (given && o.draws) {
      return usage_error(
          fmt::format("`{}` does not go with `draws`\n  Draws are whole numbers of the release's own "
                      "trips: make another export of them.",
                      field));
    }
  }
  const std::vector<std::string> layers = {"partitions", "stops", "flows", "zones"};
  if (!o.layer.empty() && std::find(layers.begin(), layers.end(), o.layer) == layers.end()) {
    return usage_error(fmt::format("`layer` must be partitions, stops, flows or zones, not \"{}\"", o.layer));
  }
  if (o.as == "geojson" && !o.zones.empty() && o.layer != "zones")
    return usage_error("`zones` goes with `layer zones`");
  const auto has = [&](const Kind& one) {
    return std::any_of(one.endings.begin(), one.endings.end(),
                       [&](const std::string& ending) { return o.output.ends_with(ending); });
  };
  if (has(kind)) return {};
  const auto other = std::find_if(kinds().begin(), kinds().end(), has);
  if (!kind.needs_ending && other == kinds().end()) return {};
  return usage_error(fmt::format("`as {}` cannot be written to {}\n  Give it a name that ends in {}{}.", o.as, o.output,
                                 fmt::join(kind.endings, " or "),
                                 kind.needs_ending ? "" : fmt::format(", or export `as {}`", other->name)));
}

// Every release of the series; `path` is the file to fill.
Status write_series(const ExportSpec& spec, const Kind& kind, std::span<SeriesExport> parts, const std::string& path,
                    std::string& card) {
  std::vector<std::pair<std::string, std::string>> tables, cards;
  if (kind.whole) {
    if (Status s = kind.whole(parts, path); !s) return s;
  }
  for (SeriesExport& part : parts) {
    if (kind.rows) {
      const std::string table = fmt::format("{}.{}.parquet", path, part.period);
      if (Status s = kind.rows(part.job, table); !s) return in_period(part, s.error());
      tables.emplace_back(part.period, table);
    }
    if (Status s = part.job.observer.check(); !s) return s;
    cards.emplace_back(part.period, part.job.encoded);
  }
  card = series_card(cards);
  if (!kind.rows) return {};
  const TableForm form = spec.as == "csv"       ? TableForm::csv
                         : spec.as == "parquet" ? TableForm::parquet
                                                : table_form(spec.output);
  const Status stacked = stack_periods(tables, path, form, card, parts[0].job.observer.threads);
  for (const auto& [period, table] : tables) std::remove(table.c_str());
  return stacked;
}

Result<Exported> run_series_export(const ExportSpec& spec, const Kind& kind, const Observer& observer) {
  if (!kind.rows && !kind.whole) {
    return usage_error(
        fmt::format("`as {}` is of one release, and {} is a series\n  Name one of its releases; csv, "
                    "parquet, zones, omx and trips take all of them.",
                    spec.as, spec.release));
  }
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<ExportOutput> output = ExportOutput::begin(*files, spec.output, kind.form(spec.output), spec.overwrite);
  if (!output) return output.error();
  observer.phase("reading the releases");
  const Result<OpenSeries> series = OpenSeries::open(spec.release, observer);
  if (!series) return series.error();
  for (const std::string& note : series->notes) observer.note(note);
  observer.phase("writing the export");
  // What is noted of each is noted once.
  std::set<std::string, std::less<>> noted;
  Observer once = observer;
  once.note = [&](std::string_view text) {
    if (noted.emplace(text).second) observer.note(text);
  };
  std::vector<SeriesExport> parts;
  for (const OpenSeries::Member& one : series->members) {
    ExportJob job{spec, once, *files, one.ready.release, {spec.as, {}, {}}, {}, nlohmann::ordered_json::object(), {}};
    parts.push_back({one.period.name(), std::move(job)});
  }
  std::string card;
  if (Status s = write_series(spec, kind, parts, output->path(), card); !s) return s.error();
  if (Status s = output->finish(card); !s) return s.error();
  observer.pause();
  nlohmann::ordered_json json = {{"output", spec.output}, {"as", spec.as}, {"files", output->names()}};
  for (const SeriesExport& part : parts) {
    nlohmann::ordered_json& to = json["periods"].emplace_back();
    to["period"] = part.period;
    if (!part.job.release.is_private()) to["not_private"] = part.job.release.randomness.warning();
    to.update(part.job.facts);
  }
  return Exported{
      fmt::format("{} {}s, {} to {}; of the first: {}", parts.size(), to_string(series->members[0].period.kind),
                  parts.front().period, parts.back().period, parts.front().job.summary),
      output->names(), json.dump(2)};
}

}  // namespace

std::vector<std::string> export_names(std::string_view field) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) {
    if (field.empty() || std::find(kind.fields.begin(), kind.fields.end(), field) != kind.fields.end())
      names.push_back(kind.name);
  }
  return names;
}

Result<Exported> run_export(const ExportSpec& spec, const Observer& observer) {
  const auto kind =
      std::find_if(kinds().begin(), kinds().end(), [&](const Kind& known) { return known.name == spec.as; });
  if (kind == kinds().end()) {
    const std::vector<std::string> names = export_names();
    return usage_error(fmt::format("`as {}`: there is no such export\n {} There are {}.", spec.as,
                                   did_you_mean(spec.as, names, 1), fmt::join(names, ", ")));
  }
  if (Status s = check_fields(spec, *kind); !s) return s.error();
  if (is_series_folder(spec.release)) return run_series_export(spec, *kind, observer);
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<ExportOutput> output = ExportOutput::begin(*files, spec.output, kind->form(spec.output), spec.overwrite);
  if (!output) return output.error();
  observer.phase("reading the release");
  const Result<Release> release = open_release(spec.release, observer);
  if (!release) return release.error();
  observer.phase("writing the export");
  ExportJob job{spec, observer, *files, *release, {spec.as, {}, {}}, {}, nlohmann::ordered_json::object(), {}};
  if (Status s = kind->write(job, output->path()); !s) return s.error();
  if (Status s = observer.check(); !s) return s.error();
  if (Status s = output->finish(job.encoded); !s) return s.error();
  observer.pause();
  nlohmann::ordered_json json = {{"output", spec.output}, {"as", spec.as}, {"files", output->names()}};
  if (!release->is_private()) json["not_private"] = release->randomness.warning();
  json.update(job.facts);
  return Exported{job.summary, output->names(), json.dump(2)};
}

}  // namespace stopover
