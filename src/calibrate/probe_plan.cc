#include "calibrate/probe_plan.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/portable_math.h"
#include "calibrate/calibrate.h"
#include "calibrate/posterior_draws.h"
#include "query/answerer.h"
#include "query/probed_interval.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

using Lattice = std::vector<std::vector<std::uint32_t>>;  // per axis, the cuts

constexpr std::size_t kLattices = 36, kOneStopLattices = 24;
constexpr std::size_t kFreeOfTwo = 12, kFreeOfMore = 16;       // of kLattices, those that leave stops free
constexpr double kLeastSide = 0.007, kMostSide = 0.35;         // of an axis
constexpr double kLeastFreeSide = 0.005, kMostFreeSide = 0.3;  // where stops are free
constexpr double kBend = 0.6, kFreeBend = 0.5;                 // small sides are fewer
constexpr std::size_t kMostImagined = 50'000;                  // drawn trips that are looked at
constexpr std::size_t kMostAsked = 500;                        // of them, to learn how many boxes are filled
constexpr double kMostNumber = 0x1p61;

// Side j of m, in a share of the axis: even in a bent logarithm.
double side_of(std::size_t j, std::size_t m, double u, double least, double most, double bend) {
  const double at = portable_pow((static_cast<double>(j) + u) / static_cast<double>(m), bend);
  return least * portable_exp(at * portable_log(most / least));
}

// Cuts of an axis of `cells` cells into boxes of `width`, one of them centred on `at`.
std::vector<std::uint32_t> cuts_of(std::uint32_t cells, std::uint32_t width, std::uint32_t at) {
  std::vector<std::uint32_t> cuts;
  // The first edge above 0 that is a whole number of widths away from the centred box's lower edge.
  const std::int64_t edge = static_cast<std::int64_t>(at) - width / 2;
  std::int64_t first = edge % static_cast<std::int64_t>(width);
  if (first <= 0) first += width;
  for (std::int64_t cut = first; cut < cells; cut += width) cuts.push_back(static_cast<std::uint32_t>(cut));
  return cuts;
}

double boxes_in(const Lattice& lattice) {
  double boxes = 1;
  for (const auto& cuts : lattice) boxes *= static_cast<double>(cuts.size() + 1);
  return boxes;
}

std::uint64_t number_of(const Lattice& lattice, const DrawnTrips& trips, std::size_t trip) {
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < lattice.size(); ++axis) {
    const auto& cuts = lattice[axis];
    const auto part = std::upper_bound(cuts.begin(), cuts.end(), trips.cells[axis][trip]) - cuts.begin();
    number = number * (cuts.size() + 1) + static_cast<std::uint64_t>(part);
  }
  return number;
}

Box box_of(const Domain& domain, const Lattice& lattice, std::uint64_t number) {
  Box box = domain.whole();
  for (std::size_t axis = lattice.size(); axis-- > 0;) {
    const auto& cuts = lattice[axis];
    const std::size_t i = number % (cuts.size() + 1);
    number /= cuts.size() + 1;
    if (i > 0) box[axis].lo = cuts[i - 1];
    if (i < cuts.size()) box[axis].hi = cuts[i];
  }
  return box;
}

// What the release says of a box.
struct Expected {
  std::uint64_t box;
  double centre, scale, estimate;
  std::size_t signal_class;
  double signal;
  double weight = 0;  // drawn trips that are in it
};

double rank_at(const Expected& e, double z) { return ranks_up_to(e.centre, e.scale, z); }

}  // namespace

struct ProbePlan::State {
  const Release* release;
  BoxIndex index;
  std::vector<Lattice> lattices;
  std::vector<std::size_t> groups;  // of lattices
  std::vector<BoxSample> samples;
  std::vector<std::vector<Expected>> expected;  // per lattice: boxes that drawn trips hit, ascending

