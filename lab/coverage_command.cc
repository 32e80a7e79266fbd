#include "lab/coverage_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/split.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "eval/coverage_questions.h"
#include "eval/coverage_table.h"
#include "eval/experiment.h"
#include "eval/interval_study.h"
#include "eval/planted_flows.h"
#include "ingest/cells_file.h"
#include "ingest/matrix_reader.h"
#include "ingest/trip_request.h"
#include "job/domain_spec.h"
#include "job/output.h"
#include "job/parse_number.h"
#include "zones/zone_file.h"

namespace stopover {
namespace {

struct CoverageOptions {
  std::string matrix, name, mechanism, kinds, zones, zone_id, grids, epsilons = "0.1,0.5", queries = "300", reps = "3",
                                                                     seed = "1", levels = "0.95", most_trips = "1",
                                                                     probe_share = "0.05";
  std::string against, output, figures;
  FieldValues domain;
  bool synthetic = false, overwrite = false;
};

using Grid = std::optional<std::pair<std::uint32_t, std::uint32_t>>;

struct CoveragePlan {
  std::string data;
  Domain domain;
  std::optional<std::uint32_t> stops;  // of a cells file with several parts: which
  StudySpec spec;
  std::vector<Ticks> epsilons;
  std::vector<Grid> grids;
  std::vector<QuestionKind> kinds;
  std::shared_ptr<const ZoneSet> zones;
};

// A cells file says itself what its axes are; a pattern of several is of a declared domain.
Status read_domain(const CoverageOptions& o, CoveragePlan& plan) {
  Result<std::optional<CellsFacts>> facts = std::optional<CellsFacts>();
  if (o.domain.empty()) facts = read_cells_facts(o.matrix);
  if (!facts) return facts.error();
  if (!*facts) {
    Result<Domain> domain = declared_domain(o.domain);
    if (!domain) return domain.error();
    plan.domain = *std::move(domain);
    return {};
  }
  if ((*facts)->parts.size() > 1) {
    return Error{Failure::usage,
                 fmt::format("{} has trips of several counts of stops\n  Make the cells of one of them.", o.matrix)};
  }
  plan.domain = (*facts)->parts[0].domain;
  return {};
}

std::string usual_kinds(const CoverageOptions& o) {
  std::string text;
  for (const std::string& kind : question_kinds()) {
    // Planting changes the trips: only where it is asked for.
    if ((o.zones.empty() && kind.find("zone") != std::string::npos) || kind == "planted") continue;
    text += (text.empty() ? "" : ",") + kind;
  }
  return text;
}

Status read_lists(const CoverageOptions& o, CoveragePlan& plan) {
  for (const std::string& text : split(o.epsilons, ',')) {
    const Result<Ticks> epsilon = parse_epsilon(text);
    if (!epsilon) return epsilon.error();
    plan.epsilons.push_back(*epsilon);
  }
  const Result<double> told = parse_decimal("probe_share", o.probe_share);
  if (!told) return told.error();
  const Result<std::uint64_t> share = probe_share_of(*told);
  if (!share) return share.error();
  plan.spec.probe_share = *share;
  plan.spec.levels.clear();
  for (const std::string& text : split(o.levels, ',')) {
    const Result<double> level = parse_decimal("levels", text);
    if (!level) return level.error();
    if (!(*level > 0 && *level < 1)) {
      return Error{Failure::usage, fmt::format("--levels must be above 0 and below 1, not {}", text)};
    }
    plan.spec.levels.push_back(*level);
  }
  for (const std::string& text : split(o.kinds.empty() ? usual_kinds(o) : o.kinds, ',')) {
    Result<QuestionKind> kind = parse_question_kind(text);
    if (!kind) return kind.error();
    plan.kinds.push_back(*std::move(kind));
  }
  const auto planted = [](const QuestionKind& kind) { return kind.form == QuestionForm::planted; };
  if (std::any_of(plan.kinds.begin(), plan.kinds.end(), planted)) {
    if (plan.kinds.size() > 1 || !o.grids.empty() || plan.epsilons.size() > 1) {
      return Error{Failure::usage,
                   "--kinds planted is asked by itself, of one epsilon and on the matrix's own cells: what is planted "
                   "depends on both\n  Leave out the other kinds and --grids."};
    }
  }
  if (o.grids.empty()) plan.grids.emplace_back();
  for (const std::string& text : o.grids.empty() ? std::vector<std::string>() : split(o.grids, ',')) {
    // A number alone is a square.
    const auto grid = parse_grid(text.find('x') == std::string::npos ? text + "x" + text : text);
    if (!grid) {
      return Error{Failure::usage,
                   fmt::format("--grids must be sides of maps, as in 500,1000 or 260x222, not \"{}\"", text)};
    }
    plan.grids.emplace_back(*grid);
  }
  return {};
}

Result<CoveragePlan> read_plan(const CoverageOptions& o) {
  CoveragePlan plan;
  if (Status s = read_lists(o, plan); !s) return s.error();
  const Result<std::uint64_t> queries = parse_whole_number("queries", o.queries, 1, 1'000'000);
  if (!queries) return queries.error();
  const Result<std::uint64_t> reps = parse_whole_number("reps", o.reps, 1, 10'000);
  if (!reps) return reps.error();
  const Result<std::uint64_t> seed = parse_whole_number("seed", o.seed, 0, std::uint64_t{1} << 53);
  if (!seed) return seed.error();
  const Result<std::uint64_t> k = parse_whole_number("max_trips_per_user", o.most_trips, 1, 1'000'000);
  if (!k) return k.error();
  plan.spec.queries = *queries;
  plan.spec.reps = static_cast<std::uint32_t>(*reps);
  plan.spec.seed = *seed;
  plan.spec.k = static_cast<std::uint32_t>(*k);
  plan.spec.check = [] { return Interrupt::check(); };
  if (Status s = read_domain(o, plan); !s) return s.error();
  Result<MechanismChoice> choice = parse_mechanism_choice(!o.mechanism.empty()   ? o.mechanism
                                                          : plan.domain.d() <= 2 ? "multigrid"
                                                                                 : "anchor");
  if (!choice) return choice.error();
  plan.spec.mechanism = choice->mechanism;
  plan.spec.params = choice->params;
  plan.spec.label = choice->label;
  if (!o.zones.empty()) {
    Result<ZoneSet> zones = read_zones({.path = o.zones, .id = o.zone_id});
    if (!zones) return zones.error();
    plan.zones = std::make_shared<const ZoneSet>(*std::move(zones));
  }
  std::string stem = std::filesystem::path(o.matrix).filename().string();
  plan.data = (o.name.empty() ? stem.substr(0, stem.find('.')) : o.name) + (o.synthetic ? "" : " (private)");
  return plan;
}

class CoverageRun {
 public:
  CoverageRun(const CoverageOptions& o, const Session& session, CoveragePlan plan)
      : o_(o), session_(session), plan_(std::move(plan)), progress_(session.terminal) {}

  Status run() {
    if (Status s = read_earlier(); !s) return s;
    progress_.phase("reading the matrix");
    Result<MatrixRead> read = read_matrix(o_.matrix, plan_.domain, {session_.threads, Interrupt::asked, plan_.stops});
    progress_.pause();
    if (!read) return read.error();
    session_.terminal.private_note(read->dropped.total() > 0 ? read->dropped.text() : "");
    if (plan_.kinds[0].form == QuestionForm::planted) {
      const double epsilon = static_cast<double>(plan_.epsilons[0]) / static_cast<double>(kTicksPerEpsilon);
      PlantedFlows flows = plant_flows(read->matrix, epsilon, plan_.kinds[0].size, plan_.spec.seed);
      read->matrix = std::move(flows.matrix);
      planted_ = std::move(flows.boxes);
    }
    for (const Grid& grid : plan_.grids) {
      if (Status s = study(read->matrix, grid); !s) return s;
    }
    return show();
  }

 private:
  Readers readers() const { return o_.synthetic ? Readers::usual : Readers::owner; }

  Status read_earlier() {
    if (!o_.against.empty()) {
      Result<CoverageTable> against = CoverageTable::read(o_.against);
      if (!against) return against.error();
      against_ = *std::move(against);
    }
    std::error_code error;
    if (o_.output.empty() || o_.overwrite || !std::filesystem::exists(o_.output, error)) return {};
    Result<CoverageTable> found = CoverageTable::read(o_.output);
    if (!found) {
      return Error{Failure::output_exists,
                   fmt::format("{} is there and is not a table of coverage\n  Choose another -o, or --overwrite it.",
                               o_.output)};
    }
    all_ = *std::move(found);
    return {};
  }

  static std::string grid_text(const Domain& domain) {
    const std::vector<StopPlane> planes = stop_planes(domain);
    if (planes.empty()) return domain.shape_text();
    return fmt::format("{}x{}", domain.axis(planes[0].x).cells, domain.axis(planes[0].y).cells);
  }

  bool is_there(const CoverageCase& of, const std::vector<std::string>& kinds) const {
    return std::all_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
      return std::all_of(plan_.spec.levels.begin(), plan_.spec.levels.end(), [&](double level) {
        CoverageCase one = of;
        one.kind = kind;
        one.level = level;
        return all_.find(one) != nullptr;
      });
    });
  }

