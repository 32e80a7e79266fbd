#include "privacy/kernel.h"

#include <algorithm>

#include "matrix/matrix.h"
#include "privacy/dice.h"
#include "privacy/score.h"
#include "privacy/view.h"

namespace stopover {
namespace {

StreamLabel label_of(NodeName& name, Purpose purpose) { return {name.path, name.calls++, static_cast<std::uint32_t>(purpose)}; }

}  // namespace

Region::Region() = default;
Region::Region(Region&&) noexcept = default;
Region& Region::operator=(Region&&) noexcept = default;
Region::~Region() = default;

Ticks Region::left() const {
  STOPOVER_CHECK(name_, "a region was used after it was given away");
  return view_->slice - spent_;
}

Family::Family() = default;
Family::Family(Family&&) noexcept = default;
Family& Family::operator=(Family&&) noexcept = default;
Family::~Family() = default;

Ticks Family::left() const {
  STOPOVER_CHECK(name_, "a family was used after it was given away");
  return view_->slice - spent_;
}

Box Family::box(std::size_t child) const {
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
    : matrix_(matrix), dice_(dice), epsilon_(epsilon), left_(epsilon), k_(k) {
  STOPOVER_CHECK(epsilon > 0 && epsilon <= kMaxTicks, "epsilon must be above 0 and at most 1000");
  STOPOVER_CHECK(k > 0 && k <= 1'000'000, "a unit has 1 to 1000000 trips");
}

Kernel::~Kernel() = default;

const Domain& Kernel::domain() const { return matrix_.domain(); }

void Kernel::charge(View& view, Ticks& spent, std::uint32_t depth, const char* purpose, Ticks ticks, std::uint64_t times) {
  STOPOVER_CHECK(!closed_, "the kernel is closed");
  STOPOVER_CHECK(ticks > 0, "a charge must be above 0");
  STOPOVER_CHECK(ticks <= view.slice - spent, "a charge exceeds what is left on its path");
  spent += ticks;
  const std::lock_guard lock(view.mutex);
  view.charges[{depth, purpose, ticks}] += times;
  view.most_spent = std::max(view.most_spent, spent);
}

Family Kernel::view(std::string name, std::vector<std::size_t> axes, Ticks slice) {
  STOPOVER_CHECK(!closed_, "the kernel is closed");
  STOPOVER_CHECK(slice > 0 && slice <= left_, "a view's slice exceeds what is left of epsilon");
  STOPOVER_CHECK(!axes.empty() && axes.back() < domain().d() && std::is_sorted(axes.begin(), axes.end()) &&
                     std::adjacent_find(axes.begin(), axes.end()) == axes.end(),
                 "a view's axes must exist and ascend");
  for (const auto& other : views_) STOPOVER_CHECK(other->name != name, "two views of one name");
  left_ -= slice;
  const auto number = static_cast<std::uint32_t>(views_.size());
  views_.push_back(std::make_unique<View>(std::move(name), matrix_, std::move(axes), slice, number));
  View& view = *views_.back();
  Family root;
  root.view_ = &view;
  root.end_ = view.keys.size();
  root.box_ = view.whole;
  root.name_ = std::make_unique<NodeName>(NodeName{root_path(number)});
  root.totals_ = view.totals(0, root.end_, CellSorter(root.box_, root.cuts_, view.layout));
  return root;
}

std::vector<std::int64_t> Kernel::count(Family& family, Ticks ticks) {
  STOPOVER_CHECK(family.name_ && !family.counted_, "a family is counted once, before it is opened");
  family.counted_ = true;
  charge(*family.view_, family.spent_, family.depth_, "count", ticks, family.size());
  const StreamLabel label{family.name_->path, family.name_->calls, static_cast<std::uint32_t>(Purpose::count)};
  family.view_->use_label(label);
  std::vector<std::int64_t> released(family.size());
  dice_.count(label, rate(ticks), family.totals_, released);
  return released;
}

std::vector<Region> Kernel::open(Family&& given) {
  STOPOVER_CHECK(given.name_, "a family is opened once");
  const Family family = std::move(given);
  View& view = *family.view_;
  const CellSorter sorter(family.box_, family.cuts_, view.layout);
  std::vector<std::size_t> first = {family.begin_, family.end_};
  if (sorter.children() > 1) first = view.arrange(family.begin_, family.end_, sorter);
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
    regions.push_back(std::move(region));
  }
  return regions;
}

Family Kernel::split(Region&& given, const Cuts& cuts) {
  STOPOVER_CHECK(given.name_, "a region is divided once");
  Region region = std::move(given);
  View& view = *region.view_;
  Family family;
  family.view_ = &view;
  family.begin_ = region.begin_;
  family.end_ = region.end_;
  family.box_ = region.box_;
  family.cuts_ = cuts;
  family.depth_ = region.depth_ + 1;
  family.spent_ = region.spent_;
  family.totals_ = view.totals(region.begin_, region.end_, CellSorter(family.box_, family.cuts_, view.layout));
  family.name_ = std::move(region.name_);
  ++family.name_->calls;
  return family;
}

Family Kernel::split(Region&& region, std::size_t axis, std::vector<std::uint32_t> cuts) {
  Cuts all(axis + 1);
  all[axis] = std::move(cuts);
  return split(std::move(region), all);
}

std::size_t Kernel::choose(Region& region, std::size_t axis, std::span<const std::vector<std::uint32_t>> candidates,
                           Score score, Ticks ticks) {
  STOPOVER_CHECK(region.name_, "a region was used after it was given away");
  STOPOVER_CHECK(!candidates.empty() && axis < region.box_.axes(), "a choice needs an axis and a candidate");
  View& view = *region.view_;
  charge(view, region.spent_, region.depth_, "choose", ticks, 1);
  const StreamLabel label = label_of(*region.name_, Purpose::choose);
  view.use_label(label);
  const auto scores = penalties(view, region.begin_, region.end_, region.box_, axis, candidates, score);
  const u128 den = static_cast<u128>(2 * sensitivity(score)) * kTicksPerEpsilon * k_;
  return dice_.choose(label, scores, ticks, den);
}

std::vector<std::uint64_t> Kernel::public_coin(Region& region, std::size_t words) {
  STOPOVER_CHECK(region.name_ && !closed_, "a region was used after it was given away");
  const StreamLabel label = label_of(*region.name_, Purpose::coin);
  region.view_->use_label(label);
  std::vector<std::uint64_t> result(words);
  dice_.coin(label, result);
  return result;
}

Receipt Kernel::close() {
  STOPOVER_CHECK(!closed_, "the kernel is closed");
  closed_ = true;
  Receipt receipt;
  for (const auto& view : views_) {
    receipt.spent += view->most_spent;
    for (const auto& [key, times] : view->charges) {
      receipt.charges.push_back({view->name, std::get<0>(key), std::get<1>(key), std::get<2>(key), times});
    }
  }
  STOPOVER_CHECK(receipt.spent <= epsilon_, "more was spent than epsilon");
  return receipt;
}

}  // namespace stopover
