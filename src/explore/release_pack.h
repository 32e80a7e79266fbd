// A release as a few bytes, for a page that has no Parquet reader. Lossless: what comes out equals what went in, but
// for coarse counts, which no answer uses; what they cost is kept where an answer does.
//
//   std::string bytes = pack_release(release);
//   Result<Release> same = unpack_release(bytes);
//
// Columns one after the other: cell edges, parents and counts as short whole numbers (7 bits a byte), budgets by number
// in a list of the few that occur, estimates byte by byte so that a compressor finds what is alike. About 20 bytes per
// row before compression, whatever the machine. Zones travel too (zone_pack.h). The format belongs to the page that
// carries it and may change with every version: what is published is the .odr directory.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

// The release as a page has it.
Release without_coarse_counts(Release release);

// REQUIRES: check_release passes.
std::string pack_release(const Release& release);

// Any bytes may be given: fails (bad_input) on all that pack_release did not make, and unless check_release passes.
Result<Release> unpack_release(std::string_view bytes);

}  // namespace stopover
