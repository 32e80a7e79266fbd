#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/export_output.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "exports/dense_array.h"
#include "exports/export_card.h"
#include "exports/flow_map_data.h"
#include "exports/geo_layers.h"
#include "exports/partition_table.h"
#include "exports/trips_table.h"
#include "exports/trip_model.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

using Form = ExportOutput::Form;

struct Options {
  std::string release, as, output, layer, from, to, seed, n, estimates, top, parts;
  bool overwrite = false;
};

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

// One export under way.
struct Job {
  const Options& o;
  const Session& session;
  FileSystem& files;
  const Release& release;
  ExportCard card;
  std::string encoded;  // the card, once `describe` was called
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
  std::string summary;  // for people

  Status describe() {
    Result<std::string> text = encode_card(card, release);
    if (!text) return text.error();
    encoded = *std::move(text);
    return {};
  }
};

TableForm form_of(const std::string& path) { return path.ends_with(".parquet") ? TableForm::parquet : TableForm::csv; }
Form output_form(TableForm form) { return form == TableForm::parquet ? Form::file : Form::file_and_card; }

Result<std::uint64_t> number_or(std::string_view flag, const std::string& text, std::uint64_t otherwise, std::uint64_t min,
                                std::uint64_t max) {
  if (text.empty()) return otherwise;
  return parse_whole_number(flag, text, min, max);
}

Result<std::size_t> stop_number(const Domain& domain, std::string_view flag, const std::string& name, std::size_t otherwise) {
  if (name.empty()) return otherwise;
  const int found = domain.find_stop(name);
  if (found >= 0) return static_cast<std::size_t>(found);
  std::vector<std::string> names;
  for (const Stop& stop : domain.stops()) names.push_back(stop.name);
  const std::string near = nearest(name, names);
  return usage(fmt::format("{} {}: there is no such stop\n  {}There are {}.", flag, name,
                           near.empty() ? "" : fmt::format("Did you mean {}? ", near), fmt::join(names, ", ")));
}

constexpr std::string_view kNotAPromise =
    "Post-processing of a published release: it costs no privacy and can add none.";

Status write_partitions(Job& job, const std::string& path, TableForm form) {
  job.card.notes = {"A row a partition of the release: its box, the noisy count as measured, and the estimate that all counts "
                    "together allow (not negative, adding up).",
                    "noise_lower and noise_upper are what the noise alone leaves open at 95 %, about the value before "
                    "estimates were made non-negative.",
                    std::string(kNotAPromise)};
  if (Status s = job.describe(); !s) return s;
  const Result<LongTable> table = partition_table(job.release);
  if (!table) return table.error();
  job.facts["rows"] = table->rows();
  job.summary = fmt::format("{} partitions", grouped(table->rows()));
  return table->write(path, form, job.encoded, job.session.threads);
}

Status write_geojson(Job& job, const std::string& path) {
  const std::string layer = job.o.layer.empty() ? "partitions" : job.o.layer;
  job.card.settings = {{"layer", layer}};
  job.card.notes = {layer == "partitions" ? "A rectangle for each partition and stop; a partition of several stops is one box in "
                                            "all of them at once, so that rectangles of one stop overlap."
                    : layer == "stops"    ? "Rectangles that tile the map of each stop, with what the release answers for each, "
                                            "the other stops left free."
                                          : "A line for each partition, through the middles of its rectangles; where inside them "
                                            "trips lie is not said.",
                    "noise_lower and noise_upper are what the noise alone leaves open at 95 %.", std::string(kNotAPromise)};
  if (Status s = job.describe(); !s) return s;
  const Result<std::uint64_t> top = number_or("--top", job.o.top, 0, 1, UINT32_MAX);
  if (!top) return top.error();
  const Result<std::uint64_t> parts = number_or("--parts", job.o.parts, 32, 1, 1024);
  if (!parts) return parts.error();
  const Result<std::string> text = layer == "partitions" ? partitions_layer(job.release, job.encoded)
                                   : layer == "stops"    ? stops_layer(job.release, job.encoded, *parts)
                                                         : flows_layer(job.release, job.encoded, *top);
  if (!text) return text.error();
  job.facts["layer"] = layer;
  job.summary = layer + " as GeoJSON";
  return job.files.write_file(path, *text);
}

