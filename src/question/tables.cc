#include "question/tables.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "query/answerer.h"
#include "question/question.h"
#include "question/reply.h"
#include "question/tally.h"
#include "question/stop_parts.h"

namespace stopover {
namespace {

// Larger matrices have quick noise intervals (AnswerOptions).
constexpr std::size_t kMostExact = 10'000;

const std::string& name_of(const QueryEngine& engine, std::size_t stop) { return engine.domain().stops()[stop].name; }

Json ratio(double part, double whole) { return whole > 0 ? Json(twelve_digits(part / whole)) : Json(); }

// The numbers of the k largest, largest first; the earlier one where they are equal. What is not above 0 is left out.
std::vector<std::size_t> largest(const std::vector<double>& values, std::size_t k) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !(values[i] > 0); });
  const auto more = [&](std::size_t a, std::size_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; };
  k = std::min(k, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(), more);
  order.resize(k);
  return order;
}

class Tables {
 public:
  Tables(const QueryEngine& engine, const Request& request)
      : engine_(engine), request_(request), ask_(engine.index(), request.options), notes_(request.asked.notes) {
    add_claim_note(engine, request.options, notes_);
  }

  Result<Json> share() {
    const RegionQuery base = request_.of ? request_.of->query : RegionQuery::of(BoxQuery::whole(engine_.domain()));
    const Answer part = ask_(request_.asked.query), whole = ask_(base);
    // Both intervals hold together: each is asked at a level that fails half as often.
    AnswerOptions stricter = request_.options;
    stricter.level = (1 + stricter.level) / 2;
    Answerer ask_stricter(engine_.index(), stricter);
    add_claim_note(engine_, stricter, notes_);
    const Answer wide_part = ask_stricter(request_.asked.query), wide_whole = ask_stricter(base);
    const auto at_most_1 = [](double a, double b) { return b > 0 ? std::min(1.0, std::max(0.0, a) / b) : 1.0; };
    if (request_.of) notes_.insert(notes_.end(), request_.of->notes.begin(), request_.of->notes.end());
    return Json{{"ask", "share"},
                {"share", ratio(part.estimate, whole.estimate)},
                {"share_lower", twelve_digits(wide_whole.upper > 0 ? at_most_1(wide_part.lower, wide_whole.upper) : 0)},
                {"share_upper", twelve_digits(at_most_1(wide_part.upper, wide_whole.lower))},
                {"level", request_.options.level},
                {"claimed", wide_part.claimed && wide_whole.claimed},
                {"part", json_of(part)},
                {"whole", json_of(whole)},
                {"notes", json_of_notes(notes_)}};
  }

  Result<Json> top() {
    const std::vector<std::size_t> over = request_.stops.empty() ? free_stops() : request_.stops;
    if (over.empty()) return Error{Failure::usage, "every stop has a region: there is nothing left to rank\n  Leave one free, or ask for the count."};
    const std::array<std::size_t, 4> usual = {16, 16, 6, 3};
    const std::size_t tiles = usual[std::min<std::size_t>(over.size() - 1, 3)];
    std::vector<StopParts> stops;
    for (const std::size_t stop : over) {
      Result<StopParts> units = units_of(engine_, request_, stop, tiles, notes_);
      if (!units) return units.error();
      stops.push_back(std::move(*units));
    }
    const Result<std::vector<double>> totals = tally(engine_, request_.asked.query, stops, request_.options.estimates, request_.patience);
    if (!totals) return totals.error();
    const Answer all = ask_(request_.asked.query);
    Json rows = Json::array();
    const std::vector<std::size_t> order = largest(*totals, request_.top);
    Answerer ask = asking(order.size());
    for (const std::size_t number : order) {
      if (request_.patience.lost()) return Patience::error();
      RegionQuery query = request_.asked.query;
      Json where = Json::object();
      std::size_t rest = number, size = totals->size();
      for (const StopParts& units : stops) {
        size /= units.all.size();
        const StopPart& unit = units.all[rest / size];
        rest %= size;
        StopParts::add(unit, query);
        where[name_of(engine_, units.stop)] = unit.region;
      }
      rows.push_back(row(std::move(where), ask(query), all.estimate));
    }
    std::string title;
    for (const std::size_t stop : over) title += (title.empty() ? "" : " to ") + name_of(engine_, stop);
    return reply("top", all, Json::array({table("largest: " + title, over, std::move(rows))}));
  }

