#include "eval/experiment.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include "base/check.h"
#include "eval/error.h"
#include "eval/limits.h"
#include "eval/release_meter.h"
#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "synthetic/number_sequence.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr const char* kLastOfWorkload = "query_us";
constexpr const char* kLastOfNeedles = "found_16";
constexpr const char* kLastOfNeedlesOfASize = "found";
constexpr const char* kLastOfRun = "seed";

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string group_of(const std::string& data, const std::string& mechanism, const std::string& epsilon,
                     std::uint32_t rep, const std::string& workload) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", data, mechanism, epsilon, rep, workload);
}

std::string group_of(const ResultRow& row) {
  return group_of(row.data, row.mechanism, row.epsilon, row.rep, row.workload);
}

// Releases with needles of a given size, for so many places.
std::size_t releases_for(const NeedleKind& kind, std::size_t places) {
  return (places + kind.needles - 1) / kind.needles;
}

// The most memory the process has held since `start`; what the system calls the high-water mark.
class PeakMemory {
 public:
  // A plain user's process that nobody may look into (src/job/protect.h) may not write there either: for this moment
  // one may.
  static void start() {
    const int before = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    std::ofstream("/proc/self/clear_refs") << "5";
    prctl(PR_SET_DUMPABLE, before, 0, 0, 0);
  }
  static std::optional<double> megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    }
    return std::nullopt;
  }
};

struct Run {
  const MechanismChoice* choice;
  Ticks epsilon;
  std::uint32_t rep;
};

class Runner {
 public:
  Runner(const ExperimentData& data, const ExperimentSpec& spec, const FinishedRuns& finished,
         const RunFinished& run_finished)
      : data_(data), spec_(spec), finished_(finished), run_finished_(run_finished) {}

  Result<std::vector<SkippedMechanism>> run() {
    plan();
    entropy_cells_ = runs_.empty() ? 0 : cell_entropy(*data_.matrix);
    start_ = Clock::now();
    const std::size_t jobs = std::clamp<std::size_t>(spec_.jobs, 1, std::max<std::size_t>(runs_.size(), 1));
    std::vector<std::jthread> others;
    for (std::size_t job = 1; job < jobs; ++job) others.emplace_back([this] { work(); });
    work();
    others.clear();
    if (!status_) return status_.error();
    return skipped_;
  }

 private:
  void plan() {
    for (std::uint32_t rep = 0; rep < spec_.reps; ++rep) {
      for (Ticks epsilon : spec_.epsilons) {
        for (const MechanismChoice& choice : spec_.mechanisms) {
          if (wants(choice, epsilon, rep) && !is_skipped(choice)) runs_.push_back({&choice, epsilon, rep});
        }
      }
    }
  }

  bool is_done(const MechanismChoice& choice, Ticks epsilon, std::uint32_t rep, const std::string& workload) const {
    return finished_.has(data_.name, choice.label, format_epsilon(epsilon), rep, workload);
  }

  bool wants(const MechanismChoice& choice, Ticks epsilon, std::uint32_t rep) const {
    if (!is_done(choice, epsilon, rep, kNoWorkload)) return true;
    const auto is_missing = [&](const auto& workload) { return !is_done(choice, epsilon, rep, workload.name); };
    return std::any_of(data_.workloads.begin(), data_.workloads.end(), is_missing) ||
           std::any_of(data_.needles.begin(), data_.needles.end(), is_missing);
  }

  bool is_skipped(const MechanismChoice& choice) {
    const Status ok = check_in_lab(*choice.mechanism, choice.params, data_.matrix->domain());
    if (!ok) skip(choice, ok.error());
    return !ok;
  }

  void skip(const MechanismChoice& choice, const Error& error) {
    const std::scoped_lock lock(mutex_);
    const auto same = [&](const SkippedMechanism& known) { return known.mechanism == choice.label; };
    if (std::any_of(skipped_.begin(), skipped_.end(), same)) return;
    skipped_.push_back({choice.label, error.message.substr(0, error.message.find('\n'))});
  }

  void work() {
    for (;;) {
      const std::size_t number = next_++;
      if (number >= runs_.size()) return;
      std::vector<ResultRow> rows;
      const Status ok = measure(runs_[number], rows);
      if (!ok) skip(*runs_[number].choice, ok.error());
      const std::scoped_lock lock(mutex_);
      if (!status_) return;
      ++done_;
      const double seconds = seconds_since(start_);
      const auto left = static_cast<double>(runs_.size() - done_);
      const ExperimentProgress progress{done_, runs_.size(), seconds, seconds / static_cast<double>(done_) * left};
      if (status_ = run_finished_(rows, progress); !status_) {
        next_ = runs_.size();
        return;
      }
    }
  }

  static double number(Ticks epsilon) { return static_cast<double>(epsilon) / static_cast<double>(kTicksPerEpsilon); }

