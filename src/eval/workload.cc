#include "eval/workload.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/check.h"
#include "ingest/csv_lines.h"
#include "query/batch.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

constexpr std::uint64_t kWorkloadBranch = 0x776f726b, kDistrictBranch = 0x62757379;

class BoxSource {
 public:
  BoxSource(const WorkloadKind& kind, const Matrix& matrix, std::uint64_t seed)
      : kind_(kind), matrix_(matrix), numbers_(seed, kWorkloadBranch) {
    if (!kind.on_data) return;
    std::uint64_t sum = 0;
    for (std::uint64_t count : matrix.counts()) up_to_.push_back(sum = std::min(kMaxCount, sum + count));
  }

  Box next() {
    Box box = matrix_.domain().whole();
    const u128 key = kind_.on_data ? matrix_.keys()[random_trip()] : 0;
    for (std::size_t axis = 0; axis < box.axes(); ++axis) {
      const std::uint32_t cells = box[axis].hi;
      if (kind_.share == 0) {
        const std::uint64_t a = numbers_.below(cells), b = numbers_.below(cells);
        box[axis] = {static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b) + 1)};
        continue;
      }
      const auto side = static_cast<std::uint32_t>(std::max(1.0, std::floor(kind_.share * cells + 0.5)));
      std::uint32_t lo = 0;
      if (kind_.on_data) {
        const std::uint32_t centre = matrix_.keys_of_axes().cell(key, axis);
        lo = std::min(centre > side / 2 ? centre - side / 2 : 0, cells - side);
      } else {
        lo = static_cast<std::uint32_t>(numbers_.below(cells - side + 1));
      }
      box[axis] = {lo, lo + side};
    }
    return box;
  }

 private:
  std::size_t random_trip() {
    const std::uint64_t trip = numbers_.below(up_to_.back());
    return static_cast<std::size_t>(std::upper_bound(up_to_.begin(), up_to_.end(), trip) - up_to_.begin());
  }

  const WorkloadKind& kind_;
  const Matrix& matrix_;
  NumberSequence numbers_;
  std::vector<std::uint64_t> up_to_;
};

void keep_if_met(Workload& workload, const Box& box, const RangeCounter& truth) {
  ++workload.drawn;
  const std::uint64_t count = truth.count(box);
  if (count == 0) return;
  workload.boxes.push_back(box);
  workload.truth.push_back(count);
}

// The part of an axis that a cell lies in, and that part's cells: part i has cells i w/n .. (i + 1) w/n - 1, rounded
// down. With more parts than cells some parts are empty.
std::uint32_t district_of(std::uint32_t cell, std::uint64_t cells, std::uint64_t parts) {
  return static_cast<std::uint32_t>(((cell + 1) * parts - 1) / cells);
}
Interval district(std::uint64_t part, std::uint64_t cells, std::uint64_t parts) {
  return {static_cast<std::uint32_t>(part * cells / parts), static_cast<std::uint32_t>((part + 1) * cells / parts)};
}

Workload busy_districts(const WorkloadKind& kind, const Matrix& matrix, std::size_t queries, std::uint64_t seed) {
  Workload workload;
  workload.name = kind.name;
  const Box whole = matrix.domain().whole();
  std::map<u128, std::uint64_t> trips;  // by the numbers of the districts, one after the other
  for (std::size_t i = 0; i < matrix.keys().size(); ++i) {
    u128 tuple = 0;
    for (std::size_t axis = 0; axis < whole.axes(); ++axis) {
      tuple = tuple * kind.districts +
              district_of(matrix.keys_of_axes().cell(matrix.keys()[i], axis), whole[axis].hi, kind.districts);
    }
    std::uint64_t& sum = trips[tuple];
    sum = std::min(kMaxCount, sum + matrix.counts()[i]);
  }
  std::erase_if(trips, [](const auto& entry) { return entry.second < kBusyTrips; });
  std::vector<std::pair<u128, std::uint64_t>> busy(trips.begin(), trips.end());
  // The first `queries` of a random order.
  NumberSequence numbers(seed, kDistrictBranch);
  for (std::size_t i = 0; i < busy.size() && i < queries; ++i) {
    std::swap(busy[i], busy[i + numbers.below(busy.size() - i)]);
    u128 tuple = busy[i].first;
    Box box = whole;
    for (std::size_t axis = whole.axes(); axis-- > 0; tuple /= kind.districts) {
      box[axis] = district(static_cast<std::uint64_t>(tuple % kind.districts), whole[axis].hi, kind.districts);
    }
    workload.boxes.push_back(box);
    workload.truth.push_back(busy[i].second);
  }
  workload.drawn = workload.boxes.size();
  return workload;
}

}  // namespace

