// UserBucket: a share of the rows that can be worked on by itself, where all rows at once are too many for the memory.
//
// A row's bucket follows from its unit's name alone (the user's id, or with the trip as unit the user's and the
// trip's), so a unit lies whole in one of them; and since nothing in the plan (trip_plan.h) joins two units, the cells
// of all buckets together are those of all rows. Whatever the number of buckets is: it may follow from the memory and
// the rows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "ingest/trip_request.h"

namespace stopover {

struct UserBucket {
  std::uint64_t number = 0, of = 1;

  // What is in this one and in no other, in two.
  std::array<UserBucket, 2> halves() const { return {{{number, 2 * of}, {number + of, 2 * of}}}; }
  // "SELECT * FROM all_rows WHERE ...". REQUIRES: `columns` is not empty, or this is the only bucket.
  std::string select_from(const std::string& all_rows, const std::string& columns) const;
};

// The columns of the view `rows` that name a unit: "person". Empty where rows need not or cannot be taken apart: wide
// trips without a bound, whose cells are only counted, and rows of nobody in particular.
std::string bucket_columns(const TripRequest& request);

// How many buckets to begin with, for DuckDB to have room for the widest step of the plan.
std::uint64_t buckets_for(std::uint64_t rows, std::size_t axes, std::uint64_t memory);

// Does `work` for one bucket after the other, `first` of them. A bucket that memory has no room for is halved, and its
// halves are done instead. Fails as `work` does, and (bad_input) where even small buckets do not fit.
// REQUIRES of work: where it fails, it leaves nothing behind.
Status each_bucket(std::uint64_t first, const std::function<Status(const UserBucket&)>& work);

// Whether DuckDB had no memory for it.
bool is_out_of_memory(const Error& error);

}  // namespace stopover
