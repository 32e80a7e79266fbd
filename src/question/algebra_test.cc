// What must hold of questions that are put together, for a thousand random ones on five releases.
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "question/question.h"
#include "release/sample_release.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

struct Named {
  const char* name;
  QueryEngine engine;
};

std::vector<Named> five_releases() {
  std::vector<Named> all;
  all.push_back({"daf, three stops", *QueryEngine::make(sample::city_release(3, 20000, 64, "daf-entropy"))});
  all.push_back({"anchor, three stops", *QueryEngine::make(sample::city_release(3, 20000, 64, "anchor"))});
  all.push_back({"grid, two stops", *QueryEngine::make(sample::city_release(2, 20000, 64, "eug"))});
  all.push_back({"by hand, with a purpose", *QueryEngine::make(sample::city())});
  all.push_back({"stations", *QueryEngine::make(sample::stations())});
  return all;
}

class Questioner {
 public:
  explicit Questioner(const QueryEngine& engine) : engine_(engine) {
    for (std::size_t s = 0; s < engine.domain().stops().size(); ++s) {
      if (engine.map_axes(s) || engine.zone_axis(s) != kMaxAxes) places_.push_back(engine.domain().stops()[s].name);
    }
  }
  const std::vector<std::string>& places() const { return places_; }

  // A box or a circle somewhere in the release; of stations some of them.
  RegionTree region() {
    const Domain& domain = engine_.domain();
    if (domain.zones() != nullptr) {
      const std::vector<std::string> ids = domain.zones()->ids();
      std::vector<RegionTree> some = {RegionTree::zone(ids[pick(ids.size())])};
      if (pick(2) == 0) some.push_back(RegionTree::zone(ids[pick(ids.size())]));
      return RegionTree::any_of(std::move(some));
    }
    const Axis &lon = domain.axis(0), &lat = domain.axis(1);
    const double x = lon.lower + uniform() * (lon.upper - lon.lower),
                 y = lat.lower + uniform() * (lat.upper - lat.lower);
    if (pick(2) == 0) return RegionTree::circle({y, x, 1 + 30 * uniform() * (lon.upper - lon.lower)});
    const double east = x + (lon.upper - x) * (0.1 + 0.9 * uniform()),
                 north = y + (lat.upper - y) * (0.1 + 0.9 * uniform());
    return RegionTree::bbox(x, y, east, north);
  }
  std::string place() { return places_[pick(places_.size())]; }
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

  Answer count(const Question& q) {
    const Result<Answer> a = stopover::count(engine_, q);
    EXPECT_TRUE(a) << a.error().message;
    return a ? *a : Answer{};
  }
  Answer at(const std::vector<StopWhere>& where) {
    Question q;
    q.where = where;
    return count(q);
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(numbers_); }

  const QueryEngine& engine_;
  std::vector<std::string> places_;
  std::mt19937_64 numbers_{7};
};

// Both numbers of an answer are linear in the trips that are counted, up to how sums of many leaves are rounded.
void expect_sum(const Answer& a, double estimate, double unprojected, double scale) {
  EXPECT_NEAR(a.estimate, estimate, 1e-7 * (1 + scale));
  EXPECT_NEAR(a.unprojected, unprojected, 1e-6 * (1 + scale));
}

