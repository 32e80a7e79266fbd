// scale_bench make FOLDER TRIPS [STOPS]: cells (of 1 to 3 stops) of a synthetic city as Parquet files of at most ten
// million rows: a city of up to ten million trips, and again and again the same with every end moved by up to six
// cells. scale_bench rows FOLDER ROWS USERS: raw rows (uid, tid, o_lng, o_lat, d_lng, d_lat in a box of 0 to 1) of
// trips of that city of two stops, each anywhere in its cells, each of a user drawn at random. scale_bench sort FOLDER
// STOPS: reads the cells' keys, one 64-bit number each, and sorts them, in all threads. scale_bench group FOLDER STOPS
// MEMORY_LIMIT: DuckDB's GROUP BY of all cells, its rows counted.
//
// For scripts/bench-scale, which times them beside a publication of the same files.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "duck/duck.h"
#include "synthetic/generate.h"

namespace stopover {
namespace {

constexpr std::uint64_t kPiece = 10'000'000, kGrid = 1000;

int failed(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.message);
  return 1;
}

// The city's trips as the table `sorted`, columns a0, a1, ...
Status load_city(DuckSession& duck, std::uint64_t trips, std::uint64_t stops) {
  {
    const Result<SyntheticTrips> city = generate_city(stops, trips, kGrid, 7);
    if (!city) return city.error();
    std::vector<DuckColumn> columns;
    for (std::size_t axis = 0; axis < city->cells.size(); ++axis)
      columns.push_back(DuckColumn::of(city->domain.axis(axis).name, city->cells[axis]));
    if (Status s = duck.load("city", columns, city->rows()); !s) return s;
  }
  std::vector<std::string> axes;
  for (std::size_t axis = 0; axis < 2 * stops; ++axis) axes.push_back(fmt::format("a{}", axis));
  return duck.run(
      fmt::format("CREATE TABLE sorted AS SELECT CAST(COLUMNS(*) AS INTEGER) FROM city ORDER BY {}; "
                  "DROP TABLE city",
                  fmt::join(axes, ", ")));
}

// The cell along an axis of a piece's trips: all origins moved by the same few cells, so that rows stay in order; every
// other end by a few of its own.
std::string cell_of(std::uint64_t piece, std::size_t axis) {
  const std::string by =
      axis < 2 ? fmt::format("{}", static_cast<int>((axis == 0 ? piece % 11 : piece / 11 % 11)) - 5)
               : fmt::format("CAST(hash(rowid * 8 + {}) >> 32 & 7 AS INTEGER) - 3", axis + piece * 8'000'000'017);
  return fmt::format("least(999, greatest(0, a{}{}))", axis, piece == 0 ? "" : " + " + by);
}

// As many rows as are wanted, a file of at most ten million a piece; `columns` gives the text of a SELECT.
template <typename Columns>
int write(const std::string& folder, const char* name, std::uint64_t rows, std::uint64_t stops, Columns columns) {
  std::filesystem::create_directories(folder);
  Result<DuckSession> duck = DuckSession::open({.threads = 0, .memory_limit = "3GB"});
  if (!duck) return failed(duck.error());
  const std::uint64_t base = std::min(rows, kPiece);
  if (Status s = load_city(*duck, base, stops); !s) return failed(s.error());
  for (std::uint64_t piece = 0; piece * base < rows; ++piece) {
    const std::string file = fmt::format("{}/{}-{:04}.parquet", folder, name, piece);
    const Status s = duck->run(fmt::format(
        "COPY (SELECT {} FROM sorted LIMIT {}) TO {} (FORMAT parquet, COMPRESSION snappy)",
        fmt::join(columns(piece, piece * base), ", "), std::min(base, rows - piece * base), quote_output(file)));
    if (!s) return failed(s.error());
  }
  return 0;
}

int make(const std::string& folder, std::uint64_t trips, std::uint64_t stops) {
  return write(folder, "cells", trips, stops, [&](std::uint64_t piece, std::uint64_t) {
    std::vector<std::string> cells;
    for (std::size_t axis = 0; axis < 2 * stops; ++axis)
      cells.push_back(fmt::format("CAST({} AS USMALLINT) AS a{}", cell_of(piece, axis), axis));
    return cells;
  });
}

int make_rows(const std::string& folder, std::uint64_t rows, std::uint64_t users) {
  if (users == 0) return failed({Failure::usage, "there must be users"});
  return write(folder, "rows", rows, 2, [&](std::uint64_t piece, std::uint64_t first) {
    const auto drawn = [&](std::uint64_t what) { return fmt::format("hash((rowid + {}) * 8 + {})", first, what); };
    std::vector<std::string> columns = {fmt::format("CAST({} % {} AS BIGINT) AS uid", drawn(7), users),
                                        fmt::format("rowid + {} AS tid", first)};
    for (std::size_t axis = 0; axis < 4; ++axis) {
      // Millionths: where in its cell an end lies.
      columns.push_back(fmt::format("CAST({} * 1000 + {} % 1000 AS DOUBLE) / 1000000 AS {}_{}", cell_of(piece, axis),
                                    drawn(axis), axis < 2 ? "o" : "d", axis % 2 == 0 ? "lng" : "lat"));
    }
    return columns;
  });
}

std::string from(const std::string& folder) {
  return fmt::format("FROM read_parquet({})", quote_literal(folder + "/*.parquet"));
}

int sort(const std::string& folder, std::uint64_t stops) {
  Result<DuckSession> duck = DuckSession::open({.threads = 0, .memory_limit = "1GB"});
  if (!duck) return failed(duck.error());
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < 2 * stops; ++axis)
    parts.push_back(fmt::format("CAST(a{} AS UBIGINT) * {}", axis, std::uint64_t{1} << (10 * (2 * stops - 1 - axis))));
  Result<DuckRows> rows = duck->query(fmt::format("SELECT {} {}", fmt::join(parts, " + "), from(folder)));
  if (!rows) return failed(rows.error());
  std::vector<std::uint64_t> keys;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return failed(more.error());
    if (!*more) break;
    const auto some = rows->column<std::uint64_t>(0);
    keys.insert(keys.end(), some.begin(), some.end());
  }
  tbb::parallel_sort(keys.begin(), keys.end());
  fmt::print("{}\n", std::unique(keys.begin(), keys.end()) - keys.begin());
  return 0;
}

