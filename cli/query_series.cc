#include "cli/query_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/grouped.h"
#include "base/usage_error.h"
#include "question/series_json.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

constexpr std::size_t kWidth = 80, kLeastBar = 8, kMostBar = 32, kShortestName = 4;

// Marks from lower to upper with an o at the estimate, on a line from `least` to `most`; what lies below is drawn where
// the line begins at 0, and | at 0 where it does not.
class Bars {
 public:
  void add(const Answer& a) {
    least_ = std::min({least_, a.lower, a.estimate});
    most_ = std::max({most_, a.upper, a.estimate});
    answers_.push_back(&a);
  }

  std::string bar(const Answer& a, std::size_t width) const {
    if (!(most_ > least_)) return "";
    const auto place = [&](double value) {
      const double share = std::clamp((value - least_) / (most_ - least_), 0.0, 1.0);
      return std::min(width - 1, static_cast<std::size_t>(share * static_cast<double>(width - 1) + 0.5));
    };
    std::string line(width, ' ');
    if (least_ >= 0) std::fill(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(place(a.lower)), '=');
    for (std::size_t i = place(a.lower); i <= place(a.upper); ++i) line[i] = '-';
    if (least_ < 0) line[place(0)] = '|';
    line[place(a.estimate)] = 'o';
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
  }

  // The lines of a table, head and rows, with a bar after each row where there is room.
  std::string beside(const std::string& table) const {
    std::size_t widest = 0;
    for (std::size_t at = 0; at < table.size();) {
      const std::size_t end = std::min(table.find('\n', at + 1), table.size());
      widest = std::max(widest, end - at - 1);
      at = end;
    }
    if (widest + 2 + kLeastBar > kWidth) return table;
    const std::size_t width = std::min(kMostBar, kWidth - widest - 2);
    std::string text;
    std::size_t row = 0;
    for (std::size_t at = 0; at < table.size(); ++row) {
      const std::size_t end = std::min(table.find('\n', at + 1), table.size());
      std::string line = table.substr(at, end - at);
      at = end;
      if (row > 0 && row <= answers_.size()) {
        line.resize(widest + 1, ' ');
        line += "  " + bar(*answers_[row - 1], width);
        while (line.back() == ' ') line.pop_back();
      }
      text += line;
    }
    return text;
  }

 private:
  double least_ = 0, most_ = 0;
  std::vector<const Answer*> answers_;
};

// What `from` and `to` of a table are.
std::string intervals_line(const std::vector<const Answer*>& answers) {
  std::size_t claimed = 0, bounds = 0, whole = 0;
  for (const Answer* a : answers) {
    const bool story = a->aligned && !a->believed;
    whole += story;
    bounds += !story && !a->calibrated;
    claimed += a->claimed;
  }
  const std::string level = number_text(100 * answers[0]->level);
  const std::string kind = whole == answers.size()    ? "what noise leaves open"
                           : bounds == answers.size() ? "bounds"
                                                      : "likely";
  const std::string held = claimed == answers.size() ? level + " %"
                           : claimed == 0            ? "meant for " + level + " %, not claimed"
                                                     : level + " %, not claimed where marked *";
  return fmt::format("\n  from, to: {} ({})", kind, held);
}

// A period, marked where its interval is not claimed but others are.
std::vector<std::string> marked(const std::vector<std::string>& names, const std::vector<const Answer*>& answers) {
  const auto claimed = static_cast<std::size_t>(
      std::count_if(answers.begin(), answers.end(), [](const Answer* a) { return a->claimed; }));
  std::vector<std::string> made = names;
  if (claimed == 0 || claimed == answers.size()) return made;
  for (std::size_t i = 0; i < made.size(); ++i) made[i] += answers[i]->claimed ? "" : " *";
  return made;
}

std::string sure_text(const OneSided::Above& above) {
  if (!above.probability) return "unknown";
  return *above.probability > 0.9994   ? "> 99.9 %"
         : *above.probability < 0.0006 ? "< 0.1 %"
                                       : share_text(*above.probability);
}

void add_side_names(const OneSided& sides, std::vector<std::string>& head) {
  if (sides.above) head.push_back("> " + figure_text(sides.above->value));
  if (sides.at_least) head.emplace_back("at least");
  if (sides.at_most) head.emplace_back("at most");
}

