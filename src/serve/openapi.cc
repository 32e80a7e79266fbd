#include "serve/openapi.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "query/answer.h"
#include "question/region_kind.h"
#include "question/reply.h"
#include "question/series_question.h"

namespace stopover {
namespace {

using Json = nlohmann::ordered_json;

Json typed(const char* type, const char* words = nullptr) {
  Json schema = {{"type", type}};
  if (words != nullptr) schema["description"] = words;
  return schema;
}
Json maybe(const char* type, const char* words) { return {{"type", {type, "null"}}, {"description", words}}; }
Json ref(const char* name) { return {{"$ref", std::string("#/components/schemas/") + name}}; }
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json map_of(Json values) { return {{"type", "object"}, {"additionalProperties", std::move(values)}}; }
Json closed(Json properties, std::vector<std::string> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}
// All of its members are there.
Json closed(Json properties) {
  std::vector<std::string> all;
  for (const auto& [name, schema] : properties.items()) all.push_back(name);
  return closed(std::move(properties), std::move(all));
}
// A reply: its own members, and what every reply may have besides.
Json reply_of(Json properties, std::vector<std::string> optional = {}) {
  std::vector<std::string> required = {"notes"};
  for (const auto& [name, schema] : properties.items()) {
    if (std::find(optional.begin(), optional.end(), name) == optional.end()) required.push_back(name);
  }
  properties["notes"] = list_of(typed("string"));
  properties["not_private"] = typed("string", "that the release protects nobody, and why");
  return closed(std::move(properties), std::move(required));
}

Json answer_members() {
  Json members = Json::object();
  for (const auto& [name, value] : kAnswerNumbers) members[name] = typed("number");
  members["estimate"] = typed("number", "the best single number");
  members["lower"] = typed("number", "the interval to act on: the likely one where `calibrated`, else the bounds");
  members["level"] = typed("number");
  members["partitions_cut"] = typed("integer");
  for (const char* name : {"aligned", "calibrated", "believed", "claimed", "projected"})
    members[name] = typed("boolean");
  members["unprojected"] = typed("number");
  return members;
}

// Members that only some answers have.
void add_median(Json& members) {
  members["median"] = typed("number", "the best guess of this one number, of counts over zones; medians do not add up");
}

Json answer_schema() {
  Json members = answer_members();
  std::vector<std::string> required;
  for (const auto& [name, schema] : members.items()) required.push_back(name);
  add_median(members);
  return closed(std::move(members), std::move(required));
}

// Of a count or of a difference, where it was asked for.
void add_sides(Json& members, std::vector<std::string>& optional) {
  members["above"] = closed({{"value", typed("number")},
                             {"probability", maybe("number", "null where there are only bounds and they cannot tell")},
                             {"claimed", typed("boolean")}});
  const Json end = closed({{"value", typed("number")}, {"level", typed("number")}, {"claimed", typed("boolean")}});
  members["at_least"] = members["at_most"] = end;
  optional.insert(optional.end(), {"above", "at_least", "at_most"});
}

Json row_schema() {
  Json members = answer_members();
  members["where"] = map_of(ref("Region"));
  members["names"] = map_of(typed("string"));
  members["share"] = maybe("number", "of the total");
  std::vector<std::string> required;
  for (const auto& [name, schema] : members.items()) required.push_back(name);
  add_median(members);
  members["rate"] = maybe("number", "of those at that place, the share that meets the regions");
  members["second"] = members["difference"] = ref("Answer");
  return closed(std::move(members), std::move(required));
}

Json matrix_members() {
  const Json numbers = list_of(list_of(typed("number")));
  Json arrays = Json::object();
  for (const auto& [name, value] : kAnswerNumbers) arrays[name] = numbers;
  Json members = {{"ask", {{"const", "matrix"}}},
                  {"from", typed("string")},
                  {"to", typed("string")},
                  {"level", typed("number")},
                  {"calibrated", typed("boolean")},
                  {"claimed", typed("boolean")},
                  {"total", ref("Answer")},
                  {"rows", list_of(typed("string"))},
                  {"columns", list_of(typed("string"))},
                  {"row_regions", list_of(ref("Region"))},
                  {"column_regions", list_of(ref("Region"))},
                  {"transition", list_of(list_of(maybe("number", "of a row's trips")))}};
  members.update(arrays);
  members["difference"] = closed(arrays);
  std::vector<std::string> required;
  for (const auto& [name, schema] : arrays.items()) required.push_back(name);
  arrays["median"] = members["median"] = numbers;
  members["second"] = closed(arrays, required);
  return members;
}

Json question_schema() {
  const Json where = map_of({{"anyOf", {ref("Region"), {{"type", "null"}}}}});
  const Json regions = {{"anyOf", {ref("Region"), list_of(ref("Region"))}}};
  Json asks = Json::array();
  for (const Ask ask : {Ask::count, Ask::share, Ask::top, Ask::given, Ask::matrix, Ask::totals}) {
    asks.push_back(std::string(to_string(ask)));
  }
  Json members = {{"ask", {{"enum", asks}, {"default", "count"}}},
                  {"where", where},
                  {"any_stop", regions},
                  {"no_stop", regions},
                  {"in_order", regions},
                  {"box", typed("string", "a0=0:16,a2=4:20")},
                  {"range", typed("string")},
                  {"level", {{"type", "number"}, {"default", 0.95}}},
                  {"estimates", {{"enum", {"consistent", "plain"}}}},
                  {"zones", typed("object", "a GeoJSON FeatureCollection")},
                  {"zone_name", typed("string")},
                  {"of", where},
                  {"minus", where},
                  {"above", typed("number")},
                  {"at_least", typed("boolean")},
                  {"at_most", typed("boolean")},
                  {"stops", list_of(typed("string"))},
                  {"given", typed("string")},
                  {"from", typed("string")},
                  {"to", typed("string")},
                  {"top", typed("integer")},
                  {"tiles", typed("integer")},
                  {"overlaps", typed("boolean")},
                  {"together", typed("boolean")}};
  return closed(std::move(members), {});
}

// A question with three members more.
Json series_question_schema() {
  Json overs = Json::array();
  for (const OverTime over : {OverTime::each, OverTime::change, OverTime::trend, OverTime::changes, OverTime::sum}) {
    overs.push_back(std::string(to_string(over)));
  }
  Json schema = question_schema();
  schema["properties"]["series"] = {{"enum", overs}, {"default", "each"}};
  schema["properties"]["period"] = typed("string", "2019-01, or 2019-01..2019-06; else all");
  schema["properties"]["against"] = typed("string", "the period that `period` is compared with");
  return schema;
}

// Open: what it has depends on `series` and on the question.
Json series_reply_schema() {
  const Json objects = list_of(typed("object"));
  return {{"type", "object"},
          {"properties",
           {{"series", typed("string")},
            {"kind", {{"enum", {"day", "week", "month", "quarter"}}}},
            {"periods", objects},
            {"changes", objects},
            {"slope", ref("Answer")},
            {"mean", typed("number")},
            {"sum", ref("Answer")},
            {"one_release_noise", typed("number")},
            {"among", typed("integer")},
            {"stops", list_of(typed("string"))},
            {"rows", objects},
            {"notes", list_of(typed("string"))},
            {"not_private", typed("string")}}},
          {"required", {"series", "kind", "notes"}}};
}

Json schemas() {
  Json ratio = closed({{"value", maybe("number", "null where the other is 0")},
                       {"lower", typed("number")},
                       {"upper", maybe("number", "null where the other may be 0")},
                       {"level", typed("number")},
                       {"claimed", typed("boolean")}});
  Json count = answer_members();
  std::vector<std::string> sides;
  add_sides(count, sides);
  count["certified"] = closed({{"lower", typed("number")},
                               {"upper", typed("number")},
                               {"share", typed("number", "of probed boxes like this, at least so many hold")},
                               {"sure", typed("number", "how certain that is")}});
  sides.emplace_back("certified");
  add_median(count);
  sides.emplace_back("median");
  const auto pair = [&](const char* first, const char* second) {
    Json members = {
        {first, ref("Answer")}, {second, ref("Answer")}, {"difference", ref("Answer")}, {"ratio", ref("Ratio")}};
    std::vector<std::string> optional;
    add_sides(members, optional);
    return reply_of(std::move(members), std::move(optional));
  };
  const Json table =
      closed({{"title", typed("string")}, {"stops", list_of(typed("string"))}, {"rows", list_of(ref("TableRow"))}});
  return {
      {"Region",
       {{"description", "as typed (" + region_forms() + "), as an object with one such member, or a list of these"},
        {"type", {"string", "object", "array"}}}},
      {"Question", question_schema()},
      {"SeriesQuestion", series_question_schema()},
      {"SeriesReply", series_reply_schema()},
      {"Answer", answer_schema()},
      {"Ratio", std::move(ratio)},
      {"TableRow", row_schema()},
      {"CountReply", reply_of(std::move(count), std::move(sides))},
      {"MinusReply", pair("count", "minus")},
      {"CompareReply", pair("first", "second")},
      {"ShareReply", reply_of({{"ask", {{"const", "share"}}},
                               {"share", maybe("number", "null where the whole is 0")},
                               {"share_lower", typed("number")},
                               {"share_upper", typed("number")},
                               {"level", typed("number")},
                               {"claimed", typed("boolean")},
                               {"part", ref("Answer")},
                               {"whole", ref("Answer")}})},
      {"TablesReply", reply_of({{"ask", {{"enum", {"top", "given", "totals"}}}},
                                {"total", ref("Answer")},
                                {"second_total", ref("Answer")},
                                {"tables", list_of(table)}},
                               {"second_total"})},
      {"MatrixReply", reply_of(matrix_members(), {"median", "second", "difference"})},
      {"Error", closed({{"error", closed({{"code", typed("integer", "as the command line's exit code")},
                                          {"message", typed("string")},
                                          {"field", typed("string", "the member of the question that is meant")}},
                                         {"message"})}})},
      {"Release",
       {{"type", "object"},
        {"description", "a release and what it promises"},
        {"properties", {{"name", typed("string")}, {"epsilon", typed("string")}, {"content_sha256", typed("string")}}},
        {"required", {"name", "content_sha256"}}}}};
}

Json content(Json schema) { return {{"application/json", {{"schema", std::move(schema)}}}}; }
Json reply(const char* words, Json schema) { return {{"description", words}, {"content", content(std::move(schema))}}; }

Json paths() {
  const Json named = [](const char* name, const char* words) {
    return Json{{"name", name}, {"in", "query"}, {"description", words}, {"schema", {{"type", "string"}}}};
  }("release", "the release that is asked; else the first");
  Json compared = named;
  compared["name"] = "compare";
  compared["description"] = "another release that is asked the same: the reply has both, and the difference";
  const Json asked = closed({{"release", typed("string")},
                             {"content_sha256", typed("string")},
                             {"compare", closed({{"release", typed("string")}, {"content_sha256", typed("string")}})},
                             {"answer",
                              {{"anyOf",
                                {ref("CountReply"), ref("MinusReply"), ref("CompareReply"), ref("ShareReply"),
                                 ref("TablesReply"), ref("MatrixReply")}}}}},
                            {"release", "content_sha256", "answer"});
  Json replies = {{"200", reply("the answer", asked)}};
  for (const auto& [status, words] :
       {std::pair{"400", "the question cannot be answered: why, and what to write instead"},
        {"404", "no such release"},
        {"413", "the question is too long"},
        {"415", "it was not sent as application/json"},
        {"422", "answering would take too long"},
        {"429", "too many long questions are waiting"}}) {
    replies[status] = reply(words, ref("Error"));
  }
  Json series_replies = replies;
  series_replies["200"] =
      reply("the answer", closed({{"releases", list_of(closed({{"period", typed("string")},
                                                               {"release", typed("string")},
                                                               {"content_sha256", typed("string")}}))},
                                  {"answer", ref("SeriesReply")}}));
  series_replies["404"] = reply("no series is served", ref("Error"));
  const auto get = [](const char* words, const char* what, Json schema) {
    return Json{{"get", {{"summary", words}, {"responses", {{"200", reply(what, std::move(schema))}}}}}};
  };
  return {{"/api", get("What there is", "paths and names of releases", typed("object"))},
          {"/api/openapi.json", get("This description", "OpenAPI 3.1", typed("object"))},
          {"/api/releases", get("The releases", "what they promise", list_of(ref("Release")))},
          {"/api/query",
           {{"post",
             {{"summary", "Ask a release"},
              {"parameters", {named, compared}},
              {"requestBody", {{"required", true}, {"content", content(ref("Question"))}}},
              {"responses", std::move(replies)}}}}},
          {"/api/series",
           {{"post",
             {{"summary", "Ask all releases of a period, as one series"},
              {"requestBody", {{"required", true}, {"content", content(ref("SeriesQuestion"))}}},
              {"responses", std::move(series_replies)}}}}},
          {"/health", get("Whether the server is there", "it is", closed({{"status", {{"const", "ok"}}}}))}};
}

}  // namespace

std::string openapi_text() {
  const Json all = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "stopover"},
        {"version", STOPOVER_VERSION},
        {"description", "Origin-destination matrices with stops under differential privacy. Asking costs no budget."}}},
      {"paths", paths()},
      {"components", {{"schemas", schemas()}}}};
  return all.dump(1) + "\n";
}

}  // namespace stopover
