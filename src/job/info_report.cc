#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/grouped.h"
#include "geo/json_fwd.h"
#include "job/info_facts.h"
#include "job/reports.h"
#include "question/twelve_digits.h"
#include "release_io/guarantee_card.h"

namespace stopover {
namespace {

double spent_number(Ticks ticks) { return std::stod(format_epsilon(ticks)); }

std::string points(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "  - " + wrapped(sentence, 80, 4) + "\n";
  return text;
}

std::string line(std::string_view name, const std::string& value) {
  return fmt::format("  {:<12}{}\n", name, wrapped(value, 80, 14));
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
  if (const std::optional<PersonInAll> all = person_in_all(r)) {
    told["person_in_all"] = {{"periods", all->periods},
                             {"epsilon", spent_number(all->epsilon)},
                             {"spent", spent_number(all->spent)},
                             {"k", all->trips}};
  }
  if (const std::optional<Answer> total = total_trips(r)) {
    const auto [lower, upper] = total_interval(*total);
    told["total"] = {{"estimate", twelve_digits(total->estimate)},
                     {"lower", twelve_digits(lower)},
                     {"upper", twelve_digits(upper)},
                     {"level", total->level}};
  }
  if (const std::optional<double> trips = shown_flow(r)) told["shows_flows_from"] = twelve_digits(*trips);
  told["signed_by"] = papers.signed_by();
  if (!r.upgraded_from.empty()) {
    told["upgraded_from"] = r.upgraded_from;
    told["signed_before_upgrade"] = papers.signed_before_upgrade();
  }
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
  for (const auto& [name, value] : info_facts(r, content, papers)) text += line(name, value);
  text += title("What was spent where");
  text += charges_text(r);
  return text + "  " + wrapped(most_paid(r), 80, 2);
}

}  // namespace stopover
