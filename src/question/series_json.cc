#include "question/series_json.h"

#include <utility>
#include <vector>

#include "base/usage_error.h"
#include "question/notes.h"
#include "question/reply_json.h"
#include "question/twelve_digits.h"

namespace stopover {
namespace {

// A text that is taken out of the question; "" where it is not there.
Result<std::string> taken(Json& q, const char* name) {
  const Json* node = member(q, name);
  if (node == nullptr || node->is_null()) {
    q.erase(name);
    return std::string();
  }
  if (!node->is_string()) {
    return usage_error("\"" + std::string(name) + "\" is " + shown(*node) + "\n  It must be a text.");
  }
  std::string text = text_of(node);
  q.erase(name);
  return text;
}

Json periods_of(const std::vector<PeriodAnswer>& periods, bool fitted) {
  Json list = Json::array();
  for (const PeriodAnswer& one : periods) {
    Json& to = list.emplace_back(Json{{"period", one.period.name()}});
    to.update(json_of(one.answer));
    if (fitted) to["fitted"] = twelve_digits(one.fitted);
  }
  return list;
}

Json members_of(const EachReply& r) {
  Json list = Json::array();
  for (const PeriodReply& one : r.periods) {
    Json& to = list.emplace_back(Json{{"period", one.period.name()}});
    to.update(stopover::members_of(one.reply));
  }
  return Json{{"periods", std::move(list)}};
}

Json members_of(const ChangeReply& r) {
  Json list = Json::array();
  for (const StepReply& step : r.steps) {
    Json& to = list.emplace_back(Json{{"against", step.against.name()}, {"period", step.period.name()}});
    to.update(stopover::members_of(step.reply));
  }
  return Json{{"changes", std::move(list)}};
}

Json members_of(const TrendReply& r) {
  Json json{{"slope", json_of(r.slope)}, {"mean", twelve_digits(r.mean)}, {"periods", periods_of(r.periods, true)}};
  add_one_sided(r.one_sided, json);
  return json;
}

Json members_of(const ChangesReply& r) {
  Json rows = Json::array();
  for (const ChangesReply::Row& row : r.rows) {
    Json& to =
        rows.emplace_back(Json{{"against", row.against.name()}, {"period", row.period.name()}, {"sure", row.sure}});
    to.update(json_of(row.row));
  }
  return Json{{"among", r.among}, {"stops", r.stops}, {"rows", std::move(rows)}};
}

Json members_of(const SumReply& r) {
  Json json{{"sum", json_of(r.sum)},
            {"one_release_noise", twelve_digits(r.one_release)},
            {"periods", periods_of(r.periods, false)}};
  add_one_sided(r.one_sided, json);
  return json;
}

}  // namespace

Result<PeriodRange> parse_asked_periods(std::string_view text) {
  if (const std::optional<PeriodRange> range = parse_typed_range(text)) return *range;
  return usage_error("`period " + std::string(text) +
                     "` names no period\n  As in 2019-01, 2019-01..2019-06, 2019-W05, 2019-Q1 or 2019-01-31.");
}

Result<Period> parse_asked_period(std::string_view text) {
  if (const std::optional<Period> period = parse_period(text)) return *period;
  return usage_error("`against " + std::string(text) +
                     "` names no period\n  As in 2019-01, 2019-W05, 2019-Q1 or 2019-01-31.");
}

Result<SeriesQuestion> series_question_of_json(std::string_view text, const Patience& patience) {
  Json q = parse_json(text);
  std::string over, period, against;
  if (q.is_object()) {
    for (const auto& [name, to] : {std::pair{"series", &over}, {"period", &period}, {"against", &against}}) {
      Result<std::string> read = taken(q, name);
      if (!read) return read.error();
      *to = std::move(*read);
    }
  }
  Result<Question> question = question_of(q, patience);
  if (!question) return question.error();
  SeriesQuestion made;
  made.question = std::move(*question);
  if (!against.empty()) {
    const Result<Period> read = parse_asked_period(against);
    if (!read) return read.error();
    made.against = *read;
    made.over = OverTime::change;
  }
  const Json* most = member(q, "top");
  const bool top = most != nullptr && !most->is_null();
  if (!over.empty() && !(over == "each" && made.against)) {
    const Result<OverTime> read = parse_over_time(over);
    if (!read) return read.error();
    made.over = *read;
  }
  if (top && (made.over == OverTime::sum || made.over == OverTime::trend)) {
    return usage_error("`top` goes with a table or with changes, not with a " +
                       std::string(made.over == OverTime::sum ? "sum" : "trend") + " over periods");
  }
  if (!period.empty()) {
    const Result<PeriodRange> read = parse_asked_periods(period);
    if (!read) return read.error();
    made.period = *read;
  }
  return made;
}

std::string json_of(const SeriesReply& reply, std::span<const std::string> notes) {
  Json json{{"series", std::string(to_string(reply.over()))}, {"kind", std::string(to_string(reply.kind))}};
  json.update(std::visit([](const auto& of) { return members_of(of); }, reply.of));
  std::vector<std::string> all(notes.begin(), notes.end());
  all.insert(all.end(), reply.notes.begin(), reply.notes.end());
  json["notes"] = each_once(all);
  if (!reply.not_private.empty()) json["not_private"] = reply.not_private;
  return dumped(json);
}

}  // namespace stopover