  std::vector<Expected> ask(std::size_t lattice, std::span<const std::uint64_t> boxes) const {
    std::vector<Expected> told(boxes.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, boxes.size(), 64), [&](const auto& range) {
      Answerer answerer(index, {.quick = true});
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        const Answer answer = answerer(BoxQuery::of(box_of(release->domain, lattices[lattice], boxes[i])));
        const double scale = probe_scale(answer), signal = probe_signal(answer, scale);
        told[i] = {boxes[i], probe_centre(answer), scale, answer.estimate, Probes::class_of(signal), signal};
      }
    });
    return told;
  }

  // How many boxes of a lattice `total` trips fill, of which `trips` are some. A box of n trips in expectation is
  // filled with the chance 1 - exp(-n) and is that of a random trip with the chance n/total: so the mean of (1 -
  // exp(-n))/n over random trips, times `total`, is what is looked for.
  double filled(std::size_t lattice, const DrawnTrips& trips, double total) const {
    const double all = boxes_in(lattices[lattice]);
    if (all <= kMostBoxes) return all;
    std::vector<std::uint64_t> boxes;
    const std::size_t step = 1 + trips.size() / kMostAsked;
    for (std::size_t trip = 0; trip < trips.size(); trip += step)
      boxes.push_back(number_of(lattices[lattice], trips, trip));
    std::sort(boxes.begin(), boxes.end());
    std::vector<std::uint64_t> each = boxes;
    each.erase(std::unique(each.begin(), each.end()), each.end());
    double sum = 0;
    for (const Expected& e : ask(lattice, each)) {
      const double n = std::max(1e-3, e.estimate);
      const auto [first, last] = std::equal_range(boxes.begin(), boxes.end(), e.box);
      sum += static_cast<double>(last - first) * (1 - portable_exp(-n)) / n;
    }
    return std::max(1.0, total * sum / static_cast<double>(boxes.size()));
  }
};

