#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/grouped.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/rows_flags.h"
#include "cli/terminal_observer.h"
#include "job/publish_job.h"
#include "job/rehearsal_job.h"
#include "job/state_folder.h"

namespace stopover {
namespace {

std::string text_of(const Published& published, bool rows, const Terminal& terminal) {
  const PublishRequest& request = published.request;
  const PublishOutcome& outcome = published.outcome;
  const std::vector<std::string> releases = published.releases();
  const bool several = releases.size() > 1;
  // The same words for any data: whether trips were found must not show.
  const char* unchecked =
      request.expected || !rows ? "" : "\n  Not checked: whether trips lie in the box or zones (--dry-run does it).";
  return fmt::format(
      "Published. Protected: {}\n  {}: {} partition{}, epsilon {}, {}\n{}  {}: {} spent, {} left{}\n  Next: stopover "
      "info {}",
      published.who(), terminal.paint(Tone::strong, request.output), grouped(outcome.partitions),
      outcome.partitions == 1 ? "" : "s", format_epsilon(request.epsilon), published.mechanisms(),
      several ? fmt::format("  in {}\n", fmt::join(releases, ", ")) : "", request.ledger, format_epsilon(outcome.spent),
      format_epsilon(outcome.left), unchecked, releases[0]);
}

Status run_publish(const FieldValues& values, bool dry_run, const KeyByName& key_by_name, const Session& session) {
  const Terminal& terminal = session.terminal;
  const Result<PublishSpec> spec = read_publish(values);
  if (!spec) return spec.error();
  const Interrupt interrupt;
  Progress progress(terminal);
  const Observer observer = terminal_observer(terminal, progress, session.threads);
  if (dry_run) {
    const Result<DryRun> told = run_rehearsal(*spec, observer, key_by_name);
    progress.pause();
    if (!told) return told.error();
    terminal.print(terminal.json() ? told->json() : told->text(Face::command_line));
    return {};
  }
  const Result<Published> published = run_publish(*spec, observer, key_by_name);
  progress.pause();
  if (!published) return published.error();
  terminal.print(terminal.json() ? published->json()
                                 : text_of(*published, std::holds_alternative<RowsSpec>(spec->data), terminal));
  return {};
}

}  // namespace

void add_publish(Cli& cli, KeyByName key_by_name) {
  struct Given {
    FieldValues values;
    bool dry_run = false;
  };
  const auto o = std::make_shared<Given>();
  const bool lab = static_cast<bool>(key_by_name);
  CLI::App& app = cli.command(
      {"publish",
       "spend budget, write a release",
       {"stopover publish trips.csv.gz --trip trip_id --user user_id --seq seq\n"
        "--lng lon --bbox -122.8,37.4,-122.0,38.0 --grid 1000x1000\n"
        "--unit user --max-trips-per-user 4 --epsilon 0.5\n"
        "--ledger city.ledger --budget 2 -o city.odr",
        "stopover publish --matrix city3.parquet --shape 1000x1000x1000x1000\n"
        "--stops origin,destination --bbox -122.6,37.6,-122.3,37.9\n"
        "--epsilon 0.5 --unit user --max-trips-per-user 4\n"
        "--ledger city.ledger --budget 2 -o city.odr"},
       "Rows become cells as stopover cells makes them; a cells file holds its own domain, unit and bound. A bare "
       "matrix is a table of cell indices: columns a0, a1, ... and, if a row stands for several trips, count. Rows "
       "that do "
       "not fit are dropped and counted on stderr. Everything is checked before the budget is touched; from then on "
       "epsilon is "
       "spent, even if the release fails. --dry-run reads and tells you what would happen; --expect-trips 400000 keeps "
       "a wrong "
       "box or swapped columns from costing more than a hundredth of epsilon: N is what you know without the data."},
      [o, key_by_name = std::move(key_by_name)](const Session& session) {
        return run_publish(o->values, o->dry_run, key_by_name, session);
      });
  section(app, "Always needed");
  option(app, "--epsilon", o->values, "E", "what this release may cost, as in 0.1")->required();
  option(app, "--ledger", o->values, "FILE", "where these people's budget is kept")->required();
  option(app, "-o,--output", o->values, "NAME.odr", "the release to make")->required();
  option(app, "--budget", o->values, "E", "for a new ledger: all that may ever be spent");
  section(app, "Who is protected");
  option(app, "--unit", o->values, "UNIT", "user (a person) or trip; a bare matrix: trip unless said");
  option(app, "--max-trips-per-user", o->values, "K", "with --unit user: count at most K trips per person");
  section(app, "Before it costs anything");
  flag(app, "--dry-run", o->dry_run, "tell you alone what would be counted and spent; do nothing (private)");
  option(app, "--expect-trips", o->values, "N",
         "ask for a noisy total first, for epsilon/100; stop if it is clearly below N");
  flag(app, "--accept-total-only", o->values, "with --expect-trips: go on where one partition is all there can be");
  add_rows_flags(app, o->values, {.shared_with_matrix = true});
  section(app, "Tables between areas, asked of a grid");
  option(app, "--borders", o->values, "FILE",
         "public areas (GeoJSON or GeoParquet) whose edges the cuts follow: better answers between them");
  section(app, "Cells instead of rows");
  option(app, "--matrix", o->values, "FILE", "a cells file, or a bare matrix: .parquet, .csv or .csv.gz");
  option(app, "--shape", o->values, "WxW...", "bare matrix: cells of every axis, as in 32x32x32x32");
  section(app, "Rarely needed");
  option(app, "--mechanism", o->values, "NAME", "the method; leave it out for the best one (auto)");
  options(app, "--param", o->values, "NAME=VALUE", "a setting of the method; may be given several times", "params");
  flag(app, "--no-calibration", o->values, "do not learn intervals from the finished release (quicker)", "calibrate",
       false);
  option(app, "--note", o->values, "TEXT", "one line to keep in the ledger with this release");
  option(app, "--wait", o->values, "SECONDS", "how long to wait for a ledger that another process holds (0)");
  option(app, "--state", o->values, "FOLDER", std::string(kStateHelp));
  options(app, "--witness", o->values, "NAME.odr", "a release paid from this ledger; may be given several times",
          "witnesses");
  Flag key = option(app, "--test-key", o->values, "NAME", "a key that can be repeated: protects nobody");
  if (!lab) key->hidden();
}

}  // namespace stopover
