#include "privacy/kernel.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>

#include "matrix/count_source.h"
#include "privacy/box_tree.h"
#include "privacy/dice.h"
#include "privacy/ranks.h"
#include "privacy/score.h"
#include "privacy/view.h"

namespace stopover {
namespace {

constexpr std::uint64_t kLn2 = 2977044472;       // 2^32 ln 2, rounded up
constexpr std::uint64_t kLn8Over5 = 2018650217;  // 2^32 ln 1.6, rounded up

// The smallest whole delta with delta * rate >= log_times_2_32 / 2^32.
std::int64_t grow_bias(Rate rate, std::uint64_t log_times_2_32) {
  const u128 num = static_cast<u128>(log_times_2_32) * rate.den;
  const u128 den = static_cast<u128>(rate.num) << 32;
  return static_cast<std::int64_t>(std::min<u128>((num + den - 1) / den, kMaxCount));
}

bool are_axes(const std::vector<std::size_t>& axes, std::size_t d) {
  return !axes.empty() && axes.back() < d && std::is_sorted(axes.begin(), axes.end()) &&
         std::adjacent_find(axes.begin(), axes.end()) == axes.end();
}

// The parts of every axis that is cut, in pairs: what the first holds less what the second does.
std::vector<std::int64_t> differences(const Cuts& cuts, const std::vector<std::int64_t>& parts) {
  constexpr auto kMost = static_cast<std::int64_t>(kMaxCount);
  std::size_t pairs = 1;
  for (const auto& axis : cuts) pairs *= axis.size() / 2 + 1;
  std::vector<std::int64_t> result(pairs, 0);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    std::size_t rest = part, seconds = 0, at = 0, stride = 1;
    for (std::size_t axis = cuts.size(); axis-- > 0; rest /= cuts[axis].size() + 1) {
      const std::size_t i = rest % (cuts[axis].size() + 1);
      seconds += i % 2;
      at += i / 2 * stride;
      stride *= cuts[axis].size() / 2 + 1;
    }
    result[at] = std::clamp(result[at] + (seconds % 2 == 0 ? parts[part] : -parts[part]), -kMost, kMost);
  }
  return result;
}

}  // namespace

Region::Region() = default;
Region::Region(Region&&) noexcept = default;
Region& Region::operator=(Region&&) noexcept = default;
Region::~Region() = default;

Ticks Region::left() const {
  STOPOVER_CHECK(name_, "a region was used after it was given away");
  return view_->limit - spent_;
}

Family::Family() = default;
Family::Family(Family&&) noexcept = default;
Family& Family::operator=(Family&&) noexcept = default;
Family::~Family() = default;

Ticks Family::left() const {
  STOPOVER_CHECK(name_, "a family was used after it was given away");
  return view_->limit - spent_;
}

Box Family::box(std::size_t child) const {
  if (tree_) return tree_boxes_[child];
  Box result = box_;
  for (std::size_t axis = cuts_.size(); axis-- > 0;) {
    const auto& cuts = cuts_[axis];
    const std::size_t i = child % (cuts.size() + 1);
    child /= cuts.size() + 1;
    if (i > 0) result[axis].lo = cuts[i - 1];
    if (i < cuts.size()) result[axis].hi = cuts[i];
  }
  return result;
}

Kernel::Kernel(const Matrix& matrix, Dice& dice, Ticks epsilon, std::uint32_t k)
    : Kernel(*new MatrixSource(matrix), dice, epsilon, k) {
  own_.reset(&source_);
}

Kernel::Kernel(const CountSource& source, Dice& dice, Ticks epsilon, std::uint32_t k)
    : source_(source), dice_(dice), epsilon_(epsilon), left_(epsilon), k_(k) {
  STOPOVER_CHECK(epsilon > 0 && epsilon <= kMaxTicks, "epsilon must be above 0 and at most 1000");
  STOPOVER_CHECK(k > 0 && k <= 1'000'000, "a unit has 1 to 1000000 trips");
}

Kernel::~Kernel() = default;

const Domain& Kernel::domain() const { return source_.domain(); }

