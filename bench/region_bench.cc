// Circles, zones and boxes on a 4D anchor release of about 10,000 leaves, one core (seconds of the processor); and the
// same boxes by DuckDB's SQL over the same Parquet, in one run.
//
// Circles and zones are drawn anew for every question and answered with all their intervals. SQL adds up estimates by
// covered shares of leaves, no interval, from the release's own Parquet file and from a table of the leaves in memory.
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "duck/duck.h"
#include "query/answerer.h"
#include "query/query_engine.h"
#include "query/synthetic_release.h"
#include "question/question_json.h"
#include "release_io/release_io.h"
#include "testing/city_release.h"

namespace {

using namespace stopover;

// Of the processor: what others do on the machine does not count.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Asks again and again for at least half a second; questions per second.
template <typename Ask>
double rate(Ask ask) {
  ask(0);
  const double start = seconds();
  std::size_t done = 0;
  while (seconds() - start < 0.5) {
    for (int i = 0; i < 16; ++i) ask(done++);
  }
  return static_cast<double>(done) / (seconds() - start);
}

Circle some_circle(synthetic::Random& random, double km) {
  return {37.2 + 0.6 * synthetic::unit(random), -122.8 + 0.6 * synthetic::unit(random), km};
}

void circles(const QueryEngine& engine, double km) {
  synthetic::Random random(3);
  std::vector<std::array<Circle, 2>> asked(512);
  for (auto& pair : asked) pair = {some_circle(random, km), some_circle(random, km)};
  Answerer ask(engine.index(), {});
  const double native = rate([&](std::size_t i) {
    std::array<StopRegion, 2> stops;
    for (std::size_t s = 0; s < 2; ++s) {
      const Circle& c = asked[i % asked.size()][s];
      stops[s].stop = s;
      stops[s].shape = circle_rings(c, engine.circle_points_at(s, c));
    }
    const Result<Asked> question = engine.ask(BoxQuery::whole(engine.domain()), stops);
    return ask(question->query).upper;
  });
  const std::string from = engine.domain().stops()[0].name, to = engine.domain().stops()[1].name;
  const double json = rate([&](std::size_t i) {
    const auto text = [&](const Circle& c) {
      return "\"circle:" + std::to_string(c.lat) + "," + std::to_string(c.lon) + "," + std::to_string(c.km) + "\"";
    };
    const auto& [a, b] = asked[i % asked.size()];
    return answer_question(engine, R"({"where": {")" + from + "\": " + text(a) + ", \"" + to + "\": " + text(b) + "}}")
        .size();
  });
  std::printf("two circles of %g km: %.0f a second; as JSON %.0f a second\n", km, native, json);
}

// Zones that tile the box: quadrangles with shaken corners.
std::string zones(std::size_t across, std::size_t up) {
  synthetic::Random random(5);
  std::vector<std::pair<double, double>> corners;
  for (std::size_t i = 0; i <= across; ++i) {
    for (std::size_t j = 0; j <= up; ++j) {
      const auto shaken = [&](std::size_t at, std::size_t end) {
        return (static_cast<double>(at) + (at == 0 || at == end ? 0 : 0.4 * (synthetic::unit(random) - 0.5))) /
               static_cast<double>(end);
      };
      corners.emplace_back(-123 + shaken(i, across), 37 + shaken(j, up));
    }
  }
  std::string all;
  for (std::size_t i = 0; i < across; ++i) {
    for (std::size_t j = 0; j < up; ++j) {
      const std::size_t a = i * (up + 1) + j;
      std::string ring;
      for (const std::size_t c : {a, a + up + 1, a + up + 2, a + 1, a}) {
        ring += std::string(ring.empty() ? "" : ",") + "[" + std::to_string(corners[c].first) + "," +
                std::to_string(corners[c].second) + "]";
      }
      all += std::string(all.empty() ? "" : ",") + R"({"type":"Feature","properties":{"name":")" + std::to_string(i) +
             "-" + std::to_string(j) + R"("},"geometry":{"type":"Polygon","coordinates":[[)" + ring + "]]}}";
    }
  }
  return R"({"type":"FeatureCollection","features":[)" + all + "]}";
}

void matrix(const QueryEngine& engine) {
  const std::string question = R"({"ask": "matrix", "zones": )" + zones(20, 15) + "}";
  const double start = seconds();
  const std::string reply = answer_question(engine, question);
  std::printf("300 x 300 zones, 90000 answers with intervals: %.2f s, %.1f MB of JSON\n", seconds() - start,
              static_cast<double>(reply.size()) / 1e6);
}

std::string sql(const BoxQuery& box, const std::string& from) {
  std::string share, where;
  for (std::size_t i = 0; i < box.axes; ++i) {
    const std::string lo = "a" + std::to_string(i) + "_lo", hi = "a" + std::to_string(i) + "_hi";
    const std::string p = std::to_string(box.lo[i]), q = std::to_string(box.hi[i]);
    share += " * (least(" + hi + ", " + q + ") - greatest(" + lo + ", " + p + ")) / (" + hi + " - " + lo + ")";
    where += std::string(i ? " AND " : "") + lo + " < " + q + " AND " + hi + " > " + p;
  }
  return "SELECT sum(estimate" + share + ") FROM " + from + " WHERE " + where;
}

double sum_of(DuckSession& duck, const std::string& query) {
  Result<DuckRows> rows = duck.query(query);
  if (!rows || !*rows->next()) return 0;
  return rows->size() > 0 ? rows->column<double>(0)[0] : 0;
}

void boxes(const QueryEngine& engine, const Release& release, const std::filesystem::path& folder) {
  synthetic::Random random(7);
  std::vector<BoxQuery> asked(512);
  for (BoxQuery& box : asked) box = synthetic::some_box(release.domain, random, true, true);
  Answerer ask(engine.index(), {});
  const double full = rate([&](std::size_t i) { return ask(asked[i % asked.size()]).upper; });
  Answerer estimate(engine.index(), {.intervals = false});
  const double ours = rate([&](std::size_t i) { return estimate(asked[i % asked.size()]).estimate; });
  std::filesystem::create_directories(folder);
  if (const Status s = write_release(release, folder); !s) std::printf("%s\n", s.error().message.c_str());
  Result<DuckSession> duck = DuckSession::open();
  const std::string file = "read_parquet(" + quote_input((folder / "joint.parquet").string()) + ")";
  const std::string leaves = "(SELECT * FROM " + file + " WHERE leaf)";
  if (const Status s = duck->run("CREATE TABLE leaves AS SELECT * FROM " + leaves); !s)
    std::printf("%s\n", s.error().message.c_str());
  const double memory = rate([&](std::size_t i) { return sum_of(*duck, sql(asked[i % asked.size()], "leaves")); });
  const double parquet = rate([&](std::size_t i) { return sum_of(*duck, sql(asked[i % asked.size()], leaves)); });
  std::printf(
      "boxes: %.0f a second, %.0f with intervals; DuckDB over Parquet %.1f (1 : %.0f), over a table in memory %.1f (1 "
      ": %.0f)\n",
      ours, full, parquet, ours / parquet, memory, ours / memory);
}

}  // namespace

int main() {
  const Release release = sample::city_release(2, 300'000, 1000, "anchor", 350'000'000);
  const QueryEngine engine = *QueryEngine::make(release);
  std::printf("anchor, 2 stops, %zu leaves\n", engine.index().partitions());
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("region_bench." + std::to_string(::getpid()));
  boxes(engine, release, folder);
  std::filesystem::remove_all(folder);
  circles(engine, 1);
  circles(engine, 5);
  matrix(engine);
}
