#include "ingest/cells_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "base/bad_input.h"
#include "base/disk_full.h"
#include "disk/write_file.h"
#include "geo/zone_set_json.h"
#include "ingest/file_signature.h"

namespace stopover {
namespace {

constexpr std::string_view kFormat = "cells-1", kPartsFormat = "cells-parts-1";

}  // namespace

std::string domain_to_json(const Domain& domain) {
  nlohmann::ordered_json out;
  for (const Axis& axis : domain.axes()) {
    nlohmann::ordered_json a = {{"name", axis.name},
                                {"cells", axis.cells},
                                {"kind", to_string(axis.kind)},
                                {"lower", axis.lower},
                                {"upper", axis.upper}};
    if (!axis.labels.empty()) a["labels"] = axis.labels;
    out["axes"].push_back(std::move(a));
  }
  for (const Stop& stop : domain.stops()) out["stops"].push_back({{"name", stop.name}, {"axes", stop.axes}});
  return out.dump();
}

Result<Domain> domain_from_json(const std::string& text, std::shared_ptr<const ZoneSet> zones) {
  try {
    const nlohmann::json in = nlohmann::json::parse(text);
    std::vector<Axis> axes;
    for (const auto& a : in.at("axes")) {
      const Result<AxisKind> kind = parse_axis_kind(a.at("kind").get<std::string>());
      if (!kind) return kind.error();
      Axis axis{a.at("name"), a.at("cells"), *kind, a.at("lower"), a.at("upper"), {}};
      if (a.contains("labels")) axis.labels = a.at("labels").get<std::vector<std::string>>();
      axes.push_back(std::move(axis));
    }
    std::vector<Stop> stops;
    for (const auto& s : in.at("stops")) stops.push_back({s.at("name"), s.at("axes").get<std::vector<std::size_t>>()});
    return Domain::make(std::move(axes), std::move(stops), std::move(zones));
  } catch (const nlohmann::json::exception&) {
    return bad_input("the domain is not described as it should be");
  }
}

namespace {

Result<std::vector<TripPart>> one_part(const std::string& text, const std::shared_ptr<const ZoneSet>& zones) {
  Result<Domain> domain = domain_from_json(text, zones);
  if (!domain) return domain.error();
  const auto stops = static_cast<std::uint32_t>(domain->stops().size());
  return std::vector<TripPart>{{stops, std::move(*domain)}};
}

Result<std::vector<TripPart>> parts_from_json(const std::string& text, const std::shared_ptr<const ZoneSet>& zones) {
  std::vector<TripPart> parts;
  try {
    for (const auto& part : nlohmann::json::parse(text)) {
      Result<Domain> domain = domain_from_json(part.at("domain").dump(), zones);
      if (!domain) return domain.error();
      parts.push_back({part.at("stops").get<std::uint32_t>(), std::move(*domain)});
      const bool ascends = parts.size() < 2 || parts[parts.size() - 2].stops < parts.back().stops;
      if (parts.back().domain.stops().size() != parts.back().stops || !ascends)
        return bad_input("its parts do not have the stops they should");
    }
  } catch (const nlohmann::json::exception&) {
    return bad_input("the parts are not described as they should be");
  }
  if (parts.size() < 2) return bad_input("too few parts");
  return parts;
}

}  // namespace

Status write_cells(DuckSession& duck, const std::string& from, const CellsFacts& facts, const std::string& path) {
  const bool several = facts.parts.size() > 1;
  std::vector<std::string> columns, order;
  if (several) order.emplace_back("stops");
  for (const Axis& axis : facts.parts.back().domain.axes()) order.push_back(quote_identifier(axis.name));
  for (const std::string& column : order) columns.push_back(fmt::format("CAST({0} AS UINTEGER) AS {0}", column));
  nlohmann::ordered_json parts;
  for (const TripPart& part : facts.parts)
    parts.push_back({{"stops", part.stops}, {"domain", nlohmann::ordered_json::parse(domain_to_json(part.domain))}});
  const bool user = facts.max_trips_per_user.has_value();
  const ZoneSet* zones = facts.parts.back().domain.zones();
  const std::string more =
      zones == nullptr ? "" : fmt::format(", 'stopover.zones': {}", quote_literal(zone_set_text(*zones)));
  const std::string metadata = fmt::format(
      "{{'stopover.format': '{}', 'stopover.private': 'true counts: not for publication', 'stopover.unit': '{}', "
      "'stopover.k': '{}', 'stopover.bounded': '{}', 'stopover.{}': {}{}}}",
      several ? kPartsFormat : kFormat, user ? "user" : "trip", facts.max_trips_per_user.value_or(1), user,
      several ? "parts" : "domain", quote_literal(several ? parts.dump() : domain_to_json(facts.parts.back().domain)),
      more);
  if (Status made = make_private_file(path); !made) return made;
  const Status written =
      duck.run(fmt::format("COPY (SELECT {}, CAST(\"count\" AS UBIGINT) AS \"count\" FROM {} ORDER BY {}) TO {} "
                           "(FORMAT parquet, COMPRESSION zstd, "
                           "USE_TMP_FILE false, KV_METADATA {})",
                           fmt::join(columns, ", "), from, fmt::join(order, ", "), quote_output(path), metadata));
  if (written) return {};
  return passed_on(written.error(), bad_input(fmt::format("cannot write {}\n  {}", path, written.error().message)));
}

Result<std::optional<CellsFacts>> read_cells_facts(const std::string& path) {
  if (!path.ends_with(".parquet")) return std::optional<CellsFacts>();
  if (Status s = check_parquet(path); !s) return s.error();
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = ""});
  if (!duck) return duck.error();
  Result<DuckRows> rows =
      duck->query(fmt::format("SELECT decode(key), decode(value) FROM parquet_kv_metadata({}) WHERE "
                              "starts_with(decode(key), 'stopover.')",
                              quote_input(path)));
  if (!rows) return bad_input(fmt::format("cannot read {}\n  {}", path, rows.error().message));
  std::map<std::string, std::string> found;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return bad_input(fmt::format("cannot read {}\n  {}", path, more.error().message));
    if (!*more) break;
    for (std::size_t i = 0; i < rows->size(); ++i) found[std::string(rows->text(0, i))] = rows->text(1, i);
  }
  if (found.empty()) return std::optional<CellsFacts>();
  const auto senseless = [&](std::string_view what) {
    return bad_input(
        fmt::format("{} says about itself what cannot be: {}\n  Make it again with stopover cells.", path, what));
  };
  const bool several = found["stopover.format"] == kPartsFormat;
  if (!several && found["stopover.format"] != kFormat) return senseless("format " + found["stopover.format"]);
  std::shared_ptr<const ZoneSet> zones;
  if (const auto text = found.find("stopover.zones"); text != found.end()) {
    Result<ZoneSet> read = zone_set_of_text(text->second);
    if (!read) return senseless(read.error().message);
    zones = std::make_shared<const ZoneSet>(std::move(*read));
  }
  Result<std::vector<TripPart>> parts =
      several ? parts_from_json(found["stopover.parts"], zones) : one_part(found["stopover.domain"], zones);
  if (!parts) return senseless(parts.error().message);
  CellsFacts facts{std::move(*parts), {}};
  const std::string& unit = found["stopover.unit"];
  if (unit == "trip") return std::optional(std::move(facts));
  std::uint32_t k = 0;
  const std::string& text = found["stopover.k"];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), k);
  if (unit != "user" || found["stopover.bounded"] != "true" || error != std::errc() ||
      end != text.data() + text.size() || k < 1) {
    return senseless(fmt::format("unit {}, k {}, bounded {}", unit, text, found["stopover.bounded"]));
  }
  facts.max_trips_per_user = k;
  return std::optional(std::move(facts));
}

Result<std::uint64_t> rows_of_parquet(const std::vector<std::string>& files) {
  std::vector<std::string> quoted;
  for (const std::string& file : files) {
    if (Status s = check_parquet(file); !s) return s.error();
    quoted.push_back(quote_input(file));
  }
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = ""});
  if (!duck) return duck.error();
  Result<DuckRows> rows = duck->query(fmt::format(
      "SELECT CAST(coalesce(sum(num_rows), 0) AS UBIGINT) FROM parquet_file_metadata([{}])", fmt::join(quoted, ", ")));
  const Result<bool> more = rows ? rows->next() : Result<bool>(rows.error());
  if (!more) return bad_input(fmt::format("cannot read {}\n  {}", files[0], more.error().message));
  return *more ? rows->column<std::uint64_t>(0)[0] : 0;
}

}  // namespace stopover
