#include "release_io/release_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "disk/sha256.h"
#include "duck/duck.h"

namespace stopover {
namespace {

constexpr int kMaxNesting = 8;
constexpr std::uint64_t kMaxInteger = (std::uint64_t{1} << 53) - 1;  // what every JSON reader keeps exactly

std::string decimal(double x) {
  std::array<char, 32> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), x);
  return {text.data(), result.ptr};
}

nlohmann::json domain_json(const Domain& domain, const std::string& zones_sha256) {
  nlohmann::json axes = nlohmann::json::array(), stops = nlohmann::json::array();
  for (const Axis& axis : domain.axes()) {
    axes.push_back({{"name", axis.name},
                    {"cells", axis.cells},
                    {"kind", to_string(axis.kind)},
                    {"lower", decimal(axis.lower)},
                    {"upper", decimal(axis.upper)},
                    {"labels", axis.labels}});
  }
  for (const Stop& stop : domain.stops()) {
    nlohmann::json names = nlohmann::json::array();
    for (std::size_t axis : stop.axes) names.push_back(domain.axis(axis).name);
    stops.push_back({{"name", stop.name}, {"axes", names}});
  }
  nlohmann::json json = {{"axes", axes}, {"stops", stops}};
  if (!zones_sha256.empty()) json["zones"] = {{"file", kZonesFile}, {"sha256", zones_sha256}};
  return json;
}

nlohmann::json decimals(std::span<const double> values) {
  nlohmann::json list = nlohmann::json::array();
  for (double value : values) list.push_back(decimal(value));
  return list;
}

nlohmann::json calibration_json(const Calibration& calibration) {
  const auto rows = [&](const std::vector<double>& values) {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t row = 0; row < calibration.signals.size(); ++row) {
      list.push_back(decimals(std::span(values).subspan(row * calibration.tails.size(), calibration.tails.size())));
    }
    return list;
  };
  return {{"draws", calibration.draws},
          {"questions", calibration.questions},
          {"weights", decimals(calibration.weights)},
          {"tails", decimals(calibration.tails)},
          {"signals", decimals(calibration.signals)},
          {"below", rows(calibration.below)},
          {"above", rows(calibration.above)}};
}

nlohmann::json probes_json(const Probes& probes) {
  nlohmann::json json = {{"ticks", probes.ticks},
                         {"lattices", probes.lattices},
                         {"counts", probes.counts},
                         {"scales", decimals(probes.scales)},
                         {"squares", decimals(probes.squares)},
                         {"signals", decimals(probes.signals)},
                         {"whole", decimals(probes.whole)},
                         {"tails", decimals(probes.tails)},
                         {"below", decimals(probes.below)},
                         {"above", decimals(probes.above)}};
  if (probes.scale != 0) json["scale"] = probes.scale;
  if (!probes.missed_above.empty()) {
    json["missed_above"] = decimals(probes.missed_above);
    json["missed_below"] = decimals(probes.missed_below);
  }
  return json;
}

// All that the content hash is over.
nlohmann::json content_json(const ReleaseDocument& document) {
  const Release& release = document.release;
  nlohmann::json tables = nlohmann::json::array(), charges = nlohmann::json::array(), params = nlohmann::json::object();
  for (std::size_t i = 0; i < release.tables.size(); ++i) {
    const Table& table = release.tables[i];
    nlohmann::json axes = nlohmann::json::array();
    for (std::size_t axis : table.axes) axes.push_back(release.domain.axis(axis).name);
    tables.push_back({{"name", table.name},
                      {"kind", to_string(table.kind)},
                      {"axes", axes},
                      {"ticks", table.ticks},
                      {"multiplicity", 1},
                      {"view", table.view},
                      {"smooth", table.smooth},
                      {"rows", document.files[i].rows},
                      {"file", table_file_name(table)},
                      {"content_sha256", document.files[i].content_sha256}});
  }
  for (const Charge& charge : release.charges) {
    charges.push_back({{"view", charge.view},
                       {"depth", charge.depth},
                       {"purpose", charge.purpose},
                       {"ticks", charge.ticks},
                       {"times", charge.times}});
  }
  for (const auto& [name, value] : release.params) params[name] = value;
  nlohmann::json json = {{"format", release.format},
                         {"domain", domain_json(release.domain, document.zones_sha256)},
                         {"mechanism", release.mechanism},
                         {"params", params},
                         {"epsilon", format_epsilon(release.epsilon)},
                         {"spent", format_epsilon(release.spent)},
                         {"unit", to_string(release.unit)},
                         {"k", release.k},
                         {"answer_model", to_string(release.answer_model)},
                         {"tables", tables},
                         {"charges", charges},
                         {"number", release.number},
                         {"ledger_head", release.ledger_head},
                         {"date", release.date}};
  if (release.format > 1) json["randomness"] = release.randomness.text();
  for (const auto& [name, member] : kDescriptionTexts) {
    if (const std::string& text = release.description.*member; !text.empty()) json["description"][name] = text;
  }
  if (!release.upgraded_from.empty()) json["upgraded_from"] = release.upgraded_from;
  if (release.calibration) json["calibration"] = calibration_json(*release.calibration);
  if (release.probes) json["probes"] = probes_json(*release.probes);
  return json;
}