void Kernel::charge(View& view, Ticks& spent, std::uint32_t depth, const char* purpose, Ticks ticks,
                    std::uint64_t times, Ticks instead) {
  STOPOVER_CHECK(!closed_, "the kernel is closed");
  STOPOVER_CHECK(ticks > 0, "a charge must be above 0");
  STOPOVER_CHECK(ticks <= view.limit - spent, "a charge exceeds what is left on its path");
  spent += ticks;
  const std::lock_guard lock(view.mutex);
  view.charges[{depth, purpose, instead + ticks}] += times;
  if (instead > 0 && (view.charges[{depth, purpose, instead}] -= times) == 0)
    view.charges.erase({depth, purpose, instead});
  view.most_spent = std::max(view.most_spent, spent);
}

void Kernel::keep_back(Ticks ticks) {
  STOPOVER_CHECK(!closed_ && kept_back_ == 0 && ticks > 0 && ticks < left_,
                 "what is kept back is a part of what is left");
  left_ -= ticks;
  kept_back_ = ticks;
}

void Kernel::take_back() {
  STOPOVER_CHECK(!closed_ && kept_back_ > 0, "nothing is kept back");
  left_ += kept_back_;
  kept_back_ = 0;
}

Family Kernel::view(std::string name, std::vector<std::size_t> axes, Ticks slice) {
  return root_of(std::move(name), {std::move(axes)}, false, slice, 1);
}

Family Kernel::pooled_view(std::string name, const std::vector<std::vector<std::size_t>>& stops, Ticks slice,
                           std::uint32_t step) {
  return root_of(std::move(name), stops, true, slice, step);
}

Family Kernel::root_of(std::string name, const std::vector<std::vector<std::size_t>>& stops, bool pooled, Ticks slice,
                       std::uint32_t step) {
  STOPOVER_CHECK(!closed_, "the kernel is closed");
  STOPOVER_CHECK(step > 0, "a step has at least one cell");
  STOPOVER_CHECK(!stops.empty() && stops[0].size() + pooled <= kMaxAxes, "a pooled view needs stops");
  for (const auto& stop : stops) STOPOVER_CHECK(are_axes(stop, domain().d()), "a view's axes must exist and ascend");
  for (const auto& other : views_) STOPOVER_CHECK(other->name != name, "two views of one name");
  STOPOVER_CHECK(slice > 0 && slice <= left_, "a view's slice exceeds what is left of epsilon");
  left_ -= slice;
  const auto number = static_cast<std::uint32_t>(views_.size());
  views_.push_back(std::make_unique<View>(std::move(name), source_, stops, pooled, slice, number, step));
  View& view = *views_.back();
  Family root;
  root.view_ = &view;
  root.end_ = view.keys.size();
  root.box_ = view.whole;
  root.name_ = std::make_unique<NodeName>(NodeName{root_path(view.number)});
  root.totals_ = view.boxes ? std::vector<std::int64_t>(1) : view.totals(0, root.end_, sorter_of(root));
  return root;
}

std::vector<std::int64_t> Kernel::count_truth(Family& family, std::span<const std::int64_t> truth, Ticks ticks) {
  STOPOVER_CHECK(family.name_ && !family.counted_, "a family is counted once, before it is opened");
  family.counted_ = true;
  charge(*family.view_, family.spent_, family.depth_, "count", ticks, truth.size());
  const StreamLabel label = family_label(family, Purpose::count);
  std::vector<std::int64_t> released(truth.size());
  dice_.count(label, rate(ticks), truth, released);
  return released;
}

std::vector<std::int64_t> Kernel::count(Family& family, Ticks ticks) {
  return count_truth(family, totals_of(family), ticks);
}

std::vector<std::int64_t> Kernel::count_by(Family& family, std::size_t axis, Ticks ticks) {
  return count_truth(family, totals_by(family, axis), ticks);
}

std::vector<std::int64_t> Kernel::totals_by(const Family& family, std::size_t axis) const {
  STOPOVER_CHECK(family.name_, "a family was used after it was given away");
  STOPOVER_CHECK(axis < family.box_.axes() && family.box_[axis] == family.view_->whole[axis] &&
                     (axis >= family.cuts_.size() || family.cuts_[axis].empty()),
                 "counts apart by an axis need that axis whole");
  STOPOVER_CHECK(!family.tree_ && !family.view_->boxes, "counts apart by an axis need a grid of cuts");
  return family.view_->totals(family.begin_, family.end_, sorter_of(family), axis);
}

StreamLabel Kernel::family_label(const Family& family, Purpose purpose) {
  const StreamLabel label{family.name_->path, family.name_->calls, static_cast<std::uint32_t>(purpose)};
  family.view_->use_label(label);
  return label;
}

