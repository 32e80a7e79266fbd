#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "geo/json_fwd.h"
#include "job/info_facts.h"
#include "job/info_form.h"
#include "job/info_page.h"
#include "job/privacy_answers.h"
#include "release_io/guarantee_card.h"
#include "release_io/release_document.h"

namespace stopover {
namespace {

// YAML in which every text is quoted as JSON has it, which YAML reads alike.
class YamlText {
 public:
  void open(int depth, std::string_view key) { line(depth, key, ""); }
  void put(int depth, std::string_view key, const std::string& text) { line(depth, key, " " + quoted(text)); }
  void raw(int depth, std::string_view key, const std::string& value) { line(depth, key, " " + value); }
  void item(int depth, const std::string& text) {
    text_ += std::string(2 * static_cast<std::size_t>(depth), ' ') + "- " + text + "\n";
  }
  static std::string quoted(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  std::string finish() && { return std::move(text_); }

 private:
  void line(int depth, std::string_view key, const std::string& rest) {
    text_ += fmt::format("{}{}:{}\n", std::string(2 * static_cast<std::size_t>(depth), ' '), key, rest);
  }
  std::string text_;
};

// Lower case letters, digits and underscores, as the registry names its files.
std::string slug_of(const std::string& title) {
  std::string slug;
  for (const unsigned char c : title) {
    if (std::isalnum(c) && c < 128) {
      slug += static_cast<char>(std::tolower(c));
    } else if (!slug.empty() && slug.back() != '_') {
      slug += '_';
    }
  }
  while (slug.ends_with('_')) slug.pop_back();
  return slug.empty() ? "release" : slug;
}

std::string unit_label(const Release& r) {
  const std::string name = unit_name(r);
  return name == "trip" ? "Trip" : name == "user" ? "User" : "User" + name.substr(4);
}

}  // namespace

InfoForm info_registry(const InfoSource& source) {
  const Release& r = source.release;
  const Description& said = r.description;
  InfoForm form;
  const auto declared = [&](const std::string& text, const char* field, const std::string& what) {
    if (!text.empty()) return text;
    form.missing.push_back(fmt::format("{} (`{}` of stopover publish)", what, field));
    return "FILL IN: " + what;
  };
  const auto open_question = [&](const std::string& what) {
    form.missing.push_back(what);
    return "FILL IN: " + what;
  };
  std::map<std::string, std::string> answers;
  for (const PrivacyAnswer& answer : privacy_answers(r)) answers[answer.id] = answer.answer;
  const bool series = unit_name(r).starts_with("user-") ||
                      std::any_of(r.params.begin(), r.params.end(), [](const auto& p) { return p.first == "period"; });
  YamlText yaml;
  yaml.put(0, "url_slug", slug_of(info_title(source)));
  yaml.open(0, "deployment");
  yaml.open(1, "basic");
  yaml.put(2, "name", info_title(source));
  yaml.open(2, "data_curators");
  yaml.item(3, "data_curator_name: " + YamlText::quoted(declared(said.credit, "credit", "who publishes it")));
  yaml.raw(4, "data_curator_type", YamlText::quoted(open_question("one of Government, Industry, Nonprofit")));
  yaml.put(2, "description", declared(said.about, "about", "what it is, in some sentences"));
  yaml.put(2, "intended_use", open_question("what it is meant to be used for"));
  yaml.put(2, "data_product_type", "Summary statistics");
  yaml.put(2, "data_product_region", declared(said.covers, "covers", "which place and time it covers"));
  yaml.put(2, "publication_date", r.date);
  yaml.open(1, "dp_variant");
  yaml.put(2, "variant_name", r.is_private() ? "Pure DP" : open_question("none: it was " + r.randomness.warning()));
  yaml.put(2, "data_domain",
           fmt::format("Trips of {} stops, counted on a declared lattice of {} cells.", r.domain.stops().size(),
                       r.domain.shape_text()));
  yaml.put(2, "unprotected_quantities", answers["not_protected"]);
  yaml.open(1, "privacy_loss");
  yaml.put(2, "privacy_unit", unit_label(r));
  yaml.put(2, "privacy_unit_details", answers["unit_of_privacy"] + " " + answers["bounds_on_contributions"]);
  if (const std::optional<Answer> total = total_trips(r); total && r.unit == Unit::trip) {
    yaml.raw(2, "number_of_privacy_units", fmt::format("{:.0f}", std::max(0.0, total->estimate)));
  }
  yaml.open(2, "privacy_parameters");
  const std::string epsilon = format_epsilon(r.epsilon);
  yaml.raw(3, "epsilon", epsilon);
  yaml.put(2, "privacy_parameters_details", answers["epsilon"]);
  yaml.open(1, "deployment_model");
  yaml.put(2, "model_name", "Central");
  yaml.put(2, "trust_assumptions", answers["trust_model"]);
  yaml.put(2, "actors",
           "People whose trips are counted; the publisher, who holds the trips; everybody who reads the release.");
  yaml.put(2, "release_type", series ? "Many releases" : "One release");
  yaml.put(2, "release_type_details",
           "A ledger keeps the epsilon of all releases about the same people and refuses to go beyond its budget.");
  yaml.put(2, "data_source_type", series ? "Dynamic" : "Static");
  yaml.put(2, "access_type", "Non-interactive");
  yaml.put(2, "access_type_details", "Questions are answered from the published release, not from the trips.");
  yaml.open(1, "implementation");
  yaml.put(2, "preprocessing_and_hyperparameter_tuning", answers["bounds_on_contributions"]);
  yaml.put(2, "mechanisms",
           answers["mechanism"] + " " + answers["correctness"] + " " + answers["randomness"] + " " +
               answers["side_channels"] + " " + answers["security"] + " Made with stopover " + this_writer().version +
               ".");
  yaml.put(2, "composition", answers["composition"]);
  yaml.put(2, "post_processing", answers["post_processing"]);
  yaml.put(2, "justification", open_question("why this epsilon, unit and mechanism"));
  yaml.put(2, "utility", answers["utility"]);
  std::string more = "Content hash of the release (SHA-256): " + source.content + ".";
  if (!source.url.empty()) more += " It can be had at " + source.url + " .";
  if (!said.licence.empty()) more += " Licence: " + said.licence + ".";
  if (!said.contact.empty()) more += " Contact: " + said.contact + ".";
  yaml.put(2, "additional_information", more);
  yaml.open(1, "administrative");
  yaml.put(2, "status", "Draft");
  yaml.open(2, "registry_authors");
  yaml.item(3, YamlText::quoted(open_question("who writes this entry")));
  yaml.raw(2, "tier", "3");
  form.text = std::move(yaml).finish();
  return form;
}

}  // namespace stopover
