#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/ingest_flags.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

namespace stopover {
namespace {

Status run(const IngestFlags& flags, const Session& session) {
  const Interrupt interrupt;
  Progress progress(session.terminal);
  progress.steps(2);
  progress.phase("reading");
  Result<Ingest> in = open_ingest(flags, session.threads, Interrupt::asked);
  if (!in) return in.error();
  const Result<PrivateFacts> rows = in->row_facts();
  if (!rows) return rows.error();
  if (Status s = Interrupt::check(); !s) return s;
  progress.phase("finding trips");
  const Result<PrivateFacts> trips = in->trip_facts();
  progress.pause();
  if (!trips) return trips.error();
  if (in->source().knows_columns()) {
    std::string columns = "columns:";
    for (const std::string& column : in->source().columns()) columns += fmt::format(" {} {},", column, in->source().types().at(column));
    columns.pop_back();
    session.terminal.private_note(wrapped(columns, 80, 9));
  }
  for (const PrivateFacts* facts : {&*rows, &*trips}) {
    for (const std::string& line : fact_lines(*facts, true)) session.terminal.private_note(line);
  }
  session.terminal.note("nothing was spent or written; these figures are not for publication");
  return {};
}

}  // namespace

void add_inspect(Cli& cli) {
  const auto flags = std::make_shared<IngestFlags>();
  CLI::App& app = cli.command(
      {"inspect",
       "what is in these rows? for the curator's eyes, spends nothing",
       {"stopover inspect trips.csv.gz --trip trip_id --user user_id --seq seq\n--lng lon --bbox -122.8,37.4,-122.0,38.0 --grid 1000x1000\n"
        "--unit user --max-trips-per-user 4"},
       "Counts of rows, of those that cannot be used and why, of users and trips: true figures, on stderr, each line marked "
       "private. The flags are those of stopover cells."},
      [flags](const Session& session) { return run(*flags, session); });
  add_ingest_flags(app, *flags);
}

}  // namespace stopover
