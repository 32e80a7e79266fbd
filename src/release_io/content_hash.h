// The identity of a table's content, whatever file it is in.
//
// Parquet bytes differ between versions of the library that writes them, so a table is known by the SHA-256 of its rows
// in an encoding that anyone can make from the columns: the line "stopover-table-1 <rows> <axes>\n" in ASCII, then
// whole columns one after the other, values in little-endian order without anything between them:
//
//   per axis of the table: lo (uint32), hi (uint32);  parent (int32), depth (uint16), count (int64), ticks (uint64),
//   side_ticks (uint64), estimate (IEEE 754 double); where there are such columns spread (float), coarse_count (int64),
//   coarse_ticks (uint64)
//
// The other columns of the file follow from these and release.json.
#pragma once

#include <cstdint>
#include <string>

#include "release/release.h"

namespace stopover {

std::string content_sha256(const Table& table);

// A number that follows from a table's rows but for their coarse counts: where what is drawn from a release begins.
std::uint64_t seed_of(const Table& table);

}  // namespace stopover
