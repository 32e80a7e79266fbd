#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "exports/stop_places.h"
#include "geo/json_fwd.h"
#include "job/info_form.h"
#include "job/info_page.h"
#include "release_io/guarantee_card.h"

namespace stopover {
namespace {

const std::string kMobility = "https://w3id.org/mobilitydcat-ap/";
const std::string kAuthority = "http://publications.europa.eu/resource/authority/";

Json iri(const std::string& id) { return {{"@id", id}}; }

// The places of all stops and zones together; nothing where there are none.
std::optional<GeoBox> place_box(const Domain& domain) {
  std::optional<GeoBox> all;
  const auto add = [&](const GeoBox& box) {
    if (!all) all = box;
    all = GeoBox{std::min(all->west, box.west), std::min(all->south, box.south), std::max(all->east, box.east),
                 std::max(all->north, box.north)};
  };
  if (const ZoneSet* zones = domain.zones(); zones != nullptr && zones->has_places()) {
    for (std::size_t z = 0; z < zones->size(); ++z) {
      const PlanePoint& at = (*zones)[z].place;
      add({at.x, at.y, at.x, at.y});
    }
  }
  for (const Stop& stop : domain.stops()) {
    const Axis *lon = nullptr, *lat = nullptr;
    for (const std::size_t axis : stop.axes) {
      if (domain.axis(axis).kind == AxisKind::longitude) lon = &domain.axis(axis);
      if (domain.axis(axis).kind == AxisKind::latitude) lat = &domain.axis(axis);
    }
    if (lon != nullptr && lat != nullptr) add({lon->lower, lat->lower, lon->upper, lat->upper});
  }
  return all;
}

Json wkt_of(const GeoBox& b) {
  return {
      {"@type", "geosparql:wktLiteral"},
      {"@value", fmt::format("POLYGON(({0} {1},{2} {1},{2} {3},{0} {3},{0} {1}))", b.west, b.south, b.east, b.north)}};
}

// An SPDX name ("CC-BY-4.0") has an address; other words stand as they are.
Json licence_node(const std::string& licence) {
  if (licence.starts_with("https://") || licence.starts_with("http://")) return iri(licence);
  const bool word = std::all_of(licence.begin(), licence.end(),
                                [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.' || c == '+'; });
  if (word) return iri("https://spdx.org/licenses/" + licence);
  return {{"@type", "dct:LicenseDocument"}, {"rdfs:label", licence}};
}

Json contact_node(const std::string& contact) {
  Json node = {{"@type", "vcard:Kind"}, {"vcard:fn", contact}};
  const std::size_t at = contact.find('@');
  if (at != std::string::npos && contact.find_first_of(" <>\"") == std::string::npos) {
    node["vcard:hasEmail"] = iri("mailto:" + contact);
  } else if (contact.starts_with("https://") || contact.starts_with("http://")) {
    node["vcard:hasURL"] = iri(contact);
  }
  return node;
}

}  // namespace

InfoForm info_dcat(const InfoSource& source) {
  const Release& r = source.release;
  const Description& said = r.description;
  const GuaranteeCard card = guarantee_card(r);
  InfoForm form;
  const auto missing = [&](const char* field, const char* what) {
    form.missing.push_back(
        fmt::format("{} (`{}`{})", what, field, std::string_view(field) == "url" ? "" : " of stopover publish"));
  };
  std::string promise = card.title;
  for (const std::string& sentence : card.promise) promise += " " + sentence;
  Json set = {{"@id", "urn:sha256:" + source.content},
              {"@type", "dcat:Dataset"},
              {"dct:title", info_title(source)},
              {"dct:description", said.about.empty() ? promise : said.about},
              {"dct:identifier", "sha256:" + source.content}};
  if (said.title.empty()) missing("title", "title");
  if (said.about.empty()) missing("about", "description");
  if (!r.date.empty()) set["dct:issued"] = {{"@type", "xsd:date"}, {"@value", r.date}};
  if (said.credit.empty()) {
    missing("credit", "publisher");
  } else {
    set["dct:publisher"] = {{"@type", "foaf:Agent"}, {"foaf:name", said.credit}};
  }
  if (said.contact.empty()) {
    missing("contact", "contact");
  } else {
    set["dcat:contactPoint"] = contact_node(said.contact);
  }
  Json place = {{"@type", "dct:Location"}};
  if (const std::optional<GeoBox> box = place_box(r.domain)) place["dcat:bbox"] = wkt_of(*box);
  if (said.covers.empty()) {
    missing("covers", "words for the place and time that it covers");
  } else {
    place["skos:prefLabel"] = said.covers;
  }
  if (place.size() > 1) set["dct:spatial"] = place;
  set["dct:accrualPeriodicity"] = iri(kAuthority + "frequency/NEVER");  // a release stays as it is
  set["dcat:theme"] = iri(kAuthority + "data-theme/TRAN");
  set["mobilitydcatap:mobilityTheme"] = iri(kMobility + "mobility-theme/other");
  set["dcat:keyword"] = {"origin-destination matrix", "mobility", "differential privacy"};
  set["dct:provenance"] = {{"@type", "dct:ProvenanceStatement"}, {"rdfs:label", promise}};
  if (source.papers.note) set["adms:versionNotes"] = "It was " + source.papers.note->sentence() + ".";
  Json file = {{"@type", "dcat:Distribution"},
               {"dct:title", "A folder of Parquet and JSON, or one ZIP file of it"},
               {"dct:format", iri(kAuthority + "file-type/PARQUET")},
               {"dcat:mediaType", iri("https://www.iana.org/assignments/media-types/application/vnd.apache.parquet")},
               {"mobilitydcatap:mobilityDataStandard",
                {{"@type", "mobilitydcatap:MobilityDataStandard"},
                 {"dct:conformsTo", iri(kMobility + "mobility-data-standard/other")},
                 {"owl:versionInfo", fmt::format("stopover release, format {}", r.format)}}}};
  if (source.url.empty()) {
    missing("url", "address where it can be had");
  } else {
    file["dcat:accessURL"] = iri(source.url);
  }
  if (said.licence.empty()) {
    missing("licence", "licence");
  } else {
    file["dct:license"] = licence_node(said.licence);
    file["dct:rights"] = {{"@type", "dct:RightsStatement"},
                          {"dct:type", iri(kMobility + "conditions-for-access-and-usage/licence-provided")}};
  }
  set["dcat:distribution"] = file;
  Json document = {{"@context",
                    {{"adms", "http://www.w3.org/ns/adms#"},
                     {"dcat", "http://www.w3.org/ns/dcat#"},
                     {"dct", "http://purl.org/dc/terms/"},
                     {"foaf", "http://xmlns.com/foaf/0.1/"},
                     {"geosparql", "http://www.opengis.net/ont/geosparql#"},
                     {"mobilitydcatap", "https://w3id.org/mobilitydcat-ap#"},
                     {"owl", "http://www.w3.org/2002/07/owl#"},
                     {"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
                     {"skos", "http://www.w3.org/2004/02/skos/core#"},
                     {"vcard", "http://www.w3.org/2006/vcard/ns#"},
                     {"xsd", "http://www.w3.org/2001/XMLSchema#"}}}};
  document.update(set);
  form.text = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return form;
}

}  // namespace stopover
