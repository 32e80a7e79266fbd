#include "ingest/held_cells.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>

#include "ingest/cells_file.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMostExpected = std::uint64_t{1} << 32;

std::vector<std::uint32_t> widths(const Domain& domain) {
  std::vector<std::uint32_t> result;
  for (const Axis& axis : domain.axes()) result.push_back(axis.cells);
  return result;
}

}  // namespace

bool HeldCells::fit(const Domain& domain) {
  int bits = 0;
  for (const Axis& axis : domain.axes()) bits += std::bit_width(axis.cells - 1);
  return bits <= 64;
}

HeldCells::HeldCells(const Domain& domain, unsigned threads)
    : domain_(domain), layout_(widths(domain)), threads_(threads) {}

Result<std::unique_ptr<HeldCells>> HeldCells::read(const std::vector<std::string>& paths, const Domain& domain,
                                                   const CellRowOptions& options) {
  STOPOVER_CHECK(fit(domain), "a cell's key has more than 64 bits");
  const Result<CellRowReader> reader = CellRowReader::open(paths, domain, options);
  if (!reader) return reader.error();
  const Result<std::uint64_t> rows = rows_of_parquet(paths);
  if (!rows) return rows.error();
  std::unique_ptr<HeldCells> held(new HeldCells(domain, options.threads));
  // Room that is not used is not taken from the system.
  held->ones_.reserve(std::min(*rows, kMostExpected));
  if (Status s = reader->each([&](const CellRows& some) { held->add(some); }, held->dropped_); !s) return s.error();
  if (!options.stops) held->unused_axes_ = reader->unused_axes();
  return held;
}

void HeldCells::add(const CellRows& rows) {
  const std::size_t d = domain_.d();
  for (std::size_t row = 0; row < rows.counts.size(); ++row) {
    const auto key = static_cast<std::uint64_t>(layout_.pack(rows.cells.subspan(row * d, d)));
    const std::uint64_t count = rows.counts[row];
    total_ = std::min(kMaxCount, total_ + count);
    if (count == 1) {
      ones_.push_back(key);
    } else {
      several_.push_back(key);
      several_counts_.push_back(count);
    }
  }
}

// As MatrixSource does: threads of its own, as a pass may be made while the kernel's callers wait for each other.
void HeldCells::pass(Tally& tally) const {
  constexpr std::size_t kRows = 8192;
  const std::size_t d = domain_.d(), n = ones_.size() + several_.size();
  const std::vector<std::uint64_t> one(kRows, 1);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    TallyHand hand(tally);
    std::vector<std::uint32_t> cells(kRows * d);
    const auto add = [&](std::span<const std::uint64_t> keys, std::span<const std::uint64_t> counts) {
      for (std::size_t row = 0; row < keys.size(); ++row) {
        for (std::size_t axis = 0; axis < d; ++axis) cells[row * d + axis] = layout_.cell(keys[row], axis);
      }
      hand.add({std::span(cells).first(keys.size() * d), counts});
    };
    for (std::size_t first; (first = next.fetch_add(kRows)) < n;) {
      const std::size_t last = std::min(first + kRows, n), middle = std::clamp(ones_.size(), first, last);
      if (middle > first) add(std::span(ones_).subspan(first, middle - first), std::span(one).first(middle - first));
      if (middle == last) continue;
      add(std::span(several_).subspan(middle - ones_.size(), last - middle),
          std::span(several_counts_).subspan(middle - ones_.size(), last - middle));
    }
  };
  const std::size_t most = threads_ > 0 ? threads_ : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(most, n / kRows + 1); ++i) others.emplace_back(work);
  work();
}

}  // namespace stopover