StreamLabel Kernel::region_label(Region& region, Purpose purpose) {
  const StreamLabel label{region.name_->path, region.name_->calls++, static_cast<std::uint32_t>(purpose)};
  region.view_->use_label(label);
  return label;
}

std::vector<std::int64_t> Kernel::count(std::span<Region> regions, Ticks ticks) {
  std::vector<std::int64_t> truth;
  for (Region& region : regions) {
    STOPOVER_CHECK(region.name_ && region.view_ == regions[0].view_, "regions counted together are of one view");
    charge(*region.view_, region.spent_, region.depth_, "count", ticks, 1);
    const auto& boxes = region.view_->boxes;
    truth.push_back(boxes ? boxes->totals(region.begin_, 1)[0] : region.total_);
  }
  if (truth.empty()) return {};
  std::vector<std::int64_t> released(truth.size());
  dice_.count(region_label(regions[0], Purpose::count), rate(ticks), truth, released);
  return released;
}

std::vector<std::int64_t> Kernel::count_gradually(Family& family, Ticks coarse, Ticks fine, std::size_t by) {
  STOPOVER_CHECK(family.name_ && !family.counted_, "a family is counted once, before it is opened");
  STOPOVER_CHECK(coarse <= fine && fine <= family.left(), "a gradual count exceeds what is left on its path");
  const std::vector<std::int64_t> truth = by == kWhole ? totals_of(family) : totals_by(family, by);
  family.counted_ = true;
  charge(*family.view_, family.spent_, family.depth_, "count", coarse, truth.size());
  const StreamLabel label = family_label(family, Purpose::gradual);
  std::vector<std::int64_t> released(truth.size()), hidden(truth.size());
  dice_.gradual(label, rate(fine), rate(coarse), truth, hidden, released);
  const std::size_t apart = truth.size() / family.size();
  family.hidden_ = std::make_shared<HiddenCounts>(HiddenCounts{label, coarse, fine - coarse, apart, std::move(hidden)});
  return released;
}

std::vector<std::int64_t> Kernel::reveal(Region& region) {
  STOPOVER_CHECK(region.name_ && region.hidden_ && !closed_, "nothing is hidden here, or the kernel is closed");
  const auto hidden = std::move(region.hidden_);
  region.hidden_.reset();
  if (hidden->price > 0) {
    charge(*region.view_, region.spent_, region.depth_, "count", hidden->price, hidden->apart, hidden->coarse);
  }
  const std::size_t first = region.child_ * hidden->apart;
  dice_.revealed(hidden->label, first, hidden->apart);
  const auto begin = hidden->counts.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(hidden->apart)};
}

std::vector<Region> Kernel::open(Family&& given) {
  STOPOVER_CHECK(given.name_, "a family is opened once");
  const Family family = std::move(given);
  View& view = *family.view_;
  std::vector<std::size_t> first = {family.begin_, family.end_};
  if (view.boxes) {
    first.resize(family.size() + 1);
    std::iota(first.begin(), first.end(), family.begin_);
  } else if (const CellSorter sorter = sorter_of(family); sorter.children() > 1) {
    first = view.arrange(family.begin_, family.end_, sorter);
  }
  std::vector<Region> regions;
  regions.reserve(family.size());
  for (std::size_t child = 0; child < family.size(); ++child) {
    Region region;
    region.view_ = &view;
    region.begin_ = first[child];
    region.end_ = first[child + 1];
    region.box_ = family.box(child);
    region.name_ = std::make_unique<NodeName>(NodeName{child_path(family.name_->path, family.name_->calls, child)});
    region.depth_ = family.depth_;
    region.spent_ = family.spent_;
    region.total_ = family.totals_[child];
    region.hidden_ = family.hidden_;
    region.child_ = child;
    regions.push_back(std::move(region));
  }
  return regions;
}

const std::vector<std::int64_t>& Kernel::totals_of(Family& family) {
  STOPOVER_CHECK(family.name_ && !family.counted_, "a family is counted once, before it is opened");
  if (const auto& boxes = family.view_->boxes) family.totals_ = boxes->totals(family.begin_, family.size());
  return family.totals_;
}

CellSorter Kernel::sorter_of(const Family& family) {
  if (family.tree_) return CellSorter(*family.tree_, family.view_->layout);
  return CellSorter(family.box_, family.cuts_, family.view_->layout);
}

