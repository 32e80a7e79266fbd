#include "job/plan_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "geo/json_fwd.h"
#include "release_io/guarantee_card.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

double epsilon_number(Ticks ticks) { return std::stod(format_epsilon(ticks)); }
double effective_epsilon(Ticks ticks, std::uint32_t k) { return epsilon_number(ticks) / k; }

// Two significant digits below 100, whole numbers above.
std::string brief(double value) {
  if (!(value > 0)) return "0";
  if (value >= 99.5) return grouped(static_cast<std::uint64_t>(std::llround(value)));
  const int digits = value >= 9.95 ? 0 : value >= 0.995 ? 1 : value >= 0.0995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, digits);
}

std::string percent(double share) { return share >= 9.995 ? ">999 %" : brief(100 * share) + " %"; }

Json json_of_plan(const std::vector<SizeError>& errors) {
  Json rows = Json::array();
  for (const SizeError& e : errors) {
    rows.push_back({{"side", rounded(e.side)},
                    {"typical_trips", rounded(e.truth)},
                    {"median_relative_error", rounded(e.median_re)},
                    {"p90_relative_error", rounded(e.p90_re)}});
  }
  return rows;
}

Json json_of_plan(const PlanRow& row) {
  Json json = {
      {"epsilon", epsilon_number(row.epsilon)}, {"mechanism", row.mechanism}, {"stops", row.stops}, {"k", row.k}};
  json["formula"] = nullptr;
  json["simulated"] = nullptr;
  if (row.formula) {
    Json noise = Json::array();
    for (const double half : row.formula->query_noise_95) noise.push_back(rounded(half));
    json["formula"] = {{"partitions", rounded(row.formula->partitions)},
                       {"side", rounded(row.formula->side)},
                       {"noise_95", rounded(row.formula->noise_95)},
                       {"query_noise_95", noise}};
  }
  if (row.simulated) {
    const Trial& t = *row.simulated;
    json["simulated"] = {{"partitions", t.partitions},           {"side_by_stop", t.sides},
                         {"map_side_by_stop", t.map_sides},      {"noise_95", rounded(t.noise_95)},
                         {"one_stop", json_of_plan(t.one_stop)}, {"all_stops", json_of_plan(t.all_stops)}};
  }
  return json;
}

Json json_of_plan(const std::vector<PlanRow>& rows) {
  Json json = Json::array();
  for (const PlanRow& row : rows) json.push_back(json_of_plan(row));
  return json;
}

std::string simulation_rule(const PlanRequest& request, const Plan& plan) {
  if (plan.simulated_trips == 0) return "Nothing was simulated.";
  if (plan.simulated_trips == request.trips) {
    return fmt::format("Simulated: a synthetic city of {} trips, published once for each row.", grouped(request.trips));
  }
  return fmt::format(
      "Simulated: a synthetic city of {} trips, published once for each row with epsilon times {}, "
      "because "
      "errors depend on trips times epsilon; counts are scaled back to {} trips.",
      grouped(plan.simulated_trips),
      number_text(std::round(1000 * static_cast<double>(request.trips) / static_cast<double>(plan.simulated_trips)) /
                  1000),
      grouped(request.trips));
}

struct Sentences {
  const PlanReport& report;

  std::string length(double value) const { return brief(value) + (report.in_km ? " km" : " %"); }

  std::string privacy(Ticks epsilon) const {
    const PlanRequest& r = report.request;
    return fmt::format("{} A count bought with all of it is off by at most {} trips in 95 of 100 cases.",
                       belief_sentence(epsilon, r.unit),
                       brief(count_noise_95(effective_epsilon(epsilon, report.k_for(epsilon)))));
  }

  std::string more(std::string_view what, const PlanRow& row, const PlanRow& now) const {
    const Trial& a = *now.simulated;
    const Trial& b = *row.simulated;
    std::string text =
        fmt::format("{} ({}): noise {} instead of {} trips", what, row.mechanism, brief(b.noise_95), brief(a.noise_95));
    if (a.all_stops.empty()) return text + ".";
    const std::size_t last = a.all_stops.size() - 1;
    return text + fmt::format("; {} at one stop {} wrong instead of {}, at all stops {} instead of {}.",
                              length(a.one_stop[last].side), percent(b.one_stop[last].median_re),
                              percent(a.one_stop[last].median_re), percent(b.all_stops[last].median_re),
                              percent(a.all_stops[last].median_re));
  }
};

