#include "job/series_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "geo/json_fwd.h"
#include "job/info_facts.h"
#include "job/reports.h"
#include "question/question.h"
#include "release_io/guarantee_card.h"
#include "text/figure_text.h"

namespace stopover {

std::string series_json(const OpenSeries& series) {
  Json releases = Json::array();
  for (const OpenSeries::Member& one : series.members) {
    const ReadyRelease& ready = one.ready;
    releases.push_back({{"period", one.period.name()},
                        {"path", one.path},
                        {"info", Json::parse(info_json(ready.release, ready.content, ready.papers))}});
  }
  const Json json = {{"series", series.path},
                     {"kind", to_string(series.members[0].period.kind)},
                     {"releases", std::move(releases)},
                     {"notes", series.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string series_text(const OpenSeries& series, const Paper& paper) {
  const std::size_t n = series.members.size();
  const std::string kind(to_string(series.members[0].period.kind));
  std::string text = paper.paint(
      Tone::strong, fmt::format("{}: a series of {} {}{}, {} to {}", series.path, n, kind, n == 1 ? "" : "s",
                                series.members.front().period.name(), series.members.back().period.name()));
  text += fmt::format("\n  {:<10} {:>8} {:>10} {:>12}  {:<11}{}", "period", "epsilon", "trips", "partitions", "date",
                      "content");
  const OpenSeries::Member* shown = &series.members[0];  // whose promise is told: one that protects nobody, if any
  for (const OpenSeries::Member& one : series.members) {
    const Release& release = one.ready.release;
    const Result<Answer> all = count(one.ready.engine, {});
    text += fmt::format("\n  {:<10} {:>8} {:>10} {:>12}  {:<11}{}", one.period.name(), format_epsilon(release.epsilon),
                        all ? figure_text(all->estimate) : "", grouped(leaf_count(release.tables[0])),
                        release.date, one.ready.content.substr(0, 12));
    if (!release.is_private() && shown->ready.release.is_private()) shown = &one;
  }
  const GuaranteeCard card = guarantee_card(shown->ready.release);
  text += fmt::format("\n  What each promises by itself, here {}:", shown->period.name());
  text += "\n  - " + wrapped(card.title, 80, 4);
  for (const std::string& sentence : card.promise) text += "\n  - " + wrapped(sentence, 80, 4);
  for (const std::string& note : series.notes) text += "\n  note: " + wrapped(note, 80, 8);
  return text + fmt::format("\n  All of it about one: stopover info {}\n  Ask all of them: stopover query {}",
                            series.members[0].path, series.path);
}

}  // namespace stopover
