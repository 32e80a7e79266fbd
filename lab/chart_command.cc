#include "lab/chart_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "disk/write_file.h"
#include "eval/result_plots.h"

namespace stopover {
namespace {

struct ChartOptions {
  std::vector<std::string> tables;
  std::string mechanisms;
  std::string output;
};

Status write_text(const std::filesystem::path& path, const std::string& text) {
  return write_file(path.string(), text, Readers::owner);
}

Status run_chart(const ChartOptions& o, const Session& session) {
  std::vector<ResultRow> rows;
  for (const std::string& path : o.tables) {
    Result<ResultTable> table = ResultTable::read(path);
    if (!table) return table.error();
    rows.insert(rows.end(), table->rows.begin(), table->rows.end());
  }
  std::vector<std::string> mechanisms;
  for (std::size_t at = 0; at < o.mechanisms.size();) {
    const std::size_t end = std::min(o.mechanisms.find(',', at), o.mechanisms.size());
    mechanisms.push_back(o.mechanisms.substr(at, end - at));
    at = end + 1;
  }
  const std::filesystem::path folder(o.output);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{Failure::usage, fmt::format("cannot make the folder {}: {}", o.output, error.message())};
  const std::vector<NamedPlot> plots = result_plots(rows, mechanisms);
  for (const NamedPlot& named : plots) {
    if (Status s = write_text(folder / (named.name + ".svg"), to_svg(named.plot)); !s) return s;
    if (Status s = write_text(folder / (named.name + ".vl.json"), to_vega_lite(named.plot)); !s) return s;
    if (Status s = write_text(folder / (named.name + ".txt"), to_text(named.plot)); !s) return s;
  }
  session.terminal.print(fmt::format("{}: {} figures, each as SVG, Vega-Lite and text", o.output, plots.size()));
  return {};
}

}  // namespace

void add_chart(Cli& cli) {
  const auto o = std::make_shared<ChartOptions>();
  CLI::App& app = cli.command(
      {"chart",
       "figures from tables that evaluate wrote",
       {"stopover-lab chart --table private_sf4.csv --table private_la4.csv\n"
        "--mechanisms ag,anchor -o figures"},
       "Error over epsilon and over query size, the share of it that is noise, needles and blobs with the limit "
       "ln(M/2)/epsilon, busy pairs with the error of a single count, by number of axes (the digit "
       "that ends a data set's name); time and memory over trips for data sets named NAME-nNUMBER. As "
       "private as the tables."},
      [o](const Session& session) { return run_chart(*o, session); });
  options(app, "--table", o->tables, "FILE", "a table of results; repeatable")->required();
  option(app, "--mechanisms", o->mechanisms, "LIST", "which, in this order (all)");
  option(app, "-o,--output", o->output, "FOLDER", "for the figures")->required();
}

}  // namespace stopover
