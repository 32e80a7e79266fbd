// ExportJob: one export under way: what was asked for, the release, and the card that goes along. One function a kind;
// cli/export.cc has the table of kinds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/app.h"
#include "cli/export_output.h"
#include "exports/export_card.h"
#include "exports/long_table.h"
#include "ledger/file_system.h"
#include "release/release.h"

namespace stopover {

// As typed; "" where a flag was not given.
struct ExportOptions {
  std::string release, as, output, layer, from, to, seed, n, estimates, top, parts, zones, zone_name, draws;
  bool overwrite = false, overlaps = false, summary = false;
};

struct ExportJob {
  const ExportOptions& o;
  const Session& session;
  FileSystem& files;
  const Release& release;
  ExportCard card;
  std::string encoded;           // the card as JSON, once `describe` was called
  nlohmann::ordered_json facts;  // for --json
  std::string summary;           // for people

  // Adds that it costs nothing, and encodes the card.
  Status describe();

  // Two different stops; by default the first and the last.
  struct Leg {
    std::size_t from = 0, to = 0;
    std::string from_name, to_name;
  };
  Result<Leg> leg() const;
  Result<std::uint64_t> seed() const;
  Result<std::uint64_t> draws() const;  // 0: none were asked for
};

// Parquet by the name's ending, else CSV.
inline TableForm table_form(const std::string& path) {
  return path.ends_with(".parquet") ? TableForm::parquet : TableForm::csv;
}
// The flag's number, or `otherwise` where it was not given.
Result<std::uint64_t> number_or(std::string_view flag, const std::string& text, std::uint64_t otherwise, std::uint64_t min,
                                std::uint64_t max);

Status export_partitions(ExportJob& job, const std::string& path, TableForm form);
Status export_geojson(ExportJob& job, const std::string& path);
// Into a folder, or as one JSON file.
Status export_flowmap(ExportJob& job, const std::string& path, bool folder);
Status export_trips(ExportJob& job, const std::string& path, TableForm form);
Status export_dense(ExportJob& job, const std::string& path);
Status export_zones(ExportJob& job, const std::string& path, TableForm form);
Status export_zones_layer(ExportJob& job, const std::string& path);
Status export_omx(ExportJob& job, const std::string& path);

}  // namespace stopover
