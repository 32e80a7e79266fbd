#include "eval/coverage_questions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "base/usage_error.h"
#include "geo/zone_locator.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

constexpr std::size_t kUniformPart = 4;  // for so many questions on data, one anywhere
constexpr std::uint64_t kTries = 40;     // of draws for each question that is wanted
constexpr std::array kShares = {1.0, 2.0, 5.0, 10.0, 20.0};
constexpr std::array kTinySides = {1.0, 2.0, 4.0, 8.0};
constexpr std::array kAspects = {4.0, 8.0, 16.0};
constexpr std::size_t kCirclePoints = 256;

struct FormRow {
  const char* name;
  QuestionForm form;
  const char* sized;  // what the number after the colon is; nullptr: there is none
};

constexpr std::array<FormRow, 14> kForms = {{{"random", QuestionForm::random, nullptr},
                                             {"boxes", QuestionForm::boxes, "%"},
                                             {"one-stop", QuestionForm::one_stop, "%"},
                                             {"one-stop-free", QuestionForm::one_stop_free, "%"},
                                             {"elongated", QuestionForm::elongated, "%"},
                                             {"tiny", QuestionForm::tiny, "cells"},
                                             {"tiny-one", QuestionForm::tiny_one, "cells"},
                                             {"circles", QuestionForm::circles, "%"},
                                             {"zones", QuestionForm::zones, "trips"},
                                             {"one-zone", QuestionForm::one_zone, "trips"},
                                             {"differences", QuestionForm::differences, "%"},
                                             {"ratios", QuestionForm::ratios, "%"},
                                             {"shares", QuestionForm::shares, "%"},
                                             {"planted", QuestionForm::planted, "limits"}}};

bool is_of_zones(QuestionForm form) { return form == QuestionForm::zones || form == QuestionForm::one_zone; }
bool is_at_one(QuestionForm form) { return form == QuestionForm::one_stop || form == QuestionForm::tiny_one; }
bool is_tiny(QuestionForm form) { return form == QuestionForm::tiny || form == QuestionForm::tiny_one; }

double centre_of(const Axis& axis, std::uint32_t cell) {
  return axis.lower + (axis.upper - axis.lower) * (cell + 0.5) / axis.cells;
}

bool is_in_circle(const StopArea& area, double x, double y) {
  const double dx = (x - area.x) / (area.across_x / 2), dy = (y - area.y) / (area.across_y / 2);
  return dx * dx + dy * dy <= 1;
}

// A polygon of as many square cells as the circle.
Ring ring_of(const StopArea& circle) {
  // n corners on a circle of radius r hold n/2 r^2 sin(2 pi/n); the circle itself pi r^2.
  const double step = 2 * std::numbers::pi / static_cast<double>(kCirclePoints);
  const double reach = std::sqrt(step / std::sin(step));
  Ring ring(kCirclePoints);
  for (std::size_t i = 0; i < kCirclePoints; ++i) {
    const double angle = step * static_cast<double>(i);
    ring[i] = {circle.x + reach * circle.across_x / 2 * std::cos(angle),
               circle.y + reach * circle.across_y / 2 * std::sin(angle)};
  }
  return ring;
}

}  // namespace

std::vector<std::string> question_kinds() {
  std::vector<std::string> names;
  for (const FormRow& row : kForms) names.emplace_back(row.name);
  return names;
}

