#include "question/question_json.h"

#include <array>
#include <utility>

#include "base/field_words.h"
#include "base/nearest.h"
#include "base/usage_error.h"
#include "geo/json.h"
#include "question/region_json.h"
#include "question/region_text.h"
#include "question/reply_json.h"
#include "question/twelve_digits.h"

namespace stopover {
namespace {

// ---- questions ----

const std::vector<std::string>& members() {
  static const std::vector<std::string> all = {"ask",   "where",    "any_stop",  "no_stop",  "in_order", "box",
                                               "range", "level",    "estimates", "zones",    "minus",    "zone_name",
                                               "of",    "stops",    "given",     "from",     "to",       "top",
                                               "tiles", "overlaps", "above",     "at_least", "at_most",  "together"};
  return all;
}

Error refused(const char* name, const Json& node, const std::string& instead) {
  return usage_error("\"" + std::string(name) + "\" is " + shown(node) + "\n  " + instead);
}

// A member that may be left out or null.
const Json* given(const Json& q, const char* name) {
  const Json* node = member(q, name);
  return node == nullptr || node->is_null() ? nullptr : node;
}

// A whole number in [1, most].
Status read_whole(const Json& q, const char* name, std::size_t most, std::size_t& to) {
  const Json* node = member(q, name);
  if (node == nullptr) return {};
  const double value = node->is_number() ? node->get<double>() : -1;
  if (!(value >= 1 && value <= static_cast<double>(most) &&
        value == static_cast<double>(static_cast<std::size_t>(value)))) {
    return refused(name, *node, "It must be a whole number from 1 to " + std::to_string(most) + ".");
  }
  to = static_cast<std::size_t>(value);
  return {};
}

Status read_flag(const Json& q, const char* name, bool& to) {
  const Json* node = member(q, name);
  if (node == nullptr) return {};
  if (!node->is_boolean()) return refused(name, *node, "It must be true or false.");
  to = node->get<bool>();
  return {};
}

Status read_stop(const Json& q, const char* name, std::optional<std::string>& to) {
  const Json* node = member(q, name);
  if (node == nullptr) return {};
  if (!node->is_string()) return refused(name, *node, "It must be a stop's name.");
  to = text_of(node);
  return {};
}

Status read_stops(const Json& q, std::vector<std::string>& to) {
  const Json* node = member(q, "stops");
  if (node == nullptr) return {};
  if (!node->is_array() || node->empty()) return refused("stops", *node, "It must be a list of stops' names.");
  for (const Json& name : *node) {
    if (!name.is_string()) return refused("stops", name, "It must be a stop's name.");
    to.push_back(text_of(&name));
  }
  return {};
}

Status read_box(const Json& q, const char* name, std::optional<std::string>& to) {
  const Json* node = given(q, name);
  if (node == nullptr) return {};
  if (!node->is_string()) return refused(name, *node, "Write a text such as \"a0=0:16,a2=4:20\".");
  to = text_of(node);
  return {};
}

Result<std::vector<StopWhere>> where_of(const char* name, const Json& node, const Patience& patience) {
  std::vector<StopWhere> where;
  if (!node.is_object())
    return usage_error("\"" + std::string(name) + "\" is " + kind_of(node) + "\n  Write {\"STOP\": region, ...}.");
  for (const auto& [stop, region] : node.items()) {
    StopWhere& at = where.emplace_back(StopWhere{stop, std::nullopt});
    if (region.is_null()) continue;
    Result<RegionTree> read = region_of_json(region, stop, patience);
    if (!read) return read.error();
    at.region = std::move(*read);
  }
  return where;
}

// A region, or a list of regions of which each is one by itself.
Status read_regions(const Json& q, const char* name, std::vector<RegionTree>& to, const Patience& patience) {
  const Json* node = given(q, name);
  if (node == nullptr) return {};
  for (const Json& one : node->is_array() ? *node : Json::array({*node})) {
    Result<RegionTree> region = region_of_json(one, name, patience);
    if (!region) return region.error();
    to.push_back(std::move(*region));
  }
  return {};
}

Status read_options(const Json& q, Question& question) {
  if (const Json* node = member(q, "ask")) {
    const Result<Ask> ask = parse_ask(node->is_string() ? text_of(node) : shown(*node));
    if (!ask) return ask.error();
    question.ask = *ask;
  }
  if (const Json* node = member(q, "level")) {
    if (!node->is_number()) return refused("level", *node, "Write for example 0.95.");
    question.level = node->get<double>();
    if (Status s = check_level(question.level); !s) return s;
  }
  if (const Json* node = member(q, "estimates")) {
    const Result<Estimates> estimates = parse_estimates(node->is_string() ? text_of(node) : shown(*node));
    if (!estimates) return estimates.error();
    question.estimates = *estimates;
  }
  if (std::size_t top = 0; member(q, "top") != nullptr) {
    if (Status s = read_whole(q, "top", Question::kMostTop, top); !s) return s;
    question.top = top;
  }
  if (Status s = read_whole(q, "tiles", Question::kMostTiles, question.tiles); !s) return s;
  if (Status s = read_flag(q, "overlaps", question.overlaps); !s) return s;
  if (Status s = read_flag(q, "together", question.together); !s) return s;
  if (Status s = read_flag(q, "at_least", question.at_least); !s) return s;
  if (Status s = read_flag(q, "at_most", question.at_most); !s) return s;
  if (const Json* node = given(q, "above")) {
    if (!node->is_number()) return refused("above", *node, "Write a number of trips, such as 100.");
    question.above = node->get<double>();
  }
  if (Status s = read_stops(q, question.stops); !s) return s;
  if (Status s = read_stop(q, "given", question.given); !s) return s;
  if (Status s = read_stop(q, "from", question.from); !s) return s;
  if (Status s = read_stop(q, "to", question.to); !s) return s;
  if (Status s = read_box(q, "box", question.box); !s) return s;
  return read_box(q, "range", question.range);
}

Status read_places(const Json& q, Question& question, const Patience& patience) {
  if (const Json* node = given(q, "zones")) {
    Result<Zones> zones = Zones::of_json(*node, "the zones", text_of(member(q, "zone_name")), patience);
    if (!zones) return zones.error();
    question.zones = std::make_shared<const Zones>(std::move(*zones));
  }
  if (const Json* node = given(q, "where")) {
    Result<std::vector<StopWhere>> where = where_of("where", *node, patience);
    if (!where) return where.error();
    question.where = std::move(*where);
  }
  if (Status s = read_regions(q, "any_stop", question.any_stop, patience); !s) return s;
  if (Status s = read_regions(q, "no_stop", question.no_stop, patience); !s) return s;
  if (const Json* node = given(q, "in_order"); node != nullptr && node->is_string()) {
    Result<std::vector<RegionTree>> chain = regions_in_order(text_of(node), patience);
    if (!chain) return chain.error();
    question.in_order = std::move(*chain);
  } else if (Status s = read_regions(q, "in_order", question.in_order, patience); !s) {
    return s;
  }
  for (const auto& [name, to] : {std::pair{"of", &question.of}, {"minus", &question.minus}}) {
    const Json* node = given(q, name);
    if (node == nullptr) continue;
    Result<std::vector<StopWhere>> read = where_of(name, *node, patience);
    if (!read) return read.error();
    *to = std::move(*read);
  }
  return {};
}

}  // namespace

// ---- replies ----

Json json_of(const Answer& a) {
  Json json{{"estimate", twelve_digits(a.estimate)},
            {"noise_lower", twelve_digits(a.noise_lower)},
            {"noise_upper", twelve_digits(a.noise_upper)},
            {"level", a.level},
            {"partitions_cut", a.partitions_cut},
            {"aligned", a.aligned},
            {"bounds_lower", twelve_digits(a.bounds_lower)},
            {"bounds_upper", twelve_digits(a.bounds_upper)},
            {"lower", twelve_digits(a.lower)},
            {"upper", twelve_digits(a.upper)},
            {"calibrated", a.calibrated},
            {"believed", a.believed},
            {"claimed", a.claimed},
            {"projected", a.projected()},
            {"unprojected", twelve_digits(a.unprojected)}};
  if (a.median) json["median"] = twelve_digits(*a.median);
  return json;
}

Json json_of(const Quotient& ratio) { return ratio ? Json(twelve_digits(*ratio)) : Json(); }

Json json_of(const CountRatio& r) {
  return Json{{"value", json_of(r.value)},
              {"lower", twelve_digits(r.lower)},
              {"upper", json_of(r.upper)},
              {"level", r.level},
              {"claimed", r.claimed}};
}

void add_one_sided(const OneSided& sides, Json& to) {
  if (sides.above) {
    to["above"] = Json{{"value", sides.above->value},
                       {"probability", json_of(sides.above->probability)},
                       {"claimed", sides.above->claimed}};
  }
  for (const auto& [name, end] : {std::pair{"at_least", &sides.at_least}, {"at_most", &sides.at_most}}) {
    if (!*end) continue;
    to[name] = Json{{"value", twelve_digits((*end)->value)}, {"level", (*end)->level}, {"claimed", (*end)->claimed}};
  }
}

Json json_of(const TableRow& row) {
  Json where = Json::object();
  Json names = Json::object();
  for (std::size_t i = 0; i < row.where.size(); ++i) {
    const auto& [stop, region] = row.where[i];
    where[stop] = json_of(region);
    names[stop] = row.names[i];
  }
  Json to{{"where", std::move(where)}, {"names", std::move(names)}};
  to.update(json_of(row.answer));
  if (row.second) to["second"] = json_of(*row.second);
  if (row.difference) to["difference"] = json_of(*row.difference);
  to["share"] = json_of(row.share);
  return to;
}

namespace {

Json members_of(const CountReply& r) {
  Json json = json_of(r.answer);
  if (r.certified) {
    json["certified"] = Json{{"lower", twelve_digits(r.certified->lower)},
                             {"upper", twelve_digits(r.certified->upper)},
                             {"share", twelve_digits(r.certified->share)},
                             {"sure", r.certified->sure}};
  }
  return json;
}

Json members_of(const CompareReply& r) {
  return Json{{"first", json_of(r.first)},
              {"second", json_of(r.second)},
              {"difference", json_of(r.difference)},
              {"ratio", json_of(r.ratio)}};
}

Json members_of(const MinusReply& r) {
  return Json{{"count", json_of(r.of.first)},
              {"minus", json_of(r.of.second)},
              {"difference", json_of(r.of.difference)},
              {"ratio", json_of(r.of.ratio)}};
}

Json members_of(const ShareReply& r) {
  return Json{{"ask", "share"},
              {"share", json_of(r.share)},
              {"share_lower", twelve_digits(r.lower)},
              {"share_upper", twelve_digits(r.upper)},
              {"level", r.level},
              {"claimed", r.claimed},
              {"part", json_of(r.part)},
              {"whole", json_of(r.whole)}};
}

Json table_json(const AnswerTable& table) {
  Json rows = Json::array();
  for (const TableRow& row : table.rows) {
    Json& to = rows.emplace_back(json_of(row));
    if (table.rates) to["rate"] = json_of(row.rate);
  }
  return Json{{"title", table.title}, {"stops", table.stops}, {"rows", std::move(rows)}};
}

Json members_of(const TablesReply& r) {
  Json tables = Json::array();
  for (const AnswerTable& table : r.tables) tables.push_back(table_json(table));
  Json json{{"ask", std::string(to_string(r.ask))}, {"total", json_of(r.total)}, {"tables", std::move(tables)}};
  if (r.second_total) json["second_total"] = json_of(*r.second_total);
  return json;
}

Json members_of(const MatrixReply& r) {
  const auto regions = [](const MatrixReply::Side& side) {
    Json list = Json::array();
    for (const RegionTree& region : side.regions) list.push_back(json_of(region));
    return list;
  };
  const std::size_t width = r.to.names.size();
  // One matrix of what `value` says of an entry.
  const auto matrix = [&](const auto& value) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < r.from.names.size(); ++i) {
      Json& row = rows.emplace_back(Json::array());
      for (std::size_t j = 0; j < width; ++j) row.push_back(value(i * width + j));
    }
    return rows;
  };
  Json json{{"ask", "matrix"},
            {"from", r.from.stop},
            {"to", r.to.stop},
            {"level", r.level},
            {"calibrated", r.calibrated},
            {"claimed", r.claimed},
            {"total", json_of(r.total)},
            {"rows", r.from.names},
            {"columns", r.to.names},
            {"row_regions", regions(r.from)},
            {"column_regions", regions(r.to)},
            {"transition", matrix([&](std::size_t at) { return json_of(r.transition[at]); })}};
  const auto add_numbers = [&](const std::vector<Answer>& entries, Json& to) {
    for (const auto& [name, value] : kAnswerNumbers) {
      to[name] = matrix([&](std::size_t at) { return twelve_digits(entries[at].*value); });
    }
    if (std::all_of(entries.begin(), entries.end(), [](const Answer& a) { return a.median.has_value(); })) {
      to["median"] = matrix([&](std::size_t at) { return twelve_digits(*entries[at].median); });
    }
  };
  add_numbers(r.entries, json);
  if (!r.second.empty()) {
    add_numbers(r.second, json["second"]);
    add_numbers(r.difference, json["difference"]);
  }
  return json;
}

}  // namespace

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Json members_of(const Reply& reply) {
  Json json = std::visit([](const auto& of) { return members_of(of); }, reply.of);
  add_one_sided(reply.one_sided, json);
  return json;
}

