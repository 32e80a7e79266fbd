#include "cli/query_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include "base/split.h"
#include "base/usage_error.h"
#include "cli/app.h"
#include "geo/geojson.h"
#include "job/parse_number.h"
#include "question/question_json.h"
#include "question/region_text.h"

namespace stopover {
namespace {

Result<std::string> text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Error{Failure::bad_input, fmt::format("cannot read {}", path)};
  return text.str();
}

Result<Shape> area_file(const std::string& path) {
  const Result<std::string> text = text_file(path);
  if (!text) return text.error();
  return shape_of_geojson(*text, path);
}

Result<Question> question_file(const std::string& path) {
  const Result<std::string> text = text_file(path);
  if (!text) return text.error();
  Result<Question> question = question_of_json(*text);
  if (question || question.error().failure != Failure::bad_input) return question;
  return Error{Failure::bad_input, fmt::format("{}: {}", path, question.error().message)};
}

StopWhere* find(std::vector<StopWhere>& where, const std::string& stop) {
  const auto found = std::find_if(where.begin(), where.end(), [&](const StopWhere& at) { return at.stop == stop; });
  return found == where.end() ? nullptr : &*found;
}

// What a flag says as often as it is given, NAME=REGION: all of it must hold.
Result<std::vector<StopWhere>> where_of(const char* flag, const std::vector<std::string>& texts) {
  std::vector<StopWhere> where;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage_error(fmt::format("{} must be NAME=REGION, not \"{}\"\n  As in {} origin=circle:37.795,-122.393,1",
                                     flag, text, flag));
    }
    const std::string stop = text.substr(0, equals);
    Result<RegionTree> region = region_of_text(std::string_view(text).substr(equals + 1), {}, area_file);
    if (!region) {
      const Error& e = region.error();
      return Error{e.failure,
                   e.failure == Failure::usage ? fmt::format("{} {}: {}", flag, stop, e.message) : e.message};
    }
    if (StopWhere* before = find(where, stop)) {
      before->region = RegionTree::all_of({std::move(*before->region), std::move(*region)});
    } else {
      where.push_back({stop, std::move(*region)});
    }
  }
  return where;
}

Status add_where(const QueryFlags& flags, Question& question) {
  Result<std::vector<StopWhere>> where = where_of("--stop", flags.stops);
  if (!where) return where.error();
  question.where = std::move(*where);
  if (flags.minus.empty()) return {};
  Result<std::vector<StopWhere>> minus = where_of("--minus", flags.minus);
  if (!minus) return minus.error();
  question.minus = std::move(*minus);
  return {};
}

Status add_over_stops(const QueryFlags& flags, Question& question) {
  const auto refused = [](const char* flag, const Error& e) {
    return Error{e.failure, e.failure == Failure::usage ? fmt::format("{}: {}", flag, e.message) : e.message};
  };
  for (const auto& [flag, texts, to] : {std::tuple{"--any-stop", &flags.any_stop, &question.any_stop},
                                        {"--no-stop", &flags.no_stop, &question.no_stop}}) {
    for (const std::string& text : *texts) {
      Result<RegionTree> region = region_of_text(text, {}, area_file);
      if (!region) return refused(flag, region.error());
      to->push_back(std::move(*region));
    }
  }
  if (flags.in_order.empty()) return {};
  Result<std::vector<RegionTree>> chain = regions_in_order(flags.in_order, {}, area_file);
  if (!chain) return refused("--in-order", chain.error());
  question.in_order = std::move(*chain);
  return {};
}

Status add_number(const char* field, const std::string& text, std::size_t most, std::size_t& to) {
  if (text.empty()) return {};
  const Result<std::uint64_t> value = parse_whole_number(field, text, 1, most);
  if (!value) return value.error();
  to = *value;
  return {};
}

Status add_share(const QueryFlags& flags, Question& question) {
  question.ask = Ask::share;
  if (flags.share_of.empty()) return {};
  question.of.emplace();
  for (const std::string& stop : split(flags.share_of, ',')) {
    const StopWhere* at = find(question.where, stop);
    if (at == nullptr)
      return usage_error(fmt::format("--share-of {} needs a region at that stop\n  Add --stop {}=...", stop, stop));
    if (find(*question.of, stop) == nullptr) question.of->push_back(*at);
  }
  return {};
}