  Status measure(const Run& run, std::vector<ResultRow>& rows) const {
    const std::string epsilon = format_epsilon(run.epsilon);
    const std::string& label = run.choice->label;
    const auto add = [&](const std::string& workload, const char* metric, double value) {
      rows.push_back({data_.name, label, epsilon, workload, run.rep, metric, value});
    };
    const ReleaseKey key =
        test_key(fmt::format("evaluate {} {} {} {} {}", spec_.seed, data_.name, label, epsilon, run.rep));
    StreamDice dice(key);
    if (spec_.jobs <= 1) PeakMemory::start();
    const auto start = Clock::now();
    Kernel kernel(*data_.matrix, dice, run.epsilon, spec_.k);
    const LabResult made = run_in_lab(*run.choice->mechanism, run.choice->params, kernel, Unit::trip);
    const double publish_seconds = seconds_since(start);
    const std::optional<double> peak = spec_.jobs <= 1 ? PeakMemory::megabytes() : std::nullopt;
    const Result<ReleaseMeter> meter = ReleaseMeter::make(made, *data_.truth, spec_.level, spec_.count_leaves);
    if (!meter) return meter.error();

    for (const Workload& workload : data_.workloads) {
      if (is_done(*run.choice, run.epsilon, run.rep, workload.name)) continue;
      const Measured m = meter->measure(workload);
      add(workload.name, "queries", static_cast<double>(m.consistent.queries));
      add(workload.name, "redrawn_share", workload.redrawn_share());
      if (!workload.boxes.empty()) {
        add(workload.name, "mre", m.consistent.mre);
        add(workload.name, "mre_error", m.consistent.mre_error);
        add(workload.name, "median_re", m.consistent.median_re);
        add(workload.name, "re_p10", m.consistent.re_p10);
        add(workload.name, "re_p90", m.consistent.re_p90);
        add(workload.name, "bounded_re", m.consistent.bounded_re);
        add(workload.name, "mean_absolute", m.consistent.mean_absolute);
        add(workload.name, "max_absolute", m.consistent.max_absolute);
        add(workload.name, "over_p99", m.consistent.over_p99);
        add(workload.name, "mre_floor", 100 * count_floor(number(run.epsilon), spec_.k) * m.consistent.mean_inverse);
        add(workload.name, "coverage", m.consistent.coverage);
        add(workload.name, "interval_width", m.consistent.mean_width);
        add(workload.name, "interval_score", m.consistent.interval_score);
        add(workload.name, "mre_plain", m.plain.mre);
        add(workload.name, "median_re_plain", m.plain.median_re);
        add(workload.name, "bounded_re_plain", m.plain.bounded_re);
        if (meter->counted_leaves()) {
          add(workload.name, "mre_exact", m.exact.mre);
          add(workload.name, "median_re_exact", m.exact.median_re);
          add(workload.name, "bounded_re_exact", m.exact.bounded_re);
        }
      }
      add(workload.name, kLastOfWorkload, 1e6 * m.seconds_per_query);
    }
    for (const NeedleKind& kind : data_.needles) {
      if (is_done(*run.choice, run.epsilon, run.rep, kind.name)) continue;
      const AskRelease ask = [&](const Matrix& matrix, std::span<const Box> boxes) {
        if (&matrix == data_.matrix) return meter->estimates(boxes);
        StreamDice same(key);
        Kernel again(matrix, same, run.epsilon, spec_.k);
        const LabResult with = run_in_lab(*run.choice->mechanism, run.choice->params, again, Unit::trip);
        // The truth is not asked for: no leaf is counted, no error taken.
        const Result<ReleaseMeter> other = ReleaseMeter::make(with, *data_.truth, spec_.level, false);
        STOPOVER_CHECK(other, "what answers without a needle answers with one");
        return other->estimates(boxes);
      };
      NumberSequence seeds(spec_.seed, run.rep);
      if (kind.at > 0) {
        std::vector<std::uint64_t> of_releases(releases_for(kind, spec_.places));
        for (std::uint64_t& seed : of_releases) seed = seeds.next();
        const NeedlesFound found =
            needles_found(kind, *data_.matrix, *data_.truth, number(run.epsilon), spec_.k, of_releases, ask);
        add(kind.name, "limit", found.limit);
        add(kind.name, "places", static_cast<double>(found.asked));
        add(kind.name, kLastOfNeedlesOfASize, static_cast<double>(found.found) / static_cast<double>(found.asked));
        continue;
      }
      const NeedleSize size =
          needle_size(kind, *data_.matrix, *data_.truth, number(run.epsilon), spec_.k, seeds.next(), ask);
      add(kind.name, "limit", size.limit);
      add(kind.name, "needle_size", size.trips());
      add(kind.name, "needle_limits", size.limits);
      add(kind.name, kLastOfNeedles, size.found_many);
    }
    if (is_done(*run.choice, run.epsilon, run.rep, kNoWorkload)) return {};
    add(kNoWorkload, "trips", static_cast<double>(data_.truth->total()));
    add(kNoWorkload, "cells", static_cast<double>(data_.matrix->keys().size()));
    add(kNoWorkload, "entropy_cells", entropy_cells_);
    if (meter->counted_leaves() && made.release.tables[0].kind == TableKind::partition) {
      add(kNoWorkload, "entropy_partition", partition_entropy(made.release, *data_.truth));
    }
    add(kNoWorkload, "partitions", static_cast<double>(meter->partitions()));
    add(kNoWorkload, "publish_seconds", publish_seconds);
    if (peak) add(kNoWorkload, "peak_memory_mb", *peak);
    const Box whole = data_.matrix->domain().whole();
    add(kNoWorkload, "total_error",
        std::abs(meter->estimates({&whole, 1})[0] - static_cast<double>(data_.truth->total())));
    add(kNoWorkload, "floor_count", count_floor(number(run.epsilon), spec_.k));
    add(kNoWorkload, "floor_ranges", ranges_floor(data_.matrix->domain(), number(run.epsilon), spec_.k));
    add(kNoWorkload, "queries_wanted", static_cast<double>(spec_.queries_wanted));
    add(kNoWorkload, kLastOfRun, static_cast<double>(spec_.seed));
    return {};
  }

