#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/publish_job.h"
#include "cli/rehearsal_job.h"
#include "cli/state_folder.h"

namespace stopover {
namespace {

std::string text_of(const Published& published, const Terminal& terminal) {
  const PublishRequest& request = published.request;
  const PublishOutcome& outcome = published.outcome;
  const std::vector<std::string> releases = published.releases();
  const bool several = !published.parts.empty();
  return fmt::format("Published. Protected: {}\n  {}: {} partition{}, epsilon {}, {}\n{}  {}: {} spent, {} left\n  Next: stopover info {}",
                     published.who(), terminal.paint(Tone::strong, request.output), grouped(outcome.partitions),
                     outcome.partitions == 1 ? "" : "s", format_epsilon(request.epsilon), published.mechanisms(),
                     several ? fmt::format("  in {}\n", fmt::join(releases, ", ")) : "", request.ledger,
                     format_epsilon(outcome.spent), format_epsilon(outcome.left), releases[0]);
}

Status run(const PublishFlags& flags, const KeyByName& key_by_name, const Session& session) {
  const Terminal& terminal = session.terminal;
  const Interrupt interrupt;
  Progress progress(terminal);
  const Voice voice = terminal_voice(terminal, progress, session.threads);
  if (flags.dry_run) {
    const Result<DryRun> told = run_rehearsal(flags, key_by_name, voice);
    progress.pause();
    if (!told) return told.error();
    terminal.print(terminal.json() ? told->json() : told->text());
    return {};
  }
  const Result<Published> published = run_publish(flags, key_by_name, voice);
  progress.pause();
  if (!published) return published.error();
  terminal.print(terminal.json() ? published->json() : text_of(*published, terminal));
  return {};
}

}  // namespace

void add_publish(Cli& cli, KeyByName key_by_name) {
  const auto o = std::make_shared<PublishFlags>();
  const bool lab = static_cast<bool>(key_by_name);
  CLI::App& app = cli.command(
      {"publish",
       "spend budget, write a release",
       {"stopover publish --matrix g4.parquet --shape 32x32x32x32 --epsilon 0.1\n"
        "--mechanism daf-entropy --ledger g4.ledger --budget 1 -o g4.odr",
        "stopover publish --matrix city3.parquet --shape 1000x1000x1000x1000\n"
        "--stops origin,destination --bbox -122.6,37.6,-122.3,37.9\n"
        "--epsilon 0.5 --unit user --max-trips-per-user 4\n"
        "--ledger city.ledger --budget 2 -o city.odr",
        "stopover publish trips.csv.gz --trip trip_id --user user_id --seq seq\n"
        "--lng lon --bbox -122.8,37.4,-122.0,38.0 --grid 1000x1000\n"
        "--unit user --max-trips-per-user 4 --epsilon 0.5\n"
        "--ledger city.ledger --budget 2 -o city.odr"},
       "Rows become cells as stopover cells makes them; a cells file holds its own domain, unit and bound. A bare matrix is a table of cell indices: columns a0, a1, ... and, if a row stands for several trips, count. Rows that do "
       "not fit are dropped and counted on stderr. Everything is checked before the budget is touched; from then on epsilon is "
       "spent, even if the release fails. --dry-run reads and tells you what would happen; --expect-trips 400000 keeps a wrong "
       "box or swapped columns from costing more than a hundredth of epsilon: N is what you know without the data."},
      [o, key_by_name = std::move(key_by_name)](const Session& session) { return run(*o, key_by_name, session); });
  option(app, "--matrix", o->matrix, "FILE", "cells instead of rows: .parquet, .csv or .csv.gz");
  option(app, "--shape", o->domain.shape, "WxW...", "cells of every axis, as in 32x32x32x32");
  option(app, "--epsilon", o->epsilon, "E", "what this release may cost, as in 0.1")->required();
  option(app, "-o,--output", o->output, "NAME.odr", "the release to make")->required();
  option(app, "--ledger", o->ledger, "FILE", "where these people's budget is kept")->required();
  option(app, "--budget", o->budget, "E", "all that may ever be spent; for a new ledger");
  option(app, "--note", o->note, "TEXT", "one line to keep in the ledger with this release");
  option(app, "--wait", o->wait, "SECONDS", "how long to wait for a ledger that another process holds (0)");
  option(app, "--state", o->state, "FOLDER", std::string(kStateHelp));
  option(app, "--mechanism", o->mechanism, "NAME", "how; default auto: multigrid for one stop, anchor for more");
  options(app, "--param", o->params, "NAME=VALUE", "of the mechanism; repeatable");
  flag(app, "--dry-run", o->dry_run, "tell you alone what would be counted and spent; do nothing (private)");
  option(app, "--expect-trips", o->expect_trips, "N", "ask for a noisy total first, for epsilon/100; stop if it is clearly below N");
  flag(app, "--accept-total-only", o->accept_total_only, "with --expect-trips: go on where one partition is all there can be");
  flag(app, "--no-calibration", o->no_calibration, "do not learn intervals from the finished release (quicker)");
  option(app, "--unit", o->rows.unit, "UNIT", "who is protected: user or trip (default of a bare matrix)");
  option(app, "--max-trips-per-user", o->rows.most_trips, "K", "with --unit user: so many of a user's trips are kept");
  option(app, "--stops", o->domain.stops, "A,B,...", "rows: od (default), od+N, first-mid-last, frames, first, last, or counts of stops, a part each (2,3); bare matrix: names of the stops");
  option(app, "--bbox", o->domain.bbox, "W,S,E,N", "the declared bounding box of every stop");
  options(app, "--witness", o->witnesses, "NAME.odr", "a release paid from this ledger; repeatable");
  add_ingest_flags(app, o->rows, {.shared_with_matrix = true});
  Flag key = option(app, "--test-key", o->named_key, "NAME", "a key that can be repeated: protects nobody");
  if (!lab) key->hidden();
}

}  // namespace stopover