// Reads a JSON value strictly. The first thing that is wrong is kept and everything after it is skipped.
class Reader {
 public:
  const std::optional<std::string>& problem() const { return problem_; }
  void fail(std::string what) {
    if (!problem_) problem_ = std::move(what);
  }
  void fail(const Error& error) { fail(error.message.substr(0, error.message.find('\n'))); }

  // Whether `json` is an object with exactly these keys, and perhaps some of the optional ones.
  bool object(const nlohmann::json& json, std::string_view where, const std::vector<std::string_view>& keys,
              const std::vector<std::string_view>& optional = {}) {
    if (problem_) return false;
    if (!json.is_object()) return refuse(where, "must be an object");
    for (const std::string_view key : keys) {
      if (!json.contains(key)) return refuse(where, fmt::format("has no \"{}\"", key));
    }
    for (const auto& [key, value] : json.items()) {
      const auto in = [&key = key](const std::vector<std::string_view>& list) {
        return std::find(list.begin(), list.end(), key) != list.end();
      };
      if (!in(keys) && !in(optional)) return refuse(where, fmt::format("has an unknown key \"{}\"", key));
    }
    return true;
  }
  // The elements of a list; none if it is not a list.
  const nlohmann::json& list(const nlohmann::json& json, std::string_view where) {
    static const nlohmann::json kNone = nlohmann::json::array();
    if (problem_ || (!json.is_array() && !refuse(where, "must be a list"))) return kNone;
    return json;
  }
  std::string text(const nlohmann::json& json, std::string_view where) {
    if (problem_ || (!json.is_string() && !refuse(where, "must be a text"))) return "";
    return json.get<std::string>();
  }
  std::vector<std::string> texts(const nlohmann::json& json, std::string_view where) {
    std::vector<std::string> result;
    for (const nlohmann::json& entry : list(json, where)) result.push_back(text(entry, where));
    return result;
  }
  template <typename T>
  T integer(const nlohmann::json& json, std::string_view where, std::uint64_t least, std::uint64_t most) {
    if (problem_) return T{};
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() < least || json.get<std::uint64_t>() > most) {
      refuse(where, fmt::format("must be a whole number from {} to {}", least, most));
      return T{};
    }
    return static_cast<T>(json.get<std::uint64_t>());
  }
  // From -kMaxInteger to kMaxInteger.
  std::int64_t signed_integer(const nlohmann::json& json, std::string_view where) {
    if (problem_) return 0;
    constexpr auto kMost = static_cast<std::int64_t>(kMaxInteger);
    if (!json.is_number_integer() || json.get<std::int64_t>() < -kMost || json.get<std::int64_t>() > kMost) {
      refuse(where, fmt::format("must be a whole number from {} to {}", -kMost, kMost));
      return 0;
    }
    return json.get<std::int64_t>();
  }
  double decimal(const nlohmann::json& json, std::string_view where) {
    const std::string number = text(json, where);
    double value = 0;
    const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool whole = result.ec == std::errc() && result.ptr == number.data() + number.size();
    if (!problem_ && (!whole || !std::isfinite(value))) refuse(where, "must be a decimal number in a text");
    return value;
  }
  Ticks epsilon(const nlohmann::json& json, std::string_view where) {
    const std::string number = text(json, where);
    if (problem_ || number == "0") return 0;
    return taken(parse_epsilon(number, where));
  }
  std::string sha256(const nlohmann::json& json, std::string_view where) {
    std::string hex = text(json, where);
    const bool good = hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!problem_ && !good) refuse(where, "must be 64 hex digits");
    return hex;
  }
  template <typename T>
  T taken(Result<T> result) {
    if (result) return std::move(*result);
    fail(result.error());
    return T{};
  }
  std::vector<std::size_t> axes(const nlohmann::json& json, const Domain& domain, std::string_view where) {
    std::vector<std::size_t> result;
    for (const std::string& name : texts(json, where)) {
      const int axis = domain.find_axis(name);
      if (axis < 0) fail(fmt::format("{} names an unknown axis \"{}\"", where, name));
      result.push_back(static_cast<std::size_t>(std::max(axis, 0)));
    }
    return result;
  }

 private:
  bool refuse(std::string_view where, std::string_view what) {
    fail(fmt::format("{} {}", where, what));
    return false;
  }
  std::optional<std::string> problem_;
};

