#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/grouped.h"
#include "geo/json_fwd.h"
#include "job/reports.h"
#include "query/answerer.h"
#include "question/twelve_digits.h"
#include "release_io/guarantee_card.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

double spent_number(Ticks ticks) { return std::stod(format_epsilon(ticks)); }

std::uint64_t leaf_count(const Table& table) {
  const std::vector<bool> leaves = table.leaves();
  return static_cast<std::uint64_t>(std::count(leaves.begin(), leaves.end(), true));
}

std::string points(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "  - " + wrapped(sentence, 80, 4) + "\n";
  return text;
}

std::string line(std::string_view name, const std::string& value) {
  return fmt::format("  {:<12}{}\n", name, wrapped(value, 80, 14));
}

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

std::string charges_text(const Release& r) {
  std::string text = fmt::format("  {:<10}{:>5}  {:<10}{:>13}{:>14}\n", "view", "depth", "purpose", "epsilon", "times");
  constexpr std::size_t kMost = 24;
  for (std::size_t i = 0; i < std::min(kMost, r.charges.size()); ++i) {
    const Charge& c = r.charges[i];
    text += fmt::format("  {:<10}{:>5}  {:<10}{:>13}{:>14}\n", c.view, c.depth, c.purpose, format_epsilon(c.ticks),
                        grouped(c.times));
  }
  if (r.charges.size() > kMost)
    text += fmt::format("  and {} more lines, which the JSON has\n", grouped(r.charges.size() - kMost));
  return text;
}

// All trips, as asked without a region. Nothing where the release cannot be asked.
std::optional<Answer> total_of(const Release& r) {
  const Result<BoxIndex> index = BoxIndex::make(r);
  if (!index) return std::nullopt;
  return answer(*index, BoxQuery::whole(r.domain));
}

// Nothing is cut, so that the noise is all that is open, unless a mechanism knows better.
std::pair<double, double> interval_of(const Answer& a) {
  return a.believed ? std::pair{a.lower, a.upper} : std::pair{a.noise_lower, a.noise_upper};
}

// Of <id>:<record>:<hash>, what fits a line.
std::string head_text(const std::string& head) {
  const std::size_t first = head.find(':');
  const std::size_t second = head.find(':', first + 1);
  if (second == std::string::npos) return head.empty() ? "none" : head;
  return fmt::format("{}, record {}", head.substr(0, first), head.substr(first + 1, second - first - 1));
}

}  // namespace

std::string info_json(const Release& r, const std::string& content, const ReleasePapers& papers) {
  Json shape = Json::array();
  for (const Axis& axis : r.domain.axes()) shape.push_back(axis.cells);
  Json charges = Json::array();
  for (const Charge& c : r.charges) {
    charges.push_back({{"view", c.view},
                       {"depth", c.depth},
                       {"purpose", c.purpose},
                       {"epsilon", spent_number(c.ticks)},
                       {"times", c.times}});
  }
  Json params = Json::object();
  for (const auto& [name, value] : r.params) params[name] = value;
  Json told{{"format", r.format}, {"private", r.is_private()}, {"randomness", r.randomness.text()}};
  if (!r.is_private()) told["not_private"] = r.randomness.warning();
  for (const auto& [name, member] : kDescriptionTexts) {
    if (!(r.description.*member).empty()) told["description"][name] = r.description.*member;
  }
  told.update(Json{{"mechanism", r.mechanism},
                   {"epsilon", spent_number(r.epsilon)},
                   {"unit", unit_name(r)},
                   {"k", r.k},
                   {"shape", shape},
                   {"partitions", leaf_count(r.tables[0])},
                   {"charges", charges},
                   {"ledger_head", r.ledger_head},
                   {"content_sha256", content},
                   {"spent", spent_number(r.spent)},
                   {"params", params},
                   {"number", r.number},
                   {"date", r.date}});
  if (const std::optional<Answer> total = total_of(r)) {
    const auto [lower, upper] = interval_of(*total);
    told["total"] = {{"estimate", twelve_digits(total->estimate)},
                     {"lower", twelve_digits(lower)},
                     {"upper", twelve_digits(upper)},
                     {"level", total->level}};
  }
  told["signed_by"] = papers.signed_by();
  if (papers.note) {
    told["superseded"] = {{"by", papers.note->by},
                          {"why", papers.note->why},
                          {"date", papers.note->date},
                          {"signed_by", papers.note_signed_by()}};
  }
  return told.dump(2);
}

std::string info_text(const std::string& path, const Release& r, const std::string& content, const Paper& paper,
                      const ReleasePapers& papers) {
  const GuaranteeCard card = guarantee_card(r);
  const auto title = [&](std::string_view text) { return "\n" + paper.paint(Tone::strong, text) + "\n"; };
  std::string text = paper.paint(Tone::strong, path) + "\n  " +
                     paper.paint(r.is_private() ? Tone::plain : Tone::bad, wrapped(card.title, 80, 2)) + "\n";
  if (!r.description.empty()) {
    text += title("What it says it is");
    for (const auto& [name, member] : kDescriptionTexts) {
      if (!(r.description.*member).empty()) text += line(name, r.description.*member);
    }
  }
  if (papers.note) text += "  " + paper.paint(Tone::bad, wrapped("It was " + papers.note->sentence(), 80, 2)) + "\n";
  text += title("What it promises") + points(card.promise);
  text += title("What it does not promise") + points(card.not_covered);
  text += title("What is in it");
  text += line("randomness", r.randomness.text());
  text += line("mechanism", r.mechanism);
  std::string params;
  for (const auto& [name, value] : r.params)
    params += fmt::format("{}{}={}", params.empty() ? "" : ", ", name, value.empty() ? "-" : value);
  if (!params.empty()) text += line("parameters", params);
  if (const std::optional<Answer> total = total_of(r)) {
    const auto [lower, upper] = interval_of(*total);
    text += line("trips", fmt::format("about {}, {} to {} ({} %)", figure_text(total->estimate), figure_text(lower),
                                      figure_text(upper), number_text(100 * total->level)));
  }
  text += line("shape", r.domain.shape_text());
  text += line("stops", stops_line(r.domain));
  for (const Table& table : r.tables) {
    text += line(table.name, fmt::format("{} boxes, {} of them not divided further", grouped(table.rows()),
                                         grouped(leaf_count(table))));
  }
  text += line("date", r.date);
  text += line("ledger", head_text(r.ledger_head));
  text += line("content", content);
  if (!papers.signatures.empty()) {
    text += line("signed by", fmt::format("key {} (not checked here: verify it with the public key)",
                                          fmt::join(papers.signed_by(), ", ")));
  }
  text += title("What was spent where");
  text += charges_text(r);
  text +=
      "  " +
      wrapped(fmt::format("Any one {} pays at most {} of {}: charges at one depth are on boxes that do not overlap.",
                          r.unit == Unit::trip ? "trip" : "person", format_epsilon(r.spent), format_epsilon(r.epsilon)),
              80, 2);
  return text;
}

}  // namespace stopover
