#include "lab/reproduce_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "disk/write_file.h"
#include "eval/findings.h"
#include "eval/partition_plot.h"
#include "eval/report.h"
#include "eval/reproduction.h"
#include "job/parse_number.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

struct ReproduceOptions {
  std::string data, seed = "1", jobs = "1", also, output = "reproduction";
  bool quick = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

// The paper's three panels on the first city in 2D: an equal grid, DAF-Entropy, DAF-Homogeneity.
Result<std::vector<std::string>> draw_panels(const std::vector<Scene>& scenes) {
  std::vector<std::string> panels;
  const auto scene =
      std::find_if(scenes.begin(), scenes.end(), [](const Scene& s) { return s.figure == Figure::population; });
  if (scene == scenes.end()) return panels;
  const Result<Matrix> matrix = scene->make();
  if (!matrix) return matrix.error();
  for (const char* name : {"ebp", "daf-entropy", "daf-homogeneity"}) {
    const Mechanism& mechanism = *find_mechanism(name);
    StreamDice dice(test_key(std::string("panel ") + name));
    Kernel kernel(*matrix, dice, kTicksPerEpsilon / 10, 1);
    const Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
    const std::vector<bool> leaves = release.tables[0].leaves();
    panels.push_back(partition_svg(
        {name,
         fmt::format("{}, epsilon 0.1, {} partitions", scene->group, std::count(leaves.begin(), leaves.end(), true)), 0,
         1},
        release, *matrix));
  }
  return panels;
}

std::string left_text(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", std::ceil(seconds))
                      : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

Status run_reproduce(const ReproduceOptions& o, const Session& session) {
  const Result<std::uint64_t> seed = parse_whole_number("seed", o.seed, 1, 1'000'000'000);
  if (!seed) return seed.error();
  const Result<std::uint64_t> jobs = parse_whole_number("jobs", o.jobs, 1, 1000);
  if (!jobs) return jobs.error();
  ReproductionOptions options{o.quick, o.data, *seed, split(o.also)};
  for (const std::string& name : options.also) {
    if (const auto choice = parse_mechanism_choice(name); !choice) return choice.error();
  }
  std::error_code error;
  const std::filesystem::path folder(o.output);
  std::filesystem::create_directories(folder / "plots", error);
  if (error) return Error{Failure::usage, fmt::format("cannot make the folder {}: {}", o.output, error.message())};

  const Readers readers = o.data.empty() ? Readers::usual : Readers::owner;  // without --data everything is synthetic
  const auto write_text = [&](const std::filesystem::path& path, const std::string& text) {
    return write_file(path.string(), text, readers);
  };
  const Interrupt interrupt;
  Progress progress(session.terminal);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const std::vector<Scene> scenes = reproduction_scenes(options);
  const std::string results = (folder / "results.csv").string();
  ResultTable table;
  if (std::filesystem::exists(results, error)) {
    Result<ResultTable> found = ResultTable::read(results);
    if (!found) return found.error();
    table = *std::move(found);
  }
  const FinishedRuns finished(table);
  if (Status s = table.write(results, "", readers); !s) return s;
  Result<ResultJournal> journal = ResultJournal::open(results);
  if (!journal) return journal.error();
  std::size_t runs = 0, done = 0;
  for (const Scene& scene : scenes) runs += runs_left(scene, finished);
  for (const Scene& scene : scenes) {
    if (runs_left(scene, finished) == 0) continue;
    const auto skipped =
        run_scene(scene, options, static_cast<unsigned>(*jobs), finished,
                  [&](std::span<const ResultRow> rows, const ExperimentProgress&) -> Status {
                    if (Status s = journal->add(rows); !s) return s;
                    table.rows.insert(table.rows.end(), rows.begin(), rows.end());
                    ++done;
                    progress.phase(fmt::format(
                        "run {} of {} ({}), about {} left", done, runs, scene.group,
                        left_text(seconds() / static_cast<double>(done) * static_cast<double>(runs - done))));
                    return Interrupt::check();
                  });
    if (!skipped) {
      progress.pause();
      return skipped.error();
    }
    for (const SkippedMechanism& s : *skipped) {
      progress.pause();
      session.terminal.note(fmt::format("{} was left out on {}: {}", s.mechanism, scene.group, s.why));
    }
  }
  progress.phase("drawing");
  const std::vector<Finding> findings = paper_findings(table.rows, scenes);
  const std::vector<NamedPlot> plots = reproduction_plots(table.rows, scenes);
  const Result<std::vector<std::string>> panels = draw_panels(scenes);
  if (!panels) return panels.error();
  for (const NamedPlot& named : plots) {
    if (Status s = write_text(folder / "plots" / (named.name + ".svg"), to_svg(named.plot)); !s) return s;
    if (Status s = write_text(folder / "plots" / (named.name + ".vl.json"), to_vega_lite(named.plot)); !s) return s;
    if (Status s = write_text(folder / "plots" / (named.name + ".txt"), to_text(named.plot)); !s) return s;
  }
  const ReportFacts facts{fmt::format("stopover reproduce{}, seed {}", o.quick ? " --quick" : "", *seed), seconds(),
                          o.data.empty()};
  const std::string report = (folder / "report.html").string();
  if (Status s = write_text(report, report_html(table.rows, scenes, findings, plots, *panels, facts)); !s) return s;
  progress.pause();
  if (session.terminal.json()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Finding& f : findings)
      list.push_back({{"claim", f.claim}, {"verdict", to_string(f.verdict)}, {"measured", f.measured}});
    session.terminal.print(nlohmann::ordered_json{
        {"report", report},
        {"rows", table.rows.size()},
        {"seconds", seconds()},
        {"findings", list}}.dump(2));
    return {};
  }
  for (const Finding& f : findings) {
    session.terminal.print(wrapped(fmt::format("{:<14} {}. {}", to_string(f.verdict), f.claim, f.measured), 100, 15));
  }
  session.terminal.print(
      fmt::format("{}: {} plots, {} rows in {}", report, plots.size(), grouped(table.rows.size()), results));
  return {};
}

}  // namespace

void add_reproduce(Cli& cli) {
  const auto o = std::make_shared<ReproduceOptions>();
  CLI::App& app = cli.command(
      {"reproduce",
       "the paper's experiments again, as one page of figures",
       {"stopover reproduce --quick -o reproduction", "stopover reproduce --data data --jobs 2 -o full"},
       "Synthetic matrices as in the paper (Gaussian, Zipf) and cities: public data sets from --data FOLDER "
       "(sf_taxi_2008.csv.gz, la_bikeshare_2019.csv.gz, nyc_checkins_weekly.csv.gz), else synthetic ones. --quick "
       "takes a tenth of the trips and fewer data sets. An appendix, not the paper's, shows how many trips a flow that "
       "nobody foresaw must have to be found, beside the limit, and busy pairs of districts. An interrupted command "
       "goes "
       "on where it was."},
      [o](const Session& session) { return run_reproduce(*o, session); });
  flag(app, "--quick", o->quick, "minutes instead of an hour");
  option(app, "--data", o->data, "FOLDER", "public data sets for the cities");
  option(app, "--also", o->also, "LIST", "mechanisms besides the paper's six");
  option(app, "--seed", o->seed, "N", "of data, queries and keys (1)");
  option(app, "--jobs", o->jobs, "N", "releases at a time (1); more blur the times");
  option(app, "-o,--output", o->output, "FOLDER", "report.html, results.csv and plots/ (reproduction)");
}

}  // namespace stopover