Result<QuestionKind> parse_question_kind(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const auto row = std::find_if(kForms.begin(), kForms.end(), [&](const FormRow& r) { return name == r.name; });
  if (row == kForms.end()) {
    std::string all;
    for (const FormRow& known : kForms) all += (all.empty() ? "" : ", ") + std::string(known.name);
    return usage_error("there is no kind of questions \"" + std::string(text) + "\"\n  Use some of " + all +
                       "; most take a size, as in boxes:5.");
  }
  QuestionKind kind{std::string(text), row->form, std::nullopt};
  if (name.size() == text.size()) return kind;
  double size = 0;
  const std::string_view number = text.substr(name.size() + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), size, std::chars_format::fixed);
  const bool good = error == std::errc() && end == number.data() + number.size() && size > 0;
  const bool share = row->sized != nullptr && row->sized == std::string_view("%");
  if (row->sized == nullptr || !good || (share && size > 100)) {
    return usage_error(
        "\"" + std::string(text) + "\" is no kind of questions: " + std::string(name) +
        (row->sized == nullptr ? " takes no size"
         : share               ? " takes a size above 0 and up to 100 %, as in " + std::string(name) + ":5"
                 : " takes a number of " + std::string(row->sized) + " above 0, as in " + std::string(name) + ":8"));
  }
  kind.size = size;
  return kind;
}

CoverageQuestions::CoverageQuestions(const Regrid& grid, std::shared_ptr<const ZoneSet> zones)
    : grid_(&grid),
      zones_(std::move(zones)),
      coarse_(grid.whole_cells() ? nullptr : std::make_shared<const Matrix>(grid.matrix())),
      points_(std::make_shared<const RangeCounter>(grid.fine())),
      cells_(coarse_ == nullptr ? points_ : std::make_shared<const RangeCounter>(*coarse_)),
      planes_(stop_planes(grid.domain())) {
  std::uint64_t sum = 0;
  up_to_.reserve(grid.fine().counts().size());
  for (const std::uint64_t count : grid.fine().counts()) up_to_.push_back(sum += count);
}

Result<CoverageQuestions> CoverageQuestions::make(const Regrid& grid, std::shared_ptr<const ZoneSet> zones) {
  CoverageQuestions made(grid, std::move(zones));
  if (made.zones_ == nullptr) return made;
  const Domain& domain = grid.domain();
  for (const StopPlane& plane : made.planes_) {
    const Axis &x = domain.axis(plane.x), &y = domain.axis(plane.y);
    if (x.kind != AxisKind::longitude || y.kind != AxisKind::latitude) {
      return usage_error("`zones` need a map in degrees, and axes " + x.name + " and " + y.name +
                         " are none\n  Say where the cells lie: `bbox W,S,E,N`, with `stops`.");
    }
  }
  const Result<ZoneLocator> locator = ZoneLocator::make(*made.zones_);
  if (!locator) return locator.error();
  const Matrix& fine = grid.fine();
  for (const StopPlane& plane : made.planes_) {
    std::vector<std::int32_t>& zone = made.zone_of_row_.emplace_back();
    for (const u128 key : fine.keys()) {
      const double lng = centre_of(fine.domain().axis(plane.x), fine.keys_of_axes().cell(key, plane.x));
      const double lat = centre_of(fine.domain().axis(plane.y), fine.keys_of_axes().cell(key, plane.y));
      zone.push_back(static_cast<std::int32_t>(locator->locate(lng, lat)));
    }
  }
  return made;
}

// What is drawn from: numbers, a row of the input by its trips, a place anywhere.
struct CoverageQuestions::Draw {
  const CoverageQuestions& of;
  const QuestionKind& kind;
  NumberSequence numbers;

  std::size_t row() {
    const std::uint64_t trip = numbers.below(of.up_to_.back());
    return static_cast<std::size_t>(std::upper_bound(of.up_to_.begin(), of.up_to_.end(), trip) - of.up_to_.begin());
  }

  // Where a stop of a trip lies; of no trip, anywhere.
  struct Place {
    double x = 0, y = 0;
  };
  std::vector<Place> places(bool on_data) {
    const std::size_t at = on_data ? row() : 0;
    std::vector<Place> found;
    for (const StopPlane& plane : of.planes_) {
      found.push_back({along(plane.x, on_data, at), along(plane.y, on_data, at)});
    }
    return found;
  }
  double along(std::size_t axis, bool on_data, std::size_t at) {
    if (!on_data) return numbers.uniform(0, of.grid_->domain().axis(axis).cells);
    const Matrix& fine = of.grid_->fine();
    return of.grid_->place(axis, fine.keys_of_axes().cell(fine.keys()[at], axis));
  }

