#include "lab/coverage_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/split.h"
#include "cli/interrupt.h"
#include "eval/experiment.h"
#include "eval/interval_study.h"
#include "ingest/matrix_reader.h"
#include "job/domain_spec.h"
#include "job/parse_number.h"

namespace stopover {
namespace {

struct CoverageOptions {
  std::string matrix, name, mechanism, epsilons = "0.1,0.5", queries = "300", reps = "3", seed = "1", level = "0.95";
  FieldValues domain;
  bool synthetic = false;
};

std::string figures(const IntervalFigures& f) {
  return fmt::format("{:.1f} | {:.4g} | {:.4g}", f.coverage, f.width, f.score);
}

std::string table_of(const IntervalStudy& study, const std::string& epsilon) {
  std::string text;
  for (const StudyRow& row : study.rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {:.1f} |", study.data, epsilon, row.kind, row.questions,
                        figures(row.noise), figures(row.calibrated), figures(row.bounds), row.coverage_all);
    for (double tenth : row.deciles) text += fmt::format(" {:.0f}", tenth);
    text += " |\n";
  }
  return text;
}

Status run_coverage(const CoverageOptions& o, const Session& session) {
  Result<Domain> domain = declared_domain(o.domain);
  if (!domain) return domain.error();
  Result<MechanismChoice> choice = parse_mechanism_choice(!o.mechanism.empty() ? o.mechanism
                                                          : domain->d() <= 2   ? "multigrid"
                                                                               : "anchor");
  if (!choice) return choice.error();
  StudySpec spec{choice->mechanism, choice->params};
  const Result<std::uint64_t> queries = parse_whole_number("queries", o.queries, 1, 1'000'000);
  if (!queries) return queries.error();
  const Result<std::uint64_t> reps = parse_whole_number("reps", o.reps, 1, 10'000);
  if (!reps) return reps.error();
  const Result<std::uint64_t> seed = parse_whole_number("seed", o.seed, 0, std::uint64_t{1} << 53);
  if (!seed) return seed.error();
  const Result<double> level = parse_decimal("level", o.level);
  if (!level) return level.error();
  if (!(*level > 0 && *level < 1)) {
    return Error{Failure::usage, fmt::format("--level must be above 0 and below 1, not {}", o.level)};
  }
  spec.queries = *queries;
  spec.reps = static_cast<std::uint32_t>(*reps);
  spec.seed = *seed;
  spec.level = *level;
  std::vector<Ticks> epsilons;
  for (const std::string& text : split(o.epsilons, ',')) {
    const Result<Ticks> epsilon = parse_epsilon(text);
    if (!epsilon) return epsilon.error();
    epsilons.push_back(*epsilon);
  }
  const Interrupt interrupt;
  Result<MatrixRead> read = read_matrix(o.matrix, *domain, {session.threads, Interrupt::asked});
  if (!read) return read.error();
  std::string stem = std::filesystem::path(o.matrix).filename().string();
  stem = o.name.empty() ? stem.substr(0, stem.find('.')) : o.name;
  const auto show = [&](const std::string& text) {
    o.synthetic ? session.terminal.print(text) : session.terminal.private_note(text);
  };
  show(
      "| data | epsilon | kind | questions | noise % | width | score | likely % | width | score | bounds % | width | "
      "score | "
      "likely, all % | tenths of the estimate % |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
  for (const Ticks epsilon : epsilons) {
    spec.epsilon = epsilon;
    const Result<IntervalStudy> study = study_intervals(stem, read->matrix, spec);
    if (!study) return study.error();
    std::string text = table_of(*study, format_epsilon(epsilon));
    text.pop_back();
    show(text);
    session.terminal.note(
        fmt::format("{} releases of {} have likely intervals; a release took {:.2f} s, its calibration {:.2f} s",
                    study->calibrated_releases, spec.reps, study->mechanism_seconds, study->calibrate_seconds));
    if (Status s = Interrupt::check(); !s) return s;
  }
  return {};
}

}  // namespace

void add_coverage(Cli& cli) {
  const auto o = std::make_shared<CoverageOptions>();
  CLI::App& app = cli.command(
      {"coverage",
       "do intervals hold the truth as often as they say? (curator only)",
       {"stopover-lab coverage --matrix city.parquet --shape 1000x1000x1000x1000\n"
        "--synthetic --epsilons 0.1,0.5 --queries 300 --reps 3"},
       "Makes releases with keys that can be repeated, calibrates each from itself, asks boxes and "
       "circles whose true answers are known, and prints a Markdown table: the share of noise "
       "intervals, likely intervals and bounds that hold the truth, their mean width and interval "
       "score, over questions that hold a trip; then the likely intervals' share over all questions, and by "
       "tenths of the estimate. Private unless --synthetic."},
      [o](const Session& session) { return run_coverage(*o, session); });
  option(app, "--matrix", o->matrix, "FILE", "the trips: .parquet, .csv or .csv.gz")->required();
  option(app, "--shape", o->domain, "WxW...", "cells of every axis, as in 32x32x32x32");
  option(app, "--stops", o->domain, "NAMES", "the axes in equal groups, as in origin,destination");
  option(app, "--mechanism", o->mechanism, "NAME", "(multigrid for two axes, else anchor)");
  option(app, "--epsilons", o->epsilons, "LIST", "(0.1,0.5)");
  option(app, "--queries", o->queries, "N", "questions a kind that hold a trip (300)");
  option(app, "--reps", o->reps, "N", "releases (3)");
  option(app, "--seed", o->seed, "N", "of the keys and the questions (1)");
  option(app, "--level", o->level, "L", "of the intervals (0.95)");
  option(app, "--name", o->name, "NAME", "of the data in the table (the file's)");
  flag(app, "--synthetic", o->synthetic, "the matrix is synthetic: nothing here is private");
}

}  // namespace stopover
