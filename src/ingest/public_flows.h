// read_public_flows: a public table of how people travel (a census, a survey, an older study) on the cells of a domain.
//
//   o_lat,o_lng,d_lat,d_lng,weight        a row is so many trips between two places, which stand for what is around
//   them
//
// As rows of trips are: o_, v1_, v2_, ..., d_ of the stops in order; or one column per axis with numbers of cells,
// named as the axis is, as read_matrix takes them. `weight` (or `count`) may be any number that is not negative;
// without it a row counts once. Public, so what is wrong with it is told with its row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/domain.h"

namespace stopover {

struct PublicFlows {
  std::vector<std::uint32_t> cells;  // of every row, one for each axis
  std::vector<double> weights;       // above 0
  std::uint64_t outside = 0;         // rows that do not lie in the domain, left out
};

// Reads NAME.csv, NAME.csv.gz or NAME.parquet, rows in the file's order. Fails (bad_input) where there is no such file
// or column, on a field that is no number, a weight below 0, and where no row with a weight lies in the domain; (usage)
// where the domain has axes that the columns cannot name.
Result<PublicFlows> read_public_flows(const std::string& path, const Domain& domain);

}  // namespace stopover