  // The stops that are asked about, by the kind.
  std::vector<std::size_t> stops() {
    std::vector<std::size_t> all;
    const std::size_t chosen = numbers.below(of.planes_.size());
    for (std::size_t i = 0; i < of.planes_.size(); ++i) {
      const bool at_one = is_at_one(kind.form) || kind.form == QuestionForm::one_zone;
      const bool taken = at_one ? i == chosen : kind.form == QuestionForm::one_stop_free ? i != chosen : true;
      if (taken) all.push_back(i);
    }
    return all;
  }

  // Sides of a box or a circle at one stop, in cells.
  std::pair<double, double> sides(const StopPlane& plane, std::size_t turn) {
    if (is_tiny(kind.form)) {
      const double side = kind.size.value_or(kTinySides[turn % kTinySides.size()]);
      return {side, side};
    }
    const double share = kind.size.value_or(kShares[turn % kShares.size()]) / 100;
    double wide = 1;
    if (kind.form == QuestionForm::elongated) {
      // Of the same area: one side sqrt(f) times as long, the other as short.
      wide = std::sqrt(kAspects[numbers.below(kAspects.size())]);
      if (numbers.below(2) == 0) wide = 1 / wide;
    }
    const Domain& domain = of.grid_->domain();
    return {share * wide * domain.axis(plane.x).cells, share / wide * domain.axis(plane.y).cells};
  }

  void put_box(Box& box, std::size_t stop, const Place& place, std::size_t turn) {
    const StopPlane& plane = of.planes_[stop];
    const auto [width, height] = sides(plane, turn);
    box[plane.x] = of.side(plane.x, static_cast<std::uint32_t>(place.x), width);
    box[plane.y] = of.side(plane.y, static_cast<std::uint32_t>(place.y), height);
  }

  CoverageQuestion box(bool on_data, std::size_t turn) {
    CoverageQuestion made{of.grid_->domain().whole(), {}, std::nullopt};
    const std::vector<Place> at = places(on_data);
    for (const std::size_t stop : stops()) put_box(made.box, stop, at[stop], turn);
    made.truth = static_cast<double>(of.cells_->count(made.box));
    made.met = made.truth > 0;
    return made;
  }