int group(const std::string& folder, std::uint64_t stops, const std::string& memory_limit) {
  Result<DuckSession> duck = DuckSession::open({.threads = 0, .memory_limit = memory_limit});
  if (!duck) return failed(duck.error());
  std::vector<std::string> axes;
  for (std::size_t axis = 0; axis < 2 * stops; ++axis) axes.push_back(fmt::format("a{}", axis));
  const Status done = duck->run(fmt::format("SELECT count(*), sum(n) FROM (SELECT {0}, count(*) AS n {1} GROUP BY {0})",
                                            fmt::join(axes, ", "), from(folder)));
  return done ? 0 : failed(done.error());
}

int run(const std::vector<std::string>& words) {
  const auto number = [&](std::size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
  if (words.size() >= 3 && words[0] == "make") return make(words[1], number(2), words.size() > 3 ? number(3) : 2);
  if (words.size() == 4 && words[0] == "rows") return make_rows(words[1], number(2), number(3));
  if (words.size() == 3 && words[0] == "sort") return sort(words[1], number(2));
  if (words.size() == 4 && words[0] == "group") return group(words[1], number(2), words[3]);
  fmt::print(stderr,
             "usage: scale_bench make FOLDER TRIPS [STOPS] | rows FOLDER ROWS USERS | sort FOLDER STOPS | group FOLDER "
             "STOPS MEMORY\n");
  return 2;
}

}  // namespace
}  // namespace stopover

int main(int argc, char** argv) { return stopover::run({argv + 1, argv + argc}); }
