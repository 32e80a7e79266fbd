#include "base/field_words.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/terminal_observer.h"
#include "job/plan_job.h"
#include "job/plan_report.h"

namespace stopover {
namespace {

Status run_plan(const FieldValues& values, const Session& session) {
  const Result<PlanSpec> spec = read_plan(values);
  if (!spec) return spec.error();
  const Interrupt interrupt;
  Progress progress(session.terminal);
  const Result<Planned> planned = run_plan(*spec, terminal_observer(session.terminal, progress, session.threads));
  progress.pause();
  if (!planned) return planned.error();
  const PlanReport report = planned->report();
  session.terminal.print(
      session.terminal.json() ? report.json() : in_words_of(Face::command_line, report.text(session.terminal.paper())));
  return {};
}

}  // namespace

void add_plan(Cli& cli) {
  const auto o = std::make_shared<FieldValues>();
  CLI::App& app = cli.command(
      {"plan",
       "what would a release be good for? reads no data, spends nothing",
       {"stopover plan --n 400000 --stops 2 --grid 1000x1000 --extent-km 70\n--epsilon 0.1,0.5,1 --unit trip",
        "stopover plan --n 1000000 --stops 3 --bbox -122.6,37.6,-122.3,37.9\n--unit user --max-trips-per-user 4 --json",
        "stopover plan --people 100000 --trips-per-person 3 --extent-km 70",
        "stopover plan --n 20000 --series 12 --period month --unit user-month\n--max-trips-per-user 4 "
        "--budget-per-year 6",
        "stopover plan --n 50000 --mechanism eug,ebp --formulas"},
       "Everything follows from the numbers given here, which must be public. Figures come from formulas where a "
       "mechanism "
       "has one, and from releases of a synthetic city of that size (at most 200,000 of its trips; more are stood in "
       "for by a "
       "larger epsilon). Those are kept in the user's cache folder, so that the same forecast is quick the second "
       "time. Queries "
       "are squares around the stops of a trip drawn at random: at one stop, or at all of them. With --people, a table "
       "says how "
       "wrong answers would be for each bound K of trips per person; docs/guide/plan.md explains it."},
      [o](const Session& session) { return run_plan(*o, session); });
  option(app, "--n", *o, "N", "trips expected: a public guess, not a count of the data");
  option(app, "--people", *o, "P", "instead of --n: people expected, also a public guess");
  option(app, "--trips-per-person", *o, "T", "with --people: on average; then several K are compared");
  option(app, "--stops", *o, "S", "stops of a trip, 1 to 6 (2)");
  option(app, "--grid", *o, "WxH", "cells of a stop's map (1000x1000)");
  option(app, "--extent-km", *o, "KM", "sides of the map: 70 or 70x50; without, lengths are in % of it");
  option(app, "--bbox", *o, "W,S,E,N", "the map in degrees, instead of --extent-km");
  option(app, "--epsilon", *o, "E,...", "one or several (0.1,0.5,1)");
  option(app, "--unit", *o, "UNIT", "trip (default) or user; of a series also user-month and the like");
  option(app, "--max-trips-per-user", *o, "K", "with --unit user");
  option(app, "--mechanism", *o, "M,...", "auto,daf-entropy,eug by default");
  option(app, "--query-side", *o, "KM,...", "sides of query squares, at most 3 (1/50, 1/20 and 1/10 of the map)");
  option(app, "--series", *o, "N", "so many periods, a release for each; --n is then what one period has");
  option(app, "--period", *o, "KIND", "with --series: day, week, month or quarter");
  option(app, "--budget-per-year", *o, "E", "with --series, instead of --epsilon: shared by the periods of a year");
  flag(app, "--formulas", *o, "no simulation");
  flag(app, "--refresh", *o, "simulate again what the cache has");
  option(app, "--seed", *o, "N", "which of the synthetic cities (1)");
}

}  // namespace stopover