Domain read_domain(Reader& in, const nlohmann::json& json, int format, std::string& zones_sha256) {
  const std::vector<std::string_view> optional =
      format > 1 ? std::vector<std::string_view>{"zones"} : std::vector<std::string_view>{};
  if (!in.object(json, "domain", {"axes", "stops"}, optional)) return {};
  if (json.contains("zones") && in.object(json["zones"], "domain.zones", {"file", "sha256"})) {
    zones_sha256 = in.sha256(json["zones"]["sha256"], "domain.zones.sha256");
    if (in.text(json["zones"]["file"], "domain.zones.file") != kZonesFile) {
      in.fail(fmt::format("domain.zones.file must be {}", kZonesFile));
    }
  }
  std::vector<Axis> axes;
  for (const nlohmann::json& entry : in.list(json["axes"], "domain.axes")) {
    if (!in.object(entry, "an axis", {"name", "cells", "kind", "lower", "upper", "labels"})) return {};
    Axis axis;
    axis.name = in.text(entry["name"], "an axis's name");
    axis.cells = in.integer<std::uint32_t>(entry["cells"], "an axis's cells", 1, std::uint64_t{1} << 31);
    axis.kind = in.taken(parse_axis_kind(in.text(entry["kind"], "an axis's kind")));
    axis.lower = in.decimal(entry["lower"], "an axis's lower");
    axis.upper = in.decimal(entry["upper"], "an axis's upper");
    axis.labels = in.texts(entry["labels"], "an axis's labels");
    axes.push_back(std::move(axis));
  }
  std::vector<Stop> stops;
  for (const nlohmann::json& entry : in.list(json["stops"], "domain.stops")) {
    if (!in.object(entry, "a stop", {"name", "axes"})) return {};
    Stop stop{in.text(entry["name"], "a stop's name"), {}};
    for (const std::string& name : in.texts(entry["axes"], "a stop's axes")) {
      const auto axis = std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name == name; });
      stop.axes.push_back(static_cast<std::size_t>(axis - axes.begin()));  // one too large is refused by make
    }
    stops.push_back(std::move(stop));
  }
  if (!in.problem() && stops.empty()) in.fail("domain.stops must not be empty");
  if (in.problem()) return {};
  return in.taken(Domain::make(std::move(axes), std::move(stops)));
}

void read_tables(Reader& in, const nlohmann::json& json, ReleaseDocument& document) {
  for (const nlohmann::json& entry : in.list(json, "tables")) {
    if (!in.object(entry, "a table",
                   {"name", "kind", "axes", "ticks", "multiplicity", "view", "smooth", "rows", "file", "content_sha256",
                    "file_sha256"})) {
      return;
    }
    Table table;
    table.name = in.text(entry["name"], "a table's name");
    table.kind = in.taken(parse_table_kind(in.text(entry["kind"], "a table's kind")));
    table.axes = in.axes(entry["axes"], document.release.domain, "a table's axes");
    table.ticks = in.integer<Ticks>(entry["ticks"], "a table's ticks", 0, kMaxTicks);
    if (entry["multiplicity"] != 1) in.fail("a table's multiplicity must be 1");
    table.view = in.text(entry["view"], "a table's view");
    if (!entry["smooth"].is_boolean()) in.fail("a table's smooth must be true or false");
    table.smooth = entry["smooth"] == true;
    const bool word = !table.name.empty() && table.name.size() <= 64 &&
                      table.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (!word || in.text(entry["file"], "a table's file") != table_file_name(table)) {
      in.fail("a table's name must be a short word and its file that name with .parquet");
    }
    document.files.push_back({in.integer<std::uint64_t>(entry["rows"], "a table's rows", 1, INT32_MAX),
                              in.sha256(entry["content_sha256"], "a table's content_sha256"),
                              in.sha256(entry["file_sha256"], "a table's file_sha256")});
    document.release.tables.push_back(std::move(table));
  }
}