  CoverageQuestion random_box() {
    CoverageQuestion made{of.grid_->domain().whole(), {}, std::nullopt};
    for (const StopPlane& plane : of.planes_) {
      for (const std::size_t axis : {plane.x, plane.y}) {
        const std::uint32_t cells = made.box[axis].hi;
        const std::uint64_t a = numbers.below(cells), b = numbers.below(cells);
        made.box[axis] = {static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b) + 1)};
      }
    }
    made.truth = static_cast<double>(of.cells_->count(made.box));
    made.met = made.truth > 0;
    return made;
  }

  CoverageQuestion difference(bool on_data, std::size_t turn) {
    CoverageQuestion made = box(on_data, turn);
    const double first = made.truth;
    made.other = of.grid_->domain().whole();
    const std::vector<Place> at = places(on_data);
    const bool same_origin = turn % 2 == 1 && of.planes_.size() > 1;
    for (std::size_t stop = 0; stop < of.planes_.size(); ++stop) put_box(*made.other, stop, at[stop], turn);
    if (same_origin) {
      for (const std::size_t axis : {of.planes_[0].x, of.planes_[0].y}) (*made.other)[axis] = made.box[axis];
    }
    const auto second = static_cast<double>(of.cells_->count(*made.other));
    made.as_ratio = kind.form == QuestionForm::ratios;
    made.truth = made.as_ratio ? first / second : first - second;
    made.met = made.as_ratio ? second > 0 : first > 0 || second > 0;
    return made;
  }

  CoverageQuestion share(bool on_data, std::size_t turn) {
    CoverageQuestion made = box(on_data, turn);
    made.other = of.grid_->domain().whole();
    for (const std::size_t axis : {of.planes_[0].x, of.planes_[0].y}) {
      if (of.planes_.size() > 1) (*made.other)[axis] = made.box[axis];
    }
    const auto whole = static_cast<double>(of.cells_->count(*made.other));
    made.as_ratio = true;
    made.truth = made.truth / whole;
    made.met = whole > 0;
    return made;
  }

  CoverageQuestion circles(bool on_data, std::size_t turn) {
    CoverageQuestion made{of.grid_->domain().whole(), {}, std::nullopt};
    const std::vector<Place> at = places(on_data);
    for (const std::size_t stop : stops()) {
      const StopPlane& plane = of.planes_[stop];
      const Axis &x = of.grid_->domain().axis(plane.x), &y = of.grid_->domain().axis(plane.y);
      StopArea area{plane, -1, at[stop].x, at[stop].y};
      area.across_x = std::max(1.0, sides(plane, turn).first);
      // As high as wide on the ground: a degree of longitude is cos(latitude) of one of latitude.
      const double north = y.lower + (y.upper - y.lower) * area.y / y.cells;
      const double shrink = x.on_map() ? std::cos(north * std::numbers::pi / 180) : 1;
      area.across_y = area.across_x * shrink * ((x.upper - x.lower) / x.cells) / ((y.upper - y.lower) / y.cells);
      if (of.grid_->whole_cells()) {
        area.x = std::floor(area.x) + 0.5;
        area.y = std::floor(area.y) + 0.5;
        area.across_y = std::max(1.0, area.across_y);
      } else {
        // Nobody draws a circle exactly around a trip's end: it lies anywhere in the inner seven tenths.
        const double angle = numbers.uniform(0, 2 * std::numbers::pi), reach = 0.35 * std::sqrt(numbers.uniform());
        area.x += reach * area.across_x * std::cos(angle);
        area.y += reach * area.across_y * std::sin(angle);
      }
      made.areas.push_back(area);
    }
    made.truth = of.count_circles(made);
    made.met = made.truth > 0;
    return made;
  }

  // Different tuples of zones, of trips (with their number of trips) and then of any.
  std::vector<CoverageQuestion> zones(std::size_t wanted) {
    // By stop (of one zone alone; else 0) and the zones' numbers, one after the other.
    std::map<std::pair<std::size_t, u128>, std::uint64_t> trips;
    const u128 base = of.zones_->size();
    const bool at_one = kind.form == QuestionForm::one_zone;
    const auto tuple_of = [&](std::size_t row, const std::vector<std::size_t>& asked) -> std::optional<u128> {
      u128 tuple = 0;
      for (const std::size_t stop : asked) {
        if (of.zone_of_row_[stop][row] < 0) return std::nullopt;
        tuple = tuple * base + static_cast<std::uint32_t>(of.zone_of_row_[stop][row]);
      }
      return tuple;
    };
    std::vector<std::vector<std::size_t>> sets;
    if (at_one) {
      for (std::size_t stop = 0; stop < of.planes_.size(); ++stop) sets.push_back({stop});
    } else {
      sets.push_back(stops());
    }
    for (std::size_t row = 0; row < of.up_to_.size(); ++row) {
      for (std::size_t s = 0; s < sets.size(); ++s) {
        if (const auto tuple = tuple_of(row, sets[s])) trips[{s, *tuple}] += of.grid_->fine().counts()[row];
      }
    }
    std::vector<CoverageQuestion> made;
    std::set<std::pair<std::size_t, u128>> asked;
    const auto ask = [&](std::size_t set, u128 tuple, bool on_data) {
      if (!asked.insert({set, tuple}).second) return;
      const auto found = trips.find({set, tuple});
      const std::uint64_t truth = found == trips.end() ? 0 : found->second;
      if (on_data && static_cast<double>(truth) < kind.size.value_or(1)) return;
      CoverageQuestion one{of.grid_->domain().whole(), {}, std::nullopt};
      for (std::size_t i = sets[set].size(); i-- > 0; tuple /= base) {
        one.areas.push_back({of.planes_[sets[set][i]], static_cast<std::int64_t>(tuple % base)});
      }
      one.truth = static_cast<double>(truth);
      one.met = truth > 0;
      one.on_data = on_data;
      made.push_back(std::move(one));
    };
    for (std::uint64_t tries = 0; made.size() < wanted && tries < kTries * wanted; ++tries) {
      const std::size_t set = numbers.below(sets.size());
      if (const auto tuple = tuple_of(row(), sets[set])) ask(set, *tuple, true);
    }
    const std::size_t more = made.size() + wanted / kUniformPart;
    for (std::uint64_t tries = 0; made.size() < more && tries < kTries * wanted; ++tries) {
      const std::size_t set = numbers.below(sets.size());
      u128 tuple = 0;
      for (std::size_t i = 0; i < sets[set].size(); ++i) tuple = tuple * base + numbers.below(of.zones_->size());
      ask(set, tuple, false);
    }
    return made;
  }

  std::vector<CoverageQuestion> planted() const {
    std::vector<CoverageQuestion> made;
    for (const Box& box : of.planted_) {
      CoverageQuestion one{box, {}, std::nullopt};
      one.truth = static_cast<double>(of.cells_->count(box));
      one.met = one.on_data = true;
      made.push_back(std::move(one));
    }
    return made;
  }

  std::vector<CoverageQuestion> random_boxes(std::size_t wanted) {
    std::vector<CoverageQuestion> made;
    std::size_t met = 0, empty = 0;
    for (std::uint64_t tries = 0; met < wanted && tries < kTries * wanted; ++tries) {
      CoverageQuestion one = random_box();
      one.on_data = one.met;
      if (!one.met && ++empty > wanted / kUniformPart) continue;
      met += one.met;
      made.push_back(std::move(one));
    }
    return made;
  }
};