  Result<Json> given() {
    if (!request_.given) return Error{Failure::usage, "\"given\" names no stop\n  Write {\"ask\": \"given\", \"given\": \"origin\", ...}."};
    const std::size_t given = *request_.given;
    const Answer all = ask_(request_.asked.query);
    Json tables = Json::array();
    if (request_.has_region(given)) {
      const std::vector<std::size_t> over = request_.stops.empty() ? free_stops() : request_.stops;
      if (over.empty()) return Error{Failure::usage, "every stop has a region\n  Leave free the stops whose distribution is wanted."};
      for (const std::size_t stop : over) {
        Result<Json> rows = distribution(stop, all.estimate, false, request_.top);
        if (!rows) return rows;
        tables.push_back(table(name_of(engine_, stop) + ", given the region of " + name_of(engine_, given), {stop}, std::move(*rows)));
      }
    } else {
      Result<Json> rows = distribution(given, all.estimate, true, request_.top);
      if (!rows) return rows;
      tables.push_back(table("by " + name_of(engine_, given), {given}, std::move(*rows)));
    }
    return reply("given", all, std::move(tables));
  }

  Result<Json> totals() {
    const Answer all = ask_(request_.asked.query);
    const std::vector<std::size_t> over = request_.stops.empty() ? free_stops() : request_.stops;
    Json tables = Json::array();
    for (const std::size_t stop : over) {
      Result<Json> rows = distribution(stop, all.estimate, false, 0);
      if (!rows) return rows;
      tables.push_back(table(name_of(engine_, stop), {stop}, std::move(*rows)));
    }
    return reply("totals", all, std::move(tables));
  }