std::optional<Calibration> read_calibration(Reader& in, const nlohmann::json& json) {
  if (!in.object(json, "calibration", {"draws", "questions", "weights", "tails", "signals", "below", "above"}))
    return {};
  Calibration calibration;
  calibration.draws = in.integer<std::uint32_t>(json["draws"], "calibration.draws", 1, UINT32_MAX);
  calibration.questions = in.integer<std::uint32_t>(json["questions"], "calibration.questions", 1, UINT32_MAX);
  const auto decimals = [&](const nlohmann::json& list, std::vector<double>& values) {
    for (const nlohmann::json& entry : in.list(list, "a list of the calibration"))
      values.push_back(in.decimal(entry, "a number of the calibration"));
  };
  std::vector<double> weights;
  decimals(json["weights"], weights);
  if (weights.size() != Calibration::kFeatures) in.fail("calibration.weights must have 7 entries");
  if (in.problem()) return {};
  std::copy(weights.begin(), weights.end(), calibration.weights.begin());
  decimals(json["tails"], calibration.tails);
  decimals(json["signals"], calibration.signals);
  for (const char* side : {"below", "above"}) {
    std::vector<double>& values = side == std::string_view("below") ? calibration.below : calibration.above;
    for (const nlohmann::json& row : in.list(json[side], "a side of the calibration")) {
      const std::size_t before = values.size();
      decimals(row, values);
      if (values.size() - before != calibration.tails.size())
        in.fail("a row of the calibration does not have one entry a tail");
    }
  }
  if (in.problem()) return {};
  if (Status ok = check_calibration(calibration); !ok) in.fail(ok.error());
  return calibration;
}

std::optional<Probes> read_probes(Reader& in, const nlohmann::json& json) {
  if (!in.object(json, "probes",
                 {"ticks", "lattices", "counts", "scales", "squares", "signals", "whole", "tails", "below", "above"},
                 {"scale", "missed_above", "missed_below"}))
    return {};
  Probes probes;
  // Absent in releases written before it was told.
  probes.scale = json.contains("scale") ? in.integer<std::uint32_t>(json["scale"], "probes.scale", 1, UINT32_MAX) : 0;
  probes.ticks = in.integer<Ticks>(json["ticks"], "probes.ticks", 1, kMaxTicks);
  probes.lattices = in.integer<std::uint32_t>(json["lattices"], "probes.lattices", 1, UINT32_MAX);
  for (const nlohmann::json& entry : in.list(json["counts"], "probes.counts")) {
    probes.counts.push_back(in.signed_integer(entry, "a count of the probes"));
  }
  if (json.contains("missed_above") != json.contains("missed_below")) in.fail("probes certify one side alone");
  const std::pair<const char*, std::vector<double>*> lists[] = {{"missed_above", &probes.missed_above},
                                                                {"missed_below", &probes.missed_below},
                                                                {"scales", &probes.scales},
                                                                {"squares", &probes.squares},
                                                                {"signals", &probes.signals},
                                                                {"whole", &probes.whole},
                                                                {"tails", &probes.tails},
                                                                {"below", &probes.below},
                                                                {"above", &probes.above}};
  for (const auto& [name, values] : lists) {
    if (!json.contains(name)) continue;
    for (const nlohmann::json& entry : in.list(json[name], "a list of the probes"))
      values->push_back(in.decimal(entry, "a number of the probes"));
  }
  if (in.problem()) return {};
  if (Status ok = check_probes(probes); !ok) in.fail(ok.error());
  return probes;
}

// Of a document of unknown format; the rest of it may be anything.
int read_format(Reader& in, const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("format")) {
    in.fail("it has no \"format\"");
    return 0;
  }
  const int format = in.integer<int>(json["format"], "format", 1, 1'000'000);
  if (!in.problem() && format > Release::kFormat) {
    in.fail(fmt::format("it is of format {}, this program reads formats 1 to {}", format, Release::kFormat));
  }
  return format;
}

