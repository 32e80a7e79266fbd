// xxhash64: the 64-bit hash by which a user's trips are chosen. Written from its public specification (XXH64), because the
// choice must come out the same in DuckDB, where this function is registered, and in Spark, whose function of the same name
// computes the same numbers: a column after the other, each hashed with the hash so far as its seed, 42 at first, and a missing
// value leaves the hash as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stopover {

std::uint64_t xxhash64(std::string_view bytes, std::uint64_t seed);

// As Spark's SELECT xxhash64(a, b, ...) over texts; an INT is hashed as its four bytes, a BIGINT as its eight.
std::int64_t xxhash64_row(std::span<const std::optional<std::string_view>> texts);

}  // namespace stopover
