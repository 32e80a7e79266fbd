#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/rows_flags.h"
#include "cli/terminal_observer.h"
#include "job/inspect_job.h"

namespace stopover {
namespace {

Status run_inspect(const FieldValues& values, const Session& session) {
  const Result<RowsSpec> rows = read_inspect(values);
  if (!rows) return rows.error();
  const Interrupt interrupt;
  Progress progress(session.terminal);
  const Result<Inspection> told = run_inspect(*rows, terminal_observer(session.terminal, progress, session.threads));
  progress.pause();
  if (!told) return told.error();
  session.terminal.print(session.terminal.json() ? told->json() : told->text(Face::command_line));
  return {};
}

}  // namespace

void add_inspect(Cli& cli) {
  const auto flags = std::make_shared<FieldValues>();
  CLI::App& app = cli.command({"inspect",
                               "look at rows before publishing them; spends nothing (private)",
                               {"stopover inspect trips.csv.gz",
                                "stopover inspect trips.csv.gz --trip trip_id --user user_id --seq seq\n--lng lon "
                                "--bbox -122.8,37.4,-122.0,38.0"},
                               "Run this first, then publish with the same column flags. Without a box: the columns, "
                               "their types, and the patterns of their first values "
                               "(99.9999, aa-999). With one: rows that "
                               "cannot be used and why, users and trips, trips per user, what a bound of K would keep, "
                               "trips by number of stops, stays. "
                               "True figures that were asked for: on stdout, each line marked private. The flags are "
                               "those of stopover cells; unit and "
                               "grid may be left out."},
                              [flags](const Session& session) { return run_inspect(*flags, session); });
  add_rows_flags(app, *flags);
}

}  // namespace stopover