TEST(Algebra, OfAThousandQuestionsOnFiveReleases) {
  std::size_t asked = 0;
  for (const auto& [name, engine] : five_releases()) {
    SCOPED_TRACE(name);
    Questioner ask(engine);
    const Answer total = ask.count({});
    const double scale = 1 + total.estimate;
    for (int round = 0; round < 40; ++round) {
      const RegionTree a = ask.region(), b = ask.region();
      const std::string stop = ask.place();
      // Of one stop: a or b, and both, are a and b together.
      const Answer in_a = ask.at({{stop, a}}), in_b = ask.at({{stop, b}});
      const Answer either = ask.at({{stop, RegionTree::any_of({a, b})}}),
                   both = ask.at({{stop, RegionTree::all_of({a, b})}});
      expect_sum(either, in_a.estimate + in_b.estimate - both.estimate,
                 in_a.unprojected + in_b.unprojected - both.unprojected, scale);
      const Answer only_a = ask.at({{stop, RegionTree::but_not({a, b})}});
      expect_sum(only_a, in_a.estimate - both.estimate, in_a.unprojected - both.unprojected, scale);
      // Over stops: somewhere, and nowhere, is everybody; and somewhere is what inclusion and exclusion say.
      Question q;
      q.any_stop = {a};
      const Answer any = ask.count(q);
      q.any_stop.clear();
      q.no_stop = {a};
      const Answer none = ask.count(q);
      expect_sum(any, total.estimate - none.estimate, total.unprojected - none.unprojected, scale);
      double estimate = 0, unprojected = 0;
      for (unsigned set = 1; set < 1u << ask.places().size(); ++set) {
        std::vector<StopWhere> where;
        for (std::size_t s = 0; s < ask.places().size(); ++s) {
          if (set >> s & 1) where.push_back({ask.places()[s], a});
        }
        const double sign = where.size() % 2 == 1 ? 1 : -1;
        const Answer one = ask.at(where);
        estimate += sign * one.estimate;
        unprojected += sign * one.unprojected;
      }
      expect_sum(any, estimate, unprojected, scale);
      EXPECT_LE(any.bounds_lower, any.estimate);
      EXPECT_GE(any.bounds_upper, any.estimate);
      EXPECT_GE(any.bounds_upper, in_a.estimate - 1e-6 * scale);
      EXPECT_LE(any.noise_lower, any.unprojected);
      // In order: first a, later b.
      q = {};
      q.in_order = {a, b};
      const Answer chain = ask.count(q);
      if (ask.places().size() == 2) {
        const Answer plain = ask.at({{ask.places()[0], a}, {ask.places()[1], b}});
        expect_sum(chain, plain.estimate, plain.unprojected, scale);
        EXPECT_EQ(chain.noise_upper, plain.noise_upper);
      } else {
        const auto& p = ask.places();
        const std::vector<std::pair<double, std::vector<StopWhere>>> parts = {
            {1, {{p[0], a}, {p[1], b}}},
            {1, {{p[0], a}, {p[2], b}}},
            {1, {{p[1], a}, {p[2], b}}},
            {-1, {{p[0], a}, {p[1], b}, {p[2], b}}},
            {-1, {{p[0], a}, {p[1], RegionTree::all_of({a, b})}, {p[2], b}}},
            {-1, {{p[0], a}, {p[1], a}, {p[2], b}}},
            {1, {{p[0], a}, {p[1], RegionTree::all_of({a, b})}, {p[2], b}}}};
        estimate = unprojected = 0;
        for (const auto& [sign, where] : parts) {
          const Answer one = ask.at(where);
          estimate += sign * one.estimate;
          unprojected += sign * one.unprojected;
        }
        expect_sum(chain, estimate, unprojected, scale);
      }
      // Less than it: the difference of the counts, the noise of both at once, and nothing for the same.
      q = {};
      q.where = {{stop, a}};
      q.minus = {{ask.place(), b}};
      const Result<Reply> less = stopover::ask(engine, q);
      ASSERT_TRUE(less) << less.error().message;
      const PairAnswer& minus = std::get<MinusReply>(less->of).of;
      const Answer& d = minus.difference;
      expect_sum(d, minus.first.estimate - minus.second.estimate, minus.first.unprojected - minus.second.unprojected,
                 scale);
      EXPECT_LE(d.noise_variance, 2 * (minus.first.noise_variance + minus.second.noise_variance) + 1e-6);
      for (const auto& [lower, upper] : {std::pair{d.lower, d.upper}, {d.bounds_lower, d.bounds_upper}}) {
        EXPECT_LE(lower, d.estimate + 1e-7 * scale);
        EXPECT_GE(upper, d.estimate - 1e-7 * scale);
        EXPECT_LE(d.bounds_lower, lower);
        EXPECT_GE(d.bounds_upper, upper);
      }
      if (minus.ratio.value) {
        EXPECT_LE(minus.ratio.lower, *minus.ratio.value);
        EXPECT_GE(minus.ratio.upper.value_or(1e300), *minus.ratio.value);
      }
      q.minus = q.where;
      const Result<Reply> equal = stopover::ask(engine, q);
      ASSERT_TRUE(equal) << equal.error().message;
      const Answer& nothing = std::get<MinusReply>(equal->of).of.difference;
      for (const auto& [number, value] : kAnswerNumbers) EXPECT_EQ(nothing.*value, 0) << number;
      // A share is one, of whatever.
      q = {};
      q.ask = Ask::share;
      q.where = {{stop, b}};
      q.of = {{ask.place(), a}};
      q.estimates = round % 2 == 0 ? Estimates::consistent : Estimates::plain;
      const Result<Reply> reply = stopover::ask(engine, q);
      ASSERT_TRUE(reply) << reply.error().message;
      const ShareReply& share = std::get<ShareReply>(reply->of);
      EXPECT_GE(share.lower, 0);
      EXPECT_LE(share.upper, 1);
      if (share.share) {
        EXPECT_GE(*share.share, 0);
        EXPECT_LE(*share.share, 1);
      }
      asked += 5;
    }
  }
  EXPECT_EQ(asked, 1000u);
}

