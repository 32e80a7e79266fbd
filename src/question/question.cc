#include "question/question.h"

#include <algorithm>
#include <utility>

#include "base/usage_error.h"
#include "query/answerer.h"
#include "question/notes.h"
#include "question/request.h"
#include "question/tables.h"

namespace stopover {
namespace {

// What the two releases differ by: noise on both sides, each cut in its own way.
Answer difference(const Answer& a, const Answer& b, NoiseList noise_a, NoiseList noise_b, double level) {
  Answer d;
  d.level = level;
  d.estimate = b.estimate - a.estimate;
  d.unprojected = b.unprojected - a.unprojected;
  d.noise_variance = a.noise_variance + b.noise_variance;
  std::vector<NoiseTerm> terms = std::move(noise_a.terms);
  terms.insert(terms.end(), noise_b.terms.begin(), noise_b.terms.end());
  const NoiseRest &r = noise_a.rest, &q = noise_b.rest;
  const NoiseRest rest{{r.noise.second + q.noise.second, r.noise.fourth + q.noise.fourth}, std::max(r.step, q.step)};
  const double half = NoiseInterval(level).half_width(terms, rest);
  d.noise_lower = d.unprojected - half;
  d.noise_upper = d.unprojected + half;
  d.partitions_cut = a.partitions_cut + b.partitions_cut;
  d.aligned = a.aligned && b.aligned;
  return d;
}

// Both ends hold together: each release is asked at a level that fails half as often.
Reply compare(const QueryEngine& engine, const QueryEngine& other, const Request& request, const Request& there) {
  Answerer ask(engine.index(), request.options), ask_there(other.index(), request.options);
  const Answer a = ask(request.asked.query), b = ask_there(there.asked.query);
  Answer d =
      difference(a, b, ask.noise(request.asked.query), ask_there.noise(there.asked.query), request.options.level);
  AnswerOptions stricter = request.options;
  stricter.level = (1 + stricter.level) / 2;
  const Answer wide_a = answer(engine.index(), request.asked.query, stricter);
  const Answer wide_b = answer(other.index(), there.asked.query, stricter);
  d.bounds_lower = wide_b.bounds_lower - wide_a.bounds_upper;
  d.bounds_upper = wide_b.bounds_upper - wide_a.bounds_lower;
  d.calibrated = wide_a.calibrated && wide_b.calibrated;
  d.claimed = wide_a.claimed && wide_b.claimed;
  d.lower = wide_b.lower - wide_a.upper;
  d.upper = wide_b.upper - wide_a.lower;
  std::vector<std::string> notes = request.asked.notes;
  std::vector<std::string> notes_there = there.asked.notes;
  for (const AnswerOptions& options : {request.options, stricter}) {
    if (d.aligned) break;
    add_claim_note(engine, options, notes);
    add_claim_note(other, options, notes_there);
  }
  for (const std::string& note : notes_there) notes.push_back("in the second release, " + note);
  if (!(engine.domain() == other.domain())) {
    notes.push_back(
        "the two releases have different boxes, grids or stops: the same places are compared, not the same cells");
  }
  return {CompareReply{a, b, d}, each_once(notes), ""};
}

Result<Reply> reply_to(const QueryEngine& engine, const Question& question, const QueryEngine* other,
                       const Patience& patience) {
  const Result<Request> request = Request::make(engine, question, patience);
  if (!request) return request.error();
  if (other != nullptr) {
    if (question.ask != Ask::count)
      return usage_error("only counts are compared\n  Leave out top, given, matrix, share and totals.");
    const Result<Request> there = Request::make(*other, question, patience);
    if (!there) return Error{there.error().failure, "the second release: " + there.error().message};
    return compare(engine, *other, *request, *there);
  }
  if (question.ask != Ask::count) return table_of(engine, *request);
  const Answer a = answer(engine.index(), request->asked.query, request->options);
  std::vector<std::string> notes = request->asked.notes;
  if (!a.aligned) add_claim_note(engine, request->options, notes);
  return Reply{CountReply{a}, each_once(notes), ""};
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
  return answer(engine.index(), request->asked.query, request->options);
}

Result<Asked> asked_of(const QueryEngine& engine, const Question& question, const Patience& patience) {
  Result<Request> request = Request::make(engine, question, patience);
  if (!request) return request.error();
  return std::move(request->asked);
}

}  // namespace stopover
