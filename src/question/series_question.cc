#include "question/series_question.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "query/answerer.h"
#include "query/combined_answer.h"
#include "query/question_doubts.h"
#include "question/cells_asked.h"
#include "question/notes.h"
#include "question/one_sided.h"
#include "question/request.h"
#include "question/series_changes.h"
#include "question/series_notes.h"

namespace stopover {
namespace {

const std::array<std::string, 5> kOverTimes = {"each", "change", "trend", "changes", "sum"};

const std::string kOwnNoise =
    "every period has a release and noise of its own: what is off in one does not tell of another";
const std::string kLeaning =
    "counts of every period have noise of their own, but releases lean on those before them: what is off in one may be "
    "off the same way in the next";

Error at(const Period& period, const Error& e) { return {e.failure, period.name() + ": " + e.message}; }

std::string plural(PeriodKind kind) { return std::string(to_string(kind)) + "s"; }

// What one question to a series is made of.
class SeriesAnswers {
 public:
  SeriesAnswers(std::vector<SeriesEngine> asked, const SeriesQuestion& question, const Patience& patience)
      : asked_(std::move(asked)), one_(question.question), patience_(patience) {
    one_.periods = asked_.size();
  }

  Result<EachReply> each() {
    EachReply made;
    for (const SeriesEngine& at_one : asked_) {
      Result<Reply> reply = ask(*at_one.engine, one_, nullptr, patience_);
      if (!reply) return at(at_one.period, reply.error());
      notes_.add(at_one.period, reply->notes);
      made.periods.push_back({at_one.period, std::move(*reply)});
    }
    if (one_.together && asked_.size() > 1) {
      notes_.add_for_all("the intervals of all " + std::to_string(asked_.size()) + " periods hold at once");
    }
    return made;
  }

  Result<ChangeReply> change(std::span<const Step> steps) {
    one_.periods = steps.size();
    one_.in_common = kCommonOfTwo;
    ChangeReply made;
    for (const Step& step : steps) {
      const SeriesEngine &from = asked_[step.from], &to = asked_[step.to];
      Result<Reply> reply = ask(*from.engine, one_, to.engine, patience_);
      if (!reply) return at(to.period, reply.error());
      notes_.add_step(from.period, to.period, reply->notes);
      made.steps.push_back({from.period, to.period, std::move(*reply)});
    }
    notes_.add_for_all(leaning() ? kLeaning : kOwnNoise);
    if (steps.size() > 1) {
      notes_.add_for_all("changes that follow each other have the " + std::string(to_string(kind())) +
                         " in between in common: where that is too high, the one is too high and the next too low");
    }
    if (one_.together && steps.size() > 1) {
      notes_.add_for_all("the intervals of all " + std::to_string(steps.size()) + " changes hold at once");
    }
    return made;
  }

  Result<TrendReply> trend() {
    if (Status s = counts_alone("a trend"); !s) return s.error();
    if (asked_.size() < 2) return usage_error("a trend needs two periods or more, and there is one");
    Result<std::vector<Answer>> counts = counts_at(one_.level);
    if (!counts) return counts.error();
    // Least squares, weighted; the floor of 1 keeps what is told exactly from having all of the say.
    std::vector<double> weights;
    double all = 0, x_mean = 0, y_mean = 0, sxx = 0, sxy = 0;
    for (std::size_t i = 0; i < counts->size(); ++i) {
      const double width = (*counts)[i].upper - (*counts)[i].lower;
      weights.push_back(1 / (1 + width * width));
      all += weights[i];
      x_mean += weights[i] * x(i);
      y_mean += weights[i] * (*counts)[i].estimate;
    }
    x_mean /= all;
    y_mean /= all;
    for (std::size_t i = 0; i < counts->size(); ++i) {
      sxx += weights[i] * (x(i) - x_mean) * (x(i) - x_mean);
      sxy += weights[i] * (x(i) - x_mean) * (*counts)[i].estimate;
    }
    std::vector<double> coefficients;
    for (std::size_t i = 0; i < counts->size(); ++i) coefficients.push_back(weights[i] * (x(i) - x_mean) / sxx);
    TrendReply made;
    made.slope = combined_answer(*counts, coefficients, options(one_.level), how());
    made.mean = y_mean;
    for (std::size_t i = 0; i < counts->size(); ++i) {
      made.periods.push_back({asked_[i].period, (*counts)[i], y_mean + sxy / sxx * (x(i) - x_mean)});
    }
    Result<OneSided> sides = sides_of(coefficients);
    if (!sides) return sides.error();
    made.one_sided = std::move(*sides);
    notes_.add_for_all(leaning() ? kLeaning : kOwnNoise);
    note_unmeasured("trends");
    notes_.add_for_all("the interval is about the line through the true counts of these " + plural(kind()) +
                       "; how far the next one will be off it is not told");
    return made;
  }