  Status study(const Matrix& fine, const Grid& asked_grid) {
    progress_.phase("counting the truth");
    const Result<Regrid> grid = Regrid::make(fine, asked_grid);
    if (!grid) return grid.error();
    Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, plan_.zones);
    if (!questions) return questions.error();
    questions->plant(planted_);
    const std::string grid_name = grid_text(grid->domain());
    std::vector<AskedKind> asked;
    std::vector<std::string> names;
    for (const QuestionKind& kind : plan_.kinds) {
      std::string why;
      std::vector<CoverageQuestion> drawn = questions->draw(kind, plan_.spec.queries, plan_.spec.seed, why);
      if (drawn.empty()) {
        progress_.pause();
        session_.terminal.note(fmt::format("{} is left out: {}", kind.name, why.empty() ? "there is none" : why));
        continue;
      }
      asked.push_back({kind.name, std::move(drawn)});
      names.push_back(kind.name);
      if (Status s = Interrupt::check(); !s) return s;
    }
    if (asked.empty()) return Error{Failure::usage, "no kind of questions can be asked here"};
    names.emplace_back("all");
    StudySpec spec = plan_.spec;
    for (const Ticks epsilon : plan_.epsilons) {
      spec.epsilon = epsilon;
      const CoverageCase of{plan_.data,
                            stop_planes(grid->domain()).size(),
                            spec.label,
                            format_epsilon(epsilon),
                            grid_name,
                            "",
                            0,
                            spec.seed,
                            spec.queries,
                            spec.reps};
      if (is_there(of, names)) continue;
      progress_.phase(fmt::format("epsilon {}, grid {}", of.epsilon, grid_name));
      const Result<IntervalStudy> found = study_intervals({plan_.data, grid_name}, *questions, asked, spec);
      progress_.pause();
      if (!found) return found.error();
      if (Status s = keep(*found); !s) return s;
      session_.terminal.note(fmt::format(
          "epsilon {}, grid {}: {} of {} releases have likely intervals; a release took {:.2f} s, its calibration "
          "{:.2f} s, asking {:.2f} s",
          of.epsilon, grid_name, found->calibrated_releases, spec.reps, found->mechanism_seconds,
          found->calibrate_seconds, found->ask_seconds));
    }
    return {};
  }

