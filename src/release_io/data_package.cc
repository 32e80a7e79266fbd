#include "release_io/data_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace stopover {
namespace {

const char* field_type(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return "boolean";
    case DUCKDB_TYPE_VARCHAR:
      return "string";
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
      return "number";
    case DUCKDB_TYPE_STRUCT:
      return "object";
    case DUCKDB_TYPE_BLOB:
      return "any";
    default:
      return "integer";
  }
}

struct Meaning {
  std::string_view column, words;
};

// As in docs/internals/release_format.md.
constexpr std::array<Meaning, 17> kMeanings = {{
    {"parent", "row number, from 0, of the box that this one is a part of; -1 for a root"},
    {"depth", "0 for a root, else the parent's + 1"},
    {"leaf", "whether no row names this one as parent: answers come from leaves"},
    {"count", "true trips in the box + discrete Laplace noise; may be negative; 0 if not measured"},
    {"ticks", "what the count cost, in billionths of epsilon; 0: not measured"},
    {"side_ticks", "what else was spent on this box, in billionths of epsilon"},
    {"noise_scale", "scale of the noise in trips; missing if not measured"},
    {"estimate", "trips: post-processed, not negative, parts add up to their whole"},
    {"spread", "standard deviation of the true count given all noisy ones, as the mechanism believes"},
    {"coarse_count", "the count before it was refined: count + noise that does not depend on it; 0 if counted once"},
    {"coarse_ticks", "what the coarse count cost, a part of ticks; 0: counted once"},
    {"stop", "name of the stop"},
    {"row", "row number, from 0, in the table of the same name"},
    {"cells", "cells of the lattice in this rectangle"},
    {"id", "the zone's name on the axes of zones"},
    {"geometry", "well-known binary: longitude and latitude on WGS 84"},
    {"bbox", "xmin, ymin, xmax, ymax of the geometry in degrees"},
}};

// What ends the name of a column of an axis.
constexpr std::array<Meaning, 4> kEnds = {{
    {"_lo", "first cell of the box on this axis"},
    {"_hi", "one past its last cell"},
    {"_from", "coordinate of the box's lower edge on this axis"},
    {"_to", "coordinate of its upper edge"},
}};

std::string_view meaning_of(std::string_view column) {
  const auto* found =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& m) { return m.column == column; });
  if (found != kMeanings.end()) return found->words;
  const auto* end =
      std::find_if(kEnds.begin(), kEnds.end(), [&](const Meaning& m) { return column.ends_with(m.column); });
  return end == kEnds.end() ? "name of the group that the zone is in" : end->words;
}

// "maps/map1.parquet" -> "maps-map1": names in a package are unique words.
std::string resource_name(const std::string& path) {
  std::string name = path.substr(0, path.rfind('.'));
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

}  // namespace

Result<std::string> data_package_text(const ReleaseDocument& document, const std::vector<PackagedFile>& files) {
  const Result<std::string> content = content_sha256(document);
  if (!content) return content.error();
  nlohmann::json resources = nlohmann::json::array();
  for (const PackagedFile& file : files) {
    nlohmann::json fields = nlohmann::json::array();
    for (const FileColumn& column : file.columns) {
      fields.push_back(
          {{"name", column.name}, {"type", field_type(column.type)}, {"description", meaning_of(column.name)}});
    }
    resources.push_back({{"name", resource_name(file.path)},
                         {"title", file.title},
                         {"path", file.path},
                         {"profile", "tabular-data-resource"},
                         {"format", "parquet"},
                         {"mediatype", "application/vnd.apache.parquet"},
                         {"hash", "sha256:" + file.sha256},
                         {"schema", {{"fields", fields}}}});
  }
  std::string words;
  for (const std::string& sentence : document.card.promise) words += (words.empty() ? "" : " ") + sentence;
  nlohmann::json json = {{"profile", "data-package"},  {"name", "release-" + content->substr(0, 16)},
                         {"id", "sha256:" + *content}, {"title", document.card.title},
                         {"description", words},       {"resources", resources}};
  const Description& said = document.release.description;
  if (!said.title.empty()) json["title"] = said.title;
  if (!said.about.empty()) json["description"] = said.about + " " + words;
  if (!said.licence.empty()) json["licenses"] = {{{"name", said.licence}, {"title", said.licence}}};
  if (!said.credit.empty()) json["contributors"] = {{{"title", said.credit}, {"role", "publisher"}}};
  if (!document.release.date.empty()) json["created"] = document.release.date + "T00:00:00Z";
  try {
    return json.dump(2) + "\n";
  } catch (const nlohmann::json::exception&) {
    return Error{Failure::usage, "a name in the release is not valid UTF-8"};
  }
}

}  // namespace stopover