std::string joined(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : "/") + brief(value);
  return text;
}

std::string sizes_table(const PlanReport& r, const Paper& paper) {
  const std::string unit = r.in_km ? "km" : "%";
  std::string text = fmt::format("{:<8} {:<15} {:>10} {:>19} {:>14} {:>9}\n", "epsilon", "mechanism", "partitions",
                                 "side by stop, " + unit, "own map, " + unit, "noise 95%");
  Ticks last = 0;
  for (const PlanRow& row : r.plan.rows) {
    const std::string epsilon = row.epsilon == last ? "" : format_epsilon(row.epsilon);
    last = row.epsilon;
    if (row.simulated) {
      const Trial& t = *row.simulated;
      text +=
          fmt::format("{} {:<15} {:>10} {:>19} {:>14} {:>9}\n",
                      paper.paint(Tone::strong, fmt::format("{:<8}", epsilon)), row.mechanism, grouped(t.partitions),
                      joined(t.sides), t.map_sides.empty() ? "-" : joined(t.map_sides), brief(t.noise_95));
    }
    if (row.formula) {
      text += fmt::format("{:<8} {:<15} {:>10} {:>19} {:>14} {:>9}\n", row.simulated ? "" : epsilon,
                          row.simulated ? "  by formula" : row.mechanism,
                          grouped(static_cast<std::uint64_t>(row.formula->partitions + 0.5)), brief(row.formula->side),
                          "-", brief(row.formula->noise_95));
    } else if (!row.simulated) {
      text += fmt::format("{:<8} {:<15} {:>10}\n", epsilon, row.mechanism, "no formula: grows with the data");
    }
  }
  return text;
}

std::string errors_table(const PlanReport& r, const Paper& paper, const Sentences& say) {
  std::string sides, trips = fmt::format("{:<24}", "trips in such a query");
  for (int kind = 0; kind < 2; ++kind) {
    for (const double side : r.request.sides) sides += fmt::format("{:>9}", say.length(side));
  }
  const std::size_t width = 9 * r.request.sides.size();
  std::string text = fmt::format("{:<24}{:>{}}{:>{}}\n", "", "at one stop", width, "at all stops", width);
  text += fmt::format("{:<8} {:<15}{}\n", "epsilon", "mechanism", sides);
  bool first = true;
  Ticks last = 0;
  for (const PlanRow& row : r.plan.rows) {
    if (!row.simulated) continue;
    std::string cells, truths;
    for (const std::vector<SizeError>* errors : {&row.simulated->one_stop, &row.simulated->all_stops}) {
      for (const SizeError& e : *errors) {
        cells += fmt::format("{:>9}", percent(e.median_re));
        truths += fmt::format("{:>9}", brief(e.truth));
      }
    }
    if (first) text += trips + paper.paint(Tone::faint, truths) + "\n";
    first = false;
    text += fmt::format(
        "{} {:<15}{}\n",
        paper.paint(Tone::strong, fmt::format("{:<8}", row.epsilon == last ? "" : format_epsilon(row.epsilon))),
        row.mechanism, cells);
    last = row.epsilon;
  }
  return text;
}

// How many trips of one person to count. An arrow marks the least error.
std::string bounds_table(const PlanReport& r, const Paper& paper) {
  std::string text = fmt::format("{:<8}{:>8}{:>14}{:>20}{:>16}{:>12}\n", "epsilon", "K", "trips kept",
                                 "noise of a count", "answer wrong", "in all");
  Ticks last = 0;
  for (const BoundRow& row : r.plan.bounds) {
    text += fmt::format(
        "{}{:>8}{:>14}{:>20}{:>16}{:>12}{}\n",
        paper.paint(Tone::strong, fmt::format("{:<8}", row.epsilon == last ? "" : format_epsilon(row.epsilon))), row.k,
        percent(row.kept), brief(row.noise_scale), percent(row.answer_error), percent(row.error),
        row.recommended ? " <" : "");
    last = row.epsilon;
  }
  const std::string asked = r.plan.simulated_trips > 0 && !r.request.sides.empty()
                                ? fmt::format("half of the answers about squares of {} {} at all stops",
                                              brief(r.request.sides.back()), r.in_km ? "km" : "%")
                                : std::string("a count of one in a hundred of the trips");
  return text +
         wrapped(
             fmt::format(
                 "Trips kept: where after every trip of a person there is another with the same chance, {} trips on "
                 "average. "
                 "Noise: its scale K/epsilon. Answer: {}. In all: with the trips that are lost. The least is marked; "
                 "docs/guide/plan.md says what to make of it.",
                 number_text(r.request.people->trips_per_person), asked),
             80, 0) +
         "\n";
}