  // What is measured reaches the disk at once: an interrupted command goes on from there.
  Status keep(const IntervalStudy& found) {
    for (const CoverageRow& row : found.rows) {
      std::erase_if(all_.rows, [&](const CoverageRow& old) { return old.of == row.of; });
      all_.rows.push_back(row);
    }
    if (against_) all_.compare(*against_);
    return o_.output.empty() ? Status() : all_.write(o_.output, readers());
  }

  Status show() {
    if (against_) {
      const std::size_t both = all_.compare(*against_);
      session_.terminal.note(fmt::format("{} of {} rows are in {} too", both, all_.rows.size(), o_.against));
      if (!o_.output.empty()) {
        if (Status s = all_.write(o_.output, readers()); !s) return s;
      }
    }
    std::size_t figures = 0;
    if (!o_.figures.empty()) {
      std::error_code error;
      std::filesystem::create_directories(o_.figures, error);
      for (const std::string& data : all_.data_sets()) {
        const std::string path =
            (std::filesystem::path(o_.figures) / ("coverage-" + data.substr(0, data.find(' ')))).string();
        const LinePlot plot = all_.plot(data);
        if (Status s = write_file(path + ".svg", to_svg(plot), readers()); !s) return s;
        if (Status s = write_file(path + ".vl.json", to_vega_lite(plot), readers()); !s) return s;
        if (Status s = write_file(path + ".txt", to_text(plot), readers()); !s) return s;
        ++figures;
      }
    }
    const Terminal& terminal = session_.terminal;
    if (terminal.json()) {
      nlohmann::ordered_json told{{"data", plan_.data}, {"private", !o_.synthetic}};
      if (!o_.output.empty()) told["file"] = o_.output;
      told["rows"] =
          o_.synthetic ? nlohmann::ordered_json::parse(all_.json()) : nlohmann::ordered_json(all_.rows.size());
      terminal.print(told.dump(2));
      return {};
    }
    std::string text = all_.text();
    text +=
        "held: intervals that hold the truth, of questions that hold a trip, %;\n"
        "all: with those placed anywhere; claim: answers that claim to hold, %, and\n"
        "holds: how many of these do; width and interval score in trips";
    o_.synthetic ? terminal.print(text) : terminal.private_note(text);
    if (!o_.output.empty()) {
      terminal.print(fmt::format("{}: {} rows{}{}", o_.output, all_.rows.size(),
                                 figures > 0 ? fmt::format("; {} figures in {}", figures, o_.figures) : "",
                                 o_.synthetic ? "" : "; private, made from true counts"));
    }
    return {};
  }

  const CoverageOptions& o_;
  const Session& session_;
  CoveragePlan plan_;
  Progress progress_;
  std::vector<Box> planted_;
  std::optional<CoverageTable> against_;
  CoverageTable all_;
};