void add_sides(const OneSided& sides, std::vector<std::string>& line) {
  if (sides.above) line.push_back(sure_text(*sides.above));
  for (const auto* end : {&sides.at_least, &sides.at_most}) {
    if (*end) line.push_back(figure_text((*end)->value));
  }
}

struct CountLine {
  std::string period;
  const Answer* answer;
  const OneSided* sides = nullptr;
  std::string more{};  // a further column
};

// Periods down, trips with their interval across, and a bar.
std::string counts_table(const std::vector<CountLine>& lines, const std::string& more = "") {
  std::vector<std::string> names, head = {"period", "trips", "from", "to"};
  std::vector<const Answer*> answers;
  Bars bars;
  for (const CountLine& line : lines) {
    names.push_back(line.period);
    answers.push_back(line.answer);
    bars.add(*line.answer);
  }
  names = marked(names, answers);
  if (!more.empty()) head.push_back(more);
  if (lines[0].sides != nullptr) add_side_names(*lines[0].sides, head);
  std::vector<std::vector<std::string>> rows = {head};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Answer& a = *lines[i].answer;
    std::vector<std::string>& row = rows.emplace_back(
        std::vector<std::string>{names[i], figure_text(a.estimate), figure_text(a.lower), figure_text(a.upper)});
    if (!more.empty()) row.push_back(lines[i].more);
    if (lines[i].sides != nullptr) add_sides(*lines[i].sides, row);
  }
  return bars.beside(columns(rows, 1)) + intervals_line(answers);
}

std::string without_break(const std::string& text) { return text.starts_with('\n') ? text.substr(1) : text; }

std::string clipped(const std::string& name, std::size_t longest) {
  if (name.size() <= longest) return name;
  std::size_t end = longest - 2;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not within a letter
  return name.substr(0, end) + "..";
}

// How many trips more or less in plain words: "rises by about 12 trips per month; likely 5 to 19".
std::string slope_words(const TrendReply& r, PeriodKind kind) {
  const Answer& s = r.slope;
  const bool up = s.lower > 0, down = s.upper < 0;
  const std::string level = number_text(100 * s.level);
  const char* likely = s.aligned && !s.believed ? "what noise leaves open:" : s.calibrated ? "likely" : "bounds";
  const std::string held = s.claimed ? level + " %" : "meant for " + level + " %, not claimed";
  if (!up && !down) {
    return fmt::format("may rise or fall: by about {} trips per {}; {} {} to {} ({})", figure_text(s.estimate),
                       to_string(kind), likely, figure_text(s.lower), figure_text(s.upper), held);
  }
  const double from = up ? s.lower : -s.upper, to = up ? s.upper : -s.lower;
  return fmt::format("{} by about {} trips per {}; {} {} to {} ({})", up ? "rises" : "falls",
                     figure_text(std::abs(s.estimate)), to_string(kind), likely, figure_text(from), figure_text(to),
                     held);
}

struct Printer {
  const Terminal& terminal;
  PeriodKind kind;

  std::string operator()(const EachReply& r) const {
    const auto& first = r.periods[0].reply.of;
    if (std::holds_alternative<CountReply>(first)) {
      std::vector<CountLine> lines;
      for (const PeriodReply& one : r.periods)
        lines.push_back({one.period.name(), &std::get<CountReply>(one.reply.of).answer, &one.reply.one_sided});
      return without_break(counts_table(lines));
    }
    if (std::holds_alternative<ShareReply>(first)) return shares(r);
    if (std::holds_alternative<MinusReply>(first)) return differences(r);
    std::string text;
    for (const PeriodReply& one : r.periods) {
      text += (text.empty() ? "" : "\n") + terminal.paint(Tone::strong, one.period.name()) + "  " +
              body_of_reply(one.reply, terminal);
    }
    return text;
  }

