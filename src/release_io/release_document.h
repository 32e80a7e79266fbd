// ReleaseDocument: release.json. Everything about a release but the rows of its tables. The specification
// is docs/internals/release_format.md, its JSON Schema docs/internals/release.schema.json.
//
// The text is canonical: encoding the same document gives the same bytes. Keys are sorted, all numbers are integers,
// decimals are strings (the shortest text that reads back to the same double), so that any JSON library can recompute
// the two hashes inside. Written as the release's own format says: one that was read in format 1 has the same bytes in
// it again.
//   content_sha256  over the compact JSON without `content_sha256`, `json_sha256`, `guarantee` (words that follow from
//                   the rest), `writer`, `companions` (files that follow from the rest) and every table's
//                   `file_sha256`: the identity of the release, whatever wrote
//                   it. What the ledger commits to.
//   json_sha256     over the compact JSON without `json_sha256`: finds damage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "release/release.h"
#include "release_io/guarantee_card.h"

namespace stopover {

// What release.json says about the file of a table.
struct TableFile {
  std::uint64_t rows = 0;
  std::string content_sha256;
  std::string file_sha256;
  bool operator==(const TableFile&) const = default;
};

struct Writer {
  std::string name;
  std::string version;
  std::string duckdb;
  bool operator==(const Writer&) const = default;
};

// This program.
Writer this_writer();

// A file beside the tables that follows from them: datapackage.json and the GeoParquet files.
struct Companion {
  std::string file;
  std::string sha256;
  bool operator==(const Companion&) const = default;
};

struct ReleaseDocument {
  Release release;                    // its tables have no rows here, its domain no zones
  std::string zones_sha256;           // of the file of zones; "" where the domain has none
  std::vector<TableFile> files;       // one per table
  std::vector<Companion> companions;  // none in format 1 and in releases that older programs wrote
  GuaranteeCard card;
  Writer writer;
  std::string content_sha256;  // set by decode_document
};

// The file of a domain's zones, beside the tables (geo/zone_set_json.h).
inline constexpr const char* kZonesFile = "zones.geojson";

// "joint.parquet"
std::string table_file_name(const Table& table);

// The content hash of a release whose tables have these content hashes. Fails (usage) on a name that is not UTF-8.
Result<std::string> content_sha256(const ReleaseDocument& document);

// The content hash that the same release has in format 1: what `upgraded_from` must be. Fails (bad_input) for what only
// format 2 can say: a description, probes, zones, randomness that nobody told about.
Result<std::string> content_sha256_in_format_1(const ReleaseDocument& document);

// The text of release.json. Fails (usage) on a name that is not UTF-8.
Result<std::string> encode_document(const ReleaseDocument& document);

// Strict: fails (bad_input) on anything but the canonical text of a document whose two hashes are right. The release's
// own rules (check_release) need the rows and are not checked here.
Result<ReleaseDocument> decode_document(std::string_view text);

}  // namespace stopover
