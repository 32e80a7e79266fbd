#include "bindings/bind.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/field_words.h"
#include "bindings/open_release.h"
#include "bindings/task.h"
#include "disk/private_folder.h"
#include "ingest/piece_tally.h"
#include "ingest/zone_lookup.h"
#include "job/cells_job.h"
#include "job/export_job.h"
#include "job/field_values.h"
#include "job/inspect_job.h"
#include "job/open_series.h"
#include "job/pack_job.h"
#include "job/plan_job.h"
#include "job/plan_report.h"
#include "job/protect.h"
#include "job/rehearsal_job.h"
#include "job/reports.h"
#include "job/series_report.h"
#include "job/sign_job.h"
#include "job/state_folder.h"
#include "job/upgrade_job.h"
#include "query/batch.h"
#include "question/question_json.h"
#include "release_io/release_io.h"

namespace nb = nanobind;

namespace stopover {
namespace {

using Json = nlohmann::ordered_json;
using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Boxes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct Failed {
  Error error;
};

// Waits for its thread without Python's lock, which the thread may need to give back a table in memory.
class PythonTask : public Task {
 public:
  using Task::Task;
  PythonTask(const PythonTask&) = delete;
  PythonTask& operator=(const PythonTask&) = delete;
  ~PythonTask() {
    const nb::gil_scoped_release free;
    stop();
  }
};

template <typename T>
T taken(Result<T> result) {
  if (!result) throw Failed{result.error()};
  return std::move(*result);
}

void raise(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failed& failed) {
    const nb::object made =
        nb::module_::import_("stopover._errors")
            .attr("of_code")(static_cast<int>(failed.error.failure), in_words_of(Face::python, failed.error.message),
                             named_field(failed.error.message));
    PyErr_SetObject(made.type().ptr(), made.ptr());
  }
}

// The rows behind a capsule of __arrow_c_stream__, or none.
std::shared_ptr<const ArrowRows> rows_of(const nb::object& capsule) {
  if (capsule.is_none()) return nullptr;
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  return taken(ArrowRows::take(*stream));
}

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// The columns of a table as its Parquet file has them (docs/internals/release_format.md); what is missing there is NaN.
nb::dict columns_of(const Release& release, std::size_t number) {
  const Table& table = release.tables.at(number);
  nb::dict columns;
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    const Axis& axis = release.domain.axis(table.axes[i]);
    columns[(axis.name + "_lo").c_str()] = array_of(table.lo[i]);
    columns[(axis.name + "_hi").c_str()] = array_of(table.hi[i]);
    if (!axis.labels.empty()) continue;
    std::vector<double> from, to;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      from.push_back(axis.edge(table.lo[i][row]));
      to.push_back(axis.edge(table.hi[i][row]));
    }
    columns[(axis.name + "_from").c_str()] = array_of(std::move(from));
    columns[(axis.name + "_to").c_str()] = array_of(std::move(to));
  }
  columns["parent"] = array_of(table.parent);
  columns["depth"] = array_of(table.depth);
  const std::vector<bool> leaves = table.leaves();
  columns["leaf"] = array_of(std::vector<std::uint8_t>(leaves.begin(), leaves.end()));
  columns["count"] = array_of(table.count);
  columns["ticks"] = array_of(std::vector<std::uint64_t>(table.row_ticks.begin(), table.row_ticks.end()));
  columns["side_ticks"] = array_of(std::vector<std::uint64_t>(table.side_ticks.begin(), table.side_ticks.end()));
  std::vector<double> scale;
  for (const Ticks ticks : table.row_ticks)
    scale.push_back(ticks == 0 ? std::numeric_limits<double>::quiet_NaN()
                               : 1e9 * release.k / static_cast<double>(ticks));
  columns["noise_scale"] = array_of(std::move(scale));
  columns["estimate"] = array_of(table.estimate);
  if (!table.spread.empty()) columns["spread"] = array_of(table.spread);
  if (!table.coarse_ticks.empty()) {
    columns["coarse_count"] = array_of(table.coarse_count);
    columns["coarse_ticks"] =
        array_of(std::vector<std::uint64_t>(table.coarse_ticks.begin(), table.coarse_ticks.end()));
  }
  return columns;
}

