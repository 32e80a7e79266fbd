// CoverageQuestions: questions of several kinds with their true answers, to see how often intervals hold. The truth is
// SECRET wherever the data is.
//
//   CoverageQuestions questions(grid, zones);                              // regrid.h; zones or nullptr
//   Result<QuestionKind> kind = parse_question_kind("one-stop:5");
//   Result<std::vector<CoverageQuestion>> asked = questions.draw(*kind, 1000, seed);
//
// Kinds, each with a number after a colon that fixes its size; else sizes take turns:
//   random         boxes whose sides are intervals with both ends uniform
//   boxes:5        a box at every stop, sides of 5 % of the map (1, 2, 5, 10, 20)
//   one-stop:5     the same at one stop drawn at random, the others free
//   one-stop-free  the same at all stops but one
//   elongated:5    as boxes, one side 4 to 16 times the other, of the same area
//   tiny:8         boxes of 8 x 8 cells at every stop (1, 2, 4, 8)
//   tiny-one       the same at one stop, the others free
//   circles:5      around a place near each stop, 5 % of the map across (1, 2, 5, 10, 20)
//   zones:50       an area of a public geography at every stop: different tuples that hold 50 trips or more (1)
//   one-zone       an area at one stop, the others free
//   differences:5  a box less another: at half of them another destination of the same origin
//   ratios:5       how many times as many are in the one as in the other, of the same boxes
//   shares:5       of the trips in a box at the first stop, the share that is in boxes at the others too; of one stop
//                  the share of all trips
//   planted:8      boxes around flows of 8 limits that were added to the trips (planted_flows.h; 4, 8, 16). Not drawn:
//                  plant() says where they are
//
// Three quarters and more of the work are questions on data: centred on a trip drawn at random, so that they hold one.
// A quarter as many are placed anywhere, mostly without a trip, and marked. The trips that are drawn depend on seed and
// kind alone, so that questions to several grids are about the same places.
//
// What is true. Boxes have the edges of cells. Edges of circles and areas cut cells; who is inside is decided by where
// trips lie on the finer grid of the input. Where the input is no finer, a circle or an area is the cells whose centre
// is in it, and the same cells are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/zone_set.h"
#include "eval/range_counter.h"
#include "eval/regrid.h"
#include "query/region_query.h"

namespace stopover {

enum class QuestionForm {
  random,
  boxes,
  one_stop,
  one_stop_free,
  elongated,
  tiny,
  tiny_one,
  circles,
  zones,
  one_zone,
  differences,
  ratios,
  shares,
  planted
};

struct QuestionKind {
  std::string name;  // as it was typed
  QuestionForm form = QuestionForm::boxes;
  std::optional<double> size;  // per cent of the map; cells (tiny); trips (zones); limits (planted)
};

// Fails (usage) naming the text.
Result<QuestionKind> parse_question_kind(std::string_view text);
// Names without sizes, in the order above.
std::vector<std::string> question_kinds();

// What is asked of one stop's map beside a box; in cells of the grid.
struct StopArea {
  StopPlane plane;
  std::int64_t zone = -1;  // else a circle
  double x = 0, y = 0, across_x = 0, across_y = 0;
};

struct CoverageQuestion {
  Box box;  // whole where there are areas
  std::vector<StopArea> areas;
  std::optional<Box> other;  // of a difference, what is taken away; of a ratio or a share, what it is of
  bool as_ratio = false;
  double truth = 0;
  bool met = false;      // a trip is in it; of a pair in one of the two
  bool on_data = false;  // placed on a trip
};

class CoverageQuestions {
 public:
  // Fails (usage) where zones cannot be laid on the maps. REQUIRES: `grid` outlives it.
  static Result<CoverageQuestions> make(const Regrid& grid, std::shared_ptr<const ZoneSet> zones);

  const Matrix& matrix() const { return coarse_ == nullptr ? grid_->fine() : *coarse_; }

  // The boxes of kind `planted`, of the grid's cells: flows that are in its trips already.
  void plant(std::vector<Box> boxes) { planted_ = std::move(boxes); }

  // Fewer than wanted where there are no more (tuples of zones); none where the kind makes no sense here (all stops but
  // one of one stop, areas without maps), with the reason in `why_none`.
  std::vector<CoverageQuestion> draw(const QuestionKind& kind, std::size_t wanted, std::uint64_t seed,
                                     std::string& why_none) const;
  // As a release of the grid's matrix is asked.
  RegionQuery query(const BoxIndex& index, const CoverageQuestion& question) const;

 private:
  CoverageQuestions(const Regrid& grid, std::shared_ptr<const ZoneSet> zones);
  struct Draw;

  Coverage covered(const StopArea& area) const;
  Interval side(std::size_t axis, std::uint32_t centre, double cells) const;
  double count_circles(const CoverageQuestion& question) const;

  const Regrid* grid_;
  std::shared_ptr<const ZoneSet> zones_;
  // Of the grid; none where its cells are those of the input, which may be large.
  std::shared_ptr<const Matrix> coarse_;
  std::shared_ptr<const RangeCounter> points_;  // of the input
  std::shared_ptr<const RangeCounter> cells_;   // of the grid
  std::vector<StopPlane> planes_;
  std::vector<Box> planted_;
  std::vector<std::uint64_t> up_to_;                    // [row of the input]: trips up to it
  std::vector<std::vector<std::int32_t>> zone_of_row_;  // [plane][row of the input]; -1: in none
};

}  // namespace stopover