ProbePlan::ProbePlan(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProbePlan::ProbePlan(ProbePlan&&) noexcept = default;
ProbePlan::~ProbePlan() = default;

Result<ProbePlan> ProbePlan::make(const Release& release, std::uint64_t seed) {
  Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  const double total = release.tables[0].estimate[0];
  if (total > 4e9) return Error{Failure::usage, "a release of more than 4,000,000,000 trips is not probed"};
  const Result<PosteriorDraws> posterior = PosteriorDraws::make(release);
  if (!posterior) return posterior.error();
  NumberSequence numbers(seed, 0);
  const DrawnTrips trips = posterior->draw(numbers, posterior->most_power() / 2, kMostDrawn);
  if (trips.size() == 0) return Error{Failure::usage, "a release without trips is not probed"};

  auto state = std::make_unique<State>(State{&release, *std::move(index), {}, {}, {}, {}});
  const Domain& domain = release.domain;
  const std::vector<std::vector<std::size_t>> maps = release.map_axes();
  const std::size_t stops = maps.size();
  std::vector<bool> on_map(domain.d(), false);
  for (const auto& axes : maps) {
    for (const std::size_t axis : axes) on_map[axis] = true;
  }
  const std::size_t all = stops > 1 ? kLattices : kOneStopLattices;
  const std::size_t leaving = stops > 2 ? kFreeOfMore : stops > 1 ? kFreeOfTwo : 0, whole = all - leaving;
  std::size_t first_free = 0;
  for (std::size_t l = 0; l < all; ++l) {
    const bool free = l >= whole;
    const std::size_t j = free ? l - whole : l, m = free ? leaving : whole;
    // How many stops are left free takes turns, and so does whether all axes are cut alike.
    const std::size_t turns = free ? stops - 1 : 1;
    const double bend = stops > 2 ? kFreeBend : kBend;
    double side = free ? side_of(j, m, numbers.uniform(), kLeastFreeSide, kMostFreeSide, bend)
                       : side_of(j, m, numbers.uniform(), kLeastSide, kMostSide, kBend);
    // Which stops are left free: at least one, not all; as often one as two, and all stops in turn.
    std::vector<bool> is_free(domain.d(), false);
    if (free) {
      if (j == 0) first_free = numbers.below(stops);
      for (std::size_t i = 0; i < 1 + j % turns; ++i) {
        for (const std::size_t axis : maps[(first_free + j / turns + i) % stops]) is_free[axis] = true;
      }
    }
    // Hours and categories are asked for in half of the lattices.
    for (std::size_t axis = 0; axis < domain.d(); ++axis) {
      if (!on_map[axis] && numbers.uniform() < 0.5) is_free[axis] = true;
    }
    const std::size_t trip = numbers.below(trips.size());
    std::vector<double> own(domain.d(), 1);
    if (j / turns % 2 == 1) {
      for (double& factor : own) factor = portable_exp(numbers.uniform(-1, 1));
    }
    Lattice lattice;
    // Coarser until its boxes can be numbered.
    do {
      lattice.assign(domain.d(), {});
      for (std::size_t axis = 0; axis < domain.d(); ++axis) {
        if (is_free[axis]) continue;
        const double cells = domain.axis(axis).cells;
        const auto width =
            static_cast<std::uint32_t>(std::clamp(std::floor(side * own[axis] * cells + 0.5), 1.0, cells));
        lattice[axis] = cuts_of(domain.axis(axis).cells, width, trips.cells[axis][trip]);
      }
      side *= 2;
    } while (boxes_in(lattice) > kMostNumber);
    state->samples.push_back({numbers.next(), BoxSample::kAll});
    state->groups.push_back(free ? 1 : 0);
    state->lattices.push_back(std::move(lattice));
  }
  ProbePlan plan(std::move(state));
  State& s = *plan.state_;
  s.expected.resize(all);
  tbb::parallel_for(std::size_t{0}, all, [&](std::size_t l) {
    std::vector<std::uint64_t> hit;
    const auto sample = [&](double filled) {
      const double share = kMostBoxes / filled;
      if (share < 1) s.samples[l].keep = static_cast<std::uint64_t>(share * 0x1p63) * 2;
    };
    // Where only some of the trips were drawn, the true ones fill more boxes than they do, and all that were drawn are
    // looked at, to hit enough of those in the sample.
    const bool some = total > kMostDrawn;
    if (some) sample(s.filled(l, trips, total));
    const std::size_t step = some ? 1 : 1 + trips.size() / kMostImagined;
    for (std::size_t trip = 0; trip < trips.size(); trip += step) {
      const std::uint64_t box = number_of(s.lattices[l], trips, trip);
      if (s.samples[l].takes(box)) hit.push_back(box);
    }
    std::sort(hit.begin(), hit.end());
    std::vector<std::uint64_t> all_hits = hit;
    hit.erase(std::unique(hit.begin(), hit.end()), hit.end());
    // About as many boxes as the drawn trips fill are filled by the true ones.
    if (!some) sample(static_cast<double>(hit.size()));
    std::erase_if(hit, [&](std::uint64_t box) { return !s.samples[l].takes(box); });
    s.expected[l] = s.ask(l, hit);
    std::size_t at = 0;
    for (Expected& e : s.expected[l]) {
      while (all_hits[at] < e.box) ++at;
      for (; at < all_hits.size() && all_hits[at] == e.box; ++at) e.weight += 1;
    }
  });
  return plan;
}

std::span<const Lattice> ProbePlan::lattices() const { return state_->lattices; }

const BoxSample& ProbePlan::sample(std::size_t lattice) const { return state_->samples[lattice]; }

void ProbePlan::bands_of(std::size_t lattice, std::span<const std::uint64_t> boxes, std::span<Band> out) const {
  const State& s = *state_;
  // Boxes that were expected have their answers; the others are asked.
  const std::vector<Expected>& known = s.expected[lattice];
  const auto find = [&](std::uint64_t box) {
    const auto at = std::lower_bound(known.begin(), known.end(), box,
                                     [](const Expected& e, std::uint64_t number) { return e.box < number; });
    return at != known.end() && at->box == box ? &*at : nullptr;
  };
  std::vector<std::uint64_t> unknown;
  for (const std::uint64_t box : boxes) {
    if (find(box) == nullptr) unknown.push_back(box);
  }
  const std::vector<Expected> asked = s.ask(lattice, unknown);
  std::size_t next = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Expected* hit = find(boxes[i]);
    const Expected& e = hit != nullptr ? *hit : asked[next++];
    const bool lower = hit != nullptr && e.signal_class >= Probes::kFirstLowerClass;
    Band* band = out.data() + i * Probes::kBands;
    const auto add = [&](double last, std::size_t entry) {
      *band++ = {last >= 0x1p62 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(last),
                 static_cast<std::uint32_t>(Probes::entry(s.groups[lattice], e.signal_class, entry))};
    };
    // Ranks up to the centre: from far below it on, or all in one.
    add(lower ? 0 : rank_at(e, 0), Probes::kRest);
    for (std::size_t b = Probes::kBelow.size(); b-- > 0;) {
      add(rank_at(e, lower ? -Probes::kBelow[b] : 0), Probes::kFirstBelow + b);
    }
    for (std::size_t b = 0; b < Probes::kAbove.size(); ++b) {
      add(b + 1 < Probes::kAbove.size() ? rank_at(e, Probes::kAbove[b + 1]) : 0x1p63, b);
    }
  }
}

