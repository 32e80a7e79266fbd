#include "query/answerer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/check.h"
#include "query/answer_visitors.h"
#include "query/box_walk.h"
#include "query/map_walk.h"
#include "query/normal.h"
#include "query/placement.h"
#include "query/question_doubts.h"
#include "query/region_walk.h"
#include "query/sum_walk.h"

namespace stopover {
using namespace answering;

struct AnswerScratch {
  WalkSteps steps;
  TakenPlaces taken;
  std::vector<Family> families;
  std::vector<double> gains;   // G of the measured nodes on the border, in the walk's order
  std::vector<double> shifts;  // u of the open families
  std::vector<NoiseTerm> terms;
  std::vector<Piece> pieces;
};

namespace {

// What the first walk gives: the answer by estimates, the least squares answer and its noise.
struct Look {
  Totals totals{};
  double unprojected = 0;
  NoiseCumulants noise{};
};

constexpr std::string_view kFlowElsewhere =
    "more trips than the maps foresee lie somewhere in a partition that it cuts, perhaps all of them in it";

// One region asked of one index.
class Question {
 public:
  Question(const BoxIndex& index, const AnswerOptions& options, const BoxQuery& query, AnswerScratch& scratch)
      : Question(index, options, query, nullptr, scratch) {}
  Question(const BoxIndex& index, const AnswerOptions& options, const RegionQuery& query, AnswerScratch& scratch)
      : Question(index, options, query.box, query.planes.empty() ? nullptr : &query, scratch) {}

  Look look() {
    if (plain()) {
      // Here the estimate is the unprojected answer itself.
      PlainVisitor visitor;
      walk(visitor);
      return {visitor.totals, visitor.totals.estimate, visitor.noise};
    }
    // Nobody asks for the noise: no algebra, estimates alone.
    if (!options_.intervals) {
      EstimateVisitor visitor;
      walk(visitor);
      return {visitor.totals, 0, {}};
    }
    scratch_.families.clear();
    scratch_.gains.clear();
    LeastSquaresVisitor visitor{nodes_, measurements_, scratch_.families, scratch_.gains};
    walk(visitor);
    // After the root is left, the family above it holds q of the root: the answer, its variance and its fourth
    // cumulant.
    return {visitor.totals, visitor.family.b, {visitor.family.bb, visitor.family.b4}};
  }

  // Fills scratch.terms. REQUIRES: look() came before.
  NoiseRest list_noise(const NoiseCumulants& noise) {
    // Pieces are independent and their variances sum to the whole, so that fewer than 64 can be above the threshold.
    scratch_.terms.clear();
    const TermList list{scratch_.terms, kSmallPiece * noise.second};
    if (plain()) {
      PlainTermsVisitor visitor{nodes_, sums_, scratch_.pieces, list};
      walk(visitor);
      return visitor.list.rest;
    }
    scratch_.shifts.clear();
    LeastSquaresTermsVisitor visitor{nodes_,          sums_,           measurements_, scratch_.gains,
                                     scratch_.shifts, scratch_.pieces, list};
    walk(visitor);
    return visitor.list.rest;
  }

  // All atoms of the answer's noise are whole numbers.
  // Weights of 1 and 0 alone: no leaf is cut, and no inner count brings weights between.
  bool whole_counts(const Look& look) const { return look.totals.cut == 0 && (plain() || nodes_[0].bare); }

 private:
  Question(const BoxIndex& index, const AnswerOptions& options, const BoxQuery& box, const RegionQuery* region,
           AnswerScratch& scratch)
      : index_(index), options_(options), scratch_(scratch) {
    // The same visitors work with all three: the walks differ only in how they find a leaf's share f.
    if (index.maps() != nullptr) {
      by_maps_.emplace(index, box, region == nullptr ? nullptr : &region->planes, scratch.taken);
    } else if (region != nullptr) {
      by_planes_.emplace(index, *region);
    } else {
      by_sides_.emplace(box, index.bounds(0));
    }
  }

  bool plain() const { return options_.estimates == Estimates::plain; }
  template <typename Visitor>
  void walk(Visitor& visitor) {
    if (by_sides_) {
      const BoxReach reach{index_, *by_sides_};
      BoxWalk<Visitor>(index_, reach, scratch_.steps, visitor).run();
    } else if (by_maps_) {
      MapWalk<Visitor>(index_, *by_maps_, scratch_.steps, visitor).run();
    } else {
      RegionWalk<Visitor>(index_, *by_planes_, scratch_.steps, visitor).run();
    }
  }

