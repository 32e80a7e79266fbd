#include "question/tables.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/largest.h"
#include "base/usage_error.h"
#include "query/answerer.h"
#include "question/notes.h"
#include "question/stop_parts.h"
#include "question/tally.h"
#include "question/twelve_digits.h"
#include "question/zone_gain.h"

namespace stopover {
namespace {

// Larger matrices have quick noise intervals (AnswerOptions).
constexpr std::size_t kMostExact = 10'000;

const std::string& name_of(const QueryEngine& engine, std::size_t stop) { return engine.domain().stops()[stop].name; }

Quotient ratio(double part, double whole) { return whole > 0 ? Quotient(part / whole) : std::nullopt; }

class Tables {
 public:
  Tables(const QueryEngine& engine, const Request& request)
      : engine_(engine), request_(request), ask_(engine.index(), request.options), notes_(request.asked.notes) {
    add_claim_note(engine, request.options, notes_);
  }

  Result<Reply> share() {
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
    return reply(ShareReply{ratio(part.estimate, whole.estimate),
                            wide_whole.upper > 0 ? at_most_1(wide_part.lower, wide_whole.upper) : 0,
                            at_most_1(wide_part.upper, wide_whole.lower), request_.options.level,
                            wide_part.claimed && wide_whole.claimed, part, whole});
  }

  Result<Reply> top() {
    const std::vector<std::size_t> over = request_.stops.empty() ? free_stops() : request_.stops;
    if (over.empty())
      return usage_error(
          "every stop has a region: there is nothing left to rank\n  Leave one free, or ask for the count.");
    const std::array<std::size_t, 4> usual = {16, 16, 6, 3};
    const std::size_t tiles = usual[std::min<std::size_t>(over.size() - 1, 3)];
    std::vector<StopParts> stops;
    for (const std::size_t stop : over) {
      Result<StopParts> units = units_of(engine_, request_, stop, tiles, notes_);
      if (!units) return units.error();
      stops.push_back(std::move(*units));
    }
    const Result<std::vector<double>> totals =
        tally(engine_, request_.asked.query, stops, request_.options.estimates, request_.patience);
    if (!totals) return totals.error();
    const Answer all = ask_(request_.asked.query);
    std::string title = "largest: " + name_of(engine_, over[0]);
    for (std::size_t i = 1; i < over.size(); ++i) title += " to " + name_of(engine_, over[i]);
    AnswerTable table = table_over(title, over);
    const std::vector<std::size_t> order = largest(*totals, request_.top);
    Answerer ask = asking(order.size());
    for (const std::size_t number : order) {
      if (request_.patience.lost()) return Patience::error();
      RegionQuery query = request_.asked.query;
      TableRow& row = table.rows.emplace_back();
      std::size_t rest = number, size = totals->size();
      for (const StopParts& units : stops) {
        size /= units.all.size();
        const StopPart& unit = units.all[rest / size];
        rest %= size;
        StopParts::add(unit, query);
        row.where.emplace_back(name_of(engine_, units.stop), unit.region);
      }
      row.answer = ask(query);
      row.share = ratio(row.answer.estimate, all.estimate);
    }
    return reply(TablesReply{Ask::top, all, {std::move(table)}});
  }

  Result<Reply> given() {
    if (!request_.given)
      return usage_error("\"given\" names no stop\n  Write {\"ask\": \"given\", \"given\": \"origin\", ...}.");
    const std::size_t given = *request_.given;
    TablesReply tables{Ask::given, ask_(request_.asked.query), {}};
    if (request_.has_region(given)) {
      const std::vector<std::size_t> over = request_.stops.empty() ? free_stops() : request_.stops;
      if (over.empty())
        return usage_error("every stop has a region\n  Leave free the stops whose distribution is wanted.");
      for (const std::size_t stop : over) {
        const std::string title = name_of(engine_, stop) + ", given the region of " + name_of(engine_, given);
        if (Status s = add_distribution(title, stop, false, request_.top, tables); !s) return s.error();
      }
    } else if (Status s = add_distribution("by " + name_of(engine_, given), given, true, request_.top, tables); !s) {
      return s.error();
    }
    return reply(std::move(tables));
  }

  Result<Reply> totals() {
    TablesReply tables{Ask::totals, ask_(request_.asked.query), {}};
    const std::vector<std::size_t> over = request_.stops.empty() ? free_stops() : request_.stops;
    for (const std::size_t stop : over) {
      if (Status s = add_distribution(name_of(engine_, stop), stop, false, 0, tables); !s) return s.error();
    }
    return reply(std::move(tables));
  }