  const ExperimentData& data_;
  const ExperimentSpec& spec_;
  const FinishedRuns& finished_;
  const RunFinished& run_finished_;
  std::vector<Run> runs_;
  double entropy_cells_ = 0;
  Clock::time_point start_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t done_ = 0;
  Status status_;
  std::vector<SkippedMechanism> skipped_;
};

}  // namespace

Result<MechanismChoice> parse_mechanism_choice(std::string_view text) {
  MechanismChoice choice;
  choice.label = text;
  const std::string_view name = text.substr(0, text.find(':'));
  choice.mechanism = find_mechanism(name);
  if (choice.mechanism == nullptr) {
    return Error{Failure::usage,
                 fmt::format("there is no mechanism \"{}\"\n  Did you mean {}? `stopover mechanisms` lists all.", name,
                             nearest_mechanism(name))};
  }
  std::vector<std::pair<std::string, std::string>> given;
  for (std::string_view rest = text.substr(name.size()); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view piece = rest.substr(0, rest.find(':'));
    rest.remove_prefix(piece.size());
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) {
      return Error{Failure::usage,
                   fmt::format("a parameter is name=value, not \"{}\"\n  Such as daf-entropy:stop=2.", piece)};
    }
    given.emplace_back(piece.substr(0, equals), piece.substr(equals + 1));
  }
  Result<Params> params = read_params(*choice.mechanism, given);
  if (!params) return params.error();
  choice.params = *std::move(params);
  return choice;
}

FinishedRuns::FinishedRuns(ResultTable& table) {
  for (const ResultRow& row : table.rows) {
    const bool is_last = row.workload == kNoWorkload ? row.metric == kLastOfRun
                                                     : row.metric == kLastOfWorkload || row.metric == kLastOfNeedles ||
                                                           row.metric == kLastOfNeedlesOfASize;
    if (is_last) groups_.insert(group_of(row));
    if (row.metric == "seed" || row.metric == "queries_wanted" || row.metric == "places") settings_.push_back(row);
  }
  std::erase_if(table.rows, [&](const ResultRow& row) { return !groups_.contains(group_of(row)); });
}

bool FinishedRuns::has(const std::string& data, const std::string& mechanism, const std::string& epsilon,
                       std::uint32_t rep, const std::string& workload) const {
  return groups_.contains(group_of(data, mechanism, epsilon, rep, workload));
}

Status FinishedRuns::check(const std::string& data, const ExperimentSpec& spec) const {
  for (const ResultRow& row : settings_) {
    double now = row.metric == "seed" ? static_cast<double>(spec.seed) : static_cast<double>(spec.queries_wanted);
    if (row.metric == "places") {
      const Result<NeedleKind> kind = parse_needle(row.workload);
      now = kind ? static_cast<double>(releases_for(*kind, spec.places) * kind->needles) : row.value;
    }
    if (row.data != data || row.value == now) continue;
    return Error{Failure::usage, fmt::format("the results that are there were made with {} {}, not {}\n  Use the same "
                                             "value, another output, or `overwrite`.",
                                             row.metric == "queries_wanted" ? "queries" : row.metric, row.value, now)};
  }
  return {};
}

Result<std::vector<SkippedMechanism>> run_experiment(const ExperimentData& data, const ExperimentSpec& spec,
                                                     const FinishedRuns& finished, const RunFinished& run_finished) {
  return Runner(data, spec, finished, run_finished).run();
}

}  // namespace stopover