  const BoxIndex& index_;
  const AnswerOptions& options_;
  // One of the three.
  std::optional<Sides> by_sides_;
  std::optional<RegionReach> by_planes_;
  std::optional<MapReach> by_maps_;
  AnswerScratch& scratch_;
  const Node* nodes_ = index_.nodes().data();
  const Sums* sums_ = index_.sums().data();
  const Measurement* measurements_ = index_.measurements().data();
};

// A selection of several terms asked of one index: the same algebra as above, with one share per node.
class SumQuestion {
 public:
  SumQuestion(const BoxIndex& index, const AnswerOptions& options, const Selection& selection, AnswerScratch& scratch)
      : index_(index), options_(options), scratch_(scratch), walk_(index, selection) {}

  Look look() {
    scratch_.families.clear();
    scratch_.gains.clear();
    FirstVisitor visitor{plain(),
                         index_.sums().data(),
                         {index_.nodes().data(), index_.measurements().data(), scratch_.families, scratch_.gains}};
    walk_.run(visitor);
    LeastSquaresVisitor& all = visitor.all;
    if (plain()) return {all.totals, all.totals.estimate, visitor.noise};
    return {all.totals, all.family.b, {all.family.bb, all.family.b4}};
  }

  // As in Question.
  bool whole_counts(const Look& look) const { return look.totals.cut == 0 && (plain() || index_.nodes()[0].bare); }

  // Fills scratch.terms. REQUIRES: look() came before.
  NoiseRest list_noise(const NoiseCumulants& noise) {
    scratch_.terms.clear();
    scratch_.shifts.clear();
    const TermList list{scratch_.terms, kSmallPiece * noise.second};
    const Node* const nodes = index_.nodes().data();
    const Sums* const sums = index_.sums().data();
    PlainTermsVisitor counts{nodes, sums, scratch_.pieces, list};
    LeastSquaresTermsVisitor squares{
        nodes, sums, index_.measurements().data(), scratch_.gains, scratch_.shifts, scratch_.pieces, list};
    SecondVisitor visitor{plain(), counts, squares};
    walk_.run(visitor);
    return plain() ? counts.list.rest : squares.list.rest;
  }

 private:
  bool plain() const { return options_.estimates == Estimates::plain; }

  struct FirstVisitor {
    bool plain;
    const Sums* sums;
    LeastSquaresVisitor all;
    NoiseCumulants noise{};

    void node(std::uint32_t at, double share, bool cut, std::uint32_t) {
      if (share == 0) return;
      const Sums& s = sums[at];
      Totals& totals = all.totals;
      const double n = plain ? s.count : s.estimate, value = plain ? s.count : s.own;
      const double variance = plain ? s.count_variance : s.variance;
      totals.estimate += share * n;
      totals.largest_share = std::max(totals.largest_share, std::abs(share));
      totals.cut += cut;
      const Belief belief = plain ? Belief{} : s.belief;
      if (cut && share > 0) {
        totals.placement.add_cut(share, n, value, variance, 1, belief);
      } else if (share > 0) {
        totals.placement.add_inside(value, variance, belief);
      }
      // Leaves and nodes whose leaves have one share alike: q = f z.
      if (plain) {
        noise.second += share * share * s.count_variance;
        noise.fourth += share * share * share * share * s.count_fourth;
      } else {
        all.add_share(share, s);
      }
    }
    void enter(std::uint32_t at) {
      if (!plain) all.enter(at);
    }
    void leave(std::uint32_t at) {
      if (!plain) all.leave(at);
    }
  };

  // As the visitors above list runs: the share and, in least squares, the shift of the family.
  struct SecondVisitor {
    bool plain;
    PlainTermsVisitor& counts;
    LeastSquaresTermsVisitor& squares;

    void node(std::uint32_t at, double share, bool, std::uint32_t parent) {
      if (plain) {
        if (share != 0) counts.run(at, 1, share, parent);
      } else if (share + squares.shift != 0) {
        squares.run(at, 1, share + squares.shift, parent);
      }
    }
    void enter(std::uint32_t at) {
      if (!plain) squares.enter(at);
    }
    void leave(std::uint32_t at) {
      if (!plain) squares.leave(at);
    }
  };

