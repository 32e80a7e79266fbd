#include "lab/attack_command.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "disk/write_file.h"
#include "eval/attack_page.h"
#include "eval/printed_selection.h"
#include "ingest/matrix_reader.h"
#include "job/parse_number.h"
#include "release_io/release_io.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

// As the audit's tests have it: p candidates of which the first is somewhat better, a claim of 0.1.
constexpr double kPrintedEpsilon = 0.1, kPrintedMiddle = 3.5;
constexpr std::size_t kPrintedCandidates = 10;
constexpr std::uint64_t kPrintedRuns = 40'000;

struct AttackOptions {
  std::string release, matrix, runs = "50", links = "2000", key = "attack", output;
};

nlohmann::ordered_json json_of(const AttackReport& report, const AttackPageFacts& facts) {
  nlohmann::ordered_json people = nlohmann::ordered_json::array();
  for (const Membership& m : report.people) {
    people.push_back({{"who", m.who},
                      {"runs", m.runs},
                      {"right", m.right},
                      {"success", rounded(m.success)},
                      {"surest", rounded(m.surest)}});
  }
  const Linking& l = report.linking;
  return {{"mechanism", report.mechanism},
          {"epsilon", static_cast<double>(report.epsilon) / 1e9},
          {"bound", rounded(report.bound)},
          {"within", report.within()},
          {"people", std::move(people)},
          {"linking",
           {{"asked", l.asked},
            {"published", rounded(l.published)},
            {"withheld", rounded(l.withheld)},
            {"doubt", rounded(l.doubt)},
            {"without_noise", rounded(l.without_noise)}}},
          {"printed_selection", {{"epsilon", facts.printed_epsilon}, {"success", rounded(facts.printed_rate)}}}};
}

std::string text_of(const AttackReport& report, const AttackPageFacts& facts) {
  std::string text = fmt::format("{}, {}, epsilon {}: right at most {:.1f} % of the time, by the promise\n",
                                 facts.release, report.mechanism, format_epsilon(report.epsilon), 100 * report.bound);
  text += "is somebody in it?    right of runs  how sure  surest\n";
  for (const Membership& m : report.people) {
    text += fmt::format("  {:<20}{:>5} of {:>4} {:>8.1f} %{:>6.1f} %\n", m.who, m.right, m.runs, 100 * m.success,
                        100 * m.surest);
  }
  if (const Linking& l = report.linking; l.asked > 0) {
    text += fmt::format(
        "where did somebody go on to?\n  published trips {:.1f} %, others {:.1f} % (difference {:+.1f}, give or take "
        "{:.1f})\n  without noise {:.1f} %\n",
        100 * l.published, 100 * l.withheld, 100 * (l.published - l.withheld), 100 * l.doubt, 100 * l.without_noise);
  }
  text += fmt::format("the paper's selection as printed, claim {}: {:.1f} % right, allowed {:.1f} %",
                      facts.printed_epsilon, 100 * facts.printed_rate, 100 / (1 + std::exp(-facts.printed_epsilon)));
  return text;
}

// Those of the mechanism: a release tells there, too, of which period it is.
std::vector<std::pair<std::string, std::string>> params_of(const Mechanism& mechanism, const Release& release) {
  std::vector<std::pair<std::string, std::string>> own;
  for (const auto& param : release.params) {
    const auto is = [&](const ParamSpec& known) { return known.name == param.first; };
    if (std::any_of(mechanism.params.begin(), mechanism.params.end(), is)) own.push_back(param);
  }
  return own;
}

Status run_attack(const AttackOptions& o, const Session& session) {
  if (!o.output.empty() && std::filesystem::exists(o.output))
    return Error{Failure::output_exists, fmt::format("{} exists\n  Remove it or write elsewhere.", o.output)};
  const Result<Release> release = read_release(o.release, session.threads);
  if (!release) return release.error();
  AttackSpec spec;
  spec.mechanism = find_mechanism(release->mechanism);
  if (spec.mechanism == nullptr)
    return Error{Failure::bad_input,
                 fmt::format("{} was made by {}, which this version does not have", o.release, release->mechanism)};
  Result<Params> params = read_params(*spec.mechanism, params_of(*spec.mechanism, *release));
  if (!params) return params.error();
  spec.params = *std::move(params);
  spec.epsilon = release->epsilon;
  spec.unit = release->unit;
  spec.k = release->k;
  spec.key = o.key;
  const Result<std::uint64_t> runs = parse_whole_number("runs", o.runs, 2, 1'000'000);
  if (!runs) return runs.error();
  spec.runs = *runs;
  const Result<std::uint64_t> links = parse_whole_number("links", o.links, 10, 10'000'000);
  if (!links) return links.error();
  spec.links = *links;
  const Interrupt interrupt;
  const Result<MatrixRead> read = read_matrix(o.matrix, release->domain, {session.threads, Interrupt::asked});
  if (!read) return read.error();
  std::unique_ptr<tbb::global_control> limit;
  if (session.threads > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, session.threads);
  Progress progress(session.terminal);
  const Result<AttackReport> report =
      attack(read->matrix, spec, [&](const std::string& phase) { progress.phase(phase); }, Interrupt::asked);
  progress.pause();
  if (!report) return report.error();
  AttackPageFacts facts{std::filesystem::path(o.release).filename().string(), 0, kPrintedEpsilon};
  facts.printed_rate = guess_rate(
      printed_selection(printed_scale(kPrintedEpsilon, kPrintedCandidates), kPrintedCandidates, kPrintedMiddle),
      kPrintedRuns);
  if (!o.output.empty()) {
    if (Status s = write_file(o.output, attack_html(*report, facts), Readers::owner); !s) return s;
  }
  session.terminal.print(session.terminal.json() ? json_of(*report, facts).dump(2) : text_of(*report, facts));
  session.terminal.note(
      "These figures come from the trips themselves: keep them as private, unless the trips are synthetic or public.");
  if (!report->within())
    return Error{Failure::check_failed, fmt::format("a guess was surer than epsilon {} allows\n  The promise of {} is "
                                                    "broken: tell its makers.",
                                                    format_epsilon(report->epsilon), report->mechanism)};
  return {};
}

}  // namespace

void add_attack(Cli& cli) {
  const auto o = std::make_shared<AttackOptions>();
  CLI::App& app = cli.command(
      {"attack",
       "what the strongest attacker learns from releases like this one (curator only)",
       {"stopover-lab attack city.odr --matrix city.parquet -o attack.html"},
       "Makes releases as this one was made, with and without a person, and has an attacker guess which "
       "it was who knows all other trips and the exact likelihoods: the promise says how often such a guess "
       "may be right. Then, with half of the trips published: does the release help more with those than "
       "with the others? Exit code 5 if a guess is surer than epsilon allows."},
      [o](const Session& session) { return run_attack(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr: mechanism, epsilon and domain are taken from it")
      ->required();
  option(app, "--matrix", o->matrix, "FILE", "the trips: .parquet, .csv or .csv.gz")->required();
  option(app, "--runs", o->runs, "N", "releases per person; 50");
  option(app, "--links", o->links, "N", "trips to be linked, of either half; 2000");
  option(app, "--test-key", o->key, "NAME", "names the randomness; attack");
  option(app, "-o,--output", o->output, "FILE", "a page for a board, .html");
}

}  // namespace stopover
