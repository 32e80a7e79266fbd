#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/terminal_observer.h"
#include "job/export_job.h"

namespace stopover {
namespace {

Status run_export(const FieldValues& values, const Session& session) {
  const Result<ExportSpec> spec = read_export(values);
  if (!spec) return spec.error();
  const Interrupt interrupt;
  Progress progress(session.terminal);
  const Result<Exported> exported = run_export(*spec, terminal_observer(session.terminal, progress, session.threads));
  progress.pause();
  if (!exported) return exported.error();
  session.terminal.print(session.terminal.json() ? exported->json
                                                 : fmt::format("{}: {}", spec->output, exported->summary));
  return {};
}

// "csv, trips: ", the exports that a field goes with, before what it does.
std::string with(std::string_view field, std::string_view help) {
  return fmt::format("{}: {}", fmt::join(export_names(field), ", "), help);
}

}  // namespace

void add_export(Cli& cli) {
  const auto o = std::make_shared<FieldValues>();
  CLI::App& app = cli.command(
      {"export",
       "turn a release into tables, maps, matrices or synthetic trips",
       {"stopover export sf.odr --as csv -o partitions.csv",
        "stopover export sf.odr --as geojson --layer flows --top 500 -o flows.geojson",
        "stopover export sf.odr --as gpkg -o sf.gpkg", "stopover export sf.odr --as flowmap -o flowmap",
        "stopover export sf.odr --as zones --zones zones.geojson -o od.csv",
        "stopover export sf.odr --as omx --zones zones.geojson --draws 20 -o od.omx",
        "stopover export sf.odr --as zones --zones h3:8 --summary -o h3.csv",
        "stopover export sf.odr --as sumo --zones zones.geojson --hours 7-9 -o am.od",
        "stopover export sf.odr --as trips -o trips.parquet", "stopover export g4.odr --as dense -o g4.npy"},
       "Costs nothing: a release may be exported as often as one likes. Every export carries the guarantee card, "
       "inside the file "
       "or beside it (FILE.card.json). docs/guide/exports.md describes each format."},
      [o](const Session& session) { return run_export(*o, session); });
  cli.renamed("export", "--parts", "--tiles");
  option(app, "release", *o, "RELEASE", "the folder NAME.odr, or NAME.odrz; or a series, a folder of them")->required();
  option(app, "--as", *o, "KIND", fmt::format("{}", fmt::join(export_names(), ", ")))->required();
  option(app, "-o,--output", *o, "OUT", "a file; flowmap: a folder, or a .json file")->required();
  flag(app, "--overwrite", *o, "replace the output if it is there");
  option(app, "--layer", *o, "LAYER", with("layer", "partitions (default), stops, flows or zones"));
  option(app, "--top", *o, "N", with("top", "of flows only the N largest"));
  option(app, "--tiles", *o, "N", with("tiles", "stops as N x N rectangles where one has no map of its own (32)"));
  option(app, "--zones", *o, "FILE", with("zones", "a GeoJSON file of polygons, or h3:8 for cells of H3"));
  option(app, "--zone-name", *o, "PROPERTY", "the property with the zones' names");
  options(app, "--stop", *o, "NAME=REGION",
          with("stop", "only trips that are there, as in query: hours, categories, places"));
  flag(app, "--overlaps", *o, "allow zones that overlap; their trips count in each");
  flag(app, "--summary", *o, with("summary", "one row per zone and stop, not per pair"));
  option(app, "--at-least", *o, "TRIPS", with("at_least", "leave out pairs of fewer trips, as estimated"));
  flag(app, "--integers", *o, with("integers", "whole numbers that add up, beside the estimates"));
  option(app, "--fix-totals", *o, "FILE",
         with("fix_totals", "meet the totals of a CSV file (zone,origins,destinations)"));
  option(app, "--expand", *o, "FACTOR",
         with("expand", "scale to a population: a factor, or a CSV file (zone,factor) by origin"));
  option(app, "--from", *o, "STOP", with("from", "the first of two stops (the first one)"));
  option(app, "--to", *o, "STOP", with("to", "the second of two stops (the last one)"));
  flag(app, "--sparse", *o, with("sparse", "pairs that are listed in compressed rows (CSR), too"));
  option(app, "--hours", *o, "FROM-TO", with("hours", "the part of the day that trips begin in, as 7-9 (0-24)"));
  option(app, "--mode", *o, "MODE", with("mode", "of all legs (car)"));
  option(app, "--draws", *o, "N", with("draws", "N posterior draws instead of one matrix (omx: besides)"));
  option(app, "--n", *o, "N", with("n", "how many (as many as the release estimates)"));
  option(app, "--seed", *o, "N", "trips, draws: which sample (1)");
  option(app, "--estimates", *o, "WHICH",
         with("estimates", "plain (default; raw noisy counts) or consistent (never negative)"));
}

}  // namespace stopover