Result<Question> question_of_json(std::string_view text, const Patience& patience) {
  return question_of(parse_json(text), patience);
}

Result<Question> question_of(const Json& q, const Patience& patience) {
  const std::string instead = "\n  Write {\"where\": {\"STOP\": region, ...}}.";
  if (q.is_discarded()) return Error{Failure::bad_input, "the question is not valid JSON" + instead};
  if (!q.is_object()) return usage_error("the question is " + kind_of(q) + instead);
  for (const auto& [key, value] : q.items()) {
    if (std::find(members().begin(), members().end(), key) == members().end()) {
      return usage_error("a question has no member \"" + key + "\"\n  Known are " + list_names(members()) + "." +
                         did_you_mean(key, members()));
    }
  }
  Question question;
  if (Status s = read_options(q, question); !s) return s.error();
  if (Status s = read_places(q, question, patience); !s) return s.error();
  return question;
}

std::string json_of(const Reply& reply) {
  Json json = members_of(reply);
  json["notes"] = reply.notes;
  if (!reply.not_private.empty()) json["not_private"] = reply.not_private;
  return dumped(json);
}

std::string json_of(const Error& error) {
  Json told = {{"code", static_cast<int>(error.failure)}, {"message", in_words_of(Face::json, error.message)}};
  if (const std::string field = named_field(error.message); !field.empty()) told["field"] = field;
  return dumped(Json{{"error", std::move(told)}});
}

Result<std::string> ask_question(const QueryEngine& engine, std::string_view question, const QueryEngine* other,
                                 const Patience& patience) {
  const Result<Question> read = question_of_json(question, patience);
  if (!read) return read.error();
  const Result<Reply> reply = ask(engine, *read, other, patience);
  if (!reply) return reply.error();
  return json_of(*reply);
}

std::string answer_question(const QueryEngine& engine, std::string_view question, const QueryEngine* other) {
  const Result<std::string> reply = ask_question(engine, question, other);
  if (reply) return *reply;
  return json_of(reply.error());
}

}  // namespace stopover
