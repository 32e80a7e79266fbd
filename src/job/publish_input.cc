#include "job/publish_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingest/cells_file.h"
#include "ingest/matrix_reader.h"

namespace stopover {
namespace {

Error refused(std::string message) { return {Failure::privacy, std::move(message)}; }

Result<PublishInput> open_input(const RowsSpec& rows, const Observer& observer) {
  Result<Ingest> opened = open_rows(rows, observer);
  if (!opened) return opened.error();
  const auto in = std::make_shared<Ingest>(std::move(*opened));
  PublishInput input{in->parts(), rows.unit, true, 3};
  input.user_facts = [in] { return in->trip_facts(); };
  input.read = [in](const Observer& told) -> Result<PublishRows> {
    told.phase("reading rows");
    if (Status s = in->load(); !s) return s.error();
    if (Status s = told.check(); !s) return s.error();
    told.phase("counting cells");
    Result<std::vector<Matrix>> matrices = in->matrices();
    if (!matrices) return matrices.error();
    told.phase("looking at what was left out");
    Result<PrivateFacts> facts = in->row_facts();
    if (!facts) return facts.error();
    return PublishRows{std::move(*matrices), std::move(*facts), {}};
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

Result<PublishInput> open_input(const MatrixSpec& spec, const Observer&) {
  const Result<std::optional<CellsFacts>> facts = read_cells_facts(spec.path);
  if (!facts) return facts.error();
  PublishInput input;
  if (*facts) {
    if (Status s = agree(**facts, spec); !s) return s.error();
    input.parts = (*facts)->parts;
    input.unit_kept = true;
    input.unit = {(*facts)->max_trips_per_user ? Unit::user : Unit::trip, (*facts)->max_trips_per_user};
  } else {
    Result<Domain> declared = declared_domain(spec.domain);
    if (!declared) return declared.error();
    const auto stops = static_cast<std::uint32_t>(declared->stops().size());
    input.parts = {{stops, std::move(*declared)}};
    input.unit = spec.unit;
  }
  input.phases = input.parts.size();
  input.read = [path = spec.path, form = spec.form, parts = input.parts](const Observer& told) -> Result<PublishRows> {
    PublishRows found;
    for (const TripPart& part : parts) {
      told.phase("reading the matrix");
      const auto stops = parts.size() > 1 ? std::optional(part.stops) : std::nullopt;
      Result<MatrixRead> read = read_matrix(path, part.domain, {told.threads, told.interrupted, stops, form});
      told.pause();
      if (!read) return read.error();
      if (!read->unused_axes.empty()) {
        told.note(fmt::format("the shape has {} axes, so column {} is not used", part.domain.d(),
                              fmt::join(read->unused_axes, ", ")));
      }
      if (read->dropped.total() > 0) found.left_out.push_back(read->dropped.text());
      found.matrices.push_back(std::move(read->matrix));
    }
    return found;
  };
  return input;
}

}  // namespace

Result<PublishInput> open_publish_input(const std::variant<RowsSpec, MatrixSpec>& data, const Observer& observer) {
  return std::visit(
      [&](const auto& spec) -> Result<PublishInput> {
        Result<PublishInput> input = open_input(spec, observer);
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
