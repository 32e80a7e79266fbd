#include "eval/attack_page.h"

#include <fmt/format.h>

#include <cmath>

#include "base/markup.h"
#include "base/ticks.h"

namespace stopover {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: light-dark(#22282e, #e8eaec); --soft: light-dark(#5d6670, #a2acb6);
  --paper: light-dark(#fbfaf7, #14181c); --bar: light-dark(#388483, #48a6a6); --bad: light-dark(#a8325e, #f78fb3);
  --ground: light-dark(#e4e1d8, #262d33); }}
body {{ font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.1rem; margin-top: 2rem; }}
.big {{ font-size: 1.15rem; }} .soft {{ color: var(--soft); font-size: 0.9rem; }}
svg {{ width: 100%; height: auto; display: block; }} text {{ fill: var(--ink); font: 13px system-ui, sans-serif; }}
text.soft {{ fill: var(--soft); font-size: 12px; }}
.ground {{ fill: var(--ground); }} .bar {{ fill: var(--bar); }} .bad {{ fill: var(--bad); }}
.promise {{ stroke: var(--ink); stroke-width: 2.5; }}
</style></head><body>
)";

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

struct Bar {
  std::string name;
  double share = 0;
  double mark = -1;  // a line across it; below 0: none
  bool bad = false;
};

// From 50 % (a coin) to 100 % (certain).
std::string bars_svg(const std::vector<Bar>& bars, const std::string& label) {
  constexpr double kLeft = 250, kWide = 400, kStep = 34;
  const auto x = [](double share) { return kLeft + kWide * (std::max(share, 0.5) - 0.5) / 0.5; };
  const double height = kStep * static_cast<double>(bars.size()) + 26;
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 720 {:.0f}\" role=\"img\" aria-label=\"{}\">\n", height, escape_markup(label));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = kStep * static_cast<double>(i);
    svg += fmt::format("<text x=\"{}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>\n", kLeft - 10, y + 20,
                       escape_markup(bars[i].name));
    svg +=
        fmt::format("<rect x=\"{}\" y=\"{:.0f}\" width=\"{}\" height=\"18\" class=\"ground\"/>\n", kLeft, y + 6, kWide);
    svg += fmt::format("<rect x=\"{}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"18\" class=\"{}\"/>\n", kLeft, y + 6,
                       std::max(1.0, x(bars[i].share) - kLeft), bars[i].bad ? "bad" : "bar");
    if (bars[i].mark >= 0) {
      svg += fmt::format("<line class=\"promise\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/>\n",
                         x(bars[i].mark), y + 2, y + 28);
    }
    svg += fmt::format("<text x=\"{}\" y=\"{:.0f}\">{}</text>\n", kLeft + kWide + 8, y + 20, percent(bars[i].share));
  }
  svg += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{:.0f}\">50 %: a coin</text>\n", kLeft, height - 6);
  svg += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{:.0f}\" text-anchor=\"end\">100 %: certain</text>\n</svg>\n",
                     kLeft + kWide, height - 6);
  return svg;
}

}  // namespace

std::string attack_html(const AttackReport& report, const AttackPageFacts& facts) {
  const std::string epsilon = format_epsilon(report.epsilon);
  const std::string title = "What an attacker learns from " + facts.release;
  std::string page = fmt::format(kHead, fmt::arg("title", escape_markup(title)));
  page += "<h1>" + escape_markup(title) + "</h1>\n";
  std::size_t runs = 0;
  double most = 0.5;
  std::vector<Bar> bars;
  for (const Membership& m : report.people) {
    runs += m.runs;
    most = std::max(most, m.success);
    bars.push_back({m.who, m.success, report.bound, m.surest > report.bound + 1e-9});
  }
  page += fmt::format(
      "<p class=\"big\">Someone who knows everybody else's trips, and sees the release, is right about whether a "
      "certain "
      "{} is in the data at most <b>{}</b> of the time. A coin is right 50 % of the time; the promise allows {}.</p>\n",
      report.unit == Unit::user ? "person" : "trip", percent(most), percent(report.bound));
  page += "<h2>Was somebody in it?</h2>\n" + bars_svg(bars, "How often the attacker is right, for four people");
  page += fmt::format(
      "<p class=\"soft\">The line is the promise, e^epsilon/(1 + e^epsilon) with epsilon {}. {} releases were made "
      "with "
      "mechanism {}, half of them with the person{}; the attacker weighs the exact likelihoods of each release with "
      "and "
      "without them, and nobody can do better. The surest guess of all was {} sure. {}</p>\n",
      epsilon, runs, escape_markup(report.mechanism),
      report.k > 1 ? fmt::format(", who has {} trips there", report.k) : "",
      percent(std::max_element(report.people.begin(), report.people.end(),
                               [](const auto& a, const auto& b) { return a.surest < b.surest; })
                  ->surest),
      report.within() ? "No guess was surer than the promise allows." : "THE PROMISE IS BROKEN.");
  if (report.linking.asked > 0) {
    const Linking& l = report.linking;
    page += "<h2>Where did somebody go on to?</h2>\n";
    page += bars_svg({{"trips that were published", l.published, -1, false},
                      {"trips that were not", l.withheld, -1, false},
                      {"published, were there no noise", l.without_noise, -1, true}},
                     "How often the attacker picks the true way to go on");
    page += fmt::format(
        "<p class=\"soft\">The attacker knows where a trip began and is shown two ways to go on, the true one and "
        "another "
        "trip's. Half of the trips were published, half were kept back ({} of each were asked). A release that tells "
        "how "
        "the city moves helps alike with both; one that tells of people helps more with those that are in it, and "
        "without "
        "noise it would nearly always be right. Published less not published: {:+.1f} percentage points, give or take "
        "{:.1f}.</p>\n",
        l.asked, 100 * (l.published - l.withheld), 100 * l.doubt);
  }
  if (facts.printed_rate > 0) {
    const double bound = 1 / (1 + std::exp(-facts.printed_epsilon));
    page += "<h2>Does this attack find anything?</h2>\n";
    page += bars_svg({{"a published method, as printed", facts.printed_rate, bound, facts.printed_rate > bound}},
                     "The same kind of guess against a selection that claims more than it keeps");
    page += fmt::format(
        "<p class=\"soft\">The choice of cuts in DAF-Homogeneity, as its paper prints it, claims epsilon {} (the "
        "line); a "
        "guess from the chosen cut alone is right {} of the time. stopover makes that choice another way.</p>\n",
        facts.printed_epsilon, percent(facts.printed_rate));
  }
  page +=
      "<p class=\"soft\">Made by stopover-lab attack from the trips themselves. Its figures are not covered by the "
      "promise: "
      "it is for those who may see the trips, unless these are synthetic or public.</p>\n</body></html>\n";
  return page;
}

}  // namespace stopover
