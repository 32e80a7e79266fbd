// Ranks: one lattice's part of a rank histogram. SECRET; private to the kernel.
//
// The rows of a region are sorted into the boxes of a grid of cuts; a box with n trips adds its ranks 1, ..., n to the
// entries that a public rule names. Lemma (AUDIT.md): one trip more adds exactly one rank, so it moves at most one
// entry, by 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "domain/box.h"
#include "matrix/cell_key.h"
#include "privacy/kernel.h"

namespace stopover {

// Adds to `histogram`, each entry cut at kMaxCount. Takes whatever the rule says and never aborts because of it: which
// boxes it is asked for is secret, and so would be the reason.
void add_ranks(const View& view, std::pair<std::size_t, std::size_t> rows, const Box& box, const Cuts& cuts,
               std::size_t lattice, const RankRule& rule, std::vector<std::int64_t>& histogram);

// The same of all rows of a source, in one pass for all lattices; histograms[l] is lattice l's.
void add_ranks(const CountSource& source, const Box& box, std::span<const Cuts> lattices, const CellKeys& layout,
               const RankRule& rule, std::vector<std::vector<std::int64_t>>& histograms);

}  // namespace stopover