  Result<SumReply> sum() {
    if (Status s = counts_alone("a sum over periods"); !s) return s.error();
    Result<std::vector<Answer>> counts = counts_at(one_.level);
    if (!counts) return counts.error();
    const std::vector<double> ones(counts->size(), 1);
    SumReply made;
    made.sum = combined_answer(*counts, ones, options(one_.level), how());
    made.sum.estimate = std::max(0.0, made.sum.estimate);
    for (std::size_t i = 0; i < counts->size(); ++i) made.periods.push_back({asked_[i].period, (*counts)[i], 0});
    made.one_release = 1 / std::sqrt(static_cast<double>(counts->size()));
    Result<OneSided> sides = sides_of(ones);
    if (!sides) return sides.error();
    made.one_sided = std::move(*sides);
    note_unmeasured("sums");
    if (counts->size() > 1) {
      notes_.add_for_all("a sum of " + std::to_string(counts->size()) +
                         " releases has the noise of all of them. One release of all these " + plural(kind()) +
                         " at the same epsilon would have about " +
                         std::to_string(static_cast<int>(100 * made.one_release + 0.5)) +
                         " % of it; `stopover plan` forecasts it");
    }
    return made;
  }

  Result<ChangesReply> changes(std::span<const Step> steps) {
    if (one_.ask != Ask::count && one_.ask != Ask::top) {
      return usage_error("changes are ranked over zones or tiles, as a table of the largest is\n  Ask for top.");
    }
    Question question = one_;
    question.ask = Ask::top;
    question.together = true;
    question.periods = 1;
    question.in_common = kCommonOfTwo;
    return most_changed(asked_, steps, question, patience_, notes_);
  }

  PeriodKind kind() const { return asked_[0].period.kind; }
  std::vector<std::string> notes() const { return notes_.all(); }
  void note(const std::string& text) { notes_.add_for_all(text); }

 private:
  double x(std::size_t i) const { return static_cast<double>(asked_[i].period.number - asked_[0].period.number); }

  AnswerOptions options(double level) const {
    AnswerOptions made;
    made.estimates = one_.estimates;
    made.level = level;
    return made;
  }

  Status counts_alone(const std::string& what) const {
    if (one_.ask == Ask::count && !one_.minus) return {};
    return usage_error(what +
                       " is of counts, not of shares, tables or `minus`\n  Leave these out, or ask for the change.");
  }

  Result<std::vector<Answer>> counts_at(double level) {
    std::vector<Answer> counts;
    const bool first = looked_up_.empty();
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const SeriesEngine& here = asked_[i];
      if (first) {
        Question plain = one_;
        plain.together = false;  // one number comes out
        Result<Request> request = Request::make(*here.engine, plain, patience_);
        if (!request) return at(here.period, request.error());
        looked_up_.push_back(std::move(*request));
      }
      const Request& request = looked_up_[i];
      const Answer a = answer(here.engine->index(), request.asked.selection, options(level));
      counts.push_back(a);
      if (!first) continue;
      std::vector<std::string> notes = request.asked.notes;
      if (!a.aligned || here.engine->index().lists_cells()) add_claim_note(*here.engine, request.options, a, notes);
      if (!request.asked.selection.single()) add_joined_note(*here.engine, request.options, notes);
      notes_.add(here.period, notes);
    }
    return counts;
  }

  Result<OneSided> sides_of(const std::vector<double>& coefficients) {
    return one_sided(one_, [&](double level) {
      const Result<std::vector<Answer>> counts = counts_at(level);
      return combined_answer(*counts, coefficients, options(level), how());  // looked up before: it cannot fail
    });
  }

  // REQUIRES: counts were looked up.
  Leaning how() const {
    if (!leaning()) return Leaning::none;
    const QuestionDoubts doubts = doubts_of(asked_[0].engine->index(), looked_up_[0].asked.selection);
    return doubts.shape.free_stops > 0 ? Leaning::open_stop : Leaning::all_stops;
  }

  // Why a combination is not claimed though its counts may be.
  void note_unmeasured(const std::string& what) {
    if (how() == Leaning::none) return;
    if (how() == Leaning::open_stop) {
      notes_.add_for_all(what + " of releases that lean on each other are not claimed where a stop is left open");
    } else if (asked_.size() > kMostLeaning) {
      notes_.add_for_all(what + " of releases that lean on each other are claimed for up to " +
                         std::to_string(kMostLeaning) + " " + plural(kind()) + ", and these are " +
                         std::to_string(asked_.size()));
    }
  }

  // Whether any of the releases leans on earlier ones.
  bool leaning() const {
    return std::any_of(asked_.begin(), asked_.end(), [](const SeriesEngine& one) { return one.engine->leans(); });
  }

