#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "cli/commands.h"
#include "cli/export_job.h"
#include "cli/interrupt.h"
#include "cli/open_release.h"
#include "cli/progress.h"

namespace stopover {
namespace {

using Form = ExportOutput::Form;

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

bool is_json(const std::string& path) { return path.ends_with(".json"); }

Form by_name(const std::string& output) {
  return table_form(output) == TableForm::parquet ? Form::file : Form::file_and_card;
}

// What `--as` names.
struct Kind {
  std::vector<std::string> flags;    // that go with it, besides -o and --overwrite
  std::vector<std::string> endings;  // that the output's name may have; empty: any
  std::function<Form(const std::string& output)> form;
  std::function<Status(ExportJob&, const std::string& path)> write;
};

std::map<std::string, Kind> kinds() {
  const auto always = [](Form form) { return [form](const std::string&) { return form; }; };
  return {
      {"csv", {{"--draws", "--seed"}, {}, always(Form::file_and_card),
               [](ExportJob& job, const auto& path) { return export_partitions(job, path, TableForm::csv); }}},
      {"parquet", {{"--draws", "--seed"}, {}, always(Form::file),
                   [](ExportJob& job, const auto& path) { return export_partitions(job, path, TableForm::parquet); }}},
      {"geojson", {{"--layer", "--top", "--parts", "--zones", "--zone-name", "--overlaps"}, {}, always(Form::file), export_geojson}},
      {"flowmap", {{"--from", "--to"}, {}, [](const auto& output) { return is_json(output) ? Form::file : Form::folder; },
                   [](ExportJob& job, const auto& path) { return export_flowmap(job, path, !is_json(job.o.output)); }}},
      {"trips", {{"--n", "--seed", "--draws"}, {".csv", ".parquet"}, by_name,
                 [](ExportJob& job, const auto& path) { return export_trips(job, path, table_form(job.o.output)); }}},
      {"dense", {{"--estimates"}, {".npy"}, always(Form::file_and_card), export_dense}},
      {"zones", {{"--zones", "--zone-name", "--overlaps", "--summary", "--from", "--to", "--draws", "--seed"}, {".csv", ".parquet"},
                 by_name, [](ExportJob& job, const auto& path) { return export_zones(job, path, table_form(job.o.output)); }}},
      {"omx", {{"--zones", "--zone-name", "--overlaps", "--from", "--to", "--draws", "--seed"}, {".omx"}, always(Form::file), export_omx}},
  };
}

Status check_flags(const ExportOptions& o, const Kind& kind) {
  const std::vector<std::pair<std::string, bool>> given = {
      {"--layer", !o.layer.empty()}, {"--from", !o.from.empty()}, {"--to", !o.to.empty()}, {"--seed", !o.seed.empty()},
      {"--n", !o.n.empty()}, {"--estimates", !o.estimates.empty()}, {"--top", !o.top.empty()}, {"--parts", !o.parts.empty()},
      {"--zones", !o.zones.empty()}, {"--zone-name", !o.zone_name.empty()}, {"--draws", !o.draws.empty()},
      {"--overlaps", o.overlaps}, {"--summary", o.summary}};
  for (const auto& [flag, is_given] : given) {
    if (!is_given || std::find(kind.flags.begin(), kind.flags.end(), flag) != kind.flags.end()) continue;
    return usage(fmt::format("{} does not go with --as {}", flag, o.as));
  }
  const std::vector<std::string> layers = {"partitions", "stops", "flows", "zones"};
  if (!o.layer.empty() && std::find(layers.begin(), layers.end(), o.layer) == layers.end()) {
    return usage(fmt::format("--layer must be partitions, stops, flows or zones, not \"{}\"", o.layer));
  }
  if (o.as == "geojson" && !o.zones.empty() && o.layer != "zones") return usage("--zones goes with --layer zones");
  const bool fits = kind.endings.empty() || std::any_of(kind.endings.begin(), kind.endings.end(), [&](const std::string& ending) {
                      return o.output.ends_with(ending);
                    });
  if (fits) return {};
  return usage(fmt::format("--as {} cannot be written to {}\n  Give it a name that ends in {}.", o.as, o.output,
                           fmt::join(kind.endings, " or ")));
}

Status run(const ExportOptions& o, const Session& session) {
  const std::map<std::string, Kind> table = kinds();
  const auto kind = table.find(o.as);
  if (kind == table.end()) {
    std::vector<std::string> names;
    for (const auto& [name, about] : table) names.push_back(name);
    const std::string near = nearest(o.as, names);
    return usage(fmt::format("cannot export as \"{}\"\n  {}There are {}.", o.as,
                             near.empty() ? "" : fmt::format("Did you mean {}? ", near), fmt::join(names, ", ")));
  }
  if (Status s = check_flags(o, kind->second); !s) return s;
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const Interrupt interrupt;
  Result<ExportOutput> output = ExportOutput::begin(*files, o.output, kind->second.form(o.output), o.overwrite);
  if (!output) return output.error();
  Progress progress(session.terminal);
  progress.phase("reading the release");
  const Result<Release> release = open_release(o.release, session);
  if (!release) return release.error();
  progress.phase("writing the export");
  ExportJob job{o, session, *files, *release, {o.as, {}, {}}, {}, nlohmann::ordered_json::object(), {}};
  if (Status s = kind->second.write(job, output->path()); !s) return s;
  if (Status s = Interrupt::check(); !s) return s;
  if (Status s = output->finish(job.encoded); !s) return s;
  progress.pause();
  if (session.terminal.json()) {
    nlohmann::ordered_json json = {{"output", o.output}, {"as", o.as}, {"files", output->names()}};
    if (!release->is_private()) json["not_private"] = release->randomness.warning();
    json.update(job.facts);
    session.terminal.print(json.dump(2));
  } else {
    session.terminal.print(fmt::format("{}: {}", o.output, job.summary));
  }
  return {};
}

}  // namespace

void add_export(Cli& cli) {
  const auto o = std::make_shared<ExportOptions>();
  CLI::App& app = cli.command(
      {"export",
       "turn a release into tables, maps, matrices or made-up trips",
       {"stopover export sf.odr --as csv -o partitions.csv",
        "stopover export sf.odr --as geojson --layer flows --top 500 -o flows.geojson",
        "stopover export sf.odr --as flowmap -o flowmap",
        "stopover export sf.odr --as zones --zones zones.geojson -o od.csv",
        "stopover export sf.odr --as omx --zones zones.geojson --draws 20 -o od.omx",
        "stopover export sf.odr --as trips -o trips.parquet",
        "stopover export g4.odr --as dense -o g4.npy"},
       "Costs nothing: a release may be exported as often as one likes. Every export carries the guarantee card, inside the file "
       "or beside it (FILE.card.json). docs/guide/exports.md describes each format."},
      [o](const Session& session) { return run(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr")->required();
  option(app, "--as", o->as, "KIND", "csv, parquet, geojson, flowmap, zones, omx, trips or dense")->required();
  option(app, "-o,--output", o->output, "OUT", "a file; flowmap: a folder, or a .json file")->required();
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
  option(app, "--layer", o->layer, "LAYER", "geojson: partitions (default), stops, flows or zones");
  option(app, "--top", o->top, "N", "geojson flows: only the N largest");
  option(app, "--parts", o->parts, "N", "geojson stops: N x N rectangles where a stop has no map of its own (32)");
  option(app, "--zones", o->zones, "FILE", "zones, omx, geojson zones: a GeoJSON file of polygons");
  option(app, "--zone-name", o->zone_name, "PROPERTY", "the property with the zones' names");
  flag(app, "--overlaps", o->overlaps, "zones that overlap are meant");
  flag(app, "--summary", o->summary, "zones: a row a zone and stop, not a pair");
  option(app, "--from", o->from, "STOP", "flowmap, zones, omx: the first of two stops (the first one)");
  option(app, "--to", o->to, "STOP", "flowmap, zones, omx: the second of two stops (the last one)");
  option(app, "--draws", o->draws, "N", "csv, parquet, trips, zones, omx: N plausible matrices instead of one (omx: besides)");
  option(app, "--n", o->n, "N", "trips: how many (as many as the release estimates)");
  option(app, "--seed", o->seed, "N", "trips, draws: which sample (1)");
  option(app, "--estimates", o->estimates, "WHICH", "dense: plain (default), the paper's, or consistent");
}

}  // namespace stopover
