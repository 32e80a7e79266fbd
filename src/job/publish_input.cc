#include "job/publish_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/usage_error.h"
#include "disk/private_folder.h"
#include "ingest/cells_file.h"
#include "ingest/held_cells.h"
#include "ingest/matrix_reader.h"
#include "ingest/streamed_cells.h"
#include "job/count_place.h"
#include "job/spark_source.h"
#include "publish/publish.h"

namespace stopover {
namespace {

// A source with the folder that its file lies in.
class KeptSource final : public CountSource {
 public:
  KeptSource(std::unique_ptr<CountSource> source, std::shared_ptr<PrivateFolder> folder)
      : folder_(std::move(folder)), source_(std::move(source)) {}
  const Domain& domain() const override { return source_->domain(); }
  std::uint64_t total() const override { return source_->total(); }
  void pass(Tally& tally) const override { source_->pass(tally); }

 private:
  std::shared_ptr<PrivateFolder> folder_;
  std::unique_ptr<CountSource> source_;
};

bool is_parquet(const std::vector<std::string>& files) {
  return std::ranges::all_of(files, [](const std::string& file) { return file.ends_with(".parquet"); });
}

Error refused(std::string message) { return {Failure::privacy, std::move(message)}; }

// Rows become private files of cells, which are then passed over.
Result<PublishRows> stream_rows(Ingest& in, const CountPlace& place, const Observer& told) {
  Result<PrivateFolder> made = PrivateFolder::make(place.folder, "stopover-cells-");
  if (!made) return made.error();
  auto folder = std::make_shared<PrivateFolder>(std::move(*made));
  const Result<std::vector<std::string>> files = in.write_pieces(folder->path());
  if (!files) return files.error();
  PublishRows found;
  for (const TripPart& part : in.parts()) {
    const auto stops = in.parts().size() > 1 ? std::optional(part.stops) : std::nullopt;
    Result<std::unique_ptr<StreamedCells>> source = StreamedCells::open(
        *files, part.domain, {told.threads, place.duck_memory(), told.interrupted, stops}, told.progress);
    if (!source) return source.error();
    found.sources.push_back(std::make_unique<KeptSource>(*std::move(source), folder));
  }
  return found;
}

// Rows and cells that Spark has stay there.
Result<PublishRows> count_on_spark(SparkRows rows, const CountPlace& place, const std::string& master,
                                   const Observer& told) {
  told.phase("starting Spark, looking at the rows");
  Result<SparkSources> opened = open_spark_sources(rows, {master, place.folder, told.interrupted, told.progress});
  told.pause();
  if (!opened) return opened.error();
  PublishRows found;
  found.sources = std::move(opened->sources);
  found.facts = std::move(opened->facts);
  if (rows.plan.empty() && opened->dropped.total() > 0) found.left_out.push_back(opened->dropped.text());
  return found;
}

Result<PublishInput> open_spark_input(const RowsSpec& rows, const PublishSpec& spec, const CountPlace& place,
                                      const Observer& observer) {
  if (spec.series) return usage_error("`engine spark` does not go with `period`\n  Leave out one of them.");
  const Result<Ingest> in = open_rows(rows, observer);
  if (!in) return in.error();
  Result<std::string> plan = in->plan_json(SqlDialect::Engine::spark);
  if (!plan) return plan.error();
  PublishInput input{CountsFrom::spark, in->parts(), rows.unit, true, 1};
  input.read = [counted = SparkRows{{}, *std::move(plan), in->parts()}, place, master = spec.spark_master](
                   const Observer& told) { return count_on_spark(counted, place, master, told); };
  return input;
}

// Of zones 1, 2, ... in districts 1, 2, ..., `zone:1` is the zone.
void tell_shadowed_groups(const std::vector<TripPart>& parts, const Observer& observer) {
  const ZoneSet* zones = parts.empty() ? nullptr : parts[0].domain.zones();
  const std::vector<std::string> shadowed = zones == nullptr ? std::vector<std::string>() : zones->shadowed_groups();
  if (shadowed.empty()) return;
  observer.note(fmt::format("{} of the groups of `levels` have a name that a zone or a smaller group has, too\n  Ask for "
                            "them with their level before it: zone:{}",
                            shadowed.size(), shadowed[0]));
}

Result<PublishInput> open_input(const RowsSpec& rows, const PublishSpec& spec, const Observer& observer) {
  const Result<CountPlace> place = CountPlace::of(spec);
  if (!place) return place.error();
  if (spec.engine == SqlDialect::Engine::spark) return open_spark_input(rows, spec, *place, observer);
  Result<Ingest> opened = open_rows(rows, observer, false, place->folder);
  if (!opened) return opened.error();
  const auto in = std::make_shared<Ingest>(std::move(*opened));
  PublishInput input{CountsFrom::memory, in->parts(), rows.unit, true, 3};
  tell_shadowed_groups(input.parts, observer);
  if (spec.series) {
    if (spec.counts_from == CountsFrom::stream)
      return usage_error("`counts_from stream` does not go with `period`\n  Leave out one of them.");
  } else {
    const Result<CountsFrom> from = place->choose(in->source(), in->parts());
    if (!from) return from.error();
    input.counts_from = *from;
  }
  const auto stream = std::make_shared<bool>(input.counts_from == CountsFrom::stream);
  const auto keyed = [](const TripPart& part) { return part.domain.has_keys(); };
  if (*stream && spec.counts_from == CountsFrom::automatic && std::ranges::all_of(in->parts(), keyed)) {
    input.count_in_memory = [stream] { *stream = false; };
  }
  input.user_facts = [in] { return in->trip_facts(); };
  input.read = [in, place = *place, stream](const Observer& told) -> Result<PublishRows> {
    told.phase("reading rows");
    if (Status s = in->load(); !s) return s.error();
    if (Status s = told.check(); !s) return s.error();
    told.phase("counting cells");
    Result<PublishRows> found = PublishRows();
    if (*stream) {
      found = stream_rows(*in, place, told);
      if (!found) return found.error();
    } else {
      Result<std::vector<Matrix>> matrices = in->matrices();
      if (!matrices) return matrices.error();
      found->matrices = std::move(*matrices);
    }
    told.phase("looking at what was left out");
    Result<PrivateFacts> facts = in->row_facts();
    if (!facts) return facts.error();
    found->facts = std::move(*facts);
    return found;
  };
  return input;
}

// What is declared besides must be what the file says.
Status agree(const CellsFacts& facts, const MatrixSpec& spec) {
  const Unit unit = facts.max_trips_per_user ? Unit::user : Unit::trip;
  const std::string shape = shapes_text(facts.parts);
  const auto& k = facts.max_trips_per_user;
  if (spec.unit.unit && *spec.unit.unit != unit) {
    return refused(fmt::format("`unit {}` contradicts {}, whose unit is {}\n  Leave it out, or make the cells again.",
                               to_string(*spec.unit.unit), spec.path, to_string(unit)));
  }
  if (spec.unit.max_trips_per_user && spec.unit.max_trips_per_user != k) {
    return refused(
        fmt::format("`max_trips_per_user {}` contradicts {}, which {}\n  Leave it out, or make the cells again.",
                    *spec.unit.max_trips_per_user, spec.path,
                    k ? fmt::format("keeps at most {} trips per user", *k) : "has unit trip"));
  }
  if (!spec.domain.shape.empty() && fmt::format("{}", fmt::join(spec.domain.shape, "x")) != shape) {
    return refused(fmt::format("`shape {}` contradicts {}, whose shape is {}", fmt::join(spec.domain.shape, "x"),
                               spec.path, shape));
  }
  if (spec.domain.box || !spec.domain.stops.empty()) {
    return refused(fmt::format("{} carries its own domain ({})\n  Leave out `bbox` and `stops`.", spec.path, shape));
  }
  return {};
}

// A person may be in every one of several files, with as many trips as each of them keeps.
Status add_up(CellsFacts& facts, std::size_t files, const MatrixSpec& spec) {
  if (files < 2 || !facts.max_trips_per_user) return {};
  const std::uint64_t most = files * std::uint64_t{*facts.max_trips_per_user};
  const auto& said = spec.unit.max_trips_per_user;
  if (!said || *said < most) {
    return refused(
        fmt::format("each of the {} files of {} keeps at most {} trip{} of a person, so all of them up to {}\n"
                    "  Make one table of all rows at once, with `stopover cells`, or say what they come to: "
                    "`max_trips_per_user {}`",
                    files, spec.path, *facts.max_trips_per_user, *facts.max_trips_per_user == 1 ? "" : "s", most,
                    most));
  }
  facts.max_trips_per_user = said;
  return {};
}

// Of several files: each must say the same.
Result<std::optional<CellsFacts>> facts_of(const std::vector<std::string>& files) {
  Result<std::optional<CellsFacts>> first = read_cells_facts(files[0]);
  if (!first) return first.error();
  const auto text = [](const std::optional<CellsFacts>& facts) {
    std::string all = facts ? fmt::format("{}", facts->max_trips_per_user.value_or(0)) : "";
    if (!facts) return all;
    for (const TripPart& part : facts->parts) all += fmt::format(" {} {}", part.stops, domain_to_json(part.domain));
    return all;
  };
  for (std::size_t i = 1; i < files.size(); ++i) {
    const Result<std::optional<CellsFacts>> other = read_cells_facts(files[i]);
    if (!other) return other.error();
    if (text(*other) == text(*first)) continue;
    return refused(
        fmt::format("{} has another domain, unit or bound than {}\n  Files that are published together must "
                    "be parts of one table of cells.",
                    files[i], files[0]));
  }
  return first;
}

std::string unused_axes_note(const Domain& domain, const std::vector<std::string>& unused) {
  return fmt::format("the shape has {} axes, so column {} is not used", domain.d(), fmt::join(unused, ", "));
}

// Every file by itself: Spark takes all columns from one of them. Gives columns that are no axes.
Result<std::vector<std::string>> check_cells_for_spark(const std::vector<std::string>& files, const Domain& domain) {
  std::vector<std::string> unused;
  for (const std::string& file : files) {
    const Result<CellRowReader> reader = CellRowReader::open({file}, domain, {.threads = 1, .memory_limit = ""});
    if (!reader) return reader.error();
    if (reader->has_texts()) {
      return Error{Failure::bad_input,
                   fmt::format("{} has cells or counts that are texts\n  On Spark they must be numbers.", file)};
    }
    unused = reader->unused_axes();
  }
  return unused;
}

// How the cells of a matrix are read: all in order, as they come, or not yet.
enum class CellsRead { ordered, held, streamed };

// One part of the cells of a matrix.
Status read_part(const std::vector<std::string>& files, const MatrixSpec& spec, const TripPart& part, bool several,
                 const CountPlace& place, CellsRead how, const Observer& told, PublishRows& found) {
  const auto stops = several ? std::optional(part.stops) : std::nullopt;
  DroppedRows dropped;
  std::vector<std::string> unused;
  const CellRowOptions options{told.threads, place.duck_memory(), told.interrupted, stops};
  if (how == CellsRead::streamed) {
    Result<std::unique_ptr<StreamedCells>> source = StreamedCells::open(files, part.domain, options, told.progress);
    told.pause();
    if (!source) return source.error();
    dropped = (*source)->dropped();
    unused = several ? std::vector<std::string>() : (*source)->unused_axes();
    found.sources.push_back(*std::move(source));
  } else if (how == CellsRead::held) {
    Result<std::unique_ptr<HeldCells>> source = HeldCells::read(files, part.domain, options);
    told.pause();
    if (!source) return source.error();
    dropped = (*source)->dropped();
    unused = (*source)->unused_axes();
    found.sources.push_back(*std::move(source));
  } else {
    Result<MatrixRead> read = read_matrix(spec.path, part.domain, {told.threads, told.interrupted, stops, spec.form});
    told.pause();
    if (!read) return read.error();
    dropped = read->dropped;
    unused = std::move(read->unused_axes);
    found.matrices.push_back(std::move(read->matrix));
  }
  if (!unused.empty()) {
    told.note(unused_axes_note(part.domain, unused));
  }
  if (dropped.total() > 0) found.left_out.push_back(dropped.text());
  return {};
}

Result<PublishInput> open_input(const MatrixSpec& matrix, const PublishSpec& spec, const Observer& observer) {
  const Result<CountPlace> place = CountPlace::of(spec);
  if (!place) return place.error();
  const Result<std::vector<std::string>> files = cell_files(matrix.path);
  if (!files) return files.error();
  Result<std::optional<CellsFacts>> facts = facts_of(*files);
  if (!facts) return facts.error();
  PublishInput input;
  if (*facts) {
    if (Status s = add_up(**facts, files->size(), matrix); !s) return s.error();
    if (Status s = agree(**facts, matrix); !s) return s.error();
    input.parts = (*facts)->parts;
    input.unit_kept = true;
    input.unit = {(*facts)->max_trips_per_user ? Unit::user : Unit::trip, (*facts)->max_trips_per_user};
  } else {
    Result<Domain> declared = declared_domain(matrix.domain);
    if (!declared) return declared.error();
    const auto stops = static_cast<std::uint32_t>(declared->stops().size());
    input.parts = {{stops, std::move(*declared)}};
    input.unit = matrix.unit;
  }
  const Result<CountsFrom> from = place->choose(*files, input.parts);
  if (!from) return from.error();
  input.counts_from = *from;
  if (*from == CountsFrom::spark) {
    // The same columns, and the same words about them, as for files that are read here.
    for (const TripPart& part : input.parts) {
      const Result<std::vector<std::string>> unused = check_cells_for_spark(*files, part.domain);
      if (!unused) return unused.error();
      if (!unused->empty() && input.parts.size() == 1) observer.note(unused_axes_note(part.domain, *unused));
    }
    input.phases = 1;
    input.read = [counted = SparkRows{*files, "", input.parts}, place = *place, master = spec.spark_master](
                     const Observer& told) { return count_on_spark(counted, place, master, told); };
    return input;
  }
  input.phases = input.parts.size();
  const auto how = std::make_shared<CellsRead>(*from == CountsFrom::stream ? CellsRead::streamed : CellsRead::ordered);
  const auto fit = [](const TripPart& part) { return HeldCells::fit(part.domain); };
  if (*from == CountsFrom::memory && std::ranges::all_of(input.parts, fit) && is_parquet(*files)) {
    const Result<std::uint64_t> rows = rows_of_parquet(*files);
    if (!rows) return rows.error();
    if (*rows >= kManyCells) input.only_passes = [how] { *how = CellsRead::held; };
  }
  input.read = [=, files = *files, place = *place, parts = input.parts](const Observer& told) -> Result<PublishRows> {
    PublishRows found;
    for (const TripPart& part : parts) {
      told.phase("reading the matrix");
      if (Status s = read_part(files, matrix, part, parts.size() > 1, place, *how, told, found); !s) return s.error();
    }
    return found;
  };
  return input;
}

}  // namespace

Result<PublishInput> open_publish_input(const PublishSpec& spec, const std::variant<RowsSpec, MatrixSpec>& data,
                                        const Observer& observer) {
  return std::visit(
      [&](const auto& rows) -> Result<PublishInput> {
        Result<PublishInput> input = open_input(rows, spec, observer);
        if (!input) return input;
        if (Status s =
                input->unit.check("The most trips that any one person has in the matrix, as declared, not as counted.");
            !s) {
          return s.error();
        }
        return input;
      },
      data);
}

}  // namespace stopover
