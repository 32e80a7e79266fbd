#include "question/tables.h"

#include "query/answerer.h"
#include "question/reply.h"

namespace stopover {
namespace {

// The share lies between the smallest part of the largest whole and the other way round; both intervals hold together.
Result<Json> share(const QueryEngine& engine, const Request& request) {
  const RegionQuery base = request.of ? request.of->query : RegionQuery::of(BoxQuery::whole(engine.domain()));
  Answerer ask(engine.index(), request.options);
  const Answer part = ask(request.asked.query), whole = ask(base);
  AnswerOptions stricter = request.options;
  stricter.level = (1 + stricter.level) / 2;
  Answerer ask_stricter(engine.index(), stricter);
  const Answer wide_part = ask_stricter(request.asked.query), wide_whole = ask_stricter(base);
  const auto ratio = [](double a, double b) { return b > 0 ? std::min(1.0, std::max(0.0, a) / b) : 1.0; };
  Json reply{{"ask", "share"},
             {"share", whole.estimate > 0 ? Json(twelve_digits(part.estimate / whole.estimate)) : Json()},
             {"share_lower", twelve_digits(wide_whole.upper > 0 ? ratio(wide_part.lower, wide_whole.upper) : 0)},
             {"share_upper", twelve_digits(ratio(wide_part.upper, wide_whole.lower))},
             {"level", request.options.level},
             {"part", json_of(part)},
             {"whole", json_of(whole)}};
  std::vector<std::string> notes = request.asked.notes;
  if (request.of) notes.insert(notes.end(), request.of->notes.begin(), request.of->notes.end());
  reply["notes"] = json_of_notes(notes);
  return reply;
}

}  // namespace

Result<Json> table_of(const QueryEngine& engine, const Request& request) {
  if (request.ask == Ask::share) return share(engine, request);
  return Error{Failure::usage, "\"" + std::string(to_string(request.ask)) + "\" cannot be asked yet"};
}

}  // namespace stopover
