#include "job/info_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/grouped.h"
#include "base/split.h"
#include "query/answerer.h"
#include "query/coverage_claim.h"
#include "query/unforeseen_flow.h"
#include "release_io/guarantee_card.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

std::string stops_line(const Domain& domain) {
  std::string text;
  for (const Stop& stop : domain.stops()) {
    text += text.empty() ? "" : "; ";
    text += stop.name + " (";
    for (std::size_t i = 0; i < stop.axes.size(); ++i) {
      const Axis& axis = domain.axis(stop.axes[i]);
      text += fmt::format("{}{} {} cells", i == 0 ? "" : ", ", axis.name, grouped(axis.cells));
      if (axis.labelled()) {
        constexpr std::size_t kMost = 7;
        const std::size_t shown = axis.labels.size() <= kMost + 1 ? axis.labels.size() : kMost;
        text += fmt::format(", {} {}", to_string(axis.kind),
                            fmt::join(axis.labels.begin(), axis.labels.begin() + shown, ", "));
        if (shown < axis.labels.size()) text += fmt::format(" and {} more", grouped(axis.labels.size() - shown));
      } else if (axis.kind != AxisKind::number) {
        text += fmt::format(", {} {} to {}", to_string(axis.kind), number_text(axis.lower), number_text(axis.upper));
      }
    }
    text += ")";
  }
  return text;
}

// Of <id>:<record>:<hash>, what fits a line.
std::string head_text(const std::string& head) {
  const std::size_t first = head.find(':');
  const std::size_t second = head.find(':', first + 1);
  if (second == std::string::npos) return head.empty() ? "none" : head;
  return fmt::format("{}, record {}", head.substr(0, first), head.substr(first + 1, second - first - 1));
}

}  // namespace

std::uint64_t leaf_count(const Table& table) {
  const std::vector<bool> leaves = table.leaves();
  return static_cast<std::uint64_t>(std::count(leaves.begin(), leaves.end(), true));
}

std::string most_paid(const Release& r) {
  const std::string name = unit_name(r);
  std::string whole = name.starts_with("user-") ? " for one " + name.substr(5) : "";
  if (const std::optional<PersonInAll> all = person_in_all(r)) {
    whole += fmt::format(", and {} of {} who is in all {} {}s", format_epsilon(all->spent),
                         format_epsilon(all->epsilon), all->periods, to_string(all->kind));
  }
  return fmt::format("Any one {} pays at most {} of {}{}: charges at one depth are on boxes that do not overlap.",
                     r.unit == Unit::trip ? "trip" : "person", format_epsilon(r.spent), format_epsilon(r.epsilon),
                     whole);
}

std::optional<Answer> total_trips(const Release& r) {
  const Result<BoxIndex> index = BoxIndex::make(r);
  if (!index) return std::nullopt;
  return answer(*index, BoxQuery::whole(r.domain));
}

std::optional<double> shown_flow(const Release& r) {
  if ((r.mechanism != "anchor" && r.mechanism != "multigrid") || r.epsilon == 0) return std::nullopt;
  return unforeseen_flow(r.domain, r.map_axes().size(), r.rate(r.epsilon));
}

std::pair<double, double> total_interval(const Answer& a) {
  return a.believed ? std::pair{a.lower, a.upper} : std::pair{a.noise_lower, a.noise_upper};
}

namespace {

// "2019-01:<64 digits>,2019-02:<64 digits>" as "2019-01 (1f0c9a...), 2019-02 (77ab01...)".
std::string short_hashes(const std::string& text) {
  std::string shorter;
  for (const std::string& one : split(text, ',')) {
    const std::size_t colon = std::min(one.size(), one.find(':'));
    shorter += fmt::format("{}{}", shorter.empty() ? "" : ", ", one.substr(0, colon));
    if (colon < one.size()) shorter += fmt::format(" ({}...)", one.substr(colon + 1, 8));
  }
  return shorter;
}

}  // namespace

InfoFacts info_facts(const Release& r, const std::string& content, const ReleasePapers& papers) {
  InfoFacts facts = {{"randomness", r.randomness.text()}, {"mechanism", r.mechanism}};
  std::string params;
  std::string leans_on;
  std::string rows;
  for (const auto& [name, value] : r.params) {
    if (name == "since" || name == "until" || name == "where") {
      rows += fmt::format("{}{} {}", rows.empty() ? "only those " : ", ", name, value);
    } else if (name == "history" || name == "prior") {
      leans_on += (leans_on.empty() ? "" : ", ") + short_hashes(value);
    } else {
      params += fmt::format("{}{}={}", params.empty() ? "" : ", ", name, value.empty() ? "-" : value);
    }
  }
  if (!params.empty()) facts.emplace_back("parameters", params);
  if (!rows.empty()) facts.emplace_back("rows", rows);
  if (!leans_on.empty()) facts.emplace_back("leans on", leans_on);
  if (const std::optional<Answer> total = total_trips(r)) {
    const auto [lower, upper] = total_interval(*total);
    const std::string trips = figure_text(total->estimate);
    facts.emplace_back("trips",
                       r.tables[0].kind == TableKind::cells
                           ? trips + " in the cells that are listed; how many in others nobody knows"
                           : fmt::format("about {}, {} to {} ({} %)", trips, figure_text(lower), figure_text(upper),
                                         number_text(100 * total->level)));
  }
  facts.emplace_back("shape", r.domain.shape_text());
  facts.emplace_back("stops", stops_line(r.domain));
  for (const Table& table : r.tables) {
    facts.emplace_back(table.name, fmt::format("{} boxes, {} of them not divided further", grouped(table.rows()),
                                               grouped(leaf_count(table))));
  }
  if (const std::optional<double> trips = shown_flow(r)) {
    facts.emplace_back("single flows",
                       fmt::format("one that nobody foresaw is mostly shown from about {} trips on; a smaller one may "
                                   "lie in any box and in no likely interval",
                                   figure_text(*trips)));
  }
  if (r.has_unread_probes()) {
    facts.emplace_back("intervals", fmt::format("bounds alone: {}. Ask with the program that published it, or publish "
                                                "again",
                                                coverage_claim(r).why_not));
  }
  facts.emplace_back("date", r.date);
  facts.emplace_back("ledger", head_text(r.ledger_head));
  facts.emplace_back("content", content);
  if (!r.upgraded_from.empty())
    facts.emplace_back("upgraded", "from format 1, where its content was " + r.upgraded_from);
  if (!papers.signatures.empty()) {
    facts.emplace_back("signed by", fmt::format("key {} (not checked here: verify it with the public key)",
                                                fmt::join(papers.signed_by(), ", ")));
  }
  if (!papers.old_signatures.empty()) {
    facts.emplace_back("signed by", fmt::format("key {}, before the upgrade (not checked here)",
                                                fmt::join(papers.signed_before_upgrade(), ", ")));
  }
  return facts;
}

}  // namespace stopover
