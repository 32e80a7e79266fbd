// The lemma behind the rank histogram (AUDIT.md, "Ranks"): one trip more moves at most one entry per lattice, by 1.
#include "privacy/ranks.h"

#include <array>
#include <cstdlib>
#include <map>

#include "privacy/view.h"
#include "testing/kernel_fixture.h"
#include "testing/table_rule.h"

namespace stopover {
namespace {

using Histogram = std::vector<std::int64_t>;
constexpr std::uint32_t kNone = RankBand::kNoEntry;

// Trips as counts of the cells of a small shape, last axis fastest, in a view that can be filled anew.
class RankView {
 public:
  explicit RankView(const std::vector<std::uint64_t>& shape)
      : shape_(shape), matrix_(matrix_of(shape, {})), view_("v", MatrixSource(matrix_), {axes()}, false, 1, 0) {}

  void fill(const std::vector<std::uint64_t>& counts) {
    view_.keys.clear();
    view_.counts.clear();
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      if (counts[cell] == 0) continue;
      view_.keys.push_back(view_.layout.pack(at(cell)));
      view_.counts.push_back(counts[cell]);
    }
  }
  Histogram ranks(const Cuts& cuts, std::size_t lattice, const RankRule& rule, std::size_t entries) const {
    Histogram histogram(entries, 0);
    add_ranks(view_, {0, view_.keys.size()}, view_.whole, cuts, lattice, rule, histogram);
    return histogram;
  }
  // The definition: every rank of every box, one by one, looks for its band.
  Histogram by_definition(const std::vector<std::uint64_t>& counts, const Cuts& cuts, std::size_t lattice,
                          const RankRule& rule, std::size_t entries) const {
    std::map<std::uint64_t, std::uint64_t> trips;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      const Cell place = at(cell);
      std::uint64_t box = 0;
      for (std::size_t axis = 0; axis < place.size(); ++axis) {
        const std::vector<std::uint32_t> edges = axis < cuts.size() ? cuts[axis] : std::vector<std::uint32_t>();
        std::uint64_t below = 0;
        for (const std::uint32_t edge : edges) below += edge <= place[axis];
        box = box * (edges.size() + 1) + below;
      }
      trips[box] += counts[cell];
    }
    Histogram histogram(entries, 0);
    for (const auto& [box, n] : trips) {
      if (!rule.sample(lattice).takes(box)) continue;
      std::vector<RankBand> bands(rule.bands());
      rule.bands_of(lattice, std::array{box}, bands);
      for (std::uint64_t rank = 1; rank <= n; ++rank) {
        for (const RankBand& band : bands) {
          if (rank > band.last) continue;
          if (band.entry < entries) ++histogram[band.entry];
          break;
        }
      }
    }
    return histogram;
  }

 private:
  std::vector<std::size_t> axes() const {
    std::vector<std::size_t> all(shape_.size());
    for (std::size_t axis = 0; axis < all.size(); ++axis) all[axis] = axis;
    return all;
  }
  Cell at(std::size_t cell) const {
    Cell place(shape_.size());
    for (std::size_t axis = shape_.size(); axis-- > 0; cell /= shape_[axis])
      place[axis] = static_cast<std::uint32_t>(cell % shape_[axis]);
    return place;
  }
  std::vector<std::uint64_t> shape_;
  Matrix matrix_;
  View view_;
};

// How far two histograms of one lattice are apart; more than the lemma allows is a failure.
std::int64_t step(const Histogram& less, const Histogram& more) {
  std::int64_t moved = 0;
  for (std::size_t entry = 0; entry < less.size(); ++entry) {
    const std::int64_t by = more[entry] - less[entry];
    EXPECT_TRUE(by == 0 || by == 1) << "entry " << entry << " moved by " << by;
    moved += std::abs(by);
  }
  EXPECT_LE(moved, 1);
  return moved;
}

// All lists of two bands with these limits, also falling ones, and these entries.
std::vector<std::vector<RankBand>> all_rows(const std::vector<std::uint64_t>& lasts,
                                            const std::vector<std::uint32_t>& entries) {
  std::vector<std::vector<RankBand>> rows;
  for (const std::uint64_t a : lasts) {
    for (const std::uint64_t b : lasts) {
      for (const std::uint32_t x : entries) {
        for (const std::uint32_t y : entries) rows.push_back({{a, x}, {b, y}});
      }
    }
  }
  return rows;
}