const PlanRow* automatic_row(const Plan& plan, Ticks epsilon) {
  for (const PlanRow& row : plan.rows) {
    if (row.epsilon == epsilon && row.mechanism == plan.automatic) return &row;
  }
  return nullptr;
}

}  // namespace

std::uint32_t PlanReport::k_for(Ticks epsilon) const {
  for (const PlanRow& row : plan.rows) {
    if (row.epsilon == epsilon) return row.k;
  }
  return request.k;
}

namespace {

std::string series_text(const PlanReport& r, const Paper& paper, const Sentences& say) {
  const PlannedSeries& series = *r.series;
  const std::string kind(to_string(series.kind));
  const std::int64_t year = periods_of_a_year(series.kind);
  std::string text =
      fmt::format("\n{}\n", paper.paint(Tone::strong, fmt::format("A series of {} {}s", series.periods, kind)));
  for (const Ticks epsilon : r.request.epsilons) {
    const std::string sum = format_epsilon(epsilon * static_cast<Ticks>(year));
    const std::string words =
        r.request.unit == Unit::trip
            ? fmt::format("A trip lies in one {}: all releases together tell at most {} about it.", kind,
                          format_epsilon(epsilon))
            : fmt::format(
                  "Each {0} tells at most {1} about a person. Who travels every {0} is protected at {2} over a "
                  "year.",
                  kind, format_epsilon(epsilon), sum);
    text += fmt::format("  {:<6} {}\n", format_epsilon(epsilon), wrapped(words, 80, 9));
  }
  if (series.plan.simulated_trips == 0 || r.request.sides.empty()) return text;
  const PlanReport whole{series.request, series.plan, r.in_km};
  return text +
         fmt::format("\n{}\n",
                     paper.paint(Tone::strong, fmt::format("One release of all {} {}s, for the same charge on each",
                                                           series.periods, kind))) +
         errors_table(whole, paper, say);
}

}  // namespace

std::string PlanReport::json() const {
  Json epsilons = Json::array();
  for (const Ticks epsilon : request.epsilons) {
    epsilons.push_back({{"epsilon", epsilon_number(epsilon)},
                        {"belief", rounded(belief_after(epsilon))},
                        {"sentence", belief_sentence(epsilon, request.unit)},
                        {"count_noise_95", rounded(count_noise_95(effective_epsilon(epsilon, k_for(epsilon))))}});
  }
  Json bounds = Json::array();
  for (const BoundRow& row : plan.bounds) {
    bounds.push_back({{"epsilon", epsilon_number(row.epsilon)},
                      {"k", row.k},
                      {"kept_share", rounded(row.kept)},
                      {"noise_scale", rounded(row.noise_scale)},
                      {"answer_error", rounded(row.answer_error)},
                      {"error", rounded(row.error)},
                      {"recommended", row.recommended}});
  }
  Json people = nullptr;
  if (request.people)
    people = {{"people", request.people->people},
              {"trips_per_person", rounded(request.people->trips_per_person)},
              {"spread", "geometric"}};
  Json whole = nullptr;
  if (series != nullptr) {
    whole = {{"periods", series->periods},
             {"period", to_string(series->kind)},
             {"one_release", {{"n", series->request.trips}, {"rows", json_of_plan(series->plan.rows)}}}};
    for (const Ticks epsilon : request.epsilons) {
      const Ticks year = epsilon * static_cast<Ticks>(periods_of_a_year(series->kind));
      whole["per_year"].push_back({{"epsilon", epsilon_number(epsilon)}, {"year", epsilon_number(year)}});
    }
  }
  const Json extent = {rounded(request.map.width), rounded(request.map.height)};
  return Json{{"n", request.trips},
              {"stops", request.stops},
              {"grid", {request.map.columns, request.map.rows}},
              {"extent", extent},
              {"length_unit", in_km ? "km" : "percent"},
              {"unit", to_string(request.unit)},
              {"k", request.choose_k ? Json(nullptr) : Json(request.k)},
              {"people", people},
              {"series", whole},
              {"bounds", bounds},
              {"automatic", plan.automatic},
              {"simulated_trips", plan.simulated_trips},
              {"simulation", simulation_rule(request, plan)},
              {"trials_made", plan.trials},
              {"privacy", epsilons},
              {"rows", json_of_plan(plan.rows)},
              {"one_more_stop", json_of_plan(plan.one_more_stop)},
              {"one_more_trip", json_of_plan(plan.one_more_trip)}}
      .dump(2);
}

