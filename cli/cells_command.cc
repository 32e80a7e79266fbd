#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/rows_flags.h"
#include "cli/terminal_observer.h"
#include "job/cells_job.h"

namespace stopover {
namespace {

struct CellsOptions {
  FieldValues values;
  bool explain = false;
};

Status run_cells(const CellsOptions& o, const Session& session) {
  const Terminal& terminal = session.terminal;
  const Result<CellsSpec> spec = read_cells(o.values);
  if (!spec) return spec.error();
  const Interrupt interrupt;
  Progress progress(terminal);
  const Observer observer = terminal_observer(terminal, progress, session.threads);
  if (o.explain) {
    const Result<std::string> sql = explain_cells(*spec, terminal.json(), observer);
    if (!sql) return sql.error();
    terminal.print(*sql);
    return {};
  }
  const Result<CellsMade> made = run_cells(*spec, observer);
  progress.pause();
  if (!made) return made.error();
  if (terminal.json()) {
    terminal.print(made->json());
  } else {
    const auto& k = made->unit.max_trips_per_user;
    terminal.print(fmt::format("{}: true counts on {}, {}\n  It is private. Next: stopover publish --matrix {} ...",
                               made->output, shapes_text(made->parts),
                               k ? fmt::format("at most {} trips per user", *k) : std::string("unit trip"),
                               made->output));
  }
  return {};
}

}  // namespace

void add_cells(Cli& cli) {
  const auto o = std::make_shared<CellsOptions>();
  CLI::App& app = cli.command(
      {"cells",
       "turn rows into counted cells (private); publish does this by itself",
       {"stopover cells trips.csv.gz -o cells.parquet --shape-of stops --trip trip_id\n"
        "--user user_id --seq seq --time timestamp --lat lat --lng lon --stops od\n"
        "--bbox -122.8,37.4,-122.0,38.0 --grid 1000x1000\n"
        "--unit user --max-trips-per-user 4",
        "stopover cells 'pings/*.parquet' -o cells.parquet --shape-of pings\n"
        "--stops frames --frames morning=05:00-10:00,evening=17:00-23:00\n"
        "--timezone America/New_York --bbox -74.3,40.5,-73.6,41.0\n"
        "--grid 1000x1000 --unit user --max-trips-per-user 7 --engine spark"},
       "Needed where Spark reads the rows, or where several releases are made of the same cells. The output holds true "
       "counts and is as private as the rows; publish --matrix takes it and holds to the domain, "
       "unit and "
       "bound written in it. Rows that make no sense are left out one by one; docs/guide/publish.md states the rules."},
      [o](const Session& session) { return run_cells(*o, session); });
  add_rows_flags(app, o->values);
  option(app, "-o,--output", o->values, "FILE", "cells.parquet");
  option(app, "--engine", o->values, "NAME", "duckdb (default) or spark");
  option(app, "--spark-master", o->values, "URL", "with --engine spark (local[*])");
  flag(app, "--explain-sql", o->explain, "print the steps as SQL (--json: and its source) and do nothing");
  flag(app, "--overwrite", o->values, "replace the output if it is there");
}

}  // namespace stopover