// Every matrix of 2 x 2 cells with 0 to 3 trips each, one trip more anywhere; every rule of two bands; every lattice,
// alone and all four together.
TEST(Ranks, OneTripMoreMovesOneEntryOfEachLatticeByOne) {
  const std::vector<Cuts> lattices = {{}, {{1}}, {{}, {1}}, {{1}, {1}}};
  RankView view({2, 2});
  std::vector<std::vector<std::uint64_t>> matrices;
  for (std::uint64_t number = 0; number < 625; ++number) {
    matrices.push_back({number / 125, number / 25 % 5, number / 5 % 5, number % 5});
  }
  std::size_t neighbours = 0, moved = 0;
  for (const auto& row : all_rows({0, 1, 2, ~std::uint64_t{0}}, {0, 1, kNone})) {
    const TableRule rule({row});
    std::vector<std::vector<Histogram>> shown(matrices.size());
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      view.fill(matrices[m]);
      for (std::size_t l = 0; l < lattices.size(); ++l) shown[m].push_back(view.ranks(lattices[l], l, rule, 2));
    }
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      for (std::size_t cell = 0, place = 125; cell < 4; ++cell, place /= 5) {
        if (*std::max_element(matrices[m].begin(), matrices[m].end()) > 3) continue;
        ++neighbours;
        std::int64_t together = 0;
        for (std::size_t l = 0; l < lattices.size(); ++l) together += step(shown[m][l], shown[m + place][l]);
        ASSERT_FALSE(HasFailure()) << "matrix " << m << ", a trip more in cell " << cell;
        EXPECT_LE(together, 4);
        moved += static_cast<std::size_t>(together);
      }
    }
  }
  EXPECT_EQ(neighbours, 144u * 256 * 4);
  EXPECT_GT(moved, neighbours) << "the rules do count";
}

// Two cells, as one box and as two, each of the three boxes with any rule of two bands: 64,000 rules for all counts
// 0 to 3, the histograms of both lattices summed. The sum moves by at most 2 in all.
TEST(Ranks, EveryRulePerBoxOnTwoCells) {
  RankView view({2});
  std::vector<std::vector<RankBand>> rows;
  for (const auto& row : all_rows({0, 1, 2, 9}, {0, 1})) {
    if (row[0].last <= row[1].last) rows.push_back(row);
  }
  ASSERT_EQ(rows.size(), 40u);
  // Of the lattice of one box by its row; of that of two by both rows; for 25 matrices of 0 to 4 trips.
  std::vector<std::vector<Histogram>> one, two;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const TableRule rule({rows[a], rows[b]});
      std::vector<Histogram> of_one, of_two;
      for (std::uint64_t m = 0; m < 25; ++m) {
        view.fill({m / 5, m % 5});
        if (b == 0) of_one.push_back(view.ranks({}, 0, rule, 2));
        of_two.push_back(view.ranks({{1}}, 0, rule, 2));
      }
      if (b == 0) one.push_back(of_one);
      two.push_back(of_two);
    }
  }
  std::size_t rules = 0;
  std::int64_t most = 0;
  for (const auto& whole : one) {
    for (const auto& halves : two) {
      ++rules;
      for (std::size_t m = 0; m < 20; ++m) {
        for (const std::size_t more : {m + 1, m + 5}) {
          if (m % 5 == 4) continue;
          std::int64_t sum = 0;
          for (std::size_t e = 0; e < 2; ++e)
            sum += std::abs(whole[more][e] + halves[more][e] - whole[m][e] - halves[m][e]);
          most = std::max(most, sum);
        }
      }
    }
  }
  EXPECT_EQ(rules, 64'000u);
  EXPECT_EQ(most, 2);
}

