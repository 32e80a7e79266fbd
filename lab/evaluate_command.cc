#include "lab/evaluate_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "base/split.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "duck/cell_table.h"
#include "eval/comparison.h"
#include "eval/experiment.h"
#include "eval/result_table.h"
#include "eval/workload.h"
#include "ingest/matrix_reader.h"
#include "job/domain_spec.h"
#include "job/output.h"
#include "job/parse_number.h"

namespace stopover {
namespace {

struct EvaluateOptions {
  std::string matrix, name, mechanisms, epsilons = "0.1,0.5,1", workloads = "random,dcov1,dcov5,dcov10",
                                        queries = "1000", reps = "5", places = "6", seed = "1", jobs = "1",
                                        most_trips = "1", level = "0.95", save, output;
  FieldValues domain;
  std::vector<std::string> batches;
  bool synthetic = false;
  bool overwrite = false;
};

struct EvaluationPlan {
  Domain domain;
  ExperimentSpec spec;
  std::vector<WorkloadKind> workloads;
  std::string data;
};

Result<EvaluationPlan> read_plan(const EvaluateOptions& o) {
  EvaluationPlan plan;
  Result<Domain> domain = declared_domain(o.domain);
  if (!domain) return domain.error();
  plan.domain = *std::move(domain);
  for (const std::string& text : split(o.mechanisms, ',')) {
    Result<MechanismChoice> choice = parse_mechanism_choice(text);
    if (!choice) return choice.error();
    plan.spec.mechanisms.push_back(*std::move(choice));
  }
  for (const std::string& text : split(o.epsilons, ',')) {
    const Result<Ticks> epsilon = parse_epsilon(text);
    if (!epsilon) return epsilon.error();
    plan.spec.epsilons.push_back(*epsilon);
  }
  for (const std::string& text : o.workloads.empty() ? std::vector<std::string>() : split(o.workloads, ',')) {
    Result<WorkloadKind> kind = parse_workload(text);
    if (!kind) return kind.error();
    plan.workloads.push_back(*std::move(kind));
  }
  const auto whole = [](std::string_view flag, const std::string& text, std::uint64_t most, auto& value) -> Status {
    const Result<std::uint64_t> number = parse_whole_number(flag, text, 1, most);
    if (!number) return number.error();
    value = static_cast<std::remove_reference_t<decltype(value)>>(*number);
    return {};
  };
  if (Status s = whole("queries", o.queries, 10'000'000, plan.spec.queries_wanted); !s) return s.error();
  if (Status s = whole("reps", o.reps, 100'000, plan.spec.reps); !s) return s.error();
  if (Status s = whole("places", o.places, 100'000, plan.spec.places); !s) return s.error();
  if (Status s = whole("seed", o.seed, std::uint64_t{1} << 53, plan.spec.seed); !s) return s.error();
  if (Status s = whole("jobs", o.jobs, 1000, plan.spec.jobs); !s) return s.error();
  if (Status s = whole("max_trips_per_user", o.most_trips, 1'000'000, plan.spec.k); !s) return s.error();
  const Result<double> level = parse_decimal("level", o.level);
  if (!level) return level.error();
  if (!(*level > 0 && *level < 1)) {
    return Error{Failure::usage, fmt::format("--level must be above 0 and below 1, not {}", o.level)};
  }
  plan.spec.level = *level;
  std::string stem = std::filesystem::path(o.matrix).filename().string();
  stem = stem.substr(0, stem.find('.'));
  plan.data = (o.name.empty() ? stem : o.name) + (o.synthetic ? "" : " (private)");
  return plan;
}

// The rows that are there already.
Result<ResultTable> earlier_rows(const EvaluateOptions& o, const std::string& journal) {
  ResultTable table;
  std::error_code error;
  if (o.overwrite) {
    std::filesystem::remove(journal, error);
    return table;
  }
  // What an interrupted run left began as a copy of the output.
  const std::string& path = std::filesystem::exists(journal, error) ? journal : o.output;
  if (!std::filesystem::exists(path, error)) return table;
  Result<ResultTable> found = ResultTable::read(path);
  if (found) return found;
  return Error{Failure::output_exists,
               fmt::format("{} is there and is not a table of results\n  Choose another -o, or --overwrite it.", path)};
}

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 5400) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

class Evaluation {
 public:
  Evaluation(const EvaluateOptions& o, const Session& session, EvaluationPlan plan)
      : o_(o),
        terminal_(session.terminal),
        threads_(session.threads),
        plan_(std::move(plan)),
        progress_(session.terminal) {}

  Status run() {
    const std::string journal_path = o_.output + ".partial";
    Result<ResultTable> table = earlier_rows(o_, journal_path);
    if (!table) return table.error();
    const FinishedRuns finished(*table);
    if (Status s = finished.check(plan_.data, plan_.spec); !s) return s;
    const std::size_t before = table->rows.size();

    progress_.phase("reading the matrix");
    Result<MatrixRead> read = read_matrix(o_.matrix, plan_.domain, {threads_, Interrupt::asked});
    progress_.pause();
    if (!read) return read.error();
    terminal_.private_note(read->dropped.total() > 0 ? read->dropped.text() : "");
    progress_.phase("counting the truth");
    const RangeCounter truth(read->matrix);
    ExperimentData data{plan_.data, &read->matrix, &truth, {}};
    if (Status s = draw(data); !s) return s;

    if (Status s = table->write(journal_path, mark(), readers()); !s) return s;
    Result<ResultJournal> journal = ResultJournal::open(journal_path);
    if (!journal) return journal.error();
    const auto skipped = run_experiment(data, plan_.spec, finished,
                                        [&](std::span<const ResultRow> rows, const ExperimentProgress& p) -> Status {
                                          if (Status s = journal->add(rows); !s) return s;
                                          table->rows.insert(table->rows.end(), rows.begin(), rows.end());
                                          if (Status s = Interrupt::check(); !s) return s;
                                          tell(p);
                                          return {};
                                        });
    progress_.pause();
    if (!skipped) {
      terminal_.note(
          fmt::format("what was measured so far is kept in {}: the same command goes on from there", journal_path));
      return skipped.error();
    }
    for (const SkippedMechanism& s : *skipped) terminal_.note(fmt::format("{} was left out: {}", s.mechanism, s.why));
    if (Status s = table->write(o_.output, mark(), readers()); !s) return s;
    std::filesystem::remove(journal_path);
    show(*table, table->rows.size() - before, *skipped);
    return {};
  }

 private:
  std::string mark() const { return o_.synthetic ? "synthetic" : "private: made from true counts, not for release"; }

  Readers readers() const { return o_.synthetic ? Readers::usual : Readers::owner; }

  Status draw(ExperimentData& data) {
    for (const WorkloadKind& kind : plan_.workloads) {
      if (kind.needle) {
        if (Status s = check_needles(*kind.needle, plan_.domain); !s) return s;
        data.needles.push_back(*kind.needle);
        continue;
      }
      progress_.phase("drawing queries");
      data.workloads.push_back(
          draw_workload(kind, *data.matrix, *data.truth, plan_.spec.queries_wanted, plan_.spec.seed));
      if (Status s = Interrupt::check(); !s) return s;
    }
    for (const std::string& path : o_.batches) {
      Result<Workload> batch =
          load_workload(path, std::filesystem::path(path).stem().string(), plan_.domain, *data.truth);
      if (!batch) return batch.error();
      data.workloads.push_back(*std::move(batch));
    }
    progress_.pause();
    for (const Workload& w : data.workloads) {
      if (w.boxes.empty() && w.drawn == 0) {
        terminal_.warn(fmt::format("{} has no query: no such box is there", w.name));
      }
      whisper(fmt::format("{}: {} queries; {:.3g} % of the boxes drawn held no trip and were drawn again", w.name,
                          w.boxes.size(), 100 * w.redrawn_share()));
      if (w.boxes.size() < plan_.spec.queries_wanted && w.drawn >= kMaxDrawsPerQuery) {
        terminal_.warn(
            fmt::format("{} has fewer queries than asked for: such boxes hardly ever hold a trip here", w.name));
      }
      if (o_.save.empty()) continue;
      std::error_code error;
      std::filesystem::create_directories(o_.save, error);
      const std::unique_ptr<FileSystem> files = posix_file_system();
      const std::string path = (std::filesystem::path(o_.save) / (w.name + ".csv")).string();
      Result<Output> output = Output::begin(*files, path, true);
      if (!output) return output.error();
      if (Status s = write_file(output->path(), to_batch_csv(plan_.domain, w.boxes), readers()); !s) return s;
      if (Status s = output->finish(); !s) return s;
    }
    return {};
  }

  void tell(const ExperimentProgress& p) {
    progress_.phase(fmt::format("run {} of {}, about {} left", std::min(p.done + 1, p.runs), p.runs,
                                duration_text(p.seconds_left)));
  }

  void whisper(const std::string& text) const {
    if (o_.synthetic) {
      terminal_.note(text);
    } else {
      terminal_.private_note(text);
    }
  }

  // Means over the repetitions of this data set. The numbers are as private as the data.
  void show(const ResultTable& table, std::size_t added, const std::vector<SkippedMechanism>& skipped) const {
    if (terminal_.json()) {
      nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
      for (const SkippedMechanism& s : skipped) left_out.push_back({{"mechanism", s.mechanism}, {"why", s.why}});
      terminal_.print(nlohmann::ordered_json{
          {"file", o_.output},
          {"data", plan_.data},
          {"private", !o_.synthetic},
          {"rows", table.rows.size()},
          {"new_rows", added},
          {"skipped",
           left_out}}.dump(2));
      return;
    }
    const Comparison figures(table.rows);
    std::vector<std::string> workloads = {}, needles = {}, of_a_size = {};
    for (const WorkloadKind& kind : plan_.workloads)
      (!kind.needle ? workloads : kind.needle->at > 0 ? of_a_size : needles).push_back(kind.name);
    for (const std::string& path : o_.batches) workloads.push_back(std::filesystem::path(path).stem().string());
    std::string text;
    if (!workloads.empty()) {
      text += "relative errors in %: mean / median / bounded by 0.1 % of all trips\n";
      text += lines_of(workloads, [&](const CellName& cell, const std::string& mechanism) {
        std::vector<std::string> errors;
        for (const char* metric : {"mre", "median_re", "bounded_re"}) {
          const auto error = figures.figure(cell, mechanism, metric);
          errors.push_back(error ? fmt::format("{:.3g}", *error) : "-");
        }
        return fmt::format("{}", fmt::join(errors, " / "));
      });
    }
    if (!needles.empty()) {
      text += "needles: found half of the time at so many times ln(M/2)/epsilon trips / share found at 16 times\n";
      text += lines_of(needles, [&](const CellName& cell, const std::string& mechanism) -> std::string {
        const auto size = figures.median(cell, mechanism, "needle_limits"),
                   found = figures.figure(cell, mechanism, "found_16");
        if (!size || !found) return "-";
        return fmt::format("{} / {:.2f}", limits_text(*size), *found);
      });
    }
    if (!of_a_size.empty()) {
      text += "needles of so many (@) times ln(M/2)/epsilon trips: share found, its standard error / places\n";
      text += lines_of(of_a_size, [&](const CellName& cell, const std::string& mechanism) -> std::string {
        const auto found = figures.figure(cell, mechanism, "found"), error = figures.error(cell, mechanism, "found"),
                   places = figures.figure(cell, mechanism, "places");
        if (!found || !places) return "-";
        return fmt::format("{:.3f}{} / {:.0f}", *found, error ? fmt::format(" ± {:.3f}", *error) : "",
                           *places * static_cast<double>(figures.count(cell, mechanism, "found")));
      });
    }
    if (!text.empty()) text.pop_back();
    if (o_.synthetic) {
      terminal_.print(text);
    } else {
      terminal_.private_note(text);
    }
    terminal_.print(fmt::format("{}: {} rows, {} of them new{}", o_.output, grouped(table.rows.size()), grouped(added),
                                o_.synthetic ? "" : "; private, made from true counts"));
  }

  static std::string limits_text(double limits) {
    return limits > kMostLimits ? fmt::format("> {:.0f}", kMostLimits) : fmt::format("{:.3g}", limits);
  }

  // One block of lines per epsilon, one line per mechanism, one column per workload.
  template <typename Text>
  std::string lines_of(const std::vector<std::string>& workloads, Text&& text_of) const {
    std::string text;
    for (const Ticks epsilon : plan_.spec.epsilons) {
      text += fmt::format("  epsilon {:<14}", format_epsilon(epsilon));
      for (const std::string& workload : workloads) text += fmt::format("{:>24}", workload);
      text += "\n";
      for (const MechanismChoice& choice : plan_.spec.mechanisms) {
        text += fmt::format("  {:<22}", choice.label);
        for (const std::string& workload : workloads) {
          text += fmt::format("{:>24}", text_of({plan_.data, format_epsilon(epsilon), workload}, choice.label));
        }
        text += "\n";
      }
    }
    return text;
  }

  const EvaluateOptions& o_;
  const Terminal& terminal_;
  unsigned threads_;
  EvaluationPlan plan_;
  Progress progress_;
};

Status run_evaluate(const EvaluateOptions& o, const Session& session) {
  if (const Result<TableFormat> format = table_format(o.output); !format) return format.error();
  Result<EvaluationPlan> plan = read_plan(o);
  if (!plan) return plan.error();
  const std::unique_ptr<FileSystem> files = posix_file_system();
  if (Status s = check_output(*files, o.output, true); !s) return s;
  if (!o.synthetic) {
    session.terminal.note(
        "what this writes is made from true counts: it is for the curator alone\n"
        "  If the matrix is synthetic, say --synthetic.");
  }
  const Interrupt interrupt;
  return Evaluation(o, session, *std::move(plan)).run();
}

}  // namespace

void add_evaluate(Cli& cli) {
  const auto o = std::make_shared<EvaluateOptions>();
  CLI::App& app = cli.command({"evaluate",
                               "how wrong is each mechanism here? (curator only)",
                               {"stopover evaluate --matrix g4.parquet --shape 32x32x32x32 --synthetic\n"
                                "--mechanisms ebp,daf-entropy --epsilons 0.1,0.5\n"
                                "--workloads random,cov1,dcov5\n"
                                "--queries 1000 --reps 5 -o out.parquet",
                                "stopover evaluate --matrix trips.parquet --shape 1000x1000x1000x1000\n"
                                "--mechanisms daf-entropy,daf-entropy:stop=4 -o private.csv"},
                               "Writes one long table (data, mechanism, epsilon, workload, rep, metric, value) with "
                               "keys that can be repeated: nothing "
                               "of it is private in the technical sense, so the data is marked private unless "
                               "--synthetic says that it is. Rows "
                               "that are there already are not measured again: an interrupted command goes on where it "
                               "was, and a longer list adds "
                               "to the table. Workloads: random; cov1, cov5, cov10 (sides of 1, 5, 10 %, placed "
                               "uniformly); dcov1, dcov5, dcov10 "
                               "(placed on data); boxes without a trip are drawn again; busy (pairs of square "
                               "districts with 50 trips and more); places (anywhere, mostly empty). needle (trips "
                               "added to one random cell), needle20 "
                               "(20 such cells at once) and blob (5 x 5 cells per stop) tell how many trips a flow "
                               "that nobody foresaw must have to be found half of the time, over ln(M/2)/epsilon, "
                               "the least that theory allows among M cells; about 6 releases each. needle@4, "
                               "needle20@4, blob@4 have so many times that, and the share found is told: surer where "
                               "one size is the question."},
                              [o](const Session& session) { return run_evaluate(*o, session); });
  option(app, "--matrix", o->matrix, "FILE", "the trips: .parquet, .csv or .csv.gz")->required();
  option(app, "--shape", o->domain, "WxW...", "cells of every axis, as in 32x32x32x32");
  option(app, "--stops", o->domain, "NAMES", "the axes in equal groups, as in origin,destination");
  option(app, "--mechanisms", o->mechanisms, "LIST", "such as ebp,daf-entropy:stop=2")->required();
  option(app, "--epsilons", o->epsilons, "LIST", "(0.1,0.5,1)");
  option(app, "--workloads", o->workloads, "LIST", "(random,dcov1,dcov5,dcov10)");
  options(app, "--batch", o->batches, "FILE", "also a batch of boxes, as `query --batch` takes it; repeatable");
  option(app, "--save-workloads", o->save, "FOLDER", "leave the boxes there as WORKLOAD.csv");
  option(app, "--queries", o->queries, "N", "boxes a workload (1000)");
  option(app, "--reps", o->reps, "N", "releases of each kind (5)");
  option(app, "--places", o->places, "N", "of needles of one size (needle@4) asked for with each key (6)");
  option(app, "--seed", o->seed, "N", "of the keys and the boxes (1)");
  option(app, "--max-trips-per-user", o->most_trips, "K", "noise as for --unit user with K trips (1)");
  option(app, "--level", o->level, "L", "of the intervals (0.95)");
  option(app, "--jobs", o->jobs, "N", "releases at a time (1); more blur times and memory");
  option(app, "--name", o->name, "NAME", "of the data in the table (the file's)");
  flag(app, "--synthetic", o->synthetic, "the matrix is synthetic: nothing here is private");
  option(app, "-o,--output", o->output, "FILE", "the table: .parquet or .csv")->required();
  flag(app, "--overwrite", o->overwrite, "begin anew, whatever is there");
}

}  // namespace stopover