  const BoxIndex& index_;
  const AnswerOptions& options_;
  AnswerScratch& scratch_;
  SumWalk walk_;
};

}  // namespace

Answerer::Answerer(const BoxIndex& index, const AnswerOptions& options)
    : index_(index),
      options_(options),
      interval_(options.each_level()),
      // Several answers that shall hold together share the chance to miss (each_level: Bonferroni).
      reach_(noise_reach(options.each_level())),
      likely_reach_(likely_reach(options.each_level())),
      scratch_(std::make_unique<AnswerScratch>()) {
  // What was learned is about errors of consistent estimates. Plain answers err differently and get bounds only.
  if (index.calibration() && options.estimates == Estimates::consistent) {
    calibrated_.emplace(*index.calibration(), options.each_level(), index.cell_clumping());
  }
  if (index.probes() && options.estimates == Estimates::consistent) {
    probed_.emplace(*index.probes(), options.each_level(), index.stops().size(), index.claim().strength);
  }
}
Answerer::Answerer(Answerer&&) noexcept = default;
Answerer::~Answerer() = default;

Answer Answerer::operator()(const BoxQuery& query) {
  STOPOVER_CHECK(query.axes == index_.axes(), "a query has as many axes as the index it asks");
  return ask(query);
}

Answer Answerer::operator()(const RegionQuery& query) {
  STOPOVER_CHECK(query.box.axes == index_.axes(), "a query has as many axes as the index it asks");
  return ask(query);
}

Answer Answerer::operator()(const Selection& selection) {
  if (selection.single()) return (*this)(selection.terms[0].query);
  if (index_.nodes().empty() || selection.terms.empty()) return nothing();
  SumQuestion question(index_, options_, selection, *scratch_);
  Answer answer = ask_of(question, [&] { return doubts_of(index_, selection); });
  answer.claimed = answer.claimed && !answer.calibrated;
  answer.ends_claimed = answer.ends_claimed && answer.claimed;
  return answer;
}

Answer Answerer::nothing() const {
  Answer none;
  none.level = options_.level;
  none.claimed = none.ends_claimed = !index_.lists_cells();
  if (has_medians()) none.median = 0;
  return none;
}

bool Answerer::has_medians() const {
  return options_.intervals && options_.estimates == Estimates::consistent && index_.doubts() != nullptr;
}

template <typename Query>
Answer Answerer::ask(const Query& query) {
  if (index_.nodes().empty() || query.empty()) return nothing();
  Question question(index_, options_, query, *scratch_);
  return ask_of(question, [&] { return doubts_of(index_, query); });
}

template <typename Walked, typename Doubts>
Answer Answerer::ask_of(Walked& question, const Doubts& doubts) {
  Answer answer;
  answer.level = options_.level;
  const Look look = question.look();
  answer.estimate = look.totals.estimate;
  answer.partitions_cut = look.totals.cut;
  // Aligned: no leaf is cut, so how trips lie inside leaves does not enter.
  answer.aligned = look.totals.cut == 0;
  if (!options_.intervals) return answer;
  answer.unprojected = look.unprojected;
  answer.noise_variance = look.noise.second;
  // Quick: a multiple of the standard deviation that holds for any sum of Laplace variables (noise_reach). Otherwise
  // from the cumulants where they are enough, and else from the list of all measurements with their weights.
  const double half_width =
      options_.quick
          ? (look.noise.second > 0 ? reach_ * std::sqrt(look.noise.second) + look.totals.largest_share / 2 : 0)
      : interval_.near_normal(look.noise, look.totals.largest_share)
          ? interval_.half_width(look.noise, look.totals.largest_share, question.whole_counts(look))
          : interval_.half_width(scratch_->terms, question.list_noise(look.noise));
  // The noise is symmetric about 0, so the interval is about the unbiased value, not about the estimate.
  answer.noise_lower = answer.unprojected - half_width;
  answer.noise_upper = answer.unprojected + half_width;
  const QuestionDoubts asked = doubts();
  Placement placement = look.totals.placement;
  placement.edge = answer.estimate * answer.estimate * asked.edge;
  const bool one_count = answer.aligned && look.noise.fourth > 0.9 * laplace_fourth(look.noise.second);
  set_interval(answer, placement, one_count, asked);
  return answer;
}

void Answerer::set_interval(Answer& answer, const Placement& placement, bool one_count,
                            const QuestionDoubts& asked) const {
  // Bounds need no belief about how trips lie in leaves. They are widened to hold the estimate and the interval of its
  // noise, which the projection may have moved apart; a count is never below 0.
  const PlacementBounds bounds = placement_bounds(placement, reach_);
  answer.bounds_lower = std::max(0.0, std::min({bounds.lower, answer.estimate, answer.noise_lower}));
  answer.bounds_upper = std::max({0.0, bounds.upper, answer.estimate, answer.noise_upper});
  // Without a calibration the bounds are the interval.
  answer.lower = answer.bounds_lower;
  answer.upper = answer.bounds_upper;
  answer.claimed = answer.ends_claimed = !index_.lists_cells();  // else bounds always hold
  answer.placement = placement;
  // The likely interval is used inside the bounds, and always holds the estimate.
  const auto set = [&](double lower, double upper) {
    answer.lower = std::max(answer.bounds_lower, std::min(lower, answer.estimate));
    answer.upper = std::min(answer.bounds_upper, std::max(upper, answer.estimate));
  };
  if (probed_) {
    const std::size_t free_stops = index_.stops().size() > 1 ? asked.shape.free_stops : 0;
    const PlacementBounds probed = (*probed_)(answer, free_stops, asked.shape.most_share);
    set(probed.lower, probed.upper);
  } else if (calibrated_) {
    const PlacementBounds learned = (*calibrated_)(answer);
    set(learned.lower, learned.upper);
  } else if (index_.doubts() != nullptr && options_.estimates == Estimates::consistent) {
    const double apart = believed_variance(
        placement.belief, {asked.totals, index_.doubts()->common(), index_.doubts()->unevenness()});
    const double variance = within_totals(answer.estimate, apart, asked.known);
    const LikelyRange likely = likely_range(answer.estimate, variance, likely_reach_);
    // Counts are whole, and so are the ends, which hold the estimate all the same.
    const auto set_whole = [&](double lower, double upper) {
      answer.lower = std::min(std::floor(answer.estimate), std::max(std::ceil(answer.bounds_lower), lower));
      answer.upper = std::max(std::ceil(answer.estimate), std::min(std::floor(answer.bounds_upper), upper));
      answer.bounds_lower = std::min(answer.bounds_lower, answer.lower);
      answer.bounds_upper = std::max(answer.bounds_upper, answer.upper);
    };
    // Where nothing is cut, the noise interval holds the truth as often too: of the two, the shorter, by its length
    // before it is cut off at 0, which does not depend on the noise.
    if (answer.aligned && answer.noise_upper - answer.noise_lower < likely.upper - likely.lower) {
      set_whole(std::ceil(std::max(0.0, answer.noise_lower)), std::floor(answer.noise_upper));
    } else {
      // Of many counts both intervals miss at times, and not at the same: what one of them leaves is less than either
      // promises. So the bounds, which are the noise of these counts, make room.
      if (!one_count) {
        answer.bounds_lower = std::min(answer.bounds_lower, likely.lower);
        answer.bounds_upper = std::max(answer.bounds_upper, likely.upper_alone);
      }
      const double known = one_count && answer.noise_lower > 0 ? std::floor(answer.noise_upper) : 0;
      set_whole(likely.lower, std::max(likely.upper, known));
      answer.lone_upper = std::min(answer.bounds_upper, likely.upper_alone);
    }
    answer.believed = true;
  } else {
    return;
  }
  if (has_medians()) {
    const double median = likely_median(answer.estimate, placement.belief.told);
    answer.median = std::clamp(median, std::floor(answer.lower), std::ceil(answer.upper));
  }
  answer.calibrated = true;
  answer.unclaimed = index_.claim().unclaimed(asked.shape);
  if (probed_ && answer.unclaimed.empty() && asked.shape.free_stops == 0 &&
      placement.found.elsewhere > std::max(1.0, answer.upper - probe_centre(answer)))
    answer.unclaimed = kFlowElsewhere;
  answer.claimed = index_.claim().holds_at(interval_.level()) && answer.unclaimed.empty();
  answer.ends_claimed = answer.claimed && index_.claim().ends_hold();
}

NoiseList Answerer::noise(const BoxQuery& query) { return noise(RegionQuery::of(query)); }

NoiseList Answerer::noise(const RegionQuery& query) {
  STOPOVER_CHECK(query.box.axes == index_.axes(), "a query has as many axes as the index it asks");
  if (index_.nodes().empty() || query.empty()) return {};
  AnswerOptions options = options_;
  // The gains of least squares are found on the way of the first walk only.
  options.intervals = true;
  Question question(index_, options, query, *scratch_);
  const NoiseRest rest = question.list_noise(question.look().noise);
  return {scratch_->terms, rest};
}

NoiseList Answerer::noise(const Selection& selection) {
  if (selection.single()) return noise(selection.terms[0].query);
  if (index_.nodes().empty() || selection.terms.empty()) return {};
  SumQuestion question(index_, options_, selection, *scratch_);
  const NoiseRest rest = question.list_noise(question.look().noise);
  return {scratch_->terms, rest};
}

Answer answer(const BoxIndex& index, const BoxQuery& query, const AnswerOptions& options) {
  return Answerer(index, options)(query);
}
Answer answer(const BoxIndex& index, const RegionQuery& query, const AnswerOptions& options) {
  return Answerer(index, options)(query);
}
Answer answer(const BoxIndex& index, const Selection& selection, const AnswerOptions& options) {
  return Answerer(index, options)(selection);
}

}  // namespace stopover