  std::vector<SeriesEngine> asked_;
  Question one_;
  const Patience& patience_;
  std::vector<Request> looked_up_;
  SeriesNotes notes_;
};

Error not_there(std::span<const SeriesEngine> series, const std::string& name) {
  std::vector<std::string> names;
  for (const SeriesEngine& one : series) names.push_back(one.period.name());
  return usage_error("`period`: the series has no " + name + "\n  It has " + list_names(names) + ".");
}

Result<std::vector<SeriesEngine>> asked_of(std::span<const SeriesEngine> series, const SeriesQuestion& q) {
  std::vector<SeriesEngine> asked;
  const bool pair = q.against.has_value();
  for (const SeriesEngine& one : series) {
    if (!q.period || q.period->holds(one.period) || (pair && one.period == *q.against)) asked.push_back(one);
  }
  if (!q.period) return asked;
  const auto has = [&](const Period& period) {
    return std::any_of(asked.begin(), asked.end(), [&](const SeriesEngine& one) { return one.period == period; });
  };
  for (const Period& end : {q.period->first, q.period->last}) {
    if (!has(end)) return not_there(series, end.name());
  }
  if (pair && !has(*q.against)) return not_there(series, q.against->name());
  return asked;
}

Status check(const SeriesQuestion& q) {
  if (!q.against) return {};
  if (q.over != OverTime::change && q.over != OverTime::changes) {
    return usage_error("`against` goes with a change\n  A trend or a sum is of all periods of `period`.");
  }
  if (!q.period || q.period->size() != 1) {
    return usage_error("`against " + q.against->name() + "` needs one period to compare with it\n  As in `period " +
                       q.against->plus(1).name() + "`");
  }
  if (q.period->first == *q.against) {
    return usage_error("`against " + q.against->name() + "`: a period is not compared with itself");
  }
  return {};
}

// Each with the one before; or the two that are named.
std::vector<Step> steps_of(const std::vector<SeriesEngine>& asked, const SeriesQuestion& q) {
  if (q.against) return {*q.against < q.period->first ? Step{0, 1} : Step{1, 0}};
  std::vector<Step> steps;
  for (std::size_t i = 1; i < asked.size(); ++i) steps.push_back({i - 1, i});
  return steps;
}

std::string warnings_of(std::span<const SeriesEngine> asked) {
  std::vector<std::string> all;
  for (const SeriesEngine& one : asked) {
    if (!one.engine->randomness().is_private()) all.push_back(one.engine->randomness().warning());
  }
  std::string text;
  for (const std::string& warning : each_once(all)) text += (text.empty() ? "" : "; ") + warning;
  return text;
}

// What a reader should know of these releases as a series.
void note_series(std::span<const SeriesEngine> asked, SeriesAnswers& answers) {
  std::vector<std::string> missing;
  bool other_domain = false, other_rate = false;
  for (std::size_t i = 1; i < asked.size(); ++i) {
    for (Period p = asked[i - 1].period.plus(1); p < asked[i].period; p = p.plus(1)) missing.push_back(p.name());
    other_domain = other_domain || !(asked[i].engine->domain() == asked[0].engine->domain());
    other_rate = other_rate || asked[i].engine->rate() != asked[0].engine->rate();
  }
  if (!missing.empty()) answers.note("there is no release of " + list_names(missing));
  if (other_domain) {
    answers.note("the releases have different boxes, grids or stops: the same places are asked, not the same cells");
  }
  if (other_rate) answers.note("the releases differ in epsilon or in the most trips of a user: so do their intervals");
}

}  // namespace

std::string_view to_string(OverTime over) { return kOverTimes[static_cast<std::size_t>(over)]; }

Result<OverTime> parse_over_time(std::string_view text) {
  const auto found = std::find(kOverTimes.begin(), kOverTimes.end(), text);
  if (found != kOverTimes.end()) return static_cast<OverTime>(found - kOverTimes.begin());
  return usage_error("`series` is \"" + std::string(text) + "\"\n  It must be one of " + list_names(kOverTimes) + "." +
                     did_you_mean(text, kOverTimes));
}

Result<SeriesReply> ask_series(std::span<const SeriesEngine> series, const SeriesQuestion& question,
                               const Patience& patience) {
  if (Status s = check(question); !s) return s.error();
  Result<std::vector<SeriesEngine>> asked = asked_of(series, question);
  if (!asked) return asked.error();
  for (const SeriesEngine& one : *asked) {
    const Domain& first = asked->front().engine->domain();
    if (Status s = check_cells(question.question, first, one.engine->domain(), one.period.name()); !s) return s.error();
  }
  const std::vector<Step> steps = steps_of(*asked, question);
  const bool compares = question.over == OverTime::change || question.over == OverTime::changes;
  if (compares && steps.empty()) {
    return usage_error("a change needs two periods, and there is one, " + asked->front().period.name() +
                       "\n  Name another one with `against`, or several.");
  }
  SeriesAnswers answers(*asked, question, patience);
  SeriesReply reply;
  reply.kind = answers.kind();
  const auto keep = [&](auto made) -> Status {
    if (!made) return made.error();
    reply.of = std::move(*made);
    return {};
  };
  Status done;
  switch (question.over) {
    case OverTime::each:
      done = keep(answers.each());
      break;
    case OverTime::change:
      done = keep(answers.change(steps));
      break;
    case OverTime::trend:
      done = keep(answers.trend());
      break;
    case OverTime::changes:
      done = keep(answers.changes(steps));
      break;
    case OverTime::sum:
      done = keep(answers.sum());
      break;
  }
  if (!done) return done.error();
  if (!question.against) note_series(*asked, answers);
  reply.notes = answers.notes();
  reply.not_private = warnings_of(*asked);
  return reply;
}

}  // namespace stopover
