#include "question/question.h"

#include <algorithm>
#include <utility>

#include "base/usage_error.h"
#include "query/answerer.h"
#include "query/question_doubts.h"
#include "question/cells_asked.h"
#include "question/notes.h"
#include "question/one_sided.h"
#include "question/request.h"
#include "question/tables.h"

namespace stopover {
namespace {

// Notes of both requests, the second's as such, and why the difference is not claimed.
std::vector<std::string> notes_of(const QueryEngine& engine, const QueryEngine& other, const Request& request,
                                  const Request& there, bool aligned) {
  std::vector<std::string> notes = request.asked.notes, notes_there = there.asked.notes;
  if (!aligned) {
    add_claim_note(engine, request.options, notes);
    add_claim_note(other, request.options, notes_there);
  }
  for (const std::string& note : notes_there) notes.push_back("in the second release, " + note);
  if (&engine == &other) {
    notes.emplace_back("both are the same release: the difference is 0");
  } else if (!(engine.domain() == other.domain())) {
    notes.emplace_back(
        "the two releases have different boxes, grids or stops: the same places are compared, not the same cells");
  }
  return each_once(notes);
}

// A release and itself have all of their noise in common: they differ by nothing.
CompareReply counts_of(const QueryEngine& engine, const Request& request, const QueryEngine& other,
                       const Request& there, double level) {
  AnswerOptions options = request.options;
  options.level = level;
  const Selection &first = request.asked.selection, &second = there.asked.selection;
  const PairAnswer pair = &engine == &other ? answer_pair(engine.index(), SelectionPair{second, first, first}, options)
                                            : answer_pair(other.index(), second, engine.index(), first, options);
  return {pair.second, pair.first, pair.difference, pair.ratio};
}

Result<Reply> compared(const QueryEngine& engine, const Question& question, const Request& request,
                       const QueryEngine& other, const Patience& patience) {
  if (question.minus) return usage_error("`minus` and `compare` are different questions\n  Ask one at a time.");
  if (Status s = check_cells(question, engine.domain(), other.domain(), "the second release"); !s) return s.error();
  const Result<Request> there = Request::make(other, question, patience);
  if (!there) return Error{there.error().failure, "the second release: " + there.error().message};
  if (question.ask != Ask::count) {
    Result<Reply> table = compared_tables(engine, request, other, *there);
    if (table) {
      std::vector<std::string> notes = notes_of(engine, other, request, *there, false);
      notes.insert(notes.end(), table->notes.begin(), table->notes.end());
      table->notes = each_once(notes);
    }
    return table;
  }
  const auto at = [&](double level) { return counts_of(engine, request, other, *there, level); };
  const CompareReply reply = at(question.level);
  return Reply{reply, one_sided(question, [&](double level) { return at(level).difference; }),
               notes_of(engine, other, request, *there, reply.difference.aligned), ""};
}

// What probes prove of a box like this one; nothing of sums of boxes.
std::optional<CertifiedInterval> certified(const QueryEngine& engine, const Request& request, const Answer& a) {
  const BoxIndex& index = engine.index();
  const Selection& asked = request.asked.selection;
  if (!index.probes() || !a.calibrated || !asked.single()) return {};
  return certified_interval(*index.probes(), a, doubts_of(index, asked).shape, index.stops().size(),
                            request.options.each_level());
}

Result<Reply> reply_to(const QueryEngine& engine, const Question& question, const QueryEngine* other,
                       const Patience& patience) {
  if (question.ask != Ask::count && (question.above || question.at_least || question.at_most || question.minus)) {
    return usage_error(
        "`above`, `at_least`, `at_most` and `minus` go with a count\n  Leave out the table or the share.");
  }
  const Result<Request> request = Request::make(engine, question, patience);
  if (!request) return request.error();
  if (other != nullptr) return compared(engine, question, *request, *other, patience);
  if (question.ask != Ask::count) return table_of(engine, *request);
  std::vector<std::string> notes = request->asked.notes;
  const auto at_level = [&](double level) {
    AnswerOptions options = request->options;
    options.level = level;
    return options;
  };
  const auto tell = [&](const Answer& a, const Selection& of) {
    if (!a.aligned || engine.index().lists_cells()) add_claim_note(engine, request->options, a, notes);
    add_flow_note(engine, of, a, notes);
    if (!of.single()) add_joined_note(engine, request->options, notes);
  };
  if (request->pair) {
    const auto at = [&](double level) { return answer_pair(engine.index(), *request->pair, at_level(level)); };
    const PairAnswer pair = at(question.level);
    tell(pair.first, request->pair->first);
    tell(pair.second, request->pair->second);
    return Reply{MinusReply{pair}, one_sided(question, [&](double level) { return at(level).difference; }),
                 each_once(notes), ""};
  }
  const auto at = [&](double level) { return answer(engine.index(), request->asked.selection, at_level(level)); };
  const Answer a = at(question.level);
  tell(a, request->asked.selection);
  return Reply{CountReply{a, certified(engine, *request, a)}, one_sided(question, at), each_once(notes), ""};
}

// That a release which was asked protects nobody; "" where all do.
std::string warning_of(const QueryEngine& engine, const QueryEngine* other) {
  const std::string first = engine.randomness().warning();
  if (other == nullptr || other->randomness().is_private()) return first;
  return (first.empty() ? "" : first + "; ") + "the second release was " + other->randomness().warning();
}

}  // namespace

Result<Reply> ask(const QueryEngine& engine, const Question& question, const QueryEngine* other,
                  const Patience& patience) {
  Result<Reply> reply = reply_to(engine, question, other, patience);
  if (reply) reply->not_private = warning_of(engine, other);
  return reply;
}

Result<Answer> count(const QueryEngine& engine, const Question& question, const Patience& patience) {
  const Result<Request> request = Request::make(engine, question, patience);
  if (!request) return request.error();
  return answer(engine.index(), request->asked.selection, request->options);
}

Result<Asked> asked_of(const QueryEngine& engine, const Question& question, const Patience& patience) {
  Result<Request> request = Request::make(engine, question, patience);
  if (!request) return request.error();
  if (!request->asked.selection.single()) {
    return usage_error("the question is not about one region\n  Leave out what is joined over stops.");
  }
  return Asked{std::move(request->asked.selection.terms[0].query), std::move(request->asked.notes)};
}

}  // namespace stopover
