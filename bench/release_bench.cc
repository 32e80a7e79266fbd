// release_bench RELEASE: how soon a release on disk answers, how many box questions it answers in a second on one
// thread, and the most memory of it all. For large ones (docs/internals/speed.md).
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "query/answerer.h"
#include "query/query_engine.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

struct Times {
  double wall = 0, processor = 0;
  static Times now() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return {std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(),
            seconds(used.ru_utime) + seconds(used.ru_stime)};
  }
  Times operator-(const Times& other) const { return {wall - other.wall, processor - other.processor}; }
};

// Boxes of a share of every axis; 0: two corners anywhere.
std::vector<BoxQuery> boxes(const Domain& domain, double share, std::size_t n) {
  std::mt19937_64 random(7);
  std::vector<BoxQuery> made;
  for (std::size_t i = 0; i < n; ++i) {
    BoxQuery box = BoxQuery::whole(domain);
    for (std::size_t axis = 0; axis < domain.d(); ++axis) {
      const std::uint32_t cells = domain.axis(axis).cells;
      const auto any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
      const auto side = std::max(1u, static_cast<std::uint32_t>(share * cells));
      std::uint32_t lo = any(cells - side + 1), hi = lo + side;
      if (share == 0) {
        hi = any(cells);
        if (lo > hi) std::swap(lo, hi);
        ++hi;
      }
      box.lo[axis] = lo;
      box.hi[axis] = hi;
    }
    made.push_back(box);
  }
  return made;
}

// As who opens a release does (job/open_release.cc).
void at_once(std::span<const std::function<void()>> work) {
  std::vector<std::future<void>> others;
  for (const auto& piece : work.subspan(1)) others.push_back(std::async(std::launch::async, piece));
  work[0]();
  for (std::future<void>& other : others) other.get();
}

int run(const std::string& path) {
  const Times begin = Times::now();
  std::optional<Result<QueryEngine>> engine;
  std::size_t rows = 0;
  {
    Result<ReadRelease> read = read_for_answers(path, 0, [&](const Release& release) {
      engine.emplace(QueryEngine::make(release, at_once));
      rows = release.tables[0].rows();
    });
    if (!read || !*engine) {
      fmt::print(stderr, "error: {}\n", read ? engine->error().message : read.error().message);
      return 1;
    }
  }
  const BoxIndex& index = (*engine)->index();
  const double first = answer(index, boxes((*engine)->domain(), 0.1, 1)[0], {}).estimate;
  const Times opened = Times::now() - begin;
  fmt::print("{} rows, {} boxes: first answer {:.1f} after {:.2f} s ({:.2f} s of processor time)\n", rows,
             index.partitions(), first, opened.wall, opened.processor);
  Answerer ask(index, {});
  for (const double share : {0.01, 0.1, 0.3, 0.0}) {
    double cut = 0;
    const std::vector<BoxQuery> asked = boxes((*engine)->domain(), share, share > 0 && share < 0.2 ? 5000 : 300);
    const Times start = Times::now();
    for (const BoxQuery& box : asked) cut += static_cast<double>(ask(box).partitions_cut);
    const Times took = Times::now() - start;
    const auto n = static_cast<double>(asked.size());
    fmt::print("{}: {:.0f} questions per second of processor time, {:.0f} boxes cut by each\n",
               share > 0 ? fmt::format("{:.0f} % of every axis", 100 * share) : "two corners anywhere",
               n / took.processor, cut / n);
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print("{:.2f} GB at most\n", static_cast<double>(used.ru_maxrss) / 1e6);
  return 0;
}

}  // namespace
}  // namespace stopover

int main(int n, char** arguments) {
  if (n != 2) {
    fmt::print(stderr, "release_bench RELEASE\n");
    return 2;
  }
  return stopover::run(arguments[1]);
}