  std::string operator()(const ChangeReply& r) const {
    if (!std::holds_alternative<CompareReply>(r.steps[0].reply.of)) {
      std::string text;
      for (const StepReply& step : r.steps) {
        text += (text.empty() ? "" : "\n") +
                terminal.paint(Tone::strong, fmt::format("{} less {}", step.period.name(), step.against.name())) +
                "  " + body_of_reply(step.reply, terminal);
      }
      return text;
    }
    std::vector<std::string> head = {"against", "period", "before", "after", "change", "from", "to"};
    add_side_names(r.steps[0].reply.one_sided, head);
    std::vector<std::vector<std::string>> rows = {head};
    std::vector<std::string> names;
    std::vector<const Answer*> answers;
    Bars bars;
    for (const StepReply& step : r.steps) {
      const auto& of = std::get<CompareReply>(step.reply.of);
      names.push_back(step.period.name());
      answers.push_back(&of.difference);
      bars.add(of.difference);
    }
    names = marked(names, answers);
    for (std::size_t i = 0; i < r.steps.size(); ++i) {
      const auto& of = std::get<CompareReply>(r.steps[i].reply.of);
      std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{
          r.steps[i].against.name(), names[i], figure_text(of.first.estimate), figure_text(of.second.estimate),
          figure_text(of.difference.estimate), figure_text(of.difference.lower), figure_text(of.difference.upper)});
      add_sides(r.steps[i].reply.one_sided, row);
    }
    std::string text = without_break(bars.beside(columns(rows, 2))) + intervals_line(answers);
    if (r.steps.size() > 1) return text;
    return text + ratio_text(std::get<CompareReply>(r.steps[0].reply.of).ratio, "after by before");
  }

  std::string operator()(const TrendReply& r) const {
    std::vector<CountLine> lines;
    for (const PeriodAnswer& one : r.periods)
      lines.push_back({one.period.name(), &one.answer, nullptr, figure_text(one.fitted)});
    return terminal.paint(Tone::strong, wrapped(slope_words(r, kind), kWidth, 2)) + one_sided_text(r.one_sided) +
           counts_table(lines, "line");
  }

  std::string operator()(const ChangesReply& r) const {
    if (r.rows.empty()) return "nothing changed";
    const bool one_step = std::all_of(r.rows.begin(), r.rows.end(), [&](const ChangesReply::Row& row) {
      return row.against == r.rows[0].against && row.period == r.rows[0].period;
    });
    std::vector<std::string> head;
    if (!one_step) head = {"against", "period"};
    const std::size_t left = head.size();
    head.insert(head.end(), {"before", "after", "change", "from", "to", "sure"});
    std::vector<std::vector<std::string>> lines = {head};
    std::vector<const Answer*> answers;
    std::size_t sure = 0;
    for (const ChangesReply::Row& row : r.rows) {
      std::vector<std::string>& line = lines.emplace_back();
      if (!one_step) line.insert(line.end(), {row.against.name(), row.period.name()});
      const Answer& d = *row.row.difference;
      answers.push_back(&d);
      line.insert(line.end(),
                  {figure_text(row.row.answer.estimate), figure_text(row.row.second->estimate), figure_text(d.estimate),
                   figure_text(d.lower), figure_text(d.upper), row.sure ? "yes" : "no"});
      sure += row.sure;
    }
    const std::string title =
        one_step ? fmt::format("most changed, {} less {}", r.rows[0].period.name(), r.rows[0].against.name())
                 : fmt::format("most changed from one {} to the next", to_string(kind));
    // Names have what is left of a line.
    const std::size_t rest = columns(lines, left).find('\n', 1) - 1;
    const auto names_of = [&](std::size_t line) -> const std::vector<std::string>& {
      return line == 0 ? r.stops : r.rows[line - 1].row.names;
    };
    std::vector<std::size_t> longest(r.stops.size(), 0);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (std::size_t s = 0; s < longest.size(); ++s) longest[s] = std::max(longest[s], names_of(i)[s].size());
    }
    std::size_t room = *std::max_element(longest.begin(), longest.end());
    const auto needed = [&] {
      std::size_t sum = rest;
      for (const std::size_t length : longest) sum += std::min(length, room) + 1;
      return sum;
    };
    while (room > kShortestName && needed() > kWidth) --room;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<std::string> placed;
      for (const std::string& name : names_of(i)) placed.push_back(clipped(name, room));
      lines[i].insert(lines[i].begin(), placed.begin(), placed.end());
    }
    return terminal.paint(Tone::strong, title) + columns(lines, left + r.stops.size()) + intervals_line(answers) +
           fmt::format("\n  surely changed: {} of these {}, of {} looked at", sure, r.rows.size(), grouped(r.among));
  }

  std::string operator()(const SumReply& r) const {
    std::vector<CountLine> lines;
    for (const PeriodAnswer& one : r.periods) lines.push_back({one.period.name(), &one.answer});
    return answer_text(r.sum, terminal) + one_sided_text(r.one_sided) + counts_table(lines);
  }

 private:
  static std::string shares(const EachReply& r) {
    std::vector<std::vector<std::string>> rows = {{"period", "share", "from", "to", "trips", "of"}};
    std::vector<Answer> drawn;
    std::size_t claimed = 0;
    double level = 0;
    for (const PeriodReply& one : r.periods) {
      const auto& s = std::get<ShareReply>(one.reply.of);
      rows.push_back({one.period.name(), s.share ? share_text(*s.share) : "unknown", share_text(s.lower),
                      share_text(s.upper), figure_text(s.part.estimate), figure_text(s.whole.estimate)});
      Answer& bar = drawn.emplace_back();
      bar.estimate = s.share.value_or(s.lower);
      bar.lower = s.lower;
      bar.upper = s.upper;
      claimed += s.claimed;
      level = s.level;
    }
    Bars bars;
    for (const Answer& one : drawn) bars.add(one);
    return without_break(bars.beside(columns(rows, 1))) +
           fmt::format("\n  from, to: likely ({})", claim_of(claimed == r.periods.size(), number_text(100 * level)));
  }

  static std::string differences(const EachReply& r) {
    std::vector<std::string> head = {"period", "count", "minus", "more", "from", "to"};
    add_side_names(r.periods[0].reply.one_sided, head);
    std::vector<std::vector<std::string>> rows = {head};
    std::vector<const Answer*> answers;
    Bars bars;
    for (const PeriodReply& one : r.periods) {
      const PairAnswer& p = std::get<MinusReply>(one.reply.of).of;
      std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{
          one.period.name(), figure_text(p.first.estimate), figure_text(p.second.estimate),
          figure_text(p.difference.estimate), figure_text(p.difference.lower), figure_text(p.difference.upper)});
      add_sides(one.reply.one_sided, row);
      answers.push_back(&p.difference);
      bars.add(p.difference);
    }
    return without_break(bars.beside(columns(rows, 1))) + intervals_line(answers);
  }
};

