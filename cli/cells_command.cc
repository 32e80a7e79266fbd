#include <fmt/format.h>

#include "cli/cells_job.h"
#include "cli/commands.h"
#include "cli/ingest_flags.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/spark_job.h"

namespace stopover {
namespace {

struct Options {
  IngestFlags ingest;
  std::string output, engine = "duckdb", master = "local[*]";
  bool overwrite = false, explain = false;
};

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

Status run(const Options& o, const Session& session) {
  const Terminal& terminal = session.terminal;
  if (o.engine != "duckdb" && o.engine != "spark") return usage(fmt::format("--engine must be duckdb or spark, not \"{}\"", o.engine));
  const auto engine = o.engine == "spark" ? SqlDialect::Engine::spark : SqlDialect::Engine::duckdb;
  if (!o.explain && o.output.empty()) return usage("-o is needed\n  As in -o cells.parquet");
  if (!o.explain && !o.output.ends_with(".parquet")) return usage(fmt::format("cells are Parquet: name the output .parquet, not {}", o.output));
  const Interrupt interrupt;
  Progress progress(terminal);
  progress.steps(engine == SqlDialect::Engine::spark ? 2 : 4);
  progress.phase("opening");
  Result<Ingest> in = open_ingest(o.ingest, session.threads, Interrupt::asked);
  if (!in) return in.error();
  if (o.explain) {
    const Result<std::string> sql = terminal.json() ? in->plan_json(engine) : in->plan_sql(engine);
    if (!sql) return sql.error();
    terminal.print(*sql);
    return {};
  }
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<Output> output = Output::begin(*files, o.output, o.overwrite);
  if (!output) return output.error();
  if (engine == SqlDialect::Engine::spark) {
    progress.phase("counting cells on Spark");
    const Result<PrivateFacts> facts = run_spark_job(*in, o.master, output->path());
    if (!facts) return facts.error();
    for (const std::string& line : fact_lines(*facts, false)) terminal.private_note(line);
  } else {
    if (Status s = run_cells(*in, output->path(), terminal_voice(terminal, progress, session.threads)); !s) return s;
  }
  if (Status s = Interrupt::check(); !s) return s;
  if (Status s = output->finish(); !s) return s;
  progress.pause();
  const auto& k = in->request().max_trips_per_user;
  if (terminal.json()) {
    terminal.print(cells_json(*in, o.output));
  } else {
    terminal.print(fmt::format("{}: true counts on {}, {}\n  It is private. Next: stopover publish --matrix {} ...", o.output,
                               shapes_text(in->parts()), k ? fmt::format("at most {} trips a user", *k) : std::string("unit trip"), o.output));
  }
  return {};
}

}  // namespace

void add_cells(Cli& cli) {
  const auto o = std::make_shared<Options>();
  CLI::App& app = cli.command(
      {"cells",
       "rows to bounded, counted cells (private), on DuckDB or Spark",
       {"stopover cells trips.csv.gz -o cells.parquet --shape-of stops --trip trip_id\n"
        "--user user_id --seq seq --time timestamp --lat lat --lng lon --stops od\n"
        "--bbox -122.8,37.4,-122.0,38.0 --grid 1000x1000\n"
        "--unit user --max-trips-per-user 4",
        "stopover cells 'pings/*.parquet' -o cells.parquet --shape-of pings\n"
        "--stops frames --frames morning=05:00-10:00,evening=17:00-23:00\n"
        "--timezone America/New_York --bbox -74.3,40.5,-73.6,41.0\n"
        "--grid 1000x1000 --unit user --max-trips-per-user 7 --engine spark"},
       "The output holds true counts and is as private as the rows; publish --matrix takes it and holds to the domain, unit and "
       "bound written in it. Rows that make no sense are left out one by one; docs/guide/publish.md states the rules."},
      [o](const Session& session) { return run(*o, session); });
  add_ingest_flags(app, o->ingest);
  option(app, "-o,--output", o->output, "FILE", "cells.parquet");
  option(app, "--engine", o->engine, "NAME", "duckdb (default) or spark");
  option(app, "--spark-master", o->master, "URL", "with --engine spark (local[*])");
  flag(app, "--explain-sql", o->explain, "print the plan as SQL (--json: and its source) and do nothing");
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
}

}  // namespace stopover