Status run_coverage(const CoverageOptions& o, const Session& session) {
  Result<CoveragePlan> plan = read_plan(o);
  if (!plan) return plan.error();
  if (!o.output.empty()) {
    const std::unique_ptr<FileSystem> files = posix_file_system();
    if (Status s = check_output(*files, o.output, true); !s) return s;
  }
  if (!o.synthetic) {
    session.terminal.note(
        "what this shows is made from true counts: it is for the curator alone\n"
        "  If the matrix is synthetic, say --synthetic.");
  }
  const Interrupt interrupt;
  return CoverageRun(o, session, *std::move(plan)).run();
}

}  // namespace

void add_coverage(Cli& cli) {
  const auto o = std::make_shared<CoverageOptions>();
  CLI::App& app = cli.command(
      {"coverage",
       "do intervals hold the truth as often as they say? (curator only)",
       {"stopover-lab coverage --matrix city.parquet --shape 1000x1000x1000x1000\n"
        "--synthetic --epsilons 0.1,0.5 --queries 300 --reps 3",
        "stopover-lab coverage --matrix fine.parquet --grids 260x222,1000\n"
        "--epsilons 0.5,1 --levels 0.8,0.95,0.99 --zones taz.geojson\n"
        "--kinds boxes,one-stop,tiny:8,zones:50 --against before.csv -o now.csv"},
       "Makes releases with keys that can be repeated, calibrates each from itself, and asks questions whose true "
       "answers are known. A row per epsilon, grid, kind and level: the share of intervals that hold the truth, of "
       "questions on data (placed on a trip) and of all; the share that is claimed to hold, and how many of those do; "
       "mean width and interval score, also relative to an earlier table. The table on disk has the noise intervals "
       "and the bounds besides. Rows that are there already are not measured again. "
       "Kinds: random (boxes with random sides); boxes; one-stop (the others free); one-stop-free; elongated; tiny (1 "
       "to 8 cells a side), tiny-one (at one stop); circles; zones (an area at every stop), one-zone; differences (a "
       "box less another); planted (alone: boxes around 20 flows that are added to the trips, 4, 8 and 16 times the "
       "limit of a needle). A number fixes the size, else sizes take turns: boxes:5 (per cent of the map), tiny:8 "
       "(cells), zones:50 (least trips), planted:8 (limits). --grids lays the trips on coarser grids; where the edge "
       "of a circle or an "
       "area cuts a cell, the truth is counted on the matrix's own cells: make them fine (`stopover cells --grid "
       "1048576x1048576`). Private unless --synthetic."},
      [o](const Session& session) { return run_coverage(*o, session); });
  option(app, "--matrix", o->matrix, "FILE", "the trips: .parquet, .csv or .csv.gz")->required();
  option(app, "--shape", o->domain, "WxW...", "cells of every axis, as in 32x32x32x32; a cells file has its own");
  option(app, "--stops", o->domain, "NAMES", "the axes in equal groups, as in origin,destination");
  option(app, "--bbox", o->domain, "W,S,E,N", "where the cells of --shape lie, for --zones");
  option(app, "--grids", o->grids, "LIST", "columns and rows of maps, as in 500,260x222 (the matrix's)");
  option(app, "--kinds", o->kinds, "LIST", "of questions (all; zones with --zones)");
  option(app, "--zones", o->zones, "FILE", "public areas, as GeoJSON or GeoParquet");
  option(app, "--zone-id", o->zone_id, "NAME", "the property of their ids (id, TAZ, GEOID, ...)");
  option(app, "--mechanism", o->mechanism, "NAME", "(multigrid for two axes, else anchor)");
  option(app, "--epsilons", o->epsilons, "LIST", "(0.1,0.5)");
  option(app, "--probe-share", o->probe_share, "P", "of epsilon, for probes; 0: none (0.05)");
  option(app, "--levels", o->levels, "LIST", "of the intervals (0.95)");
  option(app, "--queries", o->queries, "N", "questions per kind on data (300); a quarter as many anywhere");
  option(app, "--reps", o->reps, "N", "releases (3)");
  option(app, "--seed", o->seed, "N", "of the keys and the questions (1)");
  option(app, "--max-trips-per-user", o->most_trips, "K", "noise as for --unit user with K trips (1)");
  option(app, "--name", o->name, "NAME", "of the data in the table (the file's)");
  flag(app, "--synthetic", o->synthetic, "the matrix is synthetic: nothing here is private");
  option(app, "--against", o->against, "FILE", "an earlier table (CSV): scores relative to it");
  option(app, "-o,--output", o->output, "FILE", "the table: .csv (goes on where it was) or .json");
  option(app, "--figures", o->figures, "FOLDER", "a figure per data set: SVG, Vega-Lite, text");
  flag(app, "--overwrite", o->overwrite, "begin anew, whatever is there");
}

}  // namespace stopover