Status add_kind(const QueryFlags& flags, Question& question) {
  const bool share = flags.share || !flags.share_of.empty();
  const int kinds =
      (flags.matrix.empty() ? 0 : 1) + (share ? 1 : 0) + (flags.totals ? 1 : 0) + (flags.given.empty() ? 0 : 1);
  if (kinds > 1)
    return usage_error("--given, --matrix, --share and --totals are different questions\n  Ask one at a time.");
  if (!flags.given.empty()) {
    question.ask = Ask::given;
    question.given = flags.given;
  } else if (!flags.matrix.empty()) {
    const std::vector<std::string> ends = split(flags.matrix, ',');
    if (ends.size() != 2)
      return usage_error(
          fmt::format("--matrix must be FROM,TO, not \"{}\"\n  As in --matrix origin,destination", flags.matrix));
    question.ask = Ask::matrix;
    question.from = ends[0];
    question.to = ends[1];
  } else if (share) {
    if (Status s = add_share(flags, question); !s) return s;
  } else if (flags.totals) {
    question.ask = Ask::totals;
  } else if (!flags.top.empty()) {
    question.ask = Ask::top;
  }
  if (!flags.over.empty()) question.stops = split(flags.over, ',');
  if (std::size_t top = 0; !flags.top.empty()) {
    if (Status s = add_number("top", flags.top, Question::kMostTop, top); !s) return s;
    question.top = top;
  }
  return add_number("tiles", flags.tiles, Question::kMostTiles, question.tiles);
}

Status add_zones(const QueryFlags& flags, Question& question) {
  if (flags.zones.empty())
    return flags.zone_name.empty() ? Status() : Status(usage_error("--zone-name goes with --zones"));
  const Result<std::string> text = text_file(flags.zones);
  if (!text) return text.error();
  Result<Zones> zones = Zones::of_geojson(*text, flags.zones, flags.zone_name);
  if (!zones) return zones.error();
  question.zones = std::make_shared<const Zones>(std::move(*zones));
  return {};
}

}  // namespace

Result<std::string> spec_text(const std::string& path) { return text_file(path); }

bool QueryFlags::asks_regions() const {
  return !stops.empty() || !any_stop.empty() || !no_stop.empty() || !in_order.empty() || !zones.empty() ||
         !spec.empty() || !top.empty() || !given.empty() || !matrix.empty() || !share_of.empty() || !over.empty() ||
         !tiles.empty() || !minus.empty() || !above.empty() || share || totals || at_least || at_most;
}

Result<Question> question_of(const QueryFlags& flags) {
  Question question;
  const Result<Estimates> estimates = parse_estimates(flags.estimates);
  if (!estimates) return estimates.error();
  question.estimates = *estimates;
  const Result<double> level = parse_decimal("level", flags.level);
  if (!level) return level.error();
  if (Status s = check_level(*level); !s) return s.error();
  question.level = *level;
  if (!flags.spec.empty()) {
    QueryFlags others = flags;
    others.spec.clear();
    if (others.asks_regions() || !flags.box.empty() || !flags.range.empty()) {
      return usage_error("--spec goes alone\n  Write everything into the question's file.");
    }
    return question_file(flags.spec);
  }
  if (!flags.box.empty()) question.box = flags.box;
  if (!flags.range.empty()) question.range = flags.range;
  question.overlaps = flags.overlaps;
  question.together = flags.together;
  question.at_least = flags.at_least;
  question.at_most = flags.at_most;
  if (!flags.above.empty()) {
    const Result<double> above = parse_decimal("above", flags.above);
    if (!above) return above.error();
    question.above = *above;
  }
  if (Status s = add_zones(flags, question); !s) return s.error();
  if (Status s = add_where(flags, question); !s) return s.error();
  if (Status s = add_over_stops(flags, question); !s) return s.error();
  if (Status s = add_kind(flags, question); !s) return s.error();
  return question;
}

}  // namespace stopover
