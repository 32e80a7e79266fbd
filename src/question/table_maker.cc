#include "question/table_maker.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/largest.h"
#include "base/usage_error.h"
#include "query/pair_answer.h"
#include "question/tally.h"
#include "question/twelve_digits.h"
#include "question/zone_gain.h"

namespace stopover {
namespace {

// Larger matrices have quick noise intervals (AnswerOptions).
constexpr std::size_t kMostExact = 10'000;

const std::string& name_of(const QueryEngine& engine, std::size_t stop) { return engine.domain().stops()[stop].name; }

// Plain counts may be negative, and sums be off by a rounding: a share is none the less between nothing and all.
Quotient ratio(double part, double whole) {
  return whole > 0 ? Quotient(std::clamp(part / whole, 0.0, 1.0)) : std::nullopt;
}

}  // namespace

TableMaker::TableMaker(const QueryEngine& engine, const Request& request)
    : engine_(engine), request_(request), ask_(engine.index(), request.options), notes_(request.asked.notes) {
  add_claim_note(engine, request.options, notes_);
  if (!request.asked.selection.single()) add_joined_note(engine, request.options, notes_);
}

Result<Reply> TableMaker::share() {
  // A part lies in its whole, so that the ratio is a share; plain counts may be negative or larger none the less.
  const PairAnswer pair = answer_pair(engine_.index(), *request_.pair, request_.options);
  const auto share = [](double ratio) { return std::clamp(ratio, 0.0, 1.0); };
  ShareReply made;
  made.part = pair.first;
  made.whole = pair.second;
  made.level = request_.options.level;
  made.claimed = pair.ratio.claimed;
  if (pair.ratio.value) made.share = share(*pair.ratio.value);
  made.lower = share(pair.ratio.lower);
  made.upper = share(pair.ratio.upper.value_or(1));
  return reply(std::move(made));
}

Result<TableMaker::Combinations> TableMaker::combinations() {
  Combinations all;
  all.over = request_.stops.empty() ? free_stops() : request_.stops;
  if (all.over.empty())
    return usage_error(
        "every stop has a region: there is nothing left to rank\n  Leave one free, or ask for the count.");
  const std::array<std::size_t, 4> usual = {16, 16, 6, 3};
  const std::size_t tiles = usual[std::min<std::size_t>(all.over.size() - 1, 3)];
  for (const std::size_t stop : all.over) {
    Result<StopParts> units = units_of(engine_, request_, stop, tiles, notes_);
    if (!units) return units.error();
    all.stops.push_back(std::move(*units));
  }
  Result<Selection> rest = without_places(engine_, request_, all.over);
  if (!rest) return rest.error();
  all.rest = std::move(*rest);
  Result<std::vector<double>> totals =
      tally(engine_, all.rest, all.stops, request_.options.estimates, request_.patience);
  if (!totals) return totals.error();
  all.totals = std::move(*totals);
  return all;
}

Result<TablesReply> TableMaker::top_of(const Combinations& all, const std::vector<std::size_t>& order,
                                       std::size_t among) {
  TablesReply tables{Ask::top, ask_(request_.asked.selection), {}, {}};
  std::string title = "largest: " + name_of(engine_, all.over[0]);
  for (std::size_t i = 1; i < all.over.size(); ++i) title += " to " + name_of(engine_, all.over[i]);
  AnswerTable& table = tables.tables.emplace_back(table_over(title, all.over));
  Answerer ask = asking(among);
  for (const std::size_t number : order) {
    if (request_.patience.lost()) return Patience::error();
    TableRow& row = table.rows.emplace_back();
    std::vector<const StopPart*> parts;
    std::size_t left = number, size = all.totals.size();
    for (const StopParts& units : all.stops) {
      size /= units.all.size();
      const StopPart& unit = units.all[left / size];
      left %= size;
      parts.push_back(&unit);
      row.where.emplace_back(name_of(engine_, units.stop), unit.region);
      row.names.push_back(unit.name);
    }
    row.answer = ask(narrowed(all.rest, parts));
    row.share = ratio(row.answer.estimate, tables.total.estimate);
  }
  return tables;
}

Result<Reply> TableMaker::top() {
  const Result<Combinations> all = combinations();
  if (!all) return all.error();
  const std::vector<std::size_t> order = largest(all->totals, request_.top);
  Result<TablesReply> tables = top_of(*all, order, order.size());
  if (!tables) return tables.error();
  return reply(std::move(*tables));
}

Result<Reply> TableMaker::given() {
  if (!request_.given)
    return usage_error("\"given\" names no stop\n  Write {\"ask\": \"given\", \"given\": \"origin\", ...}.");
  const std::size_t given = *request_.given;
  TablesReply tables{Ask::given, ask_(request_.asked.selection), {}, {}};
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

Result<TablesReply> TableMaker::totals_of(std::size_t rows) {
  TablesReply tables{Ask::totals, ask_(request_.asked.selection), {}, {}};
  const std::vector<std::size_t> over = request_.stops.empty() ? free_stops() : request_.stops;
  for (const std::size_t stop : over) {
    if (Status s = add_distribution(name_of(engine_, stop), stop, false, rows, tables); !s) return s.error();
  }
  return tables;
}

Result<Reply> TableMaker::totals() {
  Result<TablesReply> tables = totals_of(request_.rows);
  if (!tables) return tables.error();
  return reply(std::move(*tables));
}

Result<Reply> TableMaker::matrix() {
  Result<MatrixReply> matrix = matrix_of();
  if (!matrix) return matrix.error();
  return reply(std::move(*matrix));
}

Result<MatrixReply> TableMaker::matrix_of() {
  constexpr std::size_t kUsual = 8;
  Result<StopParts> from = units_of(engine_, request_, request_.from, kUsual, notes_);
  if (!from) return from.error();
  Result<StopParts> to = units_of(engine_, request_, request_.to, kUsual, notes_);
  if (!to) return to.error();
  if (from->all.size() > request_.patience.answers / std::max<std::size_t>(1, to->all.size())) {
    return usage_error("a matrix of " + std::to_string(from->all.size()) + " x " + std::to_string(to->all.size()) +
                       " is too large\n  At most " + std::to_string(request_.patience.answers) +
                       " answers at once: ask for `zones` of fewer, larger areas or for fewer `tiles`.");
  }
  AnswerOptions options = request_.options;
  options.quick = from->all.size() * to->all.size() > kMostExact;
  if (request_.together) options.together *= std::max<std::uint64_t>(1, from->all.size() * to->all.size());
  Answerer ask(engine_.index(), options);
  add_claim_note(engine_, options, notes_);
  if (options.quick) {
    notes_.push_back(
        "noise intervals of so large a matrix are a little longer than they need be (at most 9 % at 95 %)");
  }
  MatrixReply matrix{side_of(*from),
                     side_of(*to),
                     request_.options.level,
                     false,
                     false,
                     ask_(request_.asked.selection),
                     {},
                     {},
                     {},
                     {}};
  std::uint64_t calibrated = 0, claimed = 0;
  ZoneGain gain(engine_, options.each_level());
  const Result<Selection> rest = without_places(engine_, request_, {request_.from, request_.to});
  if (!rest) return rest.error();
  const Result<Selection> anywhere = without_places(engine_, request_, {request_.from});
  if (!anywhere) return anywhere.error();
  for (const StopPart& a : from->all) {
    const StopPart* const here[] = {&a};
    const Answer start = ask(narrowed(*anywhere, here));
    for (const StopPart& b : to->all) {
      if (request_.patience.lost()) return Patience::error();
      const StopPart* const both[] = {&a, &b};
      const Answer& answer = matrix.entries.emplace_back(ask(narrowed(*rest, both)));
      matrix.transition.push_back(ratio(answer.estimate, start.estimate));
      calibrated += answer.calibrated;
      claimed += answer.claimed;
      gain.add(answer);
    }
  }
  if (const std::optional<std::string> note = gain.note(); note && !request_.zones->all().empty()) {
    notes_.push_back(*note);
  }
  add_claim_note(engine_, matrix.entries, notes_);
  matrix.calibrated = calibrated == matrix.entries.size() && calibrated > 0;
  matrix.claimed = claimed == matrix.entries.size() && claimed > 0;
  return matrix;
}

Answerer TableMaker::asking(std::size_t answers) {
  AnswerOptions options = request_.options;
  if (request_.together) options.together *= std::max<std::uint64_t>(1, answers);
  add_claim_note(engine_, options, notes_);
  return Answerer(engine_.index(), options);
}

std::vector<std::size_t> TableMaker::free_stops() const {
  std::vector<std::size_t> stops;
  for (std::size_t stop = 0; stop < engine_.domain().stops().size(); ++stop) {
    if (!request_.has_region(stop)) stops.push_back(stop);
  }
  return stops;
}

MatrixReply::Side TableMaker::side_of(const StopParts& units) const {
  MatrixReply::Side side{name_of(engine_, units.stop), {}, {}};
  for (const StopPart& unit : units.all) {
    side.names.push_back(unit.name);
    side.regions.push_back(unit.region);
  }
  return side;
}

AnswerTable TableMaker::table_over(const std::string& title, const std::vector<std::size_t>& stops) const {
  AnswerTable table{title, {}, false, {}};
  for (const std::size_t stop : stops) table.stops.push_back(name_of(engine_, stop));
  return table;
}

Status TableMaker::add_distribution(const std::string& title, std::size_t stop, bool rates, std::size_t most,
                                    TablesReply& to) {
  const Result<StopParts> units = units_of(engine_, request_, stop, to.ask == Ask::totals ? 8 : 16, notes_);
  if (!units) return units.error();
  if (units->all.size() > request_.patience.answers) return usage_error("too many zones or tiles for one table");
  std::vector<std::size_t> order(units->all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Result<Selection> rest = without_places(engine_, request_, {stop});
  if (!rest) return rest.error();
  if (most > 0) {
    const Result<std::vector<double>> values =
        tally(engine_, *rest, std::span(&*units, 1), request_.options.estimates, request_.patience);
    if (!values) return values.error();
    order = largest(*values, most);
  }
  AnswerTable& table = to.tables.emplace_back(table_over(title, {stop}));
  table.rates = rates;
  Answerer ask = asking(order.size());
  for (const std::size_t i : order) {
    if (request_.patience.lost()) return Patience::error();
    const StopPart& unit = units->all[i];
    const StopPart* const here[] = {&unit};
    TableRow& row = table.rows.emplace_back();
    row.where.emplace_back(name_of(engine_, stop), unit.region);
    row.names.push_back(unit.name);
    row.answer = ask(narrowed(*rest, here));
    row.share = ratio(row.answer.estimate, to.total.estimate);
    if (!rates) continue;
    RegionQuery alone = RegionQuery::of(BoxQuery::whole(engine_.domain()));
    unit.alone->add_to(alone);
    row.rate = ratio(twelve_digits(row.answer.estimate), ask_(alone).estimate);  // of the number that is shown
  }
  return {};
}

}  // namespace stopover