void read_description(Reader& in, const nlohmann::json& json, Description& description) {
  std::vector<std::string_view> names;
  for (const auto& [name, member] : kDescriptionTexts) names.emplace_back(name);
  if (!in.object(json, "description", {}, names)) return;
  for (const auto& [name, member] : kDescriptionTexts) {
    if (!json.contains(name)) continue;
    description.*member = in.text(json[name], fmt::format("description.{}", name));
    if ((description.*member).empty()) in.fail(fmt::format("description.{} says nothing", name));
  }
}

void read_document(Reader& in, const nlohmann::json& json, ReleaseDocument& document) {
  const int format = read_format(in, json);
  std::vector<std::string_view> keys = {"format", "guarantee",   "domain", "mechanism",      "params",      "epsilon",
                                        "spent",  "unit",        "k",      "answer_model",   "tables",      "charges",
                                        "number", "ledger_head", "date",   "content_sha256", "json_sha256", "writer"};
  if (format > 1) keys.push_back("randomness");
  if (!in.object(json, "it", keys,
                 format > 1 ? std::vector<std::string_view>{"calibration", "probes", "companions", "description",
                                                            "upgraded_from"}
                            : std::vector<std::string_view>{"calibration"}))
    return;
  const nlohmann::json& card = json["guarantee"];
  if (in.object(card, "guarantee", {"title", "promise", "not_covered"})) {
    document.card = {in.text(card["title"], "guarantee.title"), in.texts(card["promise"], "guarantee.promise"),
                     in.texts(card["not_covered"], "guarantee.not_covered")};
  }
  const nlohmann::json& writer = json["writer"];
  if (in.object(writer, "writer", {"name", "version", "duckdb"})) {
    document.writer = {in.text(writer["name"], "writer.name"), in.text(writer["version"], "writer.version"),
                       in.text(writer["duckdb"], "writer.duckdb")};
  }
  Release& release = document.release;
  release.format = format;
  release.domain = read_domain(in, json["domain"], format, document.zones_sha256);
  release.mechanism = in.text(json["mechanism"], "mechanism");
  if (!json["params"].is_object()) in.fail("params must be an object");
  for (const auto& [name, value] : json["params"].items())
    release.params.emplace_back(name, in.text(value, "a parameter"));
  release.randomness = format == 1 ? randomness_of_format_1(release.params)
                                   : in.taken(Randomness::parse(in.text(json["randomness"], "randomness")));
  if (format > 1 && !in.problem() && claims_privacy(document.card) != release.is_private()) {
    in.fail(fmt::format("its card says \"{}\", its randomness is {}", document.card.title, release.randomness.text()));
  }
  release.epsilon = in.epsilon(json["epsilon"], "epsilon");
  release.spent = in.epsilon(json["spent"], "spent");
  release.unit = in.taken(parse_unit(in.text(json["unit"], "unit")));
  release.k = in.integer<std::uint32_t>(json["k"], "k", 1, UINT32_MAX);
  release.answer_model = in.taken(parse_answer_model(in.text(json["answer_model"], "answer_model")));
  read_tables(in, json["tables"], document);
  for (const nlohmann::json& entry : in.list(json["charges"], "charges")) {
    if (!in.object(entry, "a charge", {"view", "depth", "purpose", "ticks", "times"})) return;
    release.charges.push_back({in.text(entry["view"], "a charge's view"),
                               in.integer<std::uint32_t>(entry["depth"], "a charge's depth", 0, UINT16_MAX),
                               in.text(entry["purpose"], "a charge's purpose"),
                               in.integer<Ticks>(entry["ticks"], "a charge's ticks", 1, kMaxTicks),
                               in.integer<std::uint64_t>(entry["times"], "a charge's times", 1, kMaxInteger)});
  }
  if (json.contains("calibration")) release.calibration = read_calibration(in, json["calibration"]);
  if (json.contains("probes")) release.probes = read_probes(in, json["probes"]);
  if (json.contains("description")) read_description(in, json["description"], release.description);
  if (json.contains("upgraded_from")) release.upgraded_from = in.sha256(json["upgraded_from"], "upgraded_from");
  if (json.contains("companions")) {
    for (const nlohmann::json& entry : in.list(json["companions"], "companions")) {
      if (!in.object(entry, "a companion", {"file", "sha256"})) return;
      document.companions.push_back(
          {in.text(entry["file"], "a companion's file"), in.sha256(entry["sha256"], "a companion's sha256")});
    }
  }
  release.number = in.integer<std::uint64_t>(json["number"], "number", 0, kMaxInteger);
  release.ledger_head = in.text(json["ledger_head"], "ledger_head");
  release.date = in.text(json["date"], "date");
  document.content_sha256 = in.sha256(json["content_sha256"], "content_sha256");
  in.sha256(json["json_sha256"], "json_sha256");
}