void add_side_columns(const OneSided& sides, std::vector<std::string>& head) {
  if (sides.above) head.emplace_back("above");
  if (sides.at_least) head.emplace_back("at_least");
  if (sides.at_most) head.emplace_back("at_most");
}

void add_side_values(const OneSided& sides, std::vector<std::string>& fields) {
  if (sides.above) fields.push_back(sides.above->probability ? number_text(*sides.above->probability) : "");
  for (const auto* end : {&sides.at_least, &sides.at_most}) {
    if (*end) fields.push_back(number_text((*end)->value));
  }
}

void add_ratio(const CountRatio& ratio, std::vector<std::string>& fields) {
  fields.push_back(ratio.value ? number_text(*ratio.value) : "");
  fields.push_back(number_text(ratio.lower));
  fields.push_back(ratio.upper ? number_text(*ratio.upper) : "");
}

const std::vector<std::string> kRatioNames = {"ratio", "ratio_lower", "ratio_upper"};

// The table of one period or step: a header if it is the first, and its rows.
std::string csv_of_one(const Reply& reply, const CsvPrefix& prefix, bool header) {
  if (has_rows(reply)) return csv_of_reply(reply, prefix, header);
  std::vector<std::string> head, fields;
  for (const auto& [name, value] : prefix) {
    head.push_back(name);
    fields.push_back(value);
  }
  if (const auto* count = std::get_if<CountReply>(&reply.of)) {
    add_names("", head);
    add_numbers(count->answer, fields);
  } else if (const auto* share = std::get_if<ShareReply>(&reply.of)) {
    head.insert(head.end(), {"share", "lower", "upper", "claimed", "part", "whole"});
    fields.insert(fields.end(), {share->share ? number_text(*share->share) : "", number_text(share->lower),
                                 number_text(share->upper), share->claimed ? "true" : "false",
                                 number_text(share->part.estimate), number_text(share->whole.estimate)});
  } else if (const auto* minus = std::get_if<MinusReply>(&reply.of)) {
    head.insert(head.end(), {"count", "minus"});
    fields.insert(fields.end(), {number_text(minus->of.first.estimate), number_text(minus->of.second.estimate)});
    add_names("", head);
    add_numbers(minus->of.difference, fields);
    head.insert(head.end(), kRatioNames.begin(), kRatioNames.end());
    add_ratio(minus->of.ratio, fields);
  } else if (const auto* pair = std::get_if<CompareReply>(&reply.of)) {
    for (const auto& [before, answer] :
         {std::pair{"first_", &pair->first}, {"second_", &pair->second}, {"difference_", &pair->difference}}) {
      add_names(before, head);
      add_numbers(*answer, fields);
    }
    head.insert(head.end(), kRatioNames.begin(), kRatioNames.end());
    add_ratio(pair->ratio, fields);
  }
  add_side_columns(reply.one_sided, head);
  add_side_values(reply.one_sided, fields);
  return (header ? csv_line(head) : "") + csv_line(fields);
}

