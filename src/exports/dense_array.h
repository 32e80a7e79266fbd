// The sanitised matrix itself, every cell with its value, as a NumPy file (.npy, version 1.0, little-endian doubles,
// the last axis fastest).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "query/answer.h"
#include "release/release.h"

namespace stopover {

// The largest array that is written: 2^27 cells, a file of 1 GiB.
inline constexpr std::uint64_t kMaxDenseCells = std::uint64_t{1} << 27;

// plain: count / |partition| in every cell, the paper's sanitised matrix (a leaf that was not measured itself: its
// estimate). consistent: the leaf's estimate, spread over its cells as the release's answer model says. Makes or
// replaces the file. Fails (usage) for more cells than kMaxDenseCells, (bad_input) when it cannot be written.
Status write_dense(const Release& release, Estimates estimates, const std::string& path);

// Whether the domain is small enough.
Status check_dense(const Domain& domain);

}  // namespace stopover
