#include "synthetic/generate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "duck/cell_table.h"
#include "job/output.h"
#include "job/parse_number.h"

namespace stopover {
namespace {

struct GenerateOptions {
  std::string kind, dims = "2", n = "100000", width = "1000", sd = "100", a = "1.5", stops = "2", grid = "1000",
                    seed = "1", output;
  bool overwrite = false;
};

Result<SyntheticTrips> make(const GenerateOptions& o) {
  const auto whole = [](std::string_view flag, const std::string& text) {
    return parse_whole_number(flag, text, 0, UINT64_MAX);
  };
  const Result<std::uint64_t> n = whole("n", o.n);
  if (!n) return n.error();
  const Result<std::uint64_t> seed = whole("seed", o.seed);
  if (!seed) return seed.error();
  if (o.kind == "city") {
    const Result<std::uint64_t> stops = whole("stops", o.stops);
    if (!stops) return stops.error();
    const Result<std::uint64_t> grid = whole("grid", o.grid);
    if (!grid) return grid.error();
    return generate_city(*stops, *n, *grid, *seed);
  }
  if (o.kind != "gaussian" && o.kind != "zipf") {
    return Error{Failure::usage, fmt::format("cannot generate \"{}\"\n  There are gaussian, zipf and city.", o.kind)};
  }
  const Result<std::uint64_t> dims = whole("dims", o.dims);
  if (!dims) return dims.error();
  const Result<std::uint64_t> width = whole("width", o.width);
  if (!width) return width.error();
  const bool gaussian = o.kind == "gaussian";
  const Result<double> shape = gaussian ? parse_decimal("sd", o.sd) : parse_decimal("a", o.a);
  if (!shape) return shape.error();
  return gaussian ? generate_gaussian(*dims, *n, *width, *shape, *seed)
                  : generate_zipf(*dims, *n, *width, *shape, *seed);
}

Status run_generate(const GenerateOptions& o, const Session& session) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const Result<TableFormat> format = table_format(o.output);
  if (!format) return format.error();
  const Interrupt interrupt;
  Result<Output> output = Output::begin(*files, o.output, o.overwrite);
  if (!output) return output.error();
  Progress progress(session.terminal);
  progress.phase("making trips up");
  const Result<SyntheticTrips> trips = make(o);
  if (!trips) return trips.error();
  if (Status s = Interrupt::check(); !s) return s;
  progress.phase("writing");
  std::vector<std::string> names;
  for (const Axis& axis : trips->domain.axes()) names.push_back(axis.name);
  if (Status s = write_cell_table(output->path(), *format, names, trips->cells, session.threads); !s) return s;
  if (Status s = Interrupt::check(); !s) return s;
  if (Status s = output->finish(); !s) return s;
  progress.pause();
  if (session.terminal.json()) {
    session.terminal.print(nlohmann::ordered_json{
        {"file", o.output},
        {"rows", trips->rows()},
        {"columns", names},
        {"shape", trips->domain.shape_text()},
        {"summary",
         trips->summary}}.dump(2));
  } else {
    session.terminal.print(fmt::format("{}: {}\n  shape {}", o.output, trips->summary, trips->domain.shape_text()));
  }
  return {};
}

}  // namespace

void add_generate(Cli& cli) {
  const auto o = std::make_shared<GenerateOptions>();
  CLI::App& app = cli.command(
      {"generate",
       "make up a matrix: gaussian, zipf or a city with stops",
       {"stopover generate gaussian --dims 4 --n 1000000 --width 32 --sd 6 --seed 7\n-o g4.parquet",
        "stopover generate zipf --dims 2 --n 1000000 --width 1000 --a 1.5 --seed 7\n-o z2.parquet",
        "stopover generate city --stops 3 --n 300000 --grid 1000 --seed 7\n-o city3.parquet"},
       "One row per trip, columns a0, a1, ...; the same flags give the same rows on every machine. A city has two "
       "axes (east, "
       "north) per stop. A point outside the domain is drawn again."},
      [o](const Session& session) { return run_generate(*o, session); });
  option(app, "kind", o->kind, "KIND", "gaussian, zipf or city")->required();
  option(app, "-o,--output", o->output, "FILE", "the table to write: .parquet or .csv")->required();
  option(app, "--n", o->n, "N", "trips (100000)");
  option(app, "--dims", o->dims, "D", "gaussian, zipf: axes, 1 to 12 (2)");
  option(app, "--width", o->width, "W", "gaussian, zipf: cells per axis (1000)");
  option(app, "--sd", o->sd, "S", "gaussian: standard deviation in cells (100)");
  option(app, "--a", o->a, "A", "zipf: exponent (1.5)");
  option(app, "--stops", o->stops, "S", "city: stops of a trip, 1 to 6 (2)");
  option(app, "--grid", o->grid, "G", "city: the map has G x G cells (1000)");
  option(app, "--seed", o->seed, "N", "which of the synthetic data sets (1)");
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
}

}  // namespace stopover
