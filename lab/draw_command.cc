#include "lab/draw_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/interrupt.h"
#include "disk/write_file.h"
#include "eval/partition_plot.h"
#include "ingest/matrix_reader.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

struct DrawOptions {
  std::string release, matrix, axes, table, title, output;
};

Result<std::size_t> axis_named(const Domain& domain, const std::string& name) {
  std::string names;
  for (std::size_t i = 0; i < domain.d(); ++i) {
    if (domain.axis(i).name == name) return i;
    names += (i > 0 ? ", " : "") + domain.axis(i).name;
  }
  return Error{Failure::usage, fmt::format("--axes has {}, which is not an axis of the release\n  Its axes are "
                                           "{}.",
                                           name, names)};
}

Result<std::size_t> table_named(const Release& release, const std::string& name) {
  std::string names;
  for (std::size_t i = 0; i < release.tables.size(); ++i) {
    if (release.tables[i].name == name || name.empty()) return i;
    names += (i > 0 ? ", " : "") + release.tables[i].name;
  }
  return Error{Failure::usage, fmt::format("--table {} is not a table of the release\n  It has {}.", name, names)};
}

Result<PartitionPlot> plot_of(const DrawOptions& o, const Release& release) {
  const Domain& domain = release.domain;
  PartitionPlot plot;
  const Result<std::size_t> number = table_named(release, o.table);
  if (!number) return number.error();
  plot.table = *number;
  const Table& table = release.tables[*number];
  if (o.axes.empty()) {
    if (table.axes.size() < 2) {
      return Error{Failure::usage, fmt::format("table {} has one axis\n  Draw one that has two or more.", table.name)};
    }
    plot.x_axis = table.axes[0];
    plot.y_axis = table.axes[1];
  } else {
    const std::size_t comma = std::min(o.axes.find(','), o.axes.size());
    const Result<std::size_t> x = axis_named(domain, o.axes.substr(0, comma));
    if (!x) return x.error();
    const Result<std::size_t> y = axis_named(domain, o.axes.substr(std::min(comma + 1, o.axes.size())));
    if (!y) return y.error();
    plot.x_axis = *x;
    plot.y_axis = *y;
  }
  for (const std::size_t axis : {plot.x_axis, plot.y_axis}) {
    if (std::find(table.axes.begin(), table.axes.end(), axis) == table.axes.end()) {
      return Error{Failure::usage, fmt::format("table {} has no axis {}", table.name, domain.axis(axis).name)};
    }
  }
  const std::vector<bool> leaves = table.leaves();
  plot.title = o.title.empty() ? fmt::format("{}, table {}", release.mechanism, table.name) : o.title;
  plot.subtitle =
      fmt::format("{} and {}, epsilon {}, {} partitions", domain.axis(plot.x_axis).name, domain.axis(plot.y_axis).name,
                  format_epsilon(release.epsilon), std::count(leaves.begin(), leaves.end(), true));
  return plot;
}

Status run_draw(const DrawOptions& o, const Session& session) {
  if (std::filesystem::exists(o.output)) {
    return Error{Failure::output_exists, fmt::format("{} exists\n  Remove it or write elsewhere.", o.output)};
  }
  const Result<Release> release = read_release(o.release, session.threads);
  if (!release) return release.error();
  const Result<PartitionPlot> plot = plot_of(o, *release);
  if (!plot) return plot.error();
  const Interrupt interrupt;
  const Result<MatrixRead> read = read_matrix(o.matrix, release->domain, {session.threads, Interrupt::asked});
  if (!read) return read.error();
  if (Status s = write_file(o.output, partition_svg(*plot, *release, read->matrix), Readers::owner); !s) return s;
  session.terminal.print(fmt::format("{}: {}", o.output, plot->subtitle));
  session.terminal.note(
      "The shades are true counts: keep the picture as private as the trips, unless they are "
      "synthetic.");
  return {};
}

}  // namespace

void add_draw(Cli& cli) {
  const auto o = std::make_shared<DrawOptions>();
  CLI::App& app = cli.command({"draw",
                               "a release's partition over the trips behind it (curator only)",
                               {"stopover-lab draw city.odr --matrix city.parquet -o joint.svg",
                                "stopover-lab draw city.odr --matrix city.parquet --table map1 -o map.svg"},
                               "An SVG of two axes: trips as shades (log scale), first divisions as strong lines, "
                               "leaves as fine ones; where the "
                               "table has more axes, the leaves' shadows on these two. As private as the trips."},
                              [o](const Session& session) { return run_draw(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr")->required();
  option(app, "--matrix", o->matrix, "FILE", "the trips: .parquet, .csv or .csv.gz")->required();
  option(app, "--table", o->table, "NAME", "of the release: joint (the default), map1, map2, ...");
  option(app, "--axes", o->axes, "X,Y", "two axes of the table (its first two)");
  option(app, "--title", o->title, "TEXT", "(mechanism and table)");
  option(app, "-o,--output", o->output, "FILE", "the picture, .svg")->required();
}

}  // namespace stopover
