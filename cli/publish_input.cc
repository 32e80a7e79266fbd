#include "cli/publish_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingest/cells_file.h"
#include "ingest/matrix_reader.h"

namespace stopover {
namespace {

Error refused(std::string message) { return {Failure::privacy, std::move(message)}; }

Result<PublishInput> from_rows(IngestFlags flags, const DomainFlags& domain, const Voice& voice) {
  if (!domain.shape.empty()) {
    return Error{Failure::usage, "--shape goes with --matrix\n  Rows get their shape from --stops, --bbox and --grid."};
  }
  flags.stops = domain.stops.empty() ? "od" : domain.stops;
  flags.bbox = domain.bbox;
  Result<Ingest> opened = open_ingest(flags, voice.threads, voice.interrupted);
  if (!opened) return opened.error();
  const auto in = std::make_shared<Ingest>(std::move(*opened));
  PublishInput input{in->parts(), true, in->request().max_trips_per_user, 3};
  input.user_facts = [in] { return in->trip_facts(); };
  input.read = [in](const Voice& teller) -> Result<PublishRows> {
    teller.phase("reading rows");
    if (Status s = in->load(); !s) return s.error();
    if (teller.interrupted()) return Error{Failure::interrupted, "interrupted"};
    teller.phase("counting cells");
    Result<std::vector<Matrix>> matrices = in->matrices();
    if (!matrices) return matrices.error();
    teller.phase("looking at what was left out");
    Result<PrivateFacts> facts = in->row_facts();
    if (!facts) return facts.error();
    return PublishRows{std::move(*matrices), std::move(*facts), {}};
  };
  return input;
}

// What the flags say besides must be what the file says.
Status agree(const std::string& path, const CellsFacts& facts, const DomainFlags& domain, const IngestFlags& flags) {
  const std::string unit = facts.max_trips_per_user ? "user" : "trip";
  const std::string shape = shapes_text(facts.parts);
  const std::string k = facts.max_trips_per_user ? std::to_string(*facts.max_trips_per_user) : "";
  if (!flags.unit.empty() && flags.unit != unit) {
    return refused(fmt::format("--unit {} contradicts {}, whose unit is {}\n  Leave the flag out, or make the cells again.", flags.unit, path, unit));
  }
  if (!flags.most_trips.empty() && flags.most_trips != k) {
    return refused(fmt::format("--max-trips-per-user {} contradicts {}, which {}\n  Leave the flag out, or make the cells again.",
                               flags.most_trips, path, k.empty() ? "has unit trip" : fmt::format("keeps at most {} trips a user", k)));
  }
  if (!domain.shape.empty() && domain.shape != shape) {
    return refused(fmt::format("--shape {} contradicts {}, whose shape is {}", domain.shape, path, shape));
  }
  if (!domain.bbox.empty() || !domain.stops.empty() || !flags.grid.empty() || !flags.bbox_from.empty()) {
    return refused(fmt::format("{} carries its own domain ({})\n  Leave out --bbox, --bbox-from, --grid and --stops.", path, shape));
  }
  return {};
}

}  // namespace

Result<PublishInput> open_publish_input(const std::string& matrix, const DomainFlags& domain, IngestFlags rows,
                                        const Voice& voice) {
  const bool from_elsewhere = !rows.input.empty() || !rows.sql.empty() || rows.arrow;
  if (from_elsewhere == !matrix.empty()) {
    return Error{Failure::usage, "name what to publish: rows (IN or --sql) or cells (--matrix FILE)"};
  }
  if (from_elsewhere) return from_rows(std::move(rows), domain, voice);
  const Result<std::optional<CellsFacts>> facts = read_cells_facts(matrix);
  if (!facts) return facts.error();
  PublishInput input;
  if (*facts) {
    if (Status s = agree(matrix, **facts, domain, rows); !s) return s.error();
    input.parts = (*facts)->parts;
    input.unit_known = true;
    input.max_trips_per_user = (*facts)->max_trips_per_user;
  } else {
    Result<Domain> declared = declared_domain(domain);
    if (!declared) return declared.error();
    const auto stops = static_cast<std::uint32_t>(declared->stops().size());
    input.parts = {{stops, std::move(*declared)}};
  }
  const Result<TextForm> form = text_form(rows);
  if (!form) return form.error();
  input.phases = input.parts.size();
  input.read = [matrix, form = *form, parts = input.parts](const Voice& teller) -> Result<PublishRows> {
    PublishRows found;
    for (const TripPart& part : parts) {
      teller.phase("reading the matrix");
      const auto stops = parts.size() > 1 ? std::optional(part.stops) : std::nullopt;
      Result<MatrixRead> read = read_matrix(matrix, part.domain, {teller.threads, teller.interrupted, stops, form});
      teller.pause();
      if (!read) return read.error();
      if (!read->unused_axes.empty()) {
        teller.note(fmt::format("the shape has {} axes, so column {} is not used", part.domain.d(), fmt::join(read->unused_axes, ", ")));
      }
      if (read->dropped.total() > 0) found.left_out.push_back(read->dropped.text());
      found.matrices.push_back(std::move(read->matrix));
    }
    return found;
  };
  return input;
}

}  // namespace stopover
