// run_export: one export of a release. One function per kind writes it; export_kinds.cc has their table.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/export_card.h"
#include "exports/long_table.h"
#include "job/export_spec.h"
#include "job/observer.h"
#include "ledger/file_system.h"
#include "release/release.h"

namespace stopover {

struct Exported {
  std::string summary;             // for people
  std::vector<std::string> files;  // what there is now
  std::string json;
};

Result<Exported> run_export(const ExportSpec& spec, const Observer& observer);

// What `as` can name, in the table's order; those that `field` goes with, where one is given.
std::vector<std::string> export_names(std::string_view field = {});

// An export under way: what was asked for, the release, and the card that goes along.
struct ExportJob {
  const ExportSpec& spec;
  const Observer& observer;
  FileSystem& files;
  const Release& release;
  ExportCard card;
  std::string encoded;           // the card as JSON, once `describe` was called
  nlohmann::ordered_json facts;  // for JSON
  std::string summary;           // for people

  // Adds that it costs nothing, and encodes the card.
  Status describe();

  // Two different stops; by default the first and the last.
  struct Leg {
    std::size_t from = 0, to = 0;
    std::string from_name, to_name;
  };
  Result<Leg> leg() const;
  std::uint64_t seed() const { return spec.seed.value_or(1); }
  std::uint64_t draws() const { return spec.draws.value_or(0); }  // 0: none were asked for
};

// Parquet by the name's ending, else CSV.
inline TableForm table_form(const std::string& path) {
  return path.ends_with(".parquet") ? TableForm::parquet : TableForm::csv;
}
Status export_partitions(ExportJob& job, const std::string& path, TableForm form);
Status export_geojson(ExportJob& job, const std::string& path);
// Into a folder, or as one JSON file.
Status export_flowmap(ExportJob& job, const std::string& path, bool folder);
Status export_trips(ExportJob& job, const std::string& path, TableForm form);
Status export_dense(ExportJob& job, const std::string& path);
Status export_zones(ExportJob& job, const std::string& path, TableForm form);
Status export_gpkg(ExportJob& job, const std::string& path);
Status export_kepler(ExportJob& job, const std::string& path);
// A matrix for od2trips: XML by the name's ending, else the O format.
Status export_sumo(ExportJob& job, const std::string& path);
Status export_matsim(ExportJob& job, const std::string& path);
// The zones with how many trips have each stop in them, as GeoJSON; describes the job, too.
Result<std::string> zones_layer(ExportJob& job);
Status export_omx(ExportJob& job, const std::string& path);

// One release of a series that is exported whole.
struct SeriesExport {
  std::string period;
  ExportJob job;
};
inline Error in_period(const SeriesExport& part, const Error& e) { return {e.failure, part.period + ": " + e.message}; }
// One file: a matrix for each period, named by it (2019-01, 2019-01_lower, 2019-01_upper). Fails (usage) where the
// releases do not have the same zones.
Status export_omx_series(std::span<SeriesExport> parts, const std::string& path);

}  // namespace stopover
