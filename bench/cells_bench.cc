// cells_bench [ROWS] [MEMORY_LIMIT]: Ingest on generated wide trips of ROWS/100 users in Parquet (unit user, k = 4), against
// DuckDB's own row_number() + GROUP BY over the finished integer columns, in the same run. DEFAULT: 2,000,000 rows.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "duck/duck.h"
#include "ingest/ingest.h"

namespace stopover {
namespace {

double peak_gb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

struct Spent {
  double wall = 0, cpu = 0;
};

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

Spent timed(const std::function<Status()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  const Status done = work();
  if (!done) {
    fmt::print(stderr, "error: {}\n", done.error().message);
    std::exit(1);
  }
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), cpu_seconds() - cpu};
}

int run(std::uint64_t rows, const std::string& memory_limit) {
  const std::string folder = std::filesystem::temp_directory_path().string() + "/stopover-cells-bench";
  std::filesystem::create_directories(folder);
  const std::string trips = folder + "/trips.parquet", whole = folder + "/whole.parquet", cells = folder + "/cells.parquet";
  Result<DuckSession> duck = DuckSession::open({.threads = 0, .memory_limit = memory_limit});
  const auto column = [&](int salt, std::uint64_t most) { return fmt::format("hash(range, {}) % {}", salt, most); };
  (void)timed([&] {
    return duck->run(fmt::format("COPY (SELECT range AS tid, CAST({} AS BIGINT) AS uid, {} / 1e4 AS o_lng, {} / 1e4 AS o_lat, {} / 1e4 AS d_lng, {} / 1e4 AS d_lat "
                                 "FROM range({})) TO '{}'", column(1, rows / 100 + 1), column(2, 1000000), column(3, 500000), column(4, 1000000),
                                 column(5, 500000), rows, trips));
  });
  (void)timed([&] {
    return duck->run(fmt::format("COPY (SELECT uid, CAST(hash(uid, tid) >> 1 AS BIGINT) AS h, CAST(o_lng * 10 AS INTEGER) AS a0, CAST(o_lat * 20 AS INTEGER) AS "
                                 "a1, CAST(d_lng * 10 AS INTEGER) AS a2, CAST(d_lat * 20 AS INTEGER) AS a3 FROM '{}') TO '{}'", trips, whole));
  });
  TripRequest request;
  request.shape = RowShape::trips;
  request.box = {0, 0, 100, 50};
  request.max_trips_per_user = 4;
  std::vector<double> wall, cpu;
  for (int round = 0; round < 2; ++round) {
    const Spent ours = timed([&]() -> Status {
      Result<Ingest> in = Ingest::open({trips, "", {}}, {}, request, {0, memory_limit, [] { return false; }});
      if (!in) return in.error();
      return in->write_cells(cells);
    });
    const double peak = peak_gb();
    const Spent theirs = timed([&] {
      return duck->run(fmt::format("COPY (SELECT a0, a1, a2, a3, count(*) AS n FROM (SELECT a0, a1, a2, a3, row_number() OVER (PARTITION BY uid ORDER BY "
                                   "h) AS place FROM '{}') WHERE place <= 4 GROUP BY a0, a1, a2, a3) TO '{}'", whole, folder + "/baseline.parquet"));
    });
    fmt::print("rows {}: cells {:.2f} s (cpu {:.2f}), row_number + group by {:.2f} s (cpu {:.2f}); ratio wall {:.2f}, cpu {:.2f}; peak so far {:.2f} GB\n",
               rows, ours.wall, ours.cpu, theirs.wall, theirs.cpu, ours.wall / theirs.wall, ours.cpu / theirs.cpu, peak);
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace stopover

int main(int argc, char** argv) {
  return stopover::run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000'000, argc > 2 ? argv[2] : "");
}