AnswerOptions options_of(const std::string& estimates, double level, bool intervals) {
  AnswerOptions options;
  options.estimates = taken(parse_estimates(estimates));
  if (Status s = check_level(level); !s) throw Failed{s.error()};
  options.level = level;
  options.intervals = intervals;
  return options;
}

void check_width(const OpenRelease& open, const Boxes& boxes) {
  const std::size_t wanted = 2 * open.release().domain.d();
  if (boxes.shape(1) == wanted) return;
  throw Failed{{Failure::usage, "a box has " + std::to_string(wanted) + " numbers here, lo and hi of each axis, not " +
                                    std::to_string(boxes.shape(1))}};
}

nb::dict answer_boxes(const OpenRelease& open, const Boxes& boxes, const std::string& estimates, double level,
                      bool intervals) {
  check_width(open, boxes);
  const AnswerOptions options = options_of(estimates, level, intervals);
  const std::size_t rows = boxes.shape(0), width = boxes.shape(1);
  std::vector<std::vector<double>> columns(intervals ? std::size(kAnswerNumbers) : 1, std::vector<double>(rows));
  {
    const nb::gil_scoped_release free;
    // A part at a time, so that what is only passed on stays in the cache.
    constexpr std::size_t kPart = 1024;
    std::vector<BoxQuery> queries(std::min(kPart, rows));
    std::vector<Answer> answers(queries.size());
    for (std::size_t at = 0; at < rows; at += kPart) {
      const std::size_t count = std::min(kPart, rows - at);
      const std::span<BoxQuery> part(queries.data(), count);
      if (Status s = open.read_boxes({boxes.data() + at * width, count * width}, at + 1, part); !s)
        throw Failed{s.error()};
      answer_all(open.engine().index(), part, options, {answers.data(), count});
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t i = 0; i < count; ++i) columns[c][at + i] = answers[i].*kAnswerNumbers[c].second;
      }
    }
  }
  nb::dict found;
  for (std::size_t c = 0; c < columns.size(); ++c) found[kAnswerNumbers[c].first] = array_of(std::move(columns[c]));
  return found;
}

// How long the library itself takes.
double batch_seconds(const OpenRelease& open, const Boxes& boxes, bool intervals) {
  check_width(open, boxes);
  std::vector<BoxQuery> queries(boxes.shape(0));
  std::vector<Answer> answers(queries.size());
  if (Status s = open.read_boxes({boxes.data(), boxes.size()}, 1, queries); !s) throw Failed{s.error()};
  const auto begin = std::chrono::steady_clock::now();
  answer_all(open.engine().index(), queries, options_of("consistent", 0.95, intervals), answers);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What was told, as data and as a page.
std::string told_json(const std::string& json, const std::string& text) {
  return Json{{"json", Json::parse(json)}, {"text", in_words_of(Face::python, text)}}.dump();
}

std::unique_ptr<PythonTask> start_publish(const FieldValues& values, const nb::object& rows, bool dry_run,
                                          unsigned threads, const KeyByName& key_by_name) {
  const std::shared_ptr<const ArrowRows> table = rows_of(rows);
  PublishSpec spec = taken(read_publish(values, table != nullptr));
  if (table) std::get<RowsSpec>(spec.data).source.arrow = table;
  return std::make_unique<PythonTask>(
      [spec = std::move(spec), dry_run, key_by_name](const Observer& observer) mutable -> Result<std::string> {
        const PublishSpec mine = std::exchange(spec, {});  // so that a table in memory is given back before the end
        if (dry_run) {
          const Result<DryRun> told = run_rehearsal(mine, observer, key_by_name);
          if (!told) return told.error();
          return told_json(told->json(), told->text(Face::python));
        }
        const Result<Published> published = run_publish(mine, observer, key_by_name);
        if (!published) return published.error();
        return published->json();
      },
      threads);
}

CellsSpec cells_spec(const FieldValues& values, const nb::object& rows) {
  CellsSpec spec = taken(read_cells(values));
  spec.rows.source.arrow = rows_of(rows);
  return spec;
}

std::unique_ptr<PythonTask> start_cells(const FieldValues& values, const nb::object& rows, unsigned threads) {
  return std::make_unique<PythonTask>(
      [spec = cells_spec(values, rows)](const Observer& observer) mutable -> Result<std::string> {
        const Result<CellsMade> made = run_cells(std::exchange(spec, {}), observer);
        if (!made) return made.error();
        return made->json();
      },
      threads);
}

std::unique_ptr<PythonTask> start_inspect(const FieldValues& values, const nb::object& rows, unsigned threads) {
  RowsSpec spec = taken(read_inspect(values));
  spec.source.arrow = rows_of(rows);
  return std::make_unique<PythonTask>(
      [spec = std::move(spec)](const Observer& observer) mutable -> Result<std::string> {
        const Result<Inspection> told = run_inspect(std::exchange(spec, {}), observer);
        if (!told) return told.error();
        return told_json(told->json(), told->text(Face::python));
      },
      threads);
}

std::unique_ptr<PythonTask> start_plan(const FieldValues& values, unsigned threads) {
  return std::make_unique<PythonTask>(
      [spec = taken(read_plan(values))](const Observer& observer) -> Result<std::string> {
        const Result<Planned> planned = run_plan(spec, observer);
        if (!planned) return planned.error();
        const PlanReport report = planned->report();
        return told_json(report.json(), report.text(Paper()));
      },
      threads);
}

std::unique_ptr<PythonTask> start_export(const FieldValues& values, unsigned threads) {
  return std::make_unique<PythonTask>(
      [spec = taken(read_export(values))](const Observer& observer) -> Result<std::string> {
        const Result<Exported> exported = run_export(spec, observer);
        if (!exported) return exported.error();
        return exported->json;
      },
      threads);
}

Observer one_thread() {
  Observer observer;
  observer.threads = 1;
  return observer;
}

std::string spark_plan(const FieldValues& values, const nb::object& rows) {
  CellsSpec spec = cells_spec(values, rows);
  spec.engine = SqlDialect::Engine::spark;
  return taken(explain_cells(spec, true, one_thread()));
}

std::string adopt_folder(const FieldValues& values, const nb::object& rows, const std::string& folder) {
  return taken(adopt_cells(cells_spec(values, rows), folder, Observer())).json();
}

std::pair<std::string, std::string> ledger(const std::string& path, const std::string& state) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const LedgerChain chain = taken(Ledger::read(*files, path, taken(state_folder(state))));
  return {ledger_json(chain), ledger_text(path, chain, Paper())};
}