  Result<Reply> matrix() {
    constexpr std::size_t kUsual = 8;
    Result<StopParts> from = units_of(engine_, request_, request_.from, kUsual, notes_);
    if (!from) return from.error();
    Result<StopParts> to = units_of(engine_, request_, request_.to, kUsual, notes_);
    if (!to) return to.error();
    if (from->all.size() > request_.patience.answers / std::max<std::size_t>(1, to->all.size())) {
      return usage_error("a matrix of " + std::to_string(from->all.size()) + " x " + std::to_string(to->all.size()) +
                         " is too large\n  At most " + std::to_string(request_.patience.answers) +
                         " answers at once: use fewer zones or `tiles`.");
    }
    AnswerOptions options = request_.options;
    options.quick = from->all.size() * to->all.size() > kMostExact;
    if (request_.together) options.together = std::max<std::uint64_t>(1, from->all.size() * to->all.size());
    Answerer ask(engine_.index(), options);
    add_claim_note(engine_, options, notes_);
    if (options.quick) {
      notes_.push_back(
          "noise intervals of so large a matrix are a little longer than they need be (at most 9 % at 95 %)");
    }
    MatrixReply matrix{
        side_of(*from), side_of(*to), request_.options.level, false, false, ask_(request_.asked.query), {}, {}};
    std::uint64_t calibrated = 0, claimed = 0;
    ZoneGain gain(engine_, options.each_level());
    for (const StopPart& a : from->all) {
      RegionQuery base = request_.asked.query;
      StopParts::add(a, base);
      const Answer start = ask(base);
      for (const StopPart& b : to->all) {
        if (request_.patience.lost()) return Patience::error();
        RegionQuery query = base;
        StopParts::add(b, query);
        const Answer& answer = matrix.entries.emplace_back(ask(query));
        matrix.transition.push_back(ratio(answer.estimate, start.estimate));
        calibrated += answer.calibrated;
        claimed += answer.claimed;
        gain.add(answer);
      }
    }
    if (const std::optional<std::string> note = gain.note(); note && !request_.zones->all().empty()) {
      notes_.push_back(*note);
    }
    matrix.calibrated = calibrated == matrix.entries.size() && calibrated > 0;
    matrix.claimed = claimed == matrix.entries.size() && claimed > 0;
    return reply(std::move(matrix));
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

  MatrixReply::Side side_of(const StopParts& units) const {
    MatrixReply::Side side{name_of(engine_, units.stop), {}, {}};
    for (const StopPart& unit : units.all) {
      side.names.push_back(unit.name);
      side.regions.push_back(unit.region);
    }
    return side;
  }

  AnswerTable table_over(const std::string& title, const std::vector<std::size_t>& stops) const {
    AnswerTable table{title, {}, false, {}};
    for (const std::size_t stop : stops) table.stops.push_back(name_of(engine_, stop));
    return table;
  }

  template <typename Kind>
  Reply reply(Kind of) const {
    return Reply{std::move(of), each_once(notes_), ""};
  }

  // One stop's units: the `most` largest, or all in their order (0).
  Status add_distribution(const std::string& title, std::size_t stop, bool rates, std::size_t most, TablesReply& to) {
    const Result<StopParts> units = units_of(engine_, request_, stop, most == 0 ? 8 : 16, notes_);
    if (!units) return units.error();
    if (units->all.size() > request_.patience.answers) return usage_error("too many zones or tiles for one table");
    std::vector<std::size_t> order(units->all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (most > 0) {
      const Result<std::vector<double>> values =
          tally(engine_, request_.asked.query, std::span(&*units, 1), request_.options.estimates, request_.patience);
      if (!values) return values.error();
      order = largest(*values, most);
    }
    AnswerTable& table = to.tables.emplace_back(table_over(title, {stop}));
    table.rates = rates;
    Answerer ask = asking(order.size());
    for (const std::size_t i : order) {
      if (request_.patience.lost()) return Patience::error();
      const StopPart& unit = units->all[i];
      RegionQuery query = request_.asked.query;
      StopParts::add(unit, query);
      TableRow& row = table.rows.emplace_back();
      row.where.emplace_back(name_of(engine_, stop), unit.region);
      row.answer = ask(query);
      row.share = ratio(row.answer.estimate, to.total.estimate);
      if (!rates) continue;
      RegionQuery alone = RegionQuery::of(BoxQuery::whole(engine_.domain()));
      StopParts::add(unit, alone);
      row.rate = ratio(twelve_digits(row.answer.estimate), ask_(alone).estimate);  // of the number that is shown
    }
    return {};
  }

  const QueryEngine& engine_;
  const Request& request_;
  Answerer ask_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Reply> table_of(const QueryEngine& engine, const Request& request) {
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
