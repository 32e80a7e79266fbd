#include "job/info_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/grouped.h"
#include "base/markup.h"
#include "job/info_facts.h"
#include "job/privacy_answers.h"
#include "release_io/guarantee_card.h"

namespace stopover {
namespace {

InfoSection description_section(const Description& description) {
  InfoSection section{"What it says it is", description.about, {}, {{"", ""}}};
  for (const auto& [name, member] : kDescriptionTexts) {
    if (member == &Description::title || member == &Description::about) continue;
    if (!(description.*member).empty()) section.rows.push_back({name, description.*member});
  }
  if (section.rows.size() == 1) section.rows.clear();
  return section;
}

// A line per view, depth and purpose: releases have hundreds of charges that differ by a trifle.
InfoSection charges_section(const Release& r) {
  InfoSection section{"What was spent where", "", {}, {{"view", "depth", "purpose", "epsilon", "times"}}};
  section.text = most_paid(r);
  for (std::size_t i = 0; i < r.charges.size();) {
    const Charge& first = r.charges[i];
    Ticks least = first.ticks, most = first.ticks;
    std::uint64_t times = 0;
    for (; i < r.charges.size() && r.charges[i].view == first.view && r.charges[i].depth == first.depth &&
           r.charges[i].purpose == first.purpose;
         ++i) {
      least = std::min(least, r.charges[i].ticks);
      most = std::max(most, r.charges[i].ticks);
      times += r.charges[i].times;
    }
    section.rows.push_back(
        {first.view, std::to_string(first.depth), first.purpose,
         least == most ? format_epsilon(most) : format_epsilon(least) + " to " + format_epsilon(most), grouped(times)});
  }
  return section;
}

// What Markdown would take for marks.
std::string plain_markdown(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) plain += '\\';
    plain += c == '\n' || c == '\r' ? ' ' : c;
  }
  return plain;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + plain_markdown(cell) + " |";
  return line + "\n";
}

std::string html_row(const std::vector<std::string>& cells, std::string_view tag) {
  std::string line = "<tr>";
  for (const std::string& cell : cells) line += fmt::format("<{}>{}</{}>", tag, escape_markup(cell), tag);
  return line + "</tr>\n";
}

constexpr std::string_view kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;"
    "background:#fff}h1{line-height:1.2}h2{margin-top:2rem;border-bottom:1px solid #ccc}table{border-collapse:collapse;"
    "width:100%}td,th{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #e5e5e5;"
    "overflow-wrap:anywhere}td:first-child{white-space:nowrap}.promise{font-weight:600}.warning{color:#a00000;font-"
    "weight:600}"
    "@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}td,th{border-color:#333}h2{border-color:"
    "#444}.warning{color:#ff8080}}";

}  // namespace

std::string info_title(const InfoSource& source) {
  if (!source.release.description.title.empty()) return source.release.description.title;
  std::filesystem::path path(source.path);
  if (!path.has_filename()) path = path.parent_path();
  return path.stem().string();
}

InfoPage info_page(const InfoSource& source) {
  const Release& r = source.release;
  const GuaranteeCard card = guarantee_card(r);
  InfoPage page{info_title(source), card.title, r.is_private(), "", {}};
  if (source.papers.note) page.warning = "It was " + source.papers.note->sentence() + ".";
  if (!r.description.empty()) page.sections.push_back(description_section(r.description));
  page.sections.push_back({"What it promises", "", card.promise, {}});
  page.sections.push_back({"What it does not promise", "", card.not_covered, {}});
  InfoSection facts{"What is in it", "", {}, {{"", ""}}};
  for (const auto& [name, value] : info_facts(r, source.content, source.papers)) facts.rows.push_back({name, value});
  page.sections.push_back(std::move(facts));
  InfoSection answers{"Answers to NIST SP 800-226",
                      "The points by which NIST's guidelines for evaluating differential privacy guarantees judge a "
                      "promise, for this release.",
                      {},
                      {{"point", "answer"}}};
  for (const PrivacyAnswer& answer : privacy_answers(r)) answers.rows.push_back({answer.point, answer.answer});
  page.sections.push_back(std::move(answers));
  page.sections.push_back(charges_section(r));
  return page;
}

InfoForm info_markdown(const InfoSource& source) {
  const InfoPage page = info_page(source);
  std::string text = "# " + plain_markdown(page.title) + "\n\n**" + plain_markdown(page.promise) + "**\n";
  if (!page.warning.empty()) text += "\n**" + plain_markdown(page.warning) + "**\n";
  for (const InfoSection& section : page.sections) {
    text += "\n## " + section.heading + "\n";
    if (!section.text.empty()) text += "\n" + plain_markdown(section.text) + "\n";
    if (!section.points.empty()) text += "\n";
    for (const std::string& point : section.points) text += "* " + plain_markdown(point) + "\n";
    if (section.rows.empty()) continue;
    text += "\n" + markdown_row(section.rows.front()) + "|";
    for (std::size_t i = 0; i < section.rows.front().size(); ++i) text += "---|";
    text += "\n";
    for (std::size_t i = 1; i < section.rows.size(); ++i) text += markdown_row(section.rows[i]);
  }
  return {text, {}};
}

InfoForm info_html(const InfoSource& source) {
  const InfoPage page = info_page(source);
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p class=\"{2}\">{3}</p>\n",
      escape_markup(page.title), kStyle, page.is_private ? "promise" : "warning", escape_markup(page.promise));
  if (!page.warning.empty()) text += "<p class=\"warning\">" + escape_markup(page.warning) + "</p>\n";
  for (const InfoSection& section : page.sections) {
    text += "<h2>" + escape_markup(section.heading) + "</h2>\n";
    if (!section.text.empty()) text += "<p>" + escape_markup(section.text) + "</p>\n";
    if (!section.points.empty()) text += "<ul>\n";
    for (const std::string& point : section.points) text += "<li>" + escape_markup(point) + "</li>\n";
    if (!section.points.empty()) text += "</ul>\n";
    if (section.rows.empty()) continue;
    text += "<table>\n";
    if (!section.rows.front().front().empty()) text += html_row(section.rows.front(), "th");
    for (std::size_t i = 1; i < section.rows.size(); ++i) text += html_row(section.rows[i], "td");
    text += "</table>\n";
  }
  return {text + "</body>\n</html>\n", {}};
}

}  // namespace stopover
