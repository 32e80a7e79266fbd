#include "exports/export_card.h"

#include <nlohmann/json.hpp>

#include "geo/json_fwd.h"
#include "release_io/guarantee_card.h"
#include "release_io/release_io.h"

namespace stopover {

Result<std::string> encode_card(const ExportCard& card, const Release& release) {
  const Result<std::string> content = content_sha256(release);
  if (!content) return content.error();
  const GuaranteeCard guarantee = guarantee_card(release);
  Json settings = Json::object();
  for (const auto& [name, value] : card.settings) settings[name] = value;
  Json description = Json::object();
  for (const auto& [name, member] : kDescriptionTexts) {
    if (!(release.description.*member).empty()) description[name] = release.description.*member;
  }
  const Json json = {
      {"stopover", card.kind},
      {"description", description},
      {"guarantee",
       {{"title", guarantee.title}, {"promise", guarantee.promise}, {"not_covered", guarantee.not_covered}}},
      {"notes", card.notes},
      {"settings", settings},
      {"release",
       {{"content_sha256", *content},
        {"private", release.is_private()},
        {"randomness", release.randomness.text()},
        {"mechanism", release.mechanism},
        {"epsilon", format_epsilon(release.epsilon)},
        {"unit", to_string(release.unit)},
        {"k", release.k},
        {"date", release.date}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string card_beside(const std::string& card, const std::string& file_name, const std::string& file_sha256) {
  Json json = Json::parse(card);
  json["file"] = {{"name", file_name}, {"sha256", file_sha256}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stopover