// 250,000 random cases: shapes, lattices, rules of up to five bands, samples, counts up to the limit.
TEST(Ranks, RandomCases) {
  std::mt19937_64 random(19);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::vector<std::pair<std::vector<std::uint64_t>, std::unique_ptr<RankView>>> views;
  for (const std::vector<std::uint64_t>& shape :
       std::vector<std::vector<std::uint64_t>>{{6}, {3, 2}, {2, 2, 2}, {1, 4}, {4, 3}}) {
    views.emplace_back(shape, std::make_unique<RankView>(shape));
  }
  std::size_t met = 0, full = 0;
  for (std::size_t number = 0; number < 250'000; ++number) {
    const auto& [shape, view] = views[below(views.size())];
    std::size_t cells = 1;
    for (const std::uint64_t width : shape) cells *= width;
    std::vector<std::uint64_t> counts(cells);
    const bool huge = below(8) == 0;
    for (std::uint64_t& count : counts) {
      count = below(2) == 0 ? 0 : huge && below(3) == 0 ? kMaxCount - below(3) : below(7);
    }
    std::vector<Cuts> lattices(1 + below(4));
    for (Cuts& cuts : lattices) {
      cuts.resize(below(shape.size() + 1));
      for (std::size_t axis = 0; axis < cuts.size(); ++axis) {
        for (std::uint32_t cut = 1; cut < shape[axis]; ++cut) {
          if (below(2) == 0) cuts[axis].push_back(cut);
        }
      }
    }
    const std::size_t entries = 1 + below(4), bands = 1 + below(5);
    std::vector<std::vector<RankBand>> rows(1 + below(3), std::vector<RankBand>(bands));
    for (auto& row : rows) {
      for (RankBand& band : row) {
        band.last = below(6) == 0 ? ~std::uint64_t{0} - below(2) : huge && below(4) == 0 ? kMaxCount - 1 : below(12);
        band.entry = below(8) == 0 ? kNone : static_cast<std::uint32_t>(below(entries + 1));
      }
      // Mostly ascending, as a rule would have them.
      if (below(4) != 0) {
        std::sort(row.begin(), row.end(), [](const RankBand& a, const RankBand& b) { return a.last < b.last; });
      }
    }
    const TableRule rule(rows, below(3) == 0 ? 2 + below(3) : 0);
    std::vector<std::uint64_t> more = counts;
    std::uint64_t& changed = more[below(cells)];
    changed = std::min(changed + 1, kMaxCount);
    std::vector<Histogram> without, with;
    view->fill(counts);
    for (std::size_t l = 0; l < lattices.size(); ++l) without.push_back(view->ranks(lattices[l], l, rule, entries));
    view->fill(more);
    std::int64_t together = 0;
    for (std::size_t l = 0; l < lattices.size(); ++l) {
      with.push_back(view->ranks(lattices[l], l, rule, entries));
      together += step(without[l], with[l]);
    }
    EXPECT_LE(together, static_cast<std::int64_t>(lattices.size()));
    ASSERT_FALSE(HasFailure()) << "case " << number;
    met += static_cast<std::size_t>(together);
    full += huge;
    if (huge || number % 8 != 0) continue;
    for (std::size_t l = 0; l < lattices.size(); ++l) {
      ASSERT_EQ(without[l], view->by_definition(counts, lattices[l], l, rule, entries)) << "case " << number;
    }
  }
  EXPECT_GT(met, 200'000u);
  EXPECT_GT(full, 20'000u);
}

// Boxes, entries and the sum over lattices are cut at the limit; nothing wraps.
TEST(Ranks, CountsAreCutAtTheLimit) {
  RankView view({4});
  view.fill({kMaxCount, kMaxCount, 5, kMaxCount});
  const TableRule all({{{~std::uint64_t{0}, 0}}});
  const auto most = static_cast<std::int64_t>(kMaxCount);
  EXPECT_EQ(view.ranks({}, 0, all, 1), Histogram{most});
  EXPECT_EQ(view.ranks({{1, 2, 3}}, 0, all, 1), Histogram{most});
  const TableRule late({{{kMaxCount - 1, 0}, {~std::uint64_t{0}, 1}}});
  EXPECT_EQ(view.ranks({{2}}, 0, late, 2), (Histogram{most, 2})) << "rank 2^61 is the last one there is";
}

}  // namespace
}  // namespace stopover
