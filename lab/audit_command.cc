#include "lab/audit_command.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "base/usage_error.h"
#include "cli/progress.h"
#include "eval/audit.h"
#include "job/parse_number.h"
#include "privacy/entropy.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

constexpr const char* kRanks = "ranks";  // rank histograms, as if they were a mechanism

struct AuditOptions {
  std::string mechanism, epsilon, k = "1", confidence = "0.9999", runs = "4000000", key;
  std::vector<std::string> params;
};

Result<AuditSpec> read_spec(const AuditOptions& o) {
  AuditSpec spec;
  const bool ranks = o.mechanism == kRanks;
  spec.mechanism = ranks ? nullptr : find_mechanism(o.mechanism);
  if (spec.mechanism == nullptr && !ranks) {
    return usage_error(
        fmt::format("there is no mechanism {}\n  Did you mean {}?", o.mechanism, nearest_mechanism(o.mechanism)));
  }
  std::vector<std::pair<std::string, std::string>> given;
  for (const std::string& text : o.params) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return usage_error(fmt::format("--param must be name=value, not \"{}\"", text));
    given.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (ranks && !given.empty()) return usage_error("--param is for mechanisms, and ranks are none");
  if (!ranks) {
    Result<Params> params = read_params(*spec.mechanism, given);
    if (!params) return params.error();
    spec.params = *std::move(params);
  }
  const Result<Ticks> epsilon = parse_epsilon(o.epsilon);
  if (!epsilon) return epsilon.error();
  spec.epsilon = *epsilon;
  const Result<std::uint64_t> k = parse_whole_number("max_trips_per_user", o.k, 1, 1'000'000);
  if (!k) return k.error();
  spec.k = static_cast<std::uint32_t>(*k);
  const Result<double> confidence = parse_decimal("confidence", o.confidence);
  if (!confidence) return confidence.error();
  if (!(*confidence >= 0.5 && *confidence <= 1 - 1e-12)) {
    return usage_error(fmt::format("--confidence must be at least 0.5 and below 1, not {}", o.confidence));
  }
  spec.confidence = *confidence;
  const Result<std::uint64_t> runs = parse_whole_number("runs", o.runs, 1000, 1'000'000'000);
  if (!runs) return runs.error();
  spec.most_runs = *runs;
  spec.key = o.key;
  if (o.key.empty()) {
    const Result<ReleaseKey> fresh = draw_release_key();
    if (!fresh) return fresh.error();
    for (std::uint8_t byte : fresh->bytes) spec.key += fmt::format("{:02x}", byte);
  }
  return spec;
}

Status run_audit(const AuditOptions& o, const Session& session) {
  const Result<AuditSpec> spec = read_spec(o);
  if (!spec) return spec.error();
  std::unique_ptr<tbb::global_control> limit;
  if (session.threads > 0) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, session.threads);
  }
  Progress progress(session.terminal);
  const AuditReport report = audit_mechanism(*spec, [&](const std::string& phase) { progress.phase(phase); });
  progress.pause();
  const std::string claim = format_epsilon(spec->epsilon);
  if (session.terminal.json()) {
    const nlohmann::ordered_json answer = {{"mechanism", o.mechanism},
                                           {"epsilon", static_cast<double>(spec->epsilon) / 1e9},
                                           {"lower_bound", rounded(report.lower_bound)},
                                           {"exact_worst", rounded(report.exact_worst)},
                                           {"confidence", spec->confidence},
                                           {"runs", report.runs},
                                           {"pairs", report.pairs},
                                           {"pass", report.pass()}};
    session.terminal.print(answer.dump(2));
  } else {
    session.terminal.print(fmt::format(
        "{}, epsilon {}: {}\n  epsilon is at least {:.4f} (confidence {}), the exact worst loss seen is {:.4f}\n"
        "  {} runs over {} pairs; the bound comes from: {}",
        o.mechanism, claim,
        session.terminal.paint(report.pass() ? Tone::good : Tone::bad, report.pass() ? "pass" : "FAIL"),
        report.lower_bound, spec->confidence, report.exact_worst, grouped(report.runs), report.pairs,
        report.best_pair));
  }
  if (report.violated) {
    return Error{
        Failure::check_failed,
        fmt::format(
            "{} claims epsilon {} and loses at least {:.4f}\n  Seen on: {}. With confidence {} this is no accident.",
            o.mechanism, claim, report.lower_bound, report.best_pair, spec->confidence)};
  }
  if (report.blind) {
    return Error{Failure::check_failed,
                 fmt::format("the audit was too short to see: it proves {:.4f} of a worst loss of {:.4f}\n"
                             "  It must see 85 % of it. Small epsilons need more runs: raise --runs (now {}).",
                             report.lower_bound, report.exact_worst, o.runs)};
  }
  return {};
}

}  // namespace

void add_audit(Cli& cli) {
  const auto o = std::make_shared<AuditOptions>();
  CLI::App& app = cli.command({"audit",
                               "try to catch a mechanism leaking more than it claims",
                               {"stopover audit --mechanism daf-homogeneity --epsilon 0.5"},
                               "Runs the mechanism many times on pairs of tiny data sets that differ by one unit, "
                               "looks for the event that tells "
                               "them apart best, and tests it on fresh runs. lower_bound is what the runs prove about "
                               "epsilon (Clopper-Pearson), "
                               "exact_worst the largest loss computed from the probabilities. Exit code 5 if the bound "
                               "exceeds the claim, or if "
                               "the audit was too short to see 85 % of exact_worst."},
                              [o](const Session& session) { return run_audit(*o, session); });
  option(app, "--mechanism", o->mechanism, "NAME", "one of `stopover mechanisms`, or ranks: rank histograms alone")
      ->required();
  option(app, "--epsilon", o->epsilon, "E", "the claim")->required();
  options(app, "--param", o->params, "NAME=VALUE", "of the mechanism; repeatable");
  option(app, "--max-trips-per-user", o->k, "K", "trips of the unit that is added; 1");
  option(app, "--confidence", o->confidence, "P", "that lower_bound holds; 0.9999");
  option(app, "--runs", o->runs, "N", "most runs a test and side; 4000000");
  option(app, "--test-key", o->key, "NAME", "repeat an audit; without it the randomness is fresh");
}

}  // namespace stopover