// What is put together from pieces is asked as one thing: estimate and noise are those of the whole.
TEST(Algebra, PiecesOfABoxAreTheBox) {
  for (const auto& [name, engine] : five_releases()) {
    SCOPED_TRACE(name);
    Questioner ask(engine);
    const std::string stop = ask.places()[0];
    const double cells = engine.domain().axis(engine.domain().stops()[0].axes[0]).cells;
    for (const Estimates estimates : {Estimates::consistent, Estimates::plain}) {
      for (const double middle : {1.0, 2.0, cells - 1}) {
        Question q;
        q.estimates = estimates;
        q.where = {{stop, RegionTree::any_of({RegionTree::box({{0, middle}}), RegionTree::box({{middle, cells}})})}};
        const Answer pieces = ask.count(q);
        q.where = {{stop, RegionTree::box({{0, cells}})}};
        const Answer whole = ask.count(q);
        // Not so the bounds: they are made of the pieces' own counts.
        for (const auto& [number, value] : std::span(kAnswerNumbers).first(3)) {
          EXPECT_NEAR(pieces.*value, whole.*value, 1e-6 * (1 + whole.estimate)) << number << " " << middle;
        }
        EXPECT_LE(pieces.bounds_lower, whole.estimate + 1e-6 * (1 + whole.estimate));
        EXPECT_GE(pieces.bounds_upper, whole.estimate - 1e-6 * (1 + whole.estimate));
        EXPECT_NEAR(pieces.noise_variance, whole.noise_variance, 1e-9 * (1 + whole.noise_variance));
        // Half a box, by what is taken away.
        q.where = {{stop, RegionTree::but_not({RegionTree::box({{0, cells}}), RegionTree::box({{middle, cells}})})}};
        const Answer rest = ask.count(q);
        q.where = {{stop, RegionTree::box({{0, middle}})}};
        const Answer half = ask.count(q);
        EXPECT_NEAR(rest.estimate, half.estimate, 1e-6 * (1 + whole.estimate));
        EXPECT_NEAR(rest.noise_variance, half.noise_variance, 1e-9 * (1 + half.noise_variance));
        EXPECT_NEAR(rest.noise_upper, half.noise_upper, 1e-6 * (1 + whole.estimate));
        EXPECT_EQ(rest.partitions_cut, half.partitions_cut);
      }
    }
  }
}

TEST(Algebra, TablesAddUpToTheirTotals) {
  for (const auto& [name, engine] : five_releases()) {
    SCOPED_TRACE(name);
    Questioner ask(engine);
    for (int round = 0; round < 4; ++round) {
      Question q;
      q.any_stop = {ask.region()};
      // Filters at the very stop that a table runs over.
      if (round % 2 == 1) q.where = {{ask.places()[0], ask.region()}};
      const double total = ask.count(q).estimate;
      q.ask = Ask::totals;
      q.stops = ask.places();
      q.tiles = 4;
      const Result<Reply> totals = stopover::ask(engine, q);
      ASSERT_TRUE(totals) << totals.error().message;
      for (const AnswerTable& table : std::get<TablesReply>(totals->of).tables) {
        double sum = 0;
        for (const TableRow& row : table.rows) sum += row.answer.estimate;
        EXPECT_NEAR(sum, total, 1e-6 * (1 + total)) << table.title;
      }
      q.ask = Ask::matrix;
      q.stops.clear();
      q.from = ask.places()[0];
      q.to = ask.places()[1];
      const Result<Reply> matrix = stopover::ask(engine, q);
      ASSERT_TRUE(matrix) << matrix.error().message;
      double sum = 0;
      for (const Answer& entry : std::get<MatrixReply>(matrix->of).entries) sum += entry.estimate;
      EXPECT_NEAR(sum, total, 1e-6 * (1 + total));
      q.ask = Ask::top;
      q.stops = ask.places();
      q.tiles = 3;
      q.top = 10'000;
      const Result<Reply> top = stopover::ask(engine, q);
      ASSERT_TRUE(top) << top.error().message;
      sum = 0;
      const std::vector<TableRow>& rows = std::get<TablesReply>(top->of).tables[0].rows;
      for (const TableRow& row : rows) sum += row.answer.estimate;
      EXPECT_NEAR(sum, total, 1e-6 * (1 + total));
      // A row asked again, with the question's own regions, is the row.
      if (rows.empty()) continue;
      Question again = q;
      again.ask = Ask::count;
      for (const auto& [stop, region] : rows[0].where) again.where.push_back({stop, region});
      EXPECT_NEAR(ask.count(again).estimate, rows[0].answer.estimate, 1e-6 * (1 + total));
      EXPECT_NEAR(ask.count(again).noise_upper, rows[0].answer.noise_upper, 1e-6 * (1 + total));
    }
  }
}

}  // namespace
}  // namespace stopover