std::vector<CoverageQuestion> CoverageQuestions::draw(const QuestionKind& kind, std::size_t wanted, std::uint64_t seed,
                                                      std::string& why_none) const {
  why_none.clear();
  if (planes_.empty()) why_none = "no stop has a map";
  if (up_to_.empty()) why_none = "there is no trip";
  if (kind.form == QuestionForm::one_stop_free && planes_.size() < 2) why_none = "there is one stop alone";
  if (kind.form == QuestionForm::planted && planted_.empty()) why_none = "no flow was planted";
  if (is_of_zones(kind.form) && zones_ == nullptr) why_none = "no file of zones was given";
  for (const StopPlane& plane : planes_) {
    const Domain& domain = grid_->domain();
    const std::uint64_t cells = std::uint64_t{domain.axis(plane.x).cells} * domain.axis(plane.y).cells;
    const bool cuts = is_of_zones(kind.form) || kind.form == QuestionForm::circles;
    if (cuts && cells > Coverage::kMaxCells) why_none = "the map has too many cells to draw on";
  }
  if (!why_none.empty()) return {};
  std::uint64_t branch = 0;
  for (const char c : kind.name) branch = branch * 131 + static_cast<unsigned char>(c);
  Draw draw{*this, kind, NumberSequence(seed, branch)};
  if (is_of_zones(kind.form)) return draw.zones(wanted);
  if (kind.form == QuestionForm::random) return draw.random_boxes(wanted);
  if (kind.form == QuestionForm::planted) return draw.planted();
  std::vector<CoverageQuestion> made;
  for (std::size_t i = 0; i < wanted + wanted / kUniformPart; ++i) {
    const bool on_data = i < wanted;
    made.push_back(kind.form == QuestionForm::circles  ? draw.circles(on_data, i)
                   : kind.form == QuestionForm::shares ? draw.share(on_data, i)
                   : kind.form == QuestionForm::differences || kind.form == QuestionForm::ratios
                       ? draw.difference(on_data, i)
                       : draw.box(on_data, i));
    made.back().on_data = on_data;
    // Of nobody there is no share.
    if (made.back().as_ratio && !made.back().met) made.pop_back();
  }
  return made;
}

