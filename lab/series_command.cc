#include "lab/series_command.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "base/split.h"
#include "eval/error.h"
#include "eval/workload.h"
#include "ingest/matrix_reader.h"
#include "job/domain_spec.h"
#include "job/parse_number.h"
#include "job/publish_prior.h"
#include "mechanism/history.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

struct SeriesOptions {
  std::vector<std::string> matrices;
  std::string epsilons = "0.1,0.5,1", workloads = "random,dcov1,dcov5,dcov10,busy", queries = "300", reps = "2",
              seed = "1", at = "1,2,3,6,12", prior, history_epsilon;
  FieldValues domain;
};

Release publish_once(const Matrix& matrix, Ticks epsilon, const std::string& key,
                     std::shared_ptr<const History> history) {
  const Mechanism* anchor = find_mechanism("anchor");
  Params params = *read_params(*anchor, {});
  if (history) params.set_history(std::move(history));
  StreamDice dice(test_key(key));
  Kernel kernel(matrix, dice, epsilon, 1);
  return run_mechanism(*anchor, params, kernel, Unit::trip);
}

ErrorSummary measure(const PastRelease& release, const Workload& workload, std::uint64_t trips) {
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < workload.boxes.size(); ++i) {
    const double estimate = release.share(workload.boxes[i]) * release.total();
    outcomes.push_back({static_cast<double>(workload.truth[i]), estimate, estimate, estimate});
  }
  return summarise(outcomes, trips, 0.95);
}

Status run_series(const SeriesOptions& o, const Session& session) {
  Result<Domain> domain = declared_domain(o.domain);
  if (!domain) return domain.error();
  std::vector<Matrix> matrices;
  std::vector<RangeCounter> truths;
  for (const std::string& path : o.matrices) {
    Result<MatrixRead> read = read_matrix(path, *domain, {session.threads});
    if (!read) return read.error();
    matrices.push_back(std::move(read->matrix));
  }
  for (const Matrix& matrix : matrices) truths.emplace_back(matrix);
  std::set<std::size_t> at;
  for (const std::string& text : stopover::split(o.at, ',')) at.insert(std::stoul(text));
  const std::size_t queries = std::stoul(o.queries), seed = std::stoul(o.seed);
  std::vector<std::vector<Workload>> workloads(matrices.size());
  for (std::size_t t = 0; t < matrices.size(); ++t) {
    if (!at.contains(t + 1)) continue;
    for (const std::string& text : stopover::split(o.workloads, ',')) {
      Result<WorkloadKind> kind = parse_workload(text);
      if (!kind) return kind.error();
      workloads[t].push_back(draw_workload(*kind, matrices[t], truths[t], queries, seed + t));
    }
  }
  std::shared_ptr<const PastRelease> prior;
  if (!o.prior.empty()) {
    Result<PublishPrior> read = read_prior(o.prior, *domain, {});
    if (!read) return read.error();
    prior = std::move(read->past);
  }
  std::optional<Result<Ticks>> clear;
  if (!o.history_epsilon.empty()) clear = parse_epsilon(o.history_epsilon);
  if (clear && !*clear) return clear->error();
  fmt::print("epsilon,rep,t,workload,arm,bounded_re,mre,mean_absolute,rows\n");
  for (const std::string& text : stopover::split(o.epsilons, ',')) {
    const Result<Ticks> epsilon = parse_epsilon(text);
    if (!epsilon) return epsilon.error();
    for (std::size_t rep = 0; rep < std::stoul(o.reps); ++rep) {
      std::vector<std::shared_ptr<const PastRelease>> before;
      for (std::size_t t = 0; t < matrices.size(); ++t) {
        const std::string key = fmt::format("series {} {} {} {}", seed, text, rep, t);
        const auto tell = [&](const char* arm, const Release& release, const PastRelease& made) {
          for (const Workload& workload : workloads[t]) {
            const ErrorSummary e = measure(made, workload, truths[t].total());
            fmt::print("{},{},{},{},{},{:.5g},{:.5g},{:.5g},{}\n", text, rep, t + 1, workload.name, arm, e.bounded_re,
                       e.mre, e.mean_absolute, release.tables[0].rows());
          }
          std::fflush(stdout);
        };
        if (at.contains(t + 1)) {
          const Release alone = publish_once(matrices[t], *epsilon, key, nullptr);
          tell("alone", alone, PastRelease(alone));
        }
        auto history = std::make_shared<History>();
        if (prior && before.size() < History::kMost) history->past.push_back(prior);
        history->past.insert(history->past.end(), before.begin(), before.end());
        const Release release = publish_once(matrices[t], *epsilon, key, history->past.empty() ? nullptr : history);
        const auto made = std::make_shared<const PastRelease>(release);
        if (at.contains(t + 1)) tell("history", release, *made);
        before.push_back(clear ? std::make_shared<const PastRelease>(publish_once(matrices[t], **clear, key, nullptr))
                               : made);
        if (before.size() > History::kMost) before.erase(before.begin());
      }
    }
  }
  return {};
}

}  // namespace

void add_series(Cli& cli) {
  const auto o = std::make_shared<SeriesOptions>();
  CLI::App& app = cli.command(
      {"series",
       "what do releases gain from those before them? (curator only)",
       {"stopover-lab series --matrix jan.csv --matrix feb.csv --shape 1000x1000x1000x1000\n"
        "--stops origin,destination --epsilons 0.5 --at 2"},
       "Publishes every period twice by anchor with the same key, leaning on the releases before it and by itself, and "
       "prints the errors of both, as CSV. What it prints is made from true counts: it is for the curator alone."},
      [o](const Session& session) { return run_series(*o, session); });
  options(app, "--matrix", o->matrices, "FILE", "the trips of one period, the first one first; repeatable");
  option(app, "--prior", o->prior, "FILE", "a public table of flows that the first ones lean on, as publish takes it");
  option(app, "--shape", o->domain, "WxW...", "cells of every axis, as in 32x32x32x32");
  option(app, "--stops", o->domain, "NAMES", "the axes in equal groups, as in origin,destination");
  option(app, "--epsilons", o->epsilons, "LIST", "(0.1,0.5,1)");
  option(app, "--workloads", o->workloads, "LIST", "(random,dcov1,dcov5,dcov10,busy)");
  option(app, "--queries", o->queries, "N", "boxes a workload (300)");
  option(app, "--reps", o->reps, "N", "series of each kind (2)");
  option(app, "--seed", o->seed, "N", "of the keys and the boxes (1)");
  option(app, "--history-epsilon", o->history_epsilon, "E",
         "of the releases that others lean on, which then stand alone: what a better history would be worth");
  option(app, "--at", o->at, "LIST", "the periods that are measured, from 1 (1,2,3,6,12)");
}

}  // namespace stopover