Status write_flowmap(Job& job, const std::string& path, Form form) {
  const Domain& domain = job.release.domain;
  const Result<std::size_t> from = stop_number(domain, "--from", job.o.from, 0);
  if (!from) return from.error();
  const Result<std::size_t> to = stop_number(domain, "--to", job.o.to, domain.stops().size() - 1);
  if (!to) return to.error();
  if (*from == *to) {
    return domain.stops().size() == 1 ? Error{Failure::bad_input, "the release has one stop, and a flow needs two"}
                                      : usage(fmt::format("--from and --to are the same stop, {}", domain.stops()[*from].name));
  }
  job.card.settings = {{"from", domain.stops()[*from].name}, {"to", domain.stops()[*to].name}};
  job.card.notes = {"locations are the rectangles that partitions have at the two stops, flows what the release estimates between "
                    "them; flows of 0 are left out. Where inside a rectangle trips lie is not said.",
                    std::string(kNotAPromise)};
  if (Status s = job.describe(); !s) return s;
  const Result<FlowMapData> data = flow_map_data(job.release, *from, *to);
  if (!data) return data.error();
  job.facts["locations"] = data->locations.size();
  job.facts["flows"] = data->flows.size();
  job.summary = fmt::format("{} locations, {} flows", grouped(data->locations.size()), grouped(data->flows.size()));
  if (form == Form::file) return job.files.write_file(path, data->json(job.encoded));
  if (Status s = job.files.write_file(path + "/locations.csv", data->locations_csv()); !s) return s;
  return job.files.write_file(path + "/flows.csv", data->flows_csv());
}

Status write_trips(Job& job, const std::string& path, TableForm form) {
  const Result<TripModel> model = TripModel::make(job.release);
  if (!model) return model.error();
  const Result<std::uint64_t> n = number_or("--n", job.o.n, model->whole_total(), 0, kMaxSyntheticTrips);
  if (!n) return n.error();
  const Result<std::uint64_t> seed = number_or("--seed", job.o.seed, 1, 0, UINT64_MAX);
  if (!seed) return seed.error();
  const Result<SyntheticTrips> trips = model->draw(*n, *seed);
  if (!trips) return trips.error();
  if (trips->rows() < *n) job.session.terminal.warn("the release estimates no trips at all, so none were drawn");
  job.card.settings = {{"seed", std::to_string(*seed)}, {"trips", std::to_string(trips->rows())}};
  job.card.notes = {
      "Made-up trips, drawn from the published numbers with a public seed: nobody's real trips. Where the release does not say "
      "how trips lie inside a partition they are spread by its model.",
      fmt::format("A sample: a count of n of these trips is within about 2 sqrt(n) of what the release estimates, beside the "
                  "release's own error. The release estimates {:.0f} trips in all.", model->total()),
      std::string(kNotAPromise)};
  if (Status s = job.describe(); !s) return s;
  job.facts["trips"] = trips->rows();
  job.summary = fmt::format("{} made-up trips, a sample of the published numbers", grouped(trips->rows()));
  return trips_table(*trips, *seed).write(path, form, job.encoded, job.session.threads);
}

Status write_dense_matrix(Job& job, const std::string& path) {
  const Result<Estimates> estimates = parse_estimates(job.o.estimates.empty() ? "plain" : job.o.estimates);
  if (!estimates) return estimates.error();
  job.card.settings = {{"estimates", std::string(to_string(*estimates))}, {"shape", job.release.domain.shape_text()}};
  job.card.notes = {*estimates == Estimates::plain
                        ? "The sanitised matrix: in every cell the noisy count of its partition divided by the partition's cells."
                        : "In every cell its share of its partition's estimate, by the release's answer model.",
                    std::string(kNotAPromise)};
  if (Status s = job.describe(); !s) return s;
  job.facts["shape"] = job.release.domain.shape_text();
  job.summary = fmt::format("{} cells as NumPy doubles", job.release.domain.shape_text());
  return write_dense(job.release, *estimates, path);
}

// What `--as` names.
struct Kind {
  std::vector<std::string> flags;  // that go with it, besides -o and --overwrite
  std::function<Form(const std::string& output)> form;
  std::function<Status(Job&, const std::string& path)> write;
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> table = {
      {"csv", {{}, [](const auto&) { return Form::file_and_card; },
               [](Job& job, const auto& path) { return write_partitions(job, path, TableForm::csv); }}},
      {"parquet", {{}, [](const auto&) { return Form::file; },
                   [](Job& job, const auto& path) { return write_partitions(job, path, TableForm::parquet); }}},
      {"geojson", {{"--layer", "--top", "--parts"}, [](const auto&) { return Form::file; }, write_geojson}},
      {"flowmap", {{"--from", "--to"}, [](const std::string& output) { return output.ends_with(".json") ? Form::file : Form::folder; },
                   [](Job& job, const auto& path) {
                     return write_flowmap(job, path, job.o.output.ends_with(".json") ? Form::file : Form::folder);
                   }}},
      {"trips", {{"--n", "--seed"}, [](const std::string& output) { return output_form(form_of(output)); },
                 [](Job& job, const auto& path) { return write_trips(job, path, form_of(job.o.output)); }}},
      {"dense", {{"--estimates"}, [](const auto&) { return Form::file_and_card; }, write_dense_matrix}},
  };
  return table;
}