Family Kernel::child_family(Region&& given) {
  STOPOVER_CHECK(given.name_, "a region is divided once");
  Region region = std::move(given);
  Family family;
  family.view_ = region.view_;
  family.begin_ = region.begin_;
  family.end_ = region.end_;
  family.box_ = region.box_;
  family.depth_ = region.depth_ + 1;
  family.spent_ = region.spent_;
  family.name_ = std::move(region.name_);
  ++family.name_->calls;
  return family;
}

Family Kernel::split(Region&& region, const Cuts& cuts) {
  Family family = child_family(std::move(region));
  family.cuts_ = cuts;
  if (family.view_->boxes) {
    for (const auto& axis : cuts) STOPOVER_CHECK(axis.empty(), "rows that are not in memory are cut by trees alone");
    family.totals_.resize(1);
    return family;
  }
  family.totals_ = family.view_->totals(family.begin_, family.end_, sorter_of(family));
  return family;
}

Family Kernel::split(Region&& region, CutTree tree) {
  Family family = child_family(std::move(region));
  family.tree_boxes_ = boxes_of(family.box_, tree);
  family.tree_ = std::make_shared<const CutTree>(std::move(tree));
  if (const auto& boxes = family.view_->boxes) {
    family.begin_ = boxes->divide(family.begin_, *family.tree_);
    family.totals_.resize(family.tree_->nodes.size() + 1);
    return family;
  }
  family.totals_ = family.view_->totals(family.begin_, family.end_, sorter_of(family));
  return family;
}

Family Kernel::split(Region&& region, std::size_t axis, std::vector<std::uint32_t> cuts) {
  Cuts all(axis + 1);
  all[axis] = std::move(cuts);
  return split(std::move(region), all);
}

std::size_t Kernel::choose_by(Region& region, Ticks ticks, Score score,
                              const std::function<std::vector<std::uint64_t>()>& scores) {
  STOPOVER_CHECK(region.name_, "a region was used after it was given away");
  STOPOVER_CHECK(!region.view_->boxes, "its rows are not in memory");
  charge(*region.view_, region.spent_, region.depth_, "choose", ticks, 1);
  const StreamLabel label = region_label(region, Purpose::choose);
  const u128 den = static_cast<u128>(2 * sensitivity(score)) * kTicksPerEpsilon * k_;
  return dice_.choose(label, scores(), ticks, den);
}

std::size_t Kernel::choose(Region& region, std::size_t axis, std::span<const std::vector<std::uint32_t>> candidates,
                           Score score, Ticks ticks) {
  STOPOVER_CHECK(!candidates.empty() && axis < region.box_.axes(), "a choice needs an axis and a candidate");
  return choose_by(region, ticks, score, [&] {
    return penalties(*region.view_, region.begin_, region.end_, region.box_, axis, candidates, score);
  });
}

std::size_t Kernel::choose(Region& region, std::span<const AxisCut> candidates, Score score, Ticks ticks) {
  STOPOVER_CHECK(!candidates.empty(), "a choice needs an axis and a candidate");
  return choose_by(region, ticks, score, [&] {
    return penalties(*region.view_, region.begin_, region.end_, region.box_, candidates, score);
  });
}

std::vector<std::uint64_t> Kernel::public_coin(Region& region, std::size_t words) {
  STOPOVER_CHECK(region.name_ && !closed_, "a region was used after it was given away");
  std::vector<std::uint64_t> result(words);
  dice_.coin(region_label(region, Purpose::coin), result);
  return result;
}

std::vector<std::int64_t> Kernel::count_parts(Region& region, const Cuts& cuts, Ticks ticks, bool in_pairs) {
  STOPOVER_CHECK(region.name_, "a region was used after it was given away");
  STOPOVER_CHECK(!region.view_->boxes, "its rows are not in memory");
  const View& view = *region.view_;
  auto truth = view.totals(region.begin_, region.end_, CellSorter(region.box_, cuts, view.layout));
  if (in_pairs) truth = differences(cuts, truth);
  charge(*region.view_, region.spent_, region.depth_, "count", ticks, truth.size());
  std::vector<std::int64_t> released(truth.size());
  dice_.count(region_label(region, Purpose::count), rate(ticks), truth, released);
  return released;
}

