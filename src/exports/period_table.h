// Tables of a series' periods below each other, as one with a column `period` before the others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "exports/long_table.h"

namespace stopover {

// The periods' tables are Parquet files of the same columns, as LongTable writes them. Fails as LongTable::write does.
// REQUIRES: at least one.
Status stack_periods(const std::vector<std::pair<std::string, std::string>>& files_by_period, const std::string& path,
                     TableForm form, const std::string& card, unsigned threads);

// One card of the cards of all periods (encode_card): that of the first, with every release in `releases`, and the
// guarantee of one that protects nobody where there is such.
std::string series_card(const std::vector<std::pair<std::string, std::string>>& cards_by_period);

}  // namespace stopover
