// Answerer: answers boxes and regions from a BoxIndex, with the exact variance of their noise and intervals.
//
//   Answerer ask(index, {.estimates = Estimates::consistent, .level = 0.95});
//   Answer a = ask(*parse_box(domain, "a0=0:16"));
//   Answer b = ask(region);                                  // region_query.h: circles, polygons, cells
//
// Keep one for many questions (it keeps its memory), but only one per thread. Same question, same bits.
//
// How. A walk from the root adds nodes wholly inside the box, takes the covered share of leaves on its border and goes
// down elsewhere. The share of a leaf is the one place where the answer model enters: evenly (box_walk.h,
// region_walk.h) or as maps say (map_walk.h).
//
// Least squares on the way up. For a node let z be `own` (box_index.h) and q the best estimate, from measurements at
// and below it, of "covered share times true count" summed over its leaves. A leaf with share f has q = f z; a node
// inside has q = z, outside 0. With B and S the sums of the children's q and z, a node measured as y with weight a of y
// in z has
//     G = cov(B, S) / var(S),     q = B + G a (y - S),
// and q at the root is the unprojected least squares answer: sum of share times estimate over all leaves, though only
// nodes on the border were visited. Second and fourth joint cumulants of (q, z) follow the same two lines, so variance
// and kurtosis of the answer's noise are exact at no extra visits. (cov(q, z) = G var(z) for every node, by induction.)
//
// The interval: from these cumulants where they suffice (noise_interval.h), else a second walk lists the measurements
// with their exact weights in the answer: with u = 0 above the root, a node's z has weight c = G + u; its y has c a;
// its children see u' = c (1 - a) - G, so a child inside gets 1 + u', outside u', a cut leaf f + u'.
#pragma once

#include <memory>
#include <optional>

#include "query/answer.h"
#include "query/box_index.h"
#include "query/box_query.h"
#include "query/calibration.h"
#include "query/noise_interval.h"
#include "query/placement.h"
#include "query/probed_interval.h"
#include "query/region_query.h"
#include "query/selection.h"

namespace stopover {

struct QuestionDoubts;

struct AnswerScratch;

class Answerer {
 public:
  // REQUIRES: 0 < options.level < 1; the index outlives the answerer.
  Answerer(const BoxIndex& index, const AnswerOptions& options);
  Answerer(Answerer&&) noexcept;
  ~Answerer();

  // REQUIRES: the query has the index's axes.
  Answer operator()(const BoxQuery& query);
  Answer operator()(const RegionQuery& query);
  // The same as of its region for a selection that is one. A likely interval of any other is not claimed: it was not
  // measured how often it holds.
  Answer operator()(const Selection& selection);

  // What the noise of the unprojected answer is made of: measurements with their weights in it, and what was too small
  // to be listed. REQUIRES: as above.
  NoiseList noise(const BoxQuery& query);
  NoiseList noise(const RegionQuery& query);
  NoiseList noise(const Selection& selection);

 private:
  template <typename Query>
  Answer ask(const Query& query);
  template <typename Walked, typename Doubts>
  Answer ask_of(Walked& question, const Doubts& doubts);

  // Of a question that nothing meets.
  Answer nothing() const;
  bool has_medians() const;
  // Bounds, lower and upper, and the median. `one_count`: the answer is one leaf and nothing else.
  void set_interval(Answer& answer, const Placement& placement, bool one_count, const QuestionDoubts& asked) const;

  const BoxIndex& index_;
  AnswerOptions options_;
  NoiseInterval interval_;
  double reach_;         // noise_reach of the level
  LikelyReach likely_reach_;
  std::optional<CalibratedInterval> calibrated_;
  std::optional<ProbedInterval> probed_;
  std::unique_ptr<AnswerScratch> scratch_;
};

// One question.
Answer answer(const BoxIndex& index, const BoxQuery& query, const AnswerOptions& options = {});
Answer answer(const BoxIndex& index, const RegionQuery& query, const AnswerOptions& options = {});
Answer answer(const BoxIndex& index, const Selection& selection, const AnswerOptions& options = {});

}  // namespace stopover