std::vector<NumberedCount> Kernel::count_sparsely(Region& region, Ticks ticks, std::uint64_t threshold) {
  STOPOVER_CHECK(region.name_, "a region was used after it was given away");
  STOPOVER_CHECK(!region.view_->boxes, "its rows are not in memory");
  const u128 cells = region.box_.volume();
  STOPOVER_CHECK(cells < u128{1} << 62 && threshold > 0 && threshold < kMaxCount, "too many cells, or a bad threshold");
  charge(*region.view_, region.spent_, region.depth_, "count", ticks, 0);
  View& view = *region.view_;
  std::vector<NumberedCount> truth;
  for (std::size_t row = region.begin_; row < region.end_; ++row) {
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < region.box_.axes(); ++axis) {
      number = number * region.box_[axis].width() + (view.layout.cell(view.keys[row], axis) - region.box_[axis].lo);
    }
    truth.push_back({number, static_cast<std::int64_t>(std::min<std::uint64_t>(view.counts[row], kMaxCount))});
  }
  std::sort(truth.begin(), truth.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  auto listed = dice_.sparse(region_label(region, Purpose::sparse), rate(ticks), threshold,
                             static_cast<std::uint64_t>(cells), truth);
  const std::lock_guard lock(view.mutex);
  view.charges[{region.depth_, "count", ticks}] += listed.size();
  return listed;
}