std::pair<std::string, std::vector<std::string>> all_mechanisms() {
  std::vector<const Mechanism*> all;
  std::vector<std::string> texts;
  for (const Mechanism& m : mechanisms()) {
    all.push_back(&m);
    texts.push_back(in_words_of(Face::python, mechanism_text(m, Paper())));
  }
  return {mechanisms_json(all), texts};
}

void verify(const std::string& path, bool accept_repeatable, const std::vector<std::string>& signed_by,
            const std::string& heads, unsigned threads) {
  const nb::gil_scoped_release free;
  const Result<Randomness> verified =
      verify_release(path, threads, accept_repeatable ? Accept::repeatable : Accept::private_only);
  if (!verified) throw Failed{verified.error()};
  (void)taken(check_trust({path, signed_by, heads}, threads));
}

std::tuple<std::string, std::string, std::string, std::string> make_key(const std::string& name) {
  const KeyFiles made = taken(new_key(name));
  return {made.secret, made.open, made.name, made.line};
}

std::string sign(const std::string& path, const std::string& key, unsigned threads) {
  const nb::gil_scoped_release free;
  return taken(sign_release(path, taken(SecretKey::read(key)), threads));
}

void supersede_release(const std::string& path, const std::string& by, const std::string& why, const std::string& key,
                       unsigned threads) {
  const nb::gil_scoped_release free;
  (void)taken(supersede({path, by, why, key}, threads));
}

std::uint64_t pack_to(const std::string& path, const std::string& output, bool overwrite, unsigned threads) {
  const nb::gil_scoped_release free;
  return taken(pack(path, output, overwrite, threads));
}

void upgrade_to(const std::string& path, const std::string& output, unsigned threads) {
  const nb::gil_scoped_release free;
  (void)taken(upgrade(path, output, threads));
}