Status check_flags(const Options& o, const Kind& kind) {
  const std::vector<std::pair<std::string, const std::string*>> given = {
      {"--layer", &o.layer}, {"--from", &o.from}, {"--to", &o.to}, {"--seed", &o.seed}, {"--n", &o.n},
      {"--estimates", &o.estimates}, {"--top", &o.top}, {"--parts", &o.parts}};
  for (const auto& [flag, value] : given) {
    if (value->empty() || std::find(kind.flags.begin(), kind.flags.end(), flag) != kind.flags.end()) continue;
    return usage(fmt::format("{} does not go with --as {}", flag, o.as));
  }
  if (!o.layer.empty() && o.layer != "partitions" && o.layer != "stops" && o.layer != "flows") {
    return usage(fmt::format("--layer must be partitions, stops or flows, not \"{}\"", o.layer));
  }
  if (o.as == "trips" && !o.output.ends_with(".csv") && !o.output.ends_with(".parquet")) {
    return usage(fmt::format("cannot tell how to write {}\n  Name it .parquet or .csv.", o.output));
  }
  if (o.as == "dense" && !o.output.ends_with(".npy")) {
    return usage(fmt::format("a dense matrix is a NumPy file\n  Name it .npy, not {}.", o.output));
  }
  return {};
}

Status run(const Options& o, const Session& session) {
  const auto kind = kinds().find(o.as);
  if (kind == kinds().end()) {
    std::vector<std::string> names;
    for (const auto& [name, about] : kinds()) names.push_back(name);
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
  const Result<Release> release = read_release(o.release, session.threads);
  if (!release) return release.error();
  progress.phase("writing the export");
  Job job{o, session, *files, *release, {o.as, {}, {}}, {}, nlohmann::ordered_json::object(), {}};
  if (Status s = kind->second.write(job, output->path()); !s) return s;
  if (Status s = Interrupt::check(); !s) return s;
  if (Status s = output->finish(job.encoded); !s) return s;
  progress.pause();
  if (session.terminal.json()) {
    nlohmann::ordered_json json = {{"output", o.output}, {"as", o.as}, {"files", output->names()}};
    json.update(job.facts);
    session.terminal.print(json.dump(2));
  } else {
    session.terminal.print(fmt::format("{}: {}", o.output, job.summary));
  }
  return {};
}

}  // namespace

void add_export(Cli& cli) {
  const auto o = std::make_shared<Options>();
  CLI::App& app = cli.command(
      {"export",
       "turn a release into tables, maps, flows or made-up trips",
       {"stopover export sf.odr --as csv -o partitions.csv",
        "stopover export sf.odr --as geojson --layer flows --top 500 -o flows.geojson",
        "stopover export sf.odr --as flowmap -o flowmap",
        "stopover export sf.odr --as trips -o trips.parquet",
        "stopover export g4.odr --as dense -o g4.npy"},
       "Costs nothing: a release may be exported as often as one likes. Every export carries the guarantee card, inside the file "
       "or beside it (FILE.card.json). docs/exports.md describes each format."},
      [o](const Session& session) { return run(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr")->required();
  option(app, "--as", o->as, "KIND", "csv, parquet, geojson, flowmap, trips or dense")->required();
  option(app, "-o,--output", o->output, "OUT", "a file; flowmap: a folder, or a .json file")->required();
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
  option(app, "--layer", o->layer, "LAYER", "geojson: partitions (default), stops or flows");
  option(app, "--top", o->top, "N", "geojson flows: only the N largest");
  option(app, "--parts", o->parts, "N", "geojson stops: N x N rectangles where a stop has no map of its own (32)");
  option(app, "--from", o->from, "STOP", "flowmap: the first of two stops (the first one)");
  option(app, "--to", o->to, "STOP", "flowmap: the second of two stops (the last one)");
  option(app, "--n", o->n, "N", "trips: how many (as many as the release estimates)");
  option(app, "--seed", o->seed, "N", "trips: which sample (1)");
  option(app, "--estimates", o->estimates, "WHICH", "dense: plain (default), the paper's, or consistent");
}

}  // namespace stopover
