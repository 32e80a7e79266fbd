#include "exports/dense_array.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/disk_full.h"
#include "exports/trip_model.h"

namespace stopover {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string npy_header(const Domain& domain) {
  std::string shape;
  for (const Axis& axis : domain.axes()) shape += fmt::format("{},", axis.cells);
  std::string text = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape);
  constexpr std::size_t kBefore = 10, kAlign = 64;
  while ((kBefore + text.size() + 1) % kAlign != 0) text += ' ';
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

// Calls see(offset, cell) for every cell of the box, the last axis fastest.
template <typename See>
void for_cells(const Box& box, const Domain& domain, const See& see) {
  std::array<std::uint32_t, kMaxAxes> cell{};
  for (std::size_t a = 0; a < box.axes(); ++a) cell[a] = box[a].lo;
  for (;;) {
    std::size_t offset = 0;
    for (std::size_t a = 0; a < box.axes(); ++a) offset = offset * domain.axis(a).cells + cell[a];
    see(offset, cell);
    std::size_t a = box.axes();
    while (a > 0 && ++cell[a - 1] == box[a - 1].hi) {
      cell[a - 1] = box[a - 1].lo;
      --a;
    }
    if (a == 0) return;
  }
}

}  // namespace

Status check_dense(const Domain& domain) {
  if (domain.volume() <= kMaxDenseCells) return {};
  return Error{Failure::usage, fmt::format("{} has {} cells, and a dense matrix at most {}\n  Use `as csv` or "
                                           "parquet: a row per "
                                           "partition, which says the same.",
                                           domain.shape_text(), to_string(domain.volume()), kMaxDenseCells)};
}

Status write_dense(const Release& release, Estimates estimates, const std::string& path) {
  if (Status s = check_dense(release.domain); !s) return s;
  const Result<TripModel> model = TripModel::make(release);
  if (!model) return model.error();
  const Table& table = release.tables[0];
  std::vector<double> values(static_cast<std::size_t>(release.domain.volume()), 0.0);
  for (std::size_t leaf = 0; leaf < model->leaves(); ++leaf) {
    const Box& box = model->box(leaf);
    const std::size_t row = model->row(leaf);
    if (estimates == Estimates::plain) {
      const double value = table.row_ticks[row] > 0 ? static_cast<double>(table.count[row]) : model->estimate(leaf);
      const double each = value / static_cast<double>(box.volume());
      for_cells(box, release.domain, [&](std::size_t offset, const auto&) { values[offset] = each; });
    } else {
      for_cells(box, release.domain, [&](std::size_t offset, const auto& cell) {
        values[offset] = model->estimate(leaf) * model->share(leaf, std::span(cell.data(), box.axes()));
      });
    }
  }
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "wb"), close);
  const auto failed = [&] {
    return Error{write_failure(errno), fmt::format("cannot write {}\n  {}", path, std::strerror(errno))};
  };
  if (!file) return failed();
  const std::string header = npy_header(release.domain);
  if (std::fwrite(header.data(), 1, header.size(), file.get()) != header.size()) return failed();
  if (std::fwrite(values.data(), sizeof(double), values.size(), file.get()) != values.size()) return failed();
  if (std::fflush(file.get()) != 0) return failed();
  return {};
}

}  // namespace stopover
