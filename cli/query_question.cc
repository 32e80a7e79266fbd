#include "cli/query_question.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "cli/app.h"
#include "question/geojson.h"
#include "question/region_text.h"
#include "question/zones.h"

namespace stopover {
namespace {

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

Result<Json> json_file(const std::string& path, std::string_view what) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Error{Failure::bad_input, fmt::format("cannot read {}", path)};
  Json json = parse_json(text.str());
  if (json.is_discarded()) return Error{Failure::bad_input, fmt::format("{} is not valid JSON\n  It should be {}.", path, what)};
  return json;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Result<Json> region_at(const std::string& text) {
  constexpr std::string_view kPolygon = "polygon:";
  if (!text.starts_with(kPolygon) || text.size() == kPolygon.size()) return region_of_text(text);
  const std::string path = text.substr(kPolygon.size());
  const Result<Json> geojson = json_file(path, "GeoJSON with an area");
  if (!geojson) return geojson.error();
  if (const Result<Shape> shape = shape_of_json(*geojson, path); !shape) return shape.error();
  return Json{{"polygon", *geojson}};
}

Status add_where(const QueryFlags& flags, Json& question) {
  for (const std::string& flag : flags.stops) {
    const std::size_t equals = flag.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage(fmt::format("--stop must be NAME=REGION, not \"{}\"\n  As in --stop origin=circle:37.795,-122.393,1", flag));
    }
    const std::string stop = flag.substr(0, equals);
    const Result<Json> region = region_at(flag.substr(equals + 1));
    if (!region) {
      const Error& e = region.error();
      return Error{e.failure, e.failure == Failure::usage ? fmt::format("--stop {}: {}", stop, e.message) : e.message};
    }
    Json& where = question["where"];
    if (!where.contains(stop)) {
      where[stop] = *region;
    } else {
      Json& before = where[stop];
      if (!before.is_array()) before = Json::array({before});
      before.push_back(*region);
    }
  }
  return {};
}

Status add_number(const char* flag, const std::string& text, const char* name, std::uint64_t most, Json& question) {
  if (text.empty()) return {};
  const Result<std::uint64_t> value = parse_whole_number(flag, text, 1, most);
  if (!value) return value.error();
  question[name] = *value;
  return {};
}

Status add_kind(const QueryFlags& flags, Json& question) {
  const int kinds = (flags.matrix.empty() ? 0 : 1) + (flags.share || !flags.share_of.empty() ? 1 : 0) + (flags.totals ? 1 : 0) +
                    (flags.given.empty() ? 0 : 1);
  if (kinds > 1) return usage("--given, --matrix, --share and --totals are different questions\n  Ask one at a time.");
  if (!flags.given.empty()) {
    question["ask"] = "given";
    question["given"] = flags.given;
  } else if (!flags.matrix.empty()) {
    const std::vector<std::string> ends = split(flags.matrix);
    if (ends.size() != 2) return usage(fmt::format("--matrix must be FROM,TO, not \"{}\"\n  As in --matrix origin,destination", flags.matrix));
    question["ask"] = "matrix";
    question["from"] = ends[0];
    question["to"] = ends[1];
  } else if (flags.share || !flags.share_of.empty()) {
    question["ask"] = "share";
    if (!flags.share_of.empty()) {
      Json of = Json::object();
      for (const std::string& stop : split(flags.share_of)) {
        if (!question.contains("where") || !question["where"].contains(stop)) {
          return usage(fmt::format("--share-of {} needs a region at that stop\n  Add --stop {}=...", stop, stop));
        }
        of[stop] = question["where"][stop];
      }
      question["of"] = of;
    }
  } else if (flags.totals) {
    question["ask"] = "totals";
  } else if (!flags.top.empty()) {
    question["ask"] = "top";
  }
  if (!flags.over.empty()) question["stops"] = split(flags.over);
  if (Status s = add_number("--top", flags.top, "top", 10'000, question); !s) return s;
  return add_number("--tiles", flags.tiles, "tiles", 256, question);
}

}  // namespace

bool QueryFlags::asks_regions() const {
  return !stops.empty() || !zones.empty() || !spec.empty() || !top.empty() || !given.empty() || !matrix.empty() ||
         !share_of.empty() || !over.empty() || !tiles.empty() || share || totals;
}

Result<std::string> question_of(const QueryFlags& flags) {
  Json question = Json::object();
  if (!flags.spec.empty()) {
    QueryFlags others = flags;
    others.spec.clear();
    if (others.asks_regions() || !flags.box.empty() || !flags.range.empty()) {
      return usage("--spec goes alone\n  Write everything into the question's file.");
    }
    Result<Json> spec = json_file(flags.spec, "a question, {\"where\": {\"STOP\": region, ...}}");
    if (!spec) return spec.error();
    return spec->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  const Result<double> level = parse_decimal("--level", flags.level);
  if (!level) return level.error();
  question["level"] = *level;
  question["estimates"] = flags.estimates;
  if (!flags.box.empty()) question["box"] = flags.box;
  if (!flags.range.empty()) question["range"] = flags.range;
  if (!flags.zones.empty()) {
    Result<Json> zones = json_file(flags.zones, "a GeoJSON FeatureCollection");
    if (!zones) return zones.error();
    if (const Result<Zones> good = Zones::of_json(*zones, flags.zones, flags.zone_name); !good) return good.error();
    question["zones"] = std::move(*zones);
    if (!flags.zone_name.empty()) question["zone_name"] = flags.zone_name;
  } else if (!flags.zone_name.empty()) {
    return usage("--zone-name goes with --zones");
  }
  if (flags.overlaps) question["overlaps"] = true;
  if (flags.together) question["together"] = true;
  if (Status s = add_where(flags, question); !s) return s.error();
  if (Status s = add_kind(flags, question); !s) return s.error();
  return question.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stopover
