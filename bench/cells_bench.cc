// cells_bench STOPOVER [ROWS] [MEMORY_LIMIT]: `stopover cells` as a whole on generated wide trips of ROWS/100 users in
// Parquet (unit user, k = 4; one trip in a hundred lies outside the box), against DuckDB's own row_number() + GROUP BY
// over the finished integer columns, in turns. Every part is a process of its own, so that time and peak memory are its
// own.
// DEFAULT: 2,000,000 rows, no limit but DuckDB's.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "duck/duck.h"

namespace stopover {
namespace {

struct Spent {
  double wall = 0, cpu = 0, peak_gb = 0;
};

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; }

// In a child process, which must end with 0.
Spent timed(const std::function<int()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fmt::print(stderr, "error: a part of the benchmark failed\n");
    std::exit(1);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime),
          static_cast<double>(used.ru_maxrss) / (1 << 20)};
}

Spent timed_sql(const std::string& sql, const std::string& memory_limit) {
  return timed([&] {
    Result<DuckSession> duck = DuckSession::open({.threads = 0, .memory_limit = memory_limit});
    const Status done = duck ? duck->run(sql) : Status(duck.error());
    if (!done) fmt::print(stderr, "error: {}\n", done.error().message);
    return done ? 0 : 1;
  });
}

Spent timed_program(std::vector<std::string> words) {
  return timed([&] {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    return 127;
  });
}

int run(const std::string& program, std::uint64_t rows, const std::string& memory_limit) {
  std::string folder = std::filesystem::temp_directory_path().string() + "/stopover-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  const std::string trips = folder + "/trips.parquet", whole = folder + "/whole.parquet",
                    cells = folder + "/cells.parquet";
  const auto column = [&](int salt, std::uint64_t most) { return fmt::format("hash(range, {}) % {}", salt, most); };
  (void)timed_sql(fmt::format("COPY (SELECT range AS tid, CAST({} AS BIGINT) AS uid, {} / 1e4 AS o_lng, {} / 1e4 AS "
                              "o_lat, {} / 1e4 AS d_lng, "
                              "{} / 1e4 AS d_lat FROM range({})) TO '{}'",
                              column(1, rows / 100 + 1), column(2, 1010000), column(3, 500000), column(4, 1000000),
                              column(5, 500000), rows, trips),
                  "");
  (void)timed_sql(
      fmt::format(
          "COPY (SELECT uid, CAST(hash(uid, tid) >> 1 AS BIGINT) AS h, CAST(o_lng * 10 AS INTEGER) AS a0, CAST(o_lat * "
          "20 AS INTEGER) AS a1, CAST(d_lng * 10 AS INTEGER) AS a2, CAST(d_lat * 20 AS INTEGER) AS a3 FROM '{}') TO "
          "'{}'",
          trips, whole),
      "");
  std::vector<std::string> words = {
      program,      "cells",  trips,       "--shape-of",  "trips",  "--bbox",
      "0,0,100,50", "--grid", "1000x1000", "--unit",      "user",   "--max-trips-per-user",
      "4",          "-o",     cells,       "--overwrite", "--quiet"};
  if (!memory_limit.empty()) words.insert(words.end(), {"--memory-limit", memory_limit});
  for (int round = 0; round < 2; ++round) {
    const Spent ours = timed_program(words);
    const Spent theirs =
        timed_sql(fmt::format("COPY (SELECT a0, a1, a2, a3, count(*) AS n FROM (SELECT a0, a1, a2, a3, row_number() "
                              "OVER (PARTITION BY uid ORDER BY "
                              "h) AS place FROM '{}') WHERE place <= 4 GROUP BY a0, a1, a2, a3) TO '{}'",
                              whole, folder + "/baseline.parquet"),
                  memory_limit);
    fmt::print(
        "rows {}: cells {:.2f} s (cpu {:.2f}), peak {:.2f} GB; row_number + group by {:.2f} s (cpu {:.2f}), peak "
        "{:.2f} GB; "
        "ratio wall {:.2f}, cpu {:.2f}\n",
        rows, ours.wall, ours.cpu, ours.peak_gb, theirs.wall, theirs.cpu, theirs.peak_gb, ours.wall / theirs.wall,
        ours.cpu / theirs.cpu);
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace stopover

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return stopover::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2'000'000, argc > 3 ? argv[3] : "");
}
