// TableRule: a rank rule for tests and audits, read from a table.
#pragma once

#include <utility>
#include <vector>

#include "privacy/kernel.h"

namespace stopover {

// Box b of lattice l has row (3 l + b) mod rows; one of `skip` boxes, by a public lot, is not taken (0: all are).
class TableRule final : public RankRule {
 public:
  // REQUIRES: at least one row, all of equal size.
  explicit TableRule(std::vector<std::vector<RankBand>> rows, std::uint64_t skip = 0)
      : rows_(std::move(rows)), skip_(skip) {}

  BoxSample sample(std::size_t lattice) const override {
    return {3 * lattice, skip_ == 0 ? BoxSample::kAll : BoxSample::kAll / skip_ * (skip_ - 1)};
  }
  std::size_t bands() const override { return rows_[0].size(); }
  void bands_of(std::size_t lattice, std::span<const std::uint64_t> boxes, std::span<RankBand> out) const override {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const std::vector<RankBand>& row = rows_[(3 * lattice + boxes[i]) % rows_.size()];
      for (std::size_t band = 0; band < row.size(); ++band) out[i * row.size() + band] = row[band];
    }
  }

 private:
  const std::vector<std::vector<RankBand>> rows_;
  const std::uint64_t skip_;
};

}  // namespace stopover