void bind_release(nb::module_& m) {
  nb::class_<OpenRelease>(m, "OpenRelease")
      .def_static(
          "open",
          [](const std::string& path, unsigned threads) {
            const nb::gil_scoped_release free;
            return taken(OpenRelease::open(path, threads));
          },
          nb::arg("path"), nb::arg("threads") = 0)
      .def(
          "ask",
          [](const OpenRelease& open, const std::string& question, const OpenRelease* other) {
            const nb::gil_scoped_release free;
            return taken(ask_question(open.engine(), question, other == nullptr ? nullptr : &other->engine()));
          },
          nb::arg("question"), nb::arg("other") = nb::none())
      .def("answer_boxes", answer_boxes, nb::arg("boxes"), nb::arg("estimates") = "consistent", nb::arg("level") = 0.95,
           nb::arg("intervals") = true)
      .def("info", &OpenRelease::info)
      .def("card", &OpenRelease::card)
      .def(
          "info_as",
          [](const OpenRelease& open, const std::string& form, const std::string& url) {
            return taken(open.info_as(form, url));
          },
          nb::arg("form"), nb::arg("url") = "")
      .def("domain", &OpenRelease::domain)
      .def("ground", &OpenRelease::ground)
      .def("page",
           [](const OpenRelease& open) {
             const nb::gil_scoped_release free;
             return taken(open.page());
           })
      .def(
          "stops",
          [](const OpenRelease& open, std::size_t tiles) {
            const nb::gil_scoped_release free;
            return taken(open.stops(tiles));
          },
          nb::arg("tiles"))
      .def("tables",
           [](const OpenRelease& open) {
             std::vector<std::string> names;
             for (const Table& table : open.release().tables) names.push_back(table.name);
             return names;
           })
      .def(
          "columns", [](const OpenRelease& open, std::size_t number) { return columns_of(open.release(), number); },
          nb::arg("number"));
}

// A series, and what was warned of when it was opened.
struct HeldSeries {
  OpenSeries series;
  std::vector<std::string> warnings;
};

void bind_series(nb::module_& m) {
  nb::class_<HeldSeries>(m, "OpenSeries")
      .def_static(
          "open",
          [](const std::string& path, unsigned threads) {
            const nb::gil_scoped_release free;
            std::vector<std::string> said;
            Observer observer;
            observer.threads = threads;
            observer.warn = [&](std::string_view text) { said.emplace_back(text); };
            OpenSeries series = taken(OpenSeries::open(path, observer));
            return HeldSeries{std::move(series), std::move(said)};
          },
          nb::arg("path"), nb::arg("threads") = 0)
      .def(
          "ask",
          [](const HeldSeries& held, const std::string& question) {
            const nb::gil_scoped_release free;
            return taken(ask_series_question(held.series, question));
          },
          nb::arg("question"))
      .def("kind", [](const HeldSeries& held) { return std::string(to_string(held.series.members[0].period.kind)); })
      .def("periods",
           [](const HeldSeries& held) {
             std::vector<std::pair<std::string, std::string>> all;
             for (const OpenSeries::Member& one : held.series.members) all.emplace_back(one.period.name(), one.path);
             return all;
           })
      .def("info", [](const HeldSeries& held) { return series_json(held.series); })
      .def("card", [](const HeldSeries& held) { return series_text(held.series, Paper()); })
      .def("warnings", [](const HeldSeries& held) { return held.warnings; });
}

void bind_task(nb::module_& m) {
  nb::class_<PythonTask>(m, "Task")
      .def("wait", &PythonTask::wait, nb::arg("seconds"), nb::call_guard<nb::gil_scoped_release>())
      .def("cancel", &PythonTask::cancel)
      .def("phase", &PythonTask::phase)
      .def("begun", &PythonTask::begun)
      .def("said", &PythonTask::said)
      .def("result", [](const PythonTask& task) { return taken(task.result()); });
}

struct HeldFolder {
  std::optional<PrivateFolder> folder;
};

void bind_private_folder(nb::module_& m) {
  nb::class_<HeldFolder>(m, "PrivateFolder")
      .def(
          "__init__",
          [](HeldFolder* held, const std::string& place, const std::string& name) {
            new (held) HeldFolder{taken(PrivateFolder::make(place, name))};
          },
          nb::arg("place"), nb::arg("name"))
      .def("path", [](const HeldFolder& held) { return held.folder ? held.folder->path() : std::string(); })
      .def("remove", [](HeldFolder& held) { held.folder.reset(); });
  m.def("temporary_place", temporary_place);
}

