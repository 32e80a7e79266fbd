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

std::string series_text(const Published& published, const Terminal& terminal) {
  const PublishRequest& request = published.request;
  const auto& periods = published.periods;
  const std::string kind(to_string(request.rule->kind));
  std::string text = fmt::format("Published. Protected: {}\n  {}: {} release{}, epsilon {} for each {}, {}\n",
                                 published.who(), terminal.paint(Tone::strong, request.output),
                                 published.releases().size(), published.releases().size() == 1 ? "" : "s",
                                 format_epsilon(request.epsilon), kind, published.mechanisms());
  for (const PublishedPeriod& period : periods) {
    text += fmt::format("  {:<12}{:>12} partition{}\n", period.name, grouped(period.outcome.partitions),
                        period.outcome.partitions == 1 ? "" : "s");
  }
  return text + fmt::format("  What may be spent when: stopover ledger {} --calendar\n  Next: stopover info {}",
                            request.ledger, published.releases()[0]);
}

std::string text_of(const Published& published, bool rows, const Terminal& terminal) {
  if (!published.periods.empty()) return series_text(published, terminal);
  const PublishRequest& request = published.request;
  const PublishOutcome& outcome = published.outcome;
  const std::vector<std::string> releases = published.releases();
  const bool several = releases.size() > 1;
  // The same words for any data: whether trips were found must not show.
  const char* unchecked =
      request.expected || !rows ? "" : "\n  Not checked: whether trips lie in the box or zones (--dry-run does it).";
  const std::string account =
      request.at ? fmt::format("of {}, the {} with least left has {} spent, {} left\n  What may be spent when: "
                               "stopover ledger {} --calendar",
                               request.at->name(), to_string(request.rule->kind), format_epsilon(outcome.spent),
                               format_epsilon(outcome.left), request.ledger)
                 : fmt::format("{} spent, {} left", format_epsilon(outcome.spent), format_epsilon(outcome.left));
  return fmt::format(
      "Published. Protected: {}\n  {}: {} partition{}, epsilon {}, {}\n{}  {}: {}{}\n  Next: stopover info {}",
      published.who(), terminal.paint(Tone::strong, request.output), grouped(outcome.partitions),
      outcome.partitions == 1 ? "" : "s", format_epsilon(request.epsilon), published.mechanisms(),
      (several ? fmt::format("  in {}\n", fmt::join(releases, ", ")) : "") +
          (published.signed_by.empty() ? "" : fmt::format("  signed with key {}\n", published.signed_by)),
      request.ledger, account, unchecked, releases[0]);
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
  option(app, "--unit", o->values, "UNIT",
         "user (a person), trip, or of a series user-day, user-week, user-month; a bare matrix: trip unless said");
  option(app, "--max-trips-per-user", o->values, "K",
         "with --unit user: count at most K trips per person (and period)");
  section(app, "Before it costs anything");
  flag(app, "--dry-run", o->dry_run, "tell you alone what would be counted and spent; do nothing (private)");
  option(app, "--expect-trips", o->values, "N",
         "ask for a noisy total first, for epsilon/100; stop if it is clearly below N");
  flag(app, "--accept-total-only", o->values, "with --expect-trips: go on where one partition is all there can be");
  section(app, "A series: a release for each period");
  option(app, "--period", o->values, "KIND[:FIRST..LAST]",
         "day, week, month or quarter by --time: month:2019-01..2019-12; -o is then a folder");
  option(app, "--day-type", o->values, "NAMES",
         "of each period a release for each, at one price: weekday,weekend or weekday,saturday,sunday");
  flag(app, "--append", o->values, "go on with the series in that folder; what is published stays as it is");
  flag(app, "--independent", o->values,
       "each release by itself; else one of a grid (anchor) leans on those of earlier periods, at no cost");
  option(app, "--budget-per-period", o->values, "E", "for a new ledger: all that may be spent on one period");
  option(app, "--budget-per-year", o->values, "E", "for a new ledger: all that any year of periods may come to");
  flag(app, "--one-release", o->values, "one release of all these periods, charged to each of them");
  add_rows_flags(app, o->values, {.shared_with_matrix = true});
  section(app, "Tables between areas, asked of a grid");
  option(app, "--borders", o->values, "FILE",
         "public areas (GeoJSON or GeoParquet) whose edges the cuts follow: better answers between them");
  section(app, "What is known already");
  option(
      app, "--prior", o->values, "FILE",
      "a public table of flows (o_lat, o_lng, d_lat, d_lng, weight) that a release of a grid may lean on, at no cost");
  section(app, "Cells instead of rows");
  option(app, "--matrix", o->values, "FILE",
         "a cells file, or a bare matrix: .parquet, .csv or .csv.gz; 'cells/*.parquet' for several");
  option(app, "--shape", o->values, "WxW...", "bare matrix: cells of every axis, as in 32x32x32x32");
  section(app, "More trips than memory");
  option(app, "--counts-from", o->values, "WHERE",
         "auto, memory, stream (Parquet, read once a pass) or spark; the release is the same");
  option(app, "--engine", o->values, "NAME",
         "who makes cells of rows: duckdb (default), or spark, which counts them too");
  option(app, "--spark-master", o->values, "URL", "with Spark (local[*]); its machines see the same paths");
  option(app, "--temp-folder", o->values, "DIR", "where what does not fit is kept, privately (TMPDIR)");
  section(app, "What the release says it is (declared, public)");
  option(app, "--title", o->values, "TEXT", "in a line");
  option(app, "--about", o->values, "TEXT", "in some sentences");
  option(app, "--covers", o->values, "TEXT", "which time and place");
  option(app, "--credit", o->values, "TEXT", "whose trips, who is to be named");
  option(app, "--licence", o->values, "TEXT", "under which it may be used, as CC-BY-4.0");
  option(app, "--contact", o->values, "TEXT", "whom to ask");
  section(app, "Rarely needed");
  option(app, "--mechanism", o->values, "NAME", "the method; leave it out for the best one (auto)");
  options(app, "--param", o->values, "NAME=VALUE", "a setting of the method; may be given several times", "params");
  flag(app, "--no-calibration", o->values, "no likely intervals: neither probes nor learning (quicker)", "calibrate",
       false);
  option(app, "--probe-share", o->values, "P",
         "the part of epsilon that buys evidence for intervals, where there are two stops or more (0.05)");
  option(app, "--sign", o->values, "NAME.key", "sign the release with this secret key (stopover key)");
  option(app, "--note", o->values, "TEXT", "one line to keep in the ledger with this release");
  option(app, "--wait", o->values, "SECONDS", "how long to wait for a ledger that another process holds (0)");
  option(app, "--state", o->values, "FOLDER", std::string(kStateHelp));
  options(app, "--witness", o->values, "NAME.odr", "a release paid from this ledger; may be given several times",
          "witnesses");
  Flag key = option(app, "--test-key", o->values, "NAME", "a key that can be repeated: protects nobody");
  if (!lab) key->hidden();
}

}  // namespace stopover