std::string PlanReport::text(const Paper& paper) const {
  const Sentences say{*this};
  const auto title = [&](std::string_view words) { return "\n" + paper.paint(Tone::strong, words) + "\n"; };
  std::string text =
      paper.paint(Tone::strong, fmt::format("{} trips, {} stop{} each, {} x {} cells per "
                                            "stop",
                                            grouped(request.trips), request.stops, request.stops == 1 ? "" : "s",
                                            grouped(request.map.columns), grouped(request.map.rows)));
  if (in_km) {
    text += fmt::format("\n  {} x {} km; a cell is {} x {} m", brief(request.map.width), brief(request.map.height),
                        brief(1000 * request.map.width / request.map.columns),
                        brief(1000 * request.map.height / request.map.rows));
  }
  if (request.people) {
    text += fmt::format("\n  {} people with {} trips each on average", grouped(request.people->people),
                        number_text(request.people->trips_per_person));
  }
  if (series != nullptr) text += fmt::format("\n  in each {}", to_string(series->kind));
  const std::string in_one = series != nullptr ? fmt::format(" in one {},", to_string(series->kind)) : "";
  text +=
      fmt::format("\n  protected: {}\n",
                  request.unit == Unit::trip ? std::string("one trip")
                  : request.choose_k ? std::string("one person") + in_one + " with at most K trips, K as marked below"
                                     : fmt::format("one person{} with at most {} trips", in_one, request.k));
  if (request.people) text += title("How many trips of one person to count") + bounds_table(*this, paper);
  text += title("What epsilon promises");
  for (const Ticks epsilon : request.epsilons) {
    text += fmt::format("  {:<6} {}\n", format_epsilon(epsilon), wrapped(say.privacy(epsilon), 80, 9));
  }
  text += title("What a release would look like") + sizes_table(*this, paper);
  if (series != nullptr && plan.simulated_trips == 0) text += series_text(*this, paper, say);
  if (plan.simulated_trips == 0) return text + "\nNothing was simulated (`formulas`).";
  if (!request.sides.empty()) {
    text += title("How wrong half of the answers would be at most") + errors_table(*this, paper, say);
  }
  if (series != nullptr) text += series_text(*this, paper, say);
  text += title("What more would cost");
  for (std::size_t i = 0; i < request.epsilons.size(); ++i) {
    const PlanRow* now = automatic_row(plan, request.epsilons[i]);
    if (now == nullptr) continue;
    const std::string trip = request.unit == Unit::trip ? "protecting persons with 2 trips instead of single trips"
                                                        : fmt::format("{} trips per person", plan.one_more_trip[i].k);
    text += fmt::format("  {:<6} {}\n", format_epsilon(now->epsilon),
                        wrapped(say.more(trip, plan.one_more_trip[i], *now), 80, 9));
    if (i < plan.one_more_stop.size()) {
      text += fmt::format("  {:<6} {}\n", "", wrapped(say.more("one more stop", plan.one_more_stop[i], *now), 80, 9));
    }
  }
  text += "\n" + wrapped(simulation_rule(request, plan) +
                             " A side is that of the partition around a typical trip. A real city "
                             "differs: take the figures as good within a factor of two.",
                         80, 0);
  return text;
}

}  // namespace stopover
