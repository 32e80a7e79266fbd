#include "ingest/place_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "duck/duck.h"

namespace stopover {
namespace {

std::string number_of(const std::string& column, const SourceView& view, bool decimal_comma) {
  if (!view.types.contains(column)) return "CAST(NULL AS DOUBLE)";
  const std::string text = fmt::format("CAST({} AS VARCHAR)", quote_identifier(column));
  return fmt::format("TRY_CAST({} AS DOUBLE)", decimal_comma ? fmt::format("replace({}, ',', '.')", text) : text);
}

// Places of a pair as a table with columns a (latitude) and b (longitude); NULL where there is none.
Status load_places(DuckSession& duck, const Source& source, const std::pair<std::string, std::string>& pair,
                   bool decimal_comma, const std::string& table) {
  std::vector<std::string> parts;
  for (const SourceView& view : source.views({pair.first, pair.second}, SqlDialect::Engine::duckdb)) {
    parts.push_back(fmt::format("SELECT {} AS a, {} AS b FROM {}", number_of(pair.first, view, decimal_comma),
                                number_of(pair.second, view, decimal_comma), view.name));
  }
  return duck.run(fmt::format("CREATE TABLE {} AS {}", table, fmt::join(parts, " UNION ALL ")));
}

Status count_places(DuckSession& duck, const std::string& table, const std::optional<DegreeBox>& box,
                    PlaceColumns& told) {
  const DegreeBox b = box.value_or(DegreeBox{});
  const auto inside = [&](std::string_view lat, std::string_view lng) {
    return !box ? std::string("0")
                : fmt::format("count(*) FILTER ({} BETWEEN {} AND {} AND {} BETWEEN {} AND {})", lat, b.south, b.north,
                              lng, b.west, b.east);
  };
  Result<DuckRows> rows = duck.query(fmt::format(
      "SELECT CAST(x AS UBIGINT) FROM (SELECT unnest([count(*), count(*) FILTER (a IS NULL OR b IS NULL OR isnan(a) OR "
      "isnan(b)), count(*) FILTER (abs(a) > 90 OR abs(b) > 180), count(*) FILTER (abs(b) > 90 OR abs(a) > 180), {}, "
      "{}]) AS x FROM {})",
      inside("a", "b"), inside("b", "a"), table));
  if (!rows) return rows.error();
  std::vector<std::uint64_t> counts;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) break;
    for (const std::uint64_t count : rows->column<std::uint64_t>(0)) counts.push_back(count);
  }
  if (counts.size() != 6) return Error{Failure::internal, "counting places gave no counts"};
  told.rows = counts[0];
  told.missing = counts[1];
  told.off_globe = counts[2];
  told.off_globe_else = counts[3];
  told.in_box = counts[4];
  told.in_box_else = counts[5];
  return {};
}

Status sample_places(DuckSession& duck, const std::string& table, PlaceColumns& told) {
  Result<DuckRows> rows = duck.query(fmt::format(
      "SELECT a, b FROM (SELECT a, b FROM {} WHERE isfinite(a) AND isfinite(b)) USING SAMPLE reservoir({} ROWS) "
      "REPEATABLE (1)",
      table, kPlacesDrawn));
  if (!rows) return rows.error();
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return {};
    for (std::size_t i = 0; i < rows->size(); ++i)
      told.sample.emplace_back(rows->column<double>(1)[i], rows->column<double>(0)[i]);
  }
}

}  // namespace

bool PlaceColumns::swapped(bool has_box) const {
  const std::uint64_t usable = rows - missing;
  if (usable == 0) return false;
  if (has_box && in_box_else > in_box && in_box_else * 2 > usable) return true;
  return off_globe * 2 > usable && off_globe_else * 2 < usable;
}

Result<std::vector<PlaceColumns>> place_columns(const SourceRequest& request,
                                                const std::vector<std::pair<std::string, std::string>>& pairs,
                                                const std::optional<DegreeBox>& box, bool decimal_comma,
                                                const IngestOptions& options) {
  Result<DuckSession> duck = DuckSession::open(
      {.threads = options.threads, .memory_limit = options.memory_limit, .interrupted = options.interrupted});
  if (!duck) return duck.error();
  Result<Source> source = Source::open(*duck, request);
  if (!source) return source.error();
  std::vector<std::string> names;
  for (const auto& pair : pairs) {
    for (const std::string& name : {pair.first, pair.second}) {
      const std::vector<std::string>& known = source->columns();
      if (source->knows_columns() && std::find(known.begin(), known.end(), name) == known.end()) {
        return Error{Failure::bad_input,
                     fmt::format("there is no column {}\n  There are {}.", name, fmt::join(known, ", "))};
      }
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (Status s = source->make_views(*duck, names); !s) return s.error();
  std::vector<PlaceColumns> places;
  for (const auto& pair : pairs) {
    PlaceColumns& told = places.emplace_back();
    told.lat = pair.first;
    told.lng = pair.second;
    const std::string table = fmt::format("places_{}", places.size());
    if (Status s = load_places(*duck, *source, pair, decimal_comma, table); !s) return s.error();
    if (Status s = count_places(*duck, table, box, told); !s) return s.error();
    if (Status s = sample_places(*duck, table, told); !s) return s.error();
    if (Status s = duck->run("DROP TABLE " + table); !s) return s.error();
  }
  return places;
}

}  // namespace stopover
