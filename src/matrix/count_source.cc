#include "matrix/count_source.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace stopover {

// Threads of its own: a pass may be made while the kernel's callers wait for each other.
void MatrixSource::pass(Tally& tally) const {
  constexpr std::size_t kRows = 8192;
  const std::size_t d = domain().d(), n = matrix_.keys().size();
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    TallyHand hand(tally);
    std::vector<std::uint32_t> cells(kRows * d);
    for (std::size_t first; (first = next.fetch_add(kRows)) < n;) {
      const std::size_t some = std::min(kRows, n - first);
      for (std::size_t row = 0; row < some; ++row) {
        const u128 key = matrix_.keys()[first + row];
        for (std::size_t axis = 0; axis < d; ++axis) cells[row * d + axis] = matrix_.keys_of_axes().cell(key, axis);
      }
      hand.add({std::span(cells).first(some * d), matrix_.counts().subspan(first, some)});
    }
  };
  const std::size_t most = threads_ > 0 ? threads_ : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(most, n / kRows + 1); ++i) others.emplace_back(work);
  work();
}

}  // namespace stopover
