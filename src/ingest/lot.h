// A trip's lot: the number that decides which of a user's trips are kept, the smallest ones first. It is the first 60
// bits of the SHA-256 of the key, the user, the trip and its cells, so nobody can aim at one; two trips of one user
// with the same lot are told apart by what was hashed (trip_plan.cc), never by the place of a row.
//
// What is hashed is a text. Every value is written as the number of its bytes, a colon and the bytes, a missing one as
// "-"; so no two rows of values make the same text:   8:stopover4:anna1:71:31:9
//
// DuckDB has lot_of registered under the name `lot`; SqlDialect::lot says the same to Spark in Spark's own words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stopover {

// From 0 to 2^60 - 1.
std::int64_t lot_of(std::span<const std::optional<std::string_view>> values);

}  // namespace stopover