std::string csv_of_number(const Answer& a, const OneSided& sides, const std::vector<PeriodAnswer>& periods) {
  std::vector<std::string> head = {"first", "last"};
  std::vector<std::string> fields = {periods.front().period.name(), periods.back().period.name()};
  add_names("", head);
  add_numbers(a, fields);
  add_side_columns(sides, head);
  add_side_values(sides, fields);
  return csv_line(head) + csv_line(fields);
}

struct Writer {
  std::string operator()(const EachReply& r) const {
    std::string text;
    for (const PeriodReply& one : r.periods)
      text += csv_of_one(one.reply, {{"period", one.period.name()}}, text.empty());
    return text;
  }
  std::string operator()(const ChangeReply& r) const {
    std::string text;
    for (const StepReply& step : r.steps) {
      text += csv_of_one(step.reply, {{"against", step.against.name()}, {"period", step.period.name()}}, text.empty());
    }
    return text;
  }
  std::string operator()(const TrendReply& r) const { return csv_of_number(r.slope, r.one_sided, r.periods); }
  std::string operator()(const SumReply& r) const { return csv_of_number(r.sum, r.one_sided, r.periods); }
  std::string operator()(const ChangesReply& r) const {
    std::vector<std::string> head = {"against", "period"};
    head.insert(head.end(), r.stops.begin(), r.stops.end());
    for (const char* before : {"first_", "second_", "difference_"}) add_names(before, head);
    head.emplace_back("sure");
    std::string text = csv_line(head);
    for (const ChangesReply::Row& row : r.rows) {
      std::vector<std::string> fields = {row.against.name(), row.period.name()};
      for (const auto& [stop, region] : row.row.where) fields.push_back(name_of(region));
      for (const Answer* a : {&row.row.answer, &*row.row.second, &*row.row.difference}) add_numbers(*a, fields);
      fields.emplace_back(row.sure ? "true" : "false");
      text += csv_line(fields);
    }
    return text;
  }
};

}  // namespace

std::string SeriesFlags::given() const {
  return change             ? "--change"
         : trend            ? "--trend"
         : changes          ? "--changes"
         : sum              ? "--sum"
         : !period.empty()  ? "--period"
         : !against.empty() ? "--against"
                            : "";
}

Result<SeriesQuestion> series_question_of(const QueryFlags& flags, const SeriesFlags& series) {
  SeriesQuestion made;
  const int kinds = series.change + series.trend + series.changes + series.sum;
  if (kinds > 1)
    return usage_error("--change, --trend, --changes and --sum are different questions\n  Ask one at a time.");
  if (!flags.spec.empty()) {
    if (kinds > 0 || !series.period.empty() || !series.against.empty()) {
      return usage_error("--spec goes alone\n  Write \"series\", \"period\" and \"against\" into the question's file.");
    }
    const Result<std::string> text = spec_text(flags.spec);
    if (!text) return text.error();
    return series_question_of_json(*text);
  }
  Result<Question> question = question_of(flags);
  if (!question) return question.error();
  made.question = std::move(*question);
  made.over = series.change    ? OverTime::change
              : series.trend   ? OverTime::trend
              : series.changes ? OverTime::changes
              : series.sum     ? OverTime::sum
                               : OverTime::each;
  if (!series.period.empty()) {
    const Result<PeriodRange> period = parse_asked_periods(series.period);
    if (!period) return period.error();
    made.period = *period;
  }
  if (!series.against.empty()) {
    const Result<Period> against = parse_asked_period(series.against);
    if (!against) return against.error();
    made.against = *against;
    if (kinds == 0) made.over = OverTime::change;
  }
  return made;
}

std::string csv_of_series(const SeriesReply& reply) { return std::visit(Writer{}, reply.of); }

std::string text_of_series(const SeriesReply& reply, const Terminal& terminal) {
  return std::visit(Printer{terminal, reply.kind}, reply.of);
}

}  // namespace stopover