std::vector<std::int64_t> Kernel::count_ranks(Region& region, std::span<const Cuts> lattices, const RankRule& rule,
                                              std::size_t entries, Ticks ticks) {
  STOPOVER_CHECK(region.name_, "a region was used after it was given away");
  STOPOVER_CHECK(!lattices.empty() && lattices.size() <= 1'000, "ranks need 1 to 1000 lattices");
  STOPOVER_CHECK(entries > 0 && entries <= CellSorter::kMostChildren, "ranks need 1 to 2^27 entries");
  STOPOVER_CHECK(rule.bands() > 0 && rule.bands() <= 1'000, "a rule has 1 to 1000 bands");
  charge(*region.view_, region.spent_, region.depth_, "ranks", ticks, 1);
  std::vector<std::vector<std::int64_t>> apart(lattices.size(), std::vector<std::int64_t>(entries, 0));
  if (const auto& boxes = region.view_->boxes) {
    STOPOVER_CHECK(region.depth_ == 0, "rows that are not in memory have ranks in the whole view alone");
    add_ranks(boxes->source(), region.box_, lattices, region.view_->layout, rule, apart);
  } else {
    tbb::parallel_for(std::size_t{0}, lattices.size(), [&](std::size_t lattice) {
      add_ranks(*region.view_, {region.begin_, region.end_}, region.box_, lattices[lattice], lattice, rule,
                apart[lattice]);
    });
  }
  std::vector<std::int64_t> truth(entries, 0), released(entries);
  for (const auto& histogram : apart) {
    for (std::size_t i = 0; i < entries; ++i) {
      truth[i] = static_cast<std::int64_t>(
          std::min(kMaxCount, static_cast<std::uint64_t>(truth[i]) + static_cast<std::uint64_t>(histogram[i])));
    }
  }
  const Rate each{ticks, kTicksPerEpsilon * k_ * lattices.size()};
  dice_.count(region_label(region, Purpose::count), each, truth, released);
  return released;
}

Grown Kernel::grow(Region&& region, Ticks ticks, int log2_fan_out, const CutsOf& cuts_of, std::size_t most_leaves) {
  STOPOVER_CHECK(log2_fan_out >= 1 && log2_fan_out <= 12, "the fan-out is 2 to 4096");
  const std::uint64_t b = std::uint64_t{1} << log2_fan_out;
  const Rate rate{ticks * (b - 1), kTicksPerEpsilon * k_ * (2 * b - 1)};
  const auto cuts = [&](const Region& r) { return cuts_of(r.box_, r.depth_); };
  const auto children = [&](const Region& r) {
    std::size_t product = 1;
    for (const auto& axis : cuts(r)) product *= axis.size() + 1;
    return product;
  };
  const auto value = [](const Region& r) { return r.total_; };
  const std::int64_t bias = ticks == 0 ? 0 : grow_bias(rate, kLn2 * static_cast<unsigned>(log2_fan_out));
  return descend(std::move(region), ticks, {rate, bias, -bias, value, children, cuts}, most_leaves);
}

Grown Kernel::grow_by_error(Region&& region, Ticks ticks, std::uint64_t threshold, const CutOf& cut_of,
                            std::size_t most_leaves) {
  const Rate rate{ticks * 3, kTicksPerEpsilon * k_ * 28};
  const std::vector<std::vector<std::uint32_t>> uncut(1);
  const auto value = [&](const Region& r) {
    const std::uint64_t error = penalties(*r.view_, r.begin_, r.end_, r.box_, 0, uncut, Score::homogeneity)[0];
    return static_cast<std::int64_t>(std::min(error, kMaxCount)) -
           static_cast<std::int64_t>(std::min(threshold, kMaxCount));
  };
  const auto children = [](const Region& r) { return r.box_.volume() > 1 ? std::size_t{2} : 1; };
  const auto cuts = [&](Region& r) {
    const AxisCut cut = cut_of(r);
    Cuts all(cut.axis + std::size_t{1});
    all[cut.axis] = {cut.cut};
    return all;
  };
  const std::int64_t bias = ticks == 0 ? 4 : std::max<std::int64_t>(4, grow_bias(rate, kLn8Over5));
  return descend(std::move(region), ticks, {rate, bias, 2 - bias, value, children, cuts}, most_leaves);
}

Grown Kernel::descend(Region root, Ticks ticks, const Descent& descent, std::size_t most_leaves) {
  STOPOVER_CHECK(root.name_, "a region was used after it was given away");
  STOPOVER_CHECK(!root.view_->boxes, "its rows are not in memory");
  charge(*root.view_, root.spent_, root.depth_, "grow", ticks, 1);
  const NodePath path = root.name_->path;
  std::uint32_t call = root.name_->calls;
  root.name_->calls += 1u << 20;  // one label a level; levels are far fewer

  Grown grown;
  std::vector<std::pair<Region, std::int32_t>> level, done;  // regions and their nodes
  grown.nodes.push_back({root.box_, -1, root.depth_, true});
  level.emplace_back(std::move(root), 0);
  for (std::int64_t depth = 0; !level.empty(); ++depth) {
    std::vector<std::pair<Region, std::int32_t>*> asked;
    std::vector<std::int64_t> truth;
    std::size_t leaves = done.size() + level.size();
    for (auto& entry : level) {
      const std::size_t children = descent.children(entry.first);
      if (children == 1) continue;
      leaves += children - 1;
      asked.push_back(&entry);
      const i128 biased = static_cast<i128>(descent.value(entry.first)) - static_cast<i128>(depth) * descent.bias;
      truth.push_back(static_cast<std::int64_t>(std::max<i128>(biased, descent.least)));
    }
    const auto split = std::make_unique<bool[]>(asked.size());
    if (!asked.empty() && leaves <= most_leaves) {
      const StreamLabel label{path, call++, static_cast<std::uint32_t>(Purpose::grow)};
      asked[0]->first.view_->use_label(label);
      dice_.grow(label, descent.rate, truth, std::span(split.get(), asked.size()));
    }
    std::vector<std::pair<Region, std::int32_t>> next;
    std::size_t i = 0;
    for (auto& entry : level) {
      const bool was_asked = i < asked.size() && asked[i] == &entry;
      if (!was_asked || !split[i++]) {
        done.push_back(std::move(entry));
        continue;
      }
      Grown::Node& node = grown.nodes[static_cast<std::size_t>(entry.second)];
      node.leaf = false;
      node.chosen = entry.first.spent_;
      const Cuts cuts = descent.cuts(entry.first);
      node.chosen = entry.first.spent_ - node.chosen;
      for (Region& child : open(this->split(std::move(entry.first), cuts))) {
        grown.nodes.push_back({child.box_, entry.second, child.depth_, true});
        next.emplace_back(std::move(child), static_cast<std::int32_t>(grown.nodes.size() - 1));
      }
    }
    level = std::move(next);
  }
  std::sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (auto& leaf : done) grown.leaves.push_back(std::move(leaf.first));
  return grown;
}

Receipt Kernel::close() {
  STOPOVER_CHECK(!closed_, "the kernel is closed");
  STOPOVER_CHECK(kept_back_ == 0, "something is still kept back");
  closed_ = true;
  Receipt receipt;
  for (const auto& view : views_) {
    receipt.spent += view->most_spent * view->points;
    for (const auto& [key, times] : view->charges) {
      receipt.charges.push_back({view->name, std::get<0>(key), std::get<1>(key), std::get<2>(key), times});
    }
  }
  STOPOVER_CHECK(receipt.spent <= epsilon_, "more was spent than epsilon");
  return receipt;
}

}  // namespace stopover
