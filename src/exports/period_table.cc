#include "exports/period_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "duck/duck.h"
#include "geo/json_fwd.h"

namespace stopover {

Status stack_periods(const std::vector<std::pair<std::string, std::string>>& files_by_period, const std::string& path,
                     TableForm form, const std::string& card, unsigned threads) {
  STOPOVER_CHECK(!files_by_period.empty(), "a series has a period");
  std::string rows;
  for (const auto& [period, file] : files_by_period) {
    rows += fmt::format("{}SELECT {} AS period, * FROM read_parquet({}, hive_partitioning = false)",
                        rows.empty() ? "" : " UNION ALL ", quote_literal(period), quote_input(file));
  }
  return LongTable::write_rows("(" + rows + ")", path, form, card, threads);
}

std::string series_card(const std::vector<std::pair<std::string, std::string>>& cards_by_period) {
  STOPOVER_CHECK(!cards_by_period.empty(), "a series has a period");
  Json card = Json::parse(cards_by_period[0].second), releases = Json::array();
  for (const auto& [period, text] : cards_by_period) {
    Json one = Json::parse(text);
    if (!one["release"]["private"].get<bool>()) card["guarantee"] = one["guarantee"];
    Json& to = releases.emplace_back(Json{{"period", period}});
    to.update(one["release"]);
    to["guarantee"] = one["guarantee"]["title"];
  }
  card["notes"].push_back("A release for each period, with noise of its own; the guarantee is that of each.");
  card.erase("release");
  card["releases"] = std::move(releases);
  return card.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stopover