// Deep nesting is refused before anything recursive sees it.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] == '\\') ++i;
      if (i < text.size() && text[i] == '"') quoted = false;
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == '[' || text[i] == '{') {
      if (++depth > kMaxNesting) return true;
    } else if (text[i] == ']' || text[i] == '}') {
      --depth;
    }
  }
  return false;
}

// nlohmann::json throws on text that is not UTF-8; nothing else below does.
template <typename Work>
Result<std::string> encoded(Work work) {
  try {
    return work();
  } catch (const nlohmann::json::exception&) {
    return Error{Failure::usage, "a name in the release is not valid UTF-8"};
  }
}

}  // namespace

Writer this_writer() { return {"stopover", STOPOVER_VERSION, DuckSession::version()}; }

std::string table_file_name(const Table& table) { return table.name + ".parquet"; }

Result<std::string> content_sha256(const ReleaseDocument& document) {
  return encoded([&] { return sha256_of(content_json(document).dump()); });
}

Result<std::string> content_sha256_in_format_1(const ReleaseDocument& document) {
  const Release& now = document.release;
  if (!now.description.empty() || now.probes || !document.zones_sha256.empty() || now.randomness == Randomness()) {
    return Error{Failure::bad_input, "format 1 cannot say what it says"};
  }
  ReleaseDocument old = document;
  old.release.format = 1;
  old.release.upgraded_from.clear();
  if (now.randomness.is_repeatable()) old.release.params.emplace_back("test_key", now.randomness.key_name());
  return content_sha256(old);
}

Result<std::string> encode_document(const ReleaseDocument& document) {
  return encoded([&] {
    nlohmann::json json = content_json(document);
    json["content_sha256"] = sha256_of(json.dump());
    const GuaranteeCard& card = document.card;
    json["guarantee"] = {{"title", card.title}, {"promise", card.promise}, {"not_covered", card.not_covered}};
    for (std::size_t i = 0; i < document.files.size(); ++i) {
      json["tables"][i]["file_sha256"] = document.files[i].file_sha256;
    }
    for (const Companion& companion : document.companions) {
      json["companions"].push_back({{"file", companion.file}, {"sha256", companion.sha256}});
    }
    const Writer& writer = document.writer;
    json["writer"] = {{"name", writer.name}, {"version", writer.version}, {"duckdb", writer.duckdb}};
    json["json_sha256"] = sha256_of(json.dump());
    return json.dump(2) + "\n";
  });
}

Result<ReleaseDocument> decode_document(std::string_view text) {
  const auto bad = [](const std::string& what) {
    return Error{Failure::bad_input, "release.json is damaged: " + what};
  };
  if (too_deep(text)) return bad("it is nested too deeply");
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return bad("it is not valid JSON");
  ReleaseDocument document;
  Reader in;
  read_document(in, json, document);
  if (in.problem()) return bad(*in.problem());
  if (!document.release.upgraded_from.empty()) {
    const Result<std::string> old = content_sha256_in_format_1(document);
    if (!old) return bad("it says upgraded_from, but " + old.error().message);
    if (*old != document.release.upgraded_from)
      return bad("its content in format 1 does not have the hash upgraded_from");
  }
  const std::string content = document.content_sha256;
  const Result<std::string> again = encode_document(document);
  if (!again) return bad(again.error().message);
  if (*again == text) return document;
  const Result<std::string> rehashed = content_sha256(document);
  if (rehashed && *rehashed != content) return bad("its content does not have the hash content_sha256");
  return bad("its text is not the canonical one, or does not have the hash json_sha256");
}

}  // namespace stopover
