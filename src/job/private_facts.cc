#include "job/private_facts.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "ingest/text_encoding.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

// What lines that are not UTF-8 look like. Windows-1252 has all that Latin-1 has, but for control characters.
std::string encoding_hint(const PrivateFacts& facts) {
  const std::map<std::string, std::uint64_t> counts(facts.begin(), facts.end());
  if (!counts.contains("like_latin1")) return ", as JSON lines must be";
  const std::uint64_t windows = counts.at("like_windows1252"), known = counts.at("like_latin1") + windows;
  if (known == 0) return "; their encoding is not known";
  return fmt::format("; {0} like {1}: try `encoding {1}`", known == counts.at("not_utf8") ? "they look" : "some look",
                     to_string(windows > 0 ? TextEncoding::windows1252 : TextEncoding::latin1));
}

}  // namespace

std::vector<std::string> fact_lines(const PrivateFacts& facts, bool all) {
  static const std::map<std::string, std::string> words = {
      {"rows_read", "rows read"},
      {"without_user", "rows without a user id"},
      {"without_trip", "rows without a trip id"},
      {"without_order", "rows without a place in their trip"},
      {"without_time", "rows without a time that can be read"},
      {"outside_the_periods", "rows of other times"},
      {"late", "rows of closed periods: too late, dropped"},
      {"without_position", "rows without a position"},
      {"outside_the_box", "rows outside the box"},
      {"outside_the_zones", "rows outside all zones"},
      {"without_zone", "rows without a zone's id"},
      {"unknown_zone", "rows with an id that is not a zone's"},
      {"exchanged", "rows inside with lat and lng exchanged: check `lat`, `lng` and the order of `bbox`"},
      {"unreadable", "lines that are not rows"},
      {"not_utf8", "of them are not UTF-8"},
      {"odd_quotes", "lines with an odd number of double quotes"},
      {"lacking_files", "files that lack a column that is read, or cannot give it"},
      {"users", "users with a usable trip"},
      {"trips", "usable trips"},
      {"kept_trips", "trips kept"}};
  std::vector<std::string> lines;
  for (const auto& [name, count] : facts) {
    if (count == 0 && name != "rows_read" && (!all || name == "exchanged" || name == "not_utf8")) continue;
    if (name.starts_with("like_")) continue;
    std::string more;
    if (name == "not_utf8") more = encoding_hint(facts);
    if (name == "odd_quotes" && count > 0)
      more = ": a field over several lines\n  is read as several rows; use Parquet or JSON lines";
    if (name.starts_with("without_") && count > 0 && count == facts.front().second) {
      more = ": all of them; is the column named right?";
      if (name == "without_position") more += "\n  Numbers written as 37,77 need `decimal_comma`.";
    }
    const std::string& what = words.at(name);
    lines.push_back(fmt::format("{} {}{}", grouped(count), count == 0 ? what.substr(0, what.find(": ")) : what, more));
  }
  return lines;
}

std::string facts_json(const PrivateFacts& facts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, count] : facts) json[name] = count;
  return json.dump();
}

}  // namespace stopover
