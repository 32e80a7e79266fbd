// ExportCard: what every export carries along, so that numbers never travel without their promise: the guarantee card,
// which release they come from, and what was done to them on the way.
//
// As JSON text. It goes into the file where the format has a place for it (Parquet metadata, a member of a GeoJSON
// document, an HDF5 attribute), else into a file beside it, FILE.card.json, which then also has the SHA-256 of FILE.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

struct ExportCard {
  std::string kind;                // "csv", "trips", ...
  std::vector<std::string> notes;  // sentences: what the numbers are, what they are not
  // What else decided the export: a seed, the zones' file. Texts.
  std::vector<std::pair<std::string, std::string>> settings;
};

// Fails (usage) on names that are not UTF-8.
Result<std::string> encode_card(const ExportCard& card, const Release& release);
// The same with the hash of the file it lies beside. REQUIRES: `card` was made by encode_card.
std::string card_beside(const std::string& card, const std::string& file_name, const std::string& file_sha256);

}  // namespace stopover