// What an executor of Spark counts its rows with (spark/count.py).
void bind_piece_tally(nb::module_& m) {
  nb::class_<PieceTally>(m, "PieceTally")
      .def(
          "__init__",
          [](PieceTally* piece, const nb::bytes& task) {
            new (piece) PieceTally(taken(PieceTally::of({task.c_str(), task.size()})));
          },
          nb::arg("task"))
      .def(
          "add",
          [](PieceTally& piece, const std::vector<Whole>& columns, const std::optional<Whole>& counts) {
            std::vector<std::span<const std::int64_t>> spans;
            for (const Whole& column : columns) spans.emplace_back(column.data(), column.shape(0));
            std::optional<std::span<const std::int64_t>> of_rows;
            if (counts) of_rows.emplace(counts->data(), counts->shape(0));
            const nb::gil_scoped_release free;
            if (Status s = piece.add(spans, of_rows); !s) throw Failed{s.error()};
          },
          nb::arg("columns"), nb::arg("counts").none())
      .def("sums", [](PieceTally& piece) {
        TallySums sums = piece.sums();
        return std::tuple(array_of(std::move(sums.lattice)), array_of(std::move(sums.box)),
                          array_of(std::move(sums.count)));
      });
}

// With what an executor of Spark looks places up in zones (python/stopover/spark.py).
void bind_zone_lookup(nb::module_& m) {
  using Places = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  nb::class_<ZoneLookup>(m, "ZoneLookup")
      .def(
          "__init__",
          [](ZoneLookup* lookup, const std::string& zones) { new (lookup) ZoneLookup(taken(ZoneLookup::of(zones))); },
          nb::arg("zones"))
      .def(
          "numbers",
          [](const ZoneLookup& lookup, const Places& lng, const Places& lat) {
            return array_of(taken(lookup.numbers({lng.data(), lng.shape(0)}, {lat.data(), lat.shape(0)})));
          },
          nb::arg("lng"), nb::arg("lat"));
}

}  // namespace

void bind_stopover(nb::module_& m, const KeyByName& key_by_name) {
  nb::register_exception_translator(raise, nullptr);
  m.attr("version") = STOPOVER_VERSION;
  m.attr("max_axes") = kMaxAxes;
  bind_task(m);
  bind_private_folder(m);
  bind_piece_tally(m);
  bind_zone_lookup(m);
  bind_release(m);
  bind_series(m);
  m.def(
      "start_publish",
      [key_by_name](const FieldValues& fields, const nb::object& rows, bool dry_run, unsigned threads) {
        return start_publish(fields, rows, dry_run, threads, key_by_name);
      },
      nb::arg("fields"), nb::arg("rows").none(), nb::arg("dry_run") = false, nb::arg("threads") = 0);
  m.def("start_cells", start_cells, nb::arg("fields"), nb::arg("rows").none(), nb::arg("threads") = 0);
  m.def("start_inspect", start_inspect, nb::arg("fields"), nb::arg("rows").none(), nb::arg("threads") = 0);
  m.def("start_plan", start_plan, nb::arg("fields"), nb::arg("threads") = 0);
  m.def("start_export", start_export, nb::arg("fields"), nb::arg("threads") = 0);
  m.def("spark_plan", spark_plan, nb::arg("fields"), nb::arg("rows").none());
  m.def("adopt_cells", adopt_folder, nb::arg("fields"), nb::arg("rows").none(), nb::arg("folder"));
  m.def("protect_process", protect_process);
  m.def("ledger", ledger, nb::arg("path"), nb::arg("state") = "");
  m.def("mechanisms", all_mechanisms);
  m.def("pack", pack_to, nb::arg("path"), nb::arg("output"), nb::arg("overwrite") = false, nb::arg("threads") = 0);
  m.def("upgrade", upgrade_to, nb::arg("path"), nb::arg("output"), nb::arg("threads") = 0);
  m.def("verify", verify, nb::arg("path"), nb::arg("accept_repeatable") = false,
        nb::arg("signed_by") = std::vector<std::string>(), nb::arg("heads") = "", nb::arg("threads") = 0);
  m.def("new_key", make_key, nb::arg("name"));
  m.def("sign", sign, nb::arg("path"), nb::arg("key"), nb::arg("threads") = 0);
  m.def("supersede", supersede_release, nb::arg("path"), nb::arg("by"), nb::arg("why"), nb::arg("key") = "",
        nb::arg("threads") = 0);
  if (!key_by_name) return;
  m.def("batch_seconds", batch_seconds, nb::arg("release"), nb::arg("boxes"), nb::arg("intervals") = true);
}

}  // namespace stopover