std::vector<ProbePlan::ExpectedBox> ProbePlan::expected() const {
  std::vector<ExpectedBox> boxes;
  for (std::size_t l = 0; l < state_->lattices.size(); ++l) {
    for (const Expected& e : state_->expected[l]) {
      boxes.push_back({l, e.box, {Probes::cell(state_->groups[l], e.signal_class), e.centre, e.scale, e.weight}});
    }
  }
  return boxes;
}

Probes ProbePlan::probes(std::vector<std::int64_t> counts, Ticks ticks, double rate) const {
  const State& s = *state_;
  constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
  Probes result;
  result.ticks = ticks;
  result.lattices = static_cast<std::uint32_t>(s.lattices.size());
  result.counts = std::move(counts);
  std::vector<double> sum(kCells, 0), squares(kCells, 0), weight(kCells, 0), signal(kCells, 0);
  result.scales.assign(kCells, 0);
  result.whole.assign(kCells * Probes::kBelow.size(), 0);
  for (std::size_t l = 0; l < s.lattices.size(); ++l) {
    for (const Expected& e : s.expected[l]) {
      const std::size_t cell = Probes::cell(s.groups[l], e.signal_class);
      sum[cell] += e.scale;
      squares[cell] += e.scale * e.scale;
      const double n = std::max(0.0, e.estimate);
      weight[cell] += n;
      signal[cell] += n * e.signal;
      if (e.signal_class < Probes::kFirstLowerClass) continue;
      result.scales[cell] += e.scale;
      for (std::size_t b = 0; b < Probes::kBelow.size(); ++b) {
        const double to = rank_at(e, -Probes::kBelow[b]);
        const double from = b + 1 < Probes::kBelow.size() ? rank_at(e, -Probes::kBelow[b + 1]) : 0;
        result.whole[cell * Probes::kBelow.size() + b] += to - from;
      }
    }
  }
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    result.squares.push_back(sum[cell] > 0 ? squares[cell] / sum[cell] : 1);
    result.signals.push_back(weight[cell] > 0 ? signal[cell] / weight[cell] : Probes::kReadAt[cell % Probes::kClasses]);
  }
  std::vector<CertifiedBox> boxes;
  for (const ExpectedBox& e : expected()) boxes.push_back(e.of);
  certify_probes(result, boxes, rate);
  return result;
}

}  // namespace stopover