  Result<Json> matrix() {
    constexpr std::size_t kUsual = 8;
    Result<StopParts> from = units_of(engine_, request_, request_.from, kUsual, notes_);
    if (!from) return from.error();
    Result<StopParts> to = units_of(engine_, request_, request_.to, kUsual, notes_);
    if (!to) return to.error();
    if (from->all.size() > request_.patience.answers / std::max<std::size_t>(1, to->all.size())) {
      return Error{Failure::usage, "a matrix of " + std::to_string(from->all.size()) + " x " + std::to_string(to->all.size()) +
                                       " is too large\n  At most " + std::to_string(request_.patience.answers) +
                                       " answers at once: use fewer zones or --tiles."};
    }
    AnswerOptions options = request_.options;
    options.quick = from->all.size() * to->all.size() > kMostExact;
    if (request_.together) options.together = std::max<std::uint64_t>(1, from->all.size() * to->all.size());
    Answerer ask(engine_.index(), options);
    add_claim_note(engine_, options, notes_);
    if (options.quick) {
      notes_.push_back("noise intervals of so large a matrix are a little longer than they need be (at most 9 % at 95 %)");
    }
    static constexpr std::array<const char*, 7> kMembers = {"estimate",     "noise_lower", "noise_upper", "bounds_lower",
                                                            "bounds_upper", "lower",       "upper"};
    std::array<Json, 7> parts;
    parts.fill(Json::array());
    Json transition = Json::array();
    std::uint64_t calibrated = 0, claimed = 0;
    for (const StopPart& a : from->all) {
      RegionQuery base = request_.asked.query;
      StopParts::add(a, base);
      const Answer start = ask(base);
      for (Json& part : parts) part.push_back(Json::array());
      Json chances = Json::array();
      for (const StopPart& b : to->all) {
        if (request_.patience.lost()) return Patience::error();
        RegionQuery query = base;
        StopParts::add(b, query);
        const Answer answer = ask(query);
        const std::array<double, 7> values = {answer.estimate,     answer.noise_lower, answer.noise_upper, answer.bounds_lower,
                                              answer.bounds_upper, answer.lower,       answer.upper};
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i].back().push_back(twelve_digits(values[i]));
        chances.push_back(ratio(answer.estimate, start.estimate));
        calibrated += answer.calibrated;
        claimed += answer.claimed;
      }
      transition.push_back(std::move(chances));
    }
    const auto names = [](const StopParts& units) {
      Json list = Json::array();
      for (const StopPart& unit : units.all) list.push_back(unit.name);
      return list;
    };
    const auto regions = [](const StopParts& units) {
      Json list = Json::array();
      for (const StopPart& unit : units.all) list.push_back(unit.region);
      return list;
    };
    Json reply{{"ask", "matrix"},
               {"from", name_of(engine_, request_.from)},
               {"to", name_of(engine_, request_.to)},
               {"level", request_.options.level},
               {"calibrated", calibrated == from->all.size() * to->all.size() && calibrated > 0},
               {"claimed", claimed == from->all.size() * to->all.size() && claimed > 0},
               {"total", json_of(ask_(request_.asked.query))},
               {"rows", names(*from)},
               {"columns", names(*to)},
               {"row_regions", regions(*from)},
               {"column_regions", regions(*to)},
               {"transition", std::move(transition)}};
    for (std::size_t i = 0; i < parts.size(); ++i) reply[kMembers[i]] = std::move(parts[i]);
    reply["notes"] = json_of_notes(notes_);
    return reply;
  }

 private:
  // Each of so many answers by itself, or all at once if that was asked for.
  Answerer asking(std::size_t answers) {
    AnswerOptions options = request_.options;
    if (request_.together) options.together = std::max<std::uint64_t>(1, answers);
    add_claim_note(engine_, options, notes_);
    return Answerer(engine_.index(), options);
  }

  std::vector<std::size_t> free_stops() const {
    std::vector<std::size_t> stops;
    for (std::size_t stop = 0; stop < engine_.domain().stops().size(); ++stop) {
      if (!request_.has_region(stop)) stops.push_back(stop);
    }
    return stops;
  }

  static Json row(Json where, const Answer& answer, double whole) {
    Json row{{"where", std::move(where)}};
    row.update(json_of(answer));
    row["share"] = ratio(answer.estimate, whole);
    return row;
  }

  Json table(const std::string& title, const std::vector<std::size_t>& stops, Json rows) const {
    Json names = Json::array();
    for (const std::size_t stop : stops) names.push_back(name_of(engine_, stop));
    return Json{{"title", title}, {"stops", std::move(names)}, {"rows", std::move(rows)}};
  }

  Json reply(const char* ask, const Answer& all, Json tables) const {
    return Json{{"ask", ask}, {"total", json_of(all)}, {"tables", std::move(tables)}, {"notes", json_of_notes(notes_)}};
  }

  // One stop's units: the `most` largest, or all in their order (0).
  Result<Json> distribution(std::size_t stop, double whole, bool rates, std::size_t most) {
    const Result<StopParts> units = units_of(engine_, request_, stop, most == 0 ? 8 : 16, notes_);
    if (!units) return units.error();
    if (units->all.size() > request_.patience.answers) return Error{Failure::usage, "too many zones or tiles for one table"};
    std::vector<std::size_t> order(units->all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (most > 0) {
      const Result<std::vector<double>> values =
          tally(engine_, request_.asked.query, std::span(&*units, 1), request_.options.estimates, request_.patience);
      if (!values) return values.error();
      order = largest(*values, most);
    }
    Json rows = Json::array();
    Answerer ask = asking(order.size());
    for (const std::size_t i : order) {
      if (request_.patience.lost()) return Patience::error();
      const StopPart& unit = units->all[i];
      RegionQuery query = request_.asked.query;
      StopParts::add(unit, query);
      rows.push_back(row(Json{{name_of(engine_, stop), unit.region}}, ask(query), whole));
      if (!rates) continue;
      RegionQuery alone = RegionQuery::of(BoxQuery::whole(engine_.domain()));
      StopParts::add(unit, alone);
      rows.back()["rate"] = ratio(rows.back()["estimate"].get<double>(), ask_(alone).estimate);
    }
    return rows;
  }

  const QueryEngine& engine_;
  const Request& request_;
  Answerer ask_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Json> table_of(const QueryEngine& engine, const Request& request) {
  Tables tables(engine, request);
  switch (request.ask) {
    case Ask::share:
      return tables.share();
    case Ask::top:
      return tables.top();
    case Ask::given:
      return tables.given();
    case Ask::totals:
      return tables.totals();
    default:
      return tables.matrix();
  }
}

}  // namespace stopover