Result<WorkloadKind> parse_workload(std::string_view text) {
  WorkloadKind kind{std::string(text), 0, false, 0, std::nullopt, text == "places"};
  if (text == "random" || kind.anywhere) return kind;
  if (Result<NeedleKind> needle = parse_needle(text)) {
    kind.needle = *std::move(needle);
    return kind;
  }
  if (text.starts_with("busy")) {
    kind.districts = kUsualDistricts;
    const std::string_view parts = text.substr(4);
    const auto [end, error] = std::from_chars(parts.data(), parts.data() + parts.size(), kind.districts);
    const bool whole = error == std::errc() && end == parts.data() + parts.size();
    if (parts.empty() || (whole && kind.districts >= 1 && kind.districts <= kMostDistricts)) return kind;
  }
  kind.on_data = text.starts_with("d");
  if (kind.on_data) text.remove_prefix(1);
  double percent = 0;
  if (text.starts_with("cov")) {
    text.remove_prefix(3);
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size()) percent = 0;
  }
  if (!(percent > 0 && percent <= 100)) {
    return Error{Failure::usage,
                 "there is no workload \"" + kind.name +
                     "\"\n  Use random, cov1, cov5, cov10 (placed uniformly) or dcov1, dcov5, dcov10 (placed "
                     "on data), other percentages as well; busy (pairs of districts); places (mostly empty); needle, "
                     "needle20, blob (flows "
                     "that nobody foresaw), needle@4 (of 4 limits)."};
  }
  kind.share = percent / 100;
  return kind;
}

Workload draw_workload(const WorkloadKind& kind, const Matrix& matrix, const RangeCounter& truth, std::size_t queries,
                       std::uint64_t seed) {
  STOPOVER_CHECK(!kind.needle, "needles are no boxes");
  if (kind.districts > 0) return busy_districts(kind, matrix, queries, seed);
  Workload workload;
  workload.name = kind.name;
  if (kind.anywhere) {
    NeedleKind places{kind.name, static_cast<std::uint32_t>(queries), 1};
    workload.boxes = draw_needles(places, matrix.domain(), seed).boxes;
    for (const Box& box : workload.boxes) workload.truth.push_back(truth.count(box));
    workload.drawn = workload.boxes.size();
    return workload;
  }
  if (truth.total() == 0) return workload;
  BoxSource source(kind, matrix, seed);
  const std::uint64_t most = kMaxDrawsPerQuery * queries;
  while (workload.boxes.size() < queries && workload.drawn < most) keep_if_met(workload, source.next(), truth);
  return workload;
}

std::string to_batch_csv(const Domain& domain, std::span<const Box> boxes) {
  std::string text;
  for (const Axis& axis : domain.axes()) {
    if (!text.empty()) text += ',';
    text += quote_csv(axis.name + "_lo");
    text += ',';
    text += quote_csv(axis.name + "_hi");
  }
  text += '\n';
  for (const Box& box : boxes) {
    for (std::size_t axis = 0; axis < box.axes(); ++axis) {
      if (axis > 0) text += ',';
      text += std::to_string(box[axis].lo);
      text += ',';
      text += std::to_string(box[axis].hi);
    }
    text += '\n';
  }
  return text;
}

Result<Workload> load_workload(const std::string& path, std::string name, const Domain& domain,
                               const RangeCounter& truth) {
  Result<CsvLines> lines = CsvLines::open(path);
  if (!lines) return lines.error();
  Workload workload;
  workload.name = std::move(name);
  std::vector<std::string> fields;
  Result<BatchColumns> columns = Error{Failure::bad_input, path + " has no header"};
  for (bool header = true;; header = false) {
    Result<bool> more = lines->next();
    if (!more) return more.error();
    if (!*more) break;
    if (lines->cut() || !split_csv(lines->line(), fields)) {
      return Error{Failure::bad_input,
                   path + ": row " + std::to_string(lines->number()) + " is not a row of a CSV table"};
    }
    if (header) {
      columns = BatchColumns::of_header(domain, fields);
      if (!columns) return columns.error();
      continue;
    }
    const std::vector<std::string_view> views(fields.begin(), fields.end());
    Result<BoxQuery> query = columns->box(domain, views, lines->number() - 1);
    if (!query) return query.error();
    Box box = domain.whole();
    for (std::size_t axis = 0; axis < box.axes(); ++axis) {
      box[axis] = {static_cast<std::uint32_t>(query->lo[axis]), static_cast<std::uint32_t>(query->hi[axis])};
    }
    keep_if_met(workload, box, truth);
  }
  if (!columns) return columns.error();
  return workload;
}

}  // namespace stopover