// So many cells about a centre, moved inwards at the border.
Interval CoverageQuestions::side(std::size_t axis, std::uint32_t centre, double cells) const {
  const std::uint32_t all = grid_->domain().axis(axis).cells;
  const auto width = static_cast<std::uint32_t>(std::clamp<double>(std::floor(cells + 0.5), 1, all));
  const std::uint32_t lo = std::min(centre > width / 2 ? centre - width / 2 : 0, all - width);
  return {lo, lo + width};
}

double CoverageQuestions::count_circles(const CoverageQuestion& question) const {
  Box near = grid_->fine().domain().whole();
  for (const StopArea& area : question.areas) {
    near[area.plane.x] = grid_->around(area.plane.x, area.x - area.across_x / 2, area.x + area.across_x / 2);
    near[area.plane.y] = grid_->around(area.plane.y, area.y - area.across_y / 2, area.y + area.across_y / 2);
  }
  return static_cast<double>(points_->count(near, [&](std::uint32_t number) {
    return std::all_of(question.areas.begin(), question.areas.end(), [&](const StopArea& area) {
      return is_in_circle(area, grid_->place(area.plane.x, points_->cell(area.plane.x, number)),
                          grid_->place(area.plane.y, points_->cell(area.plane.y, number)));
    });
  }));
}

Coverage CoverageQuestions::covered(const StopArea& area) const {
  const Axis &x = grid_->domain().axis(area.plane.x), &y = grid_->domain().axis(area.plane.y);
  std::vector<Ring> rings;
  if (area.zone < 0) {
    rings.push_back(ring_of(area));
  } else {
    for (const std::vector<Ring>& polygon : (*zones_)[static_cast<std::size_t>(area.zone)].polygons) {
      for (const Ring& ring : polygon) {
        Ring& in_cells = rings.emplace_back();
        for (const PlanePoint& p : ring) in_cells.push_back({x.locate(p.x), y.locate(p.y)});
      }
    }
  }
  const PlaneSpan map{{0, static_cast<double>(x.cells)}, {0, static_cast<double>(y.cells)}};
  if (!grid_->whole_cells()) return Coverage::of_rings(rings, map);
  // Cells whose centre is inside, as the truth has it.
  std::optional<FixedArea> zone;
  if (area.zone >= 0) zone.emplace((*zones_)[static_cast<std::size_t>(area.zone)].polygons);
  double west = x.cells, east = 0, south = y.cells, north = 0;
  for (const Ring& ring : rings) {
    for (const PlanePoint& p : ring) {
      west = std::min(west, p.x);
      east = std::max(east, p.x);
      south = std::min(south, p.y);
      north = std::max(north, p.y);
    }
  }
  const auto first = [](double edge) { return static_cast<std::uint32_t>(std::max(0.0, std::floor(edge))); };
  const auto end = [](double edge, std::uint32_t cells) {
    return static_cast<std::uint32_t>(std::clamp<double>(std::ceil(edge), 0, cells));
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;
  for (std::uint32_t i = first(west); i < end(east, x.cells); ++i) {
    for (std::uint32_t j = first(south); j < end(north, y.cells); ++j) {
      const bool inside = zone ? zone->contains(FixedPoint::of(centre_of(x, i), centre_of(y, j)))
                               : is_in_circle(area, i + 0.5, j + 0.5);
      if (inside) cells.emplace_back(i, j);
    }
  }
  return Coverage::of_cells(cells);
}

RegionQuery CoverageQuestions::query(const BoxIndex& index, const CoverageQuestion& question) const {
  RegionQuery query = RegionQuery::of(BoxQuery::of(question.box));
  for (const StopArea& area : question.areas) {
    const Coverage coverage = covered(area);
    if (coverage.empty() || coverage.area() <= 0) {  // beside the map
      query.box.hi[area.plane.x] = query.box.lo[area.plane.x];
      continue;
    }
    query.add(make_plane(index, area.plane.x, area.plane.y, coverage));
  }
  return query;
}

}  // namespace stopover
