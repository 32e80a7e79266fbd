#include "desk/board_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/grouped.h"
#include "base/markup.h"
#include "job/info_facts.h"
#include "job/info_page.h"
#include "page/html_page.h"
#include "page/strong_flows.h"
#include "release/release_period.h"
#include "release_io/guarantee_card.h"

namespace stopover {
namespace {

constexpr std::size_t kFlows = 10;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; font: 14px/1.42 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
body { margin: 0 auto; padding: 26px 30px; max-width: 900px; background: #fff; color: #22282e; }
h1, h2, p, table, figure, dl { margin: 0; }
h1 { font-size: 27px; line-height: 1.15; letter-spacing: -.01em; }
h2 { font-size: 15px; margin-bottom: 3px; }
.kind { color: #a8325e; font-weight: 650; font-size: 12.5px; letter-spacing: .04em; text-transform: uppercase; }
.lead { font-size: 16px; margin: 7px 0 13px; }
.stop { background: #fbe9e7; color: #8c1616; border-radius: 6px; padding: 7px 12px; margin-bottom: 10px;
  font-weight: 600; }
.tiles { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px; margin-bottom: 14px; }
.tiles p { background: #f4f2ec; border-radius: 8px; padding: 9px 12px; }
.tiles b { display: block; font-size: 21px; line-height: 1.2; color: #1f5f5e; }
.main { display: grid; grid-template-columns: 1.12fr 1fr; gap: 18px; align-items: start; margin-bottom: 13px; }
.main.names, .main:has(small) { grid-template-columns: 1fr 1.3fr; }
.main.bare { grid-template-columns: 1fr; }
svg { display: block; width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; font-weight: 500; color: #5d6670; font-size: 12px; }
td, th { padding: 2.5px 5px 2.5px 0; border-bottom: 1px solid #e5e1d6; vertical-align: top; }
td.n, th.n { text-align: right; padding-right: 0; padding-left: 8px; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
td.i { color: #8f2450; font-weight: 700; width: 17px; }
td small { color: #5d6670; display: block; font-size: 11.5px; line-height: 1.25; }
.note { color: #5d6670; font-size: 12px; margin-top: 5px; }
.three { display: grid; grid-template-columns: 1fr 1.25fr 1.1fr; gap: 20px; }
.three p + p { margin-top: 5px; }
.bars { margin: 6px 0; }
.months { display: flex; flex-wrap: wrap; gap: 3px 16px; margin: -3px 0 12px; font-size: 13px; color: #3c444b; }
.small { color: #5d6670; font-size: 11.5px; line-height: 1.4; border-top: 1px solid #e5e1d6; margin-top: 13px;
  padding-top: 7px; overflow-wrap: anywhere; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; font-size: .93em; }
@media (max-width: 640px) { .main, .three, .tiles { grid-template-columns: 1fr; } body { padding: 16px; } }
@page { size: A4; margin: 11mm 13mm; }
@media print {
  :root { font-size: 12px; line-height: 1.33; }
  td, th { padding-block: 1.6px; } .note { font-size: 10.8px; margin-top: 3px; } .main, .tiles { margin-bottom: 9px; }
  body { padding: 0; max-width: none; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .main { grid-template-columns: 1.05fr 1fr; } .main.names, .main:has(small) { grid-template-columns: 1fr 1.4fr; }
  .tiles, .three { grid-template-columns: repeat(3, 1fr); }
  table { font-size: 11.3px; } .lead { font-size: 13.5px; } h1 { font-size: 23px; } .tiles b { font-size: 18px; }
}
)";

std::string whole(double value) { return grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, value)))); }

// For reading: two leading digits, 3 or 18 or 240.
std::string about(double value) {
  if (value < 1) return "1";
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 1));
  return whole(std::round(value / unit) * unit);
}

// Of 100 guesses.
std::string guesses(Ticks epsilon) {
  const double percent = 100 * belief_after(epsilon);
  return percent >= 99.5 ? "more than 99" : fmt::format("{:.0f}", percent);
}

std::string day_text(const std::string& date) {
  constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
  if (date.size() != 10) return date;
  const int month = std::atoi(date.substr(5, 2).c_str());
  if (month < 1 || month > 12) return date;
  return fmt::format("{} {} {}", std::atoi(date.substr(8).c_str()), kMonths[month - 1], date.substr(0, 4));
}

// "March 2019" of "2019-03"; others as they are.
std::string period_in_words(const std::string& period) {
  return period.size() == 7 && parse_period(period) && period[5] != 'W' ? day_text(period + "-00").substr(2) : period;
}

// At most so many bytes, whole letters of UTF-8, and dots where something is missing.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "\u2026";
}

std::string paragraph(const std::string& text) { return "<p>" + escape_markup(text) + "</p>\n"; }

// How often somebody is right, before and after.
std::string guess_figure(Ticks epsilon) {
  const double after = 100 * belief_after(epsilon);
  const auto bar = [](double y, double percent, std::string_view fill, const std::string& label) {
    return fmt::format(
        "<rect y=\"{0}\" width=\"300\" height=\"20\" rx=\"4\" fill=\"#eeebe2\"/><rect y=\"{0}\" width=\"{1:.0f}\" "
        "height=\"20\" rx=\"4\" fill=\"{2}\"/><text x=\"8\" y=\"{3}\" font-size=\"13\">{4}</text>",
        y, 3 * percent, fill, y + 15, label);
  };
  return fmt::format(
      "<svg class=\"bars\" viewBox=\"0 0 300 46\" role=\"img\" aria-label=\"Right 50 times in 100 before, at most {0} "
      "after\">{1}{2}</svg>\n",
      guesses(epsilon), bar(0, 50, "#a3cac5", "a coin: 50 of 100 right"),
      bar(25, after, "#e3a6bd", fmt::format("with this release: at most {}", guesses(epsilon))));
}

class BoardSheet {
 public:
  BoardSheet(const InfoSource& source, std::span<const Release> series, const std::optional<BoardLedger>& ledger)
      : source_(source), release_(source.release), series_(series), ledger_(ledger), card_(guarantee_card(release_)) {
    if (Result<StrongFlows> found = strong_flows(release_, kFlows)) flows_ = std::move(*found);
    total_ = total_trips(release_);
    user_ = release_.unit == Unit::user;
    period_ = period_text(release_);
  }

  std::string html() const {
    const std::string title = escape_markup(title_text());
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>{0}: for the board</title>\n<style>{1}</style>\n"
        "</head>\n<body>\n<p class=\"kind\">What we published, in a minute</p>\n<h1>{0}</h1>\n",
        title, kStyle);
    page += "<p class=\"lead\">" + escape_markup(lead()) + "</p>\n";
    if (!claims_privacy(card_)) page += "<p class=\"stop\">" + escape_markup(card_.title) + "</p>\n";
    if (source_.papers.note)
      page += "<p class=\"stop\">It was " + escape_markup(source_.papers.note->sentence()) + ".</p>\n";
    page += tiles() + months() + main_part();
    page += "<div class=\"three\">\n<section><h2>How exact is it?</h2>\n" + exact() +
            "</section>\n<section><h2>How safe is it?</h2>\n" + safe() +
            "</section>\n<section><h2>What did it cost, and who answers for it?</h2>\n" + cost() +
            "</section>\n</div>\n";
    return page + small_print() + "</body>\n</html>\n";
  }

 private:
  // A release of a series is called by its period; the series says what it is.
  std::string title_text() const {
    std::string title = info_title(source_);
    if (period_.empty() || !release_.description.title.empty()) return title;
    const std::string folder = release_title(source_.path.substr(0, source_.path.find_last_of('/') + 1));
    return fmt::format("{}, {}", folder, period_in_words(period_));
  }

  // Whether single flows are larger than their noise.
  bool flows_can_be_read() const {
    return std::any_of(flows_.errors.begin(), flows_.errors.end(),
                       [](const FlowError& error) { return error.off < 0.8 * error.trips; });
  }

  std::string places_text() const {
    const ZoneSet* zones = release_.domain.zones();
    if (!flows_.zones) return "places";
    const bool stations = zones != nullptr && zones->form() == ZoneForm::points;
    return fmt::format("{} {}", grouped(flows_.places), stations ? "stations" : "zones");
  }

  // What it is, of when and where, in a sentence or two.
  std::string lead() const {
    const Description& said = release_.description;
    std::string text = flows_.stops == 1 ? "How many trips there were at " : "How many trips went between ";
    if (flows_.stops == 0) text = "How many trips there were, by what was declared about them";
    text += flows_.stops == 0 ? "" : places_text();
    if (!flows_.zones && flows_.box) {
      const double up = 111.2 * (flows_.box->north - flows_.box->south);
      const double across = 111.2 * std::cos((flows_.box->north + flows_.box->south) / 2 * M_PI / 180) *
                            (flows_.box->east - flows_.box->west);
      text += fmt::format(" in an area of {:.0f} by {:.0f} km", across, up);
    }
    if (flows_.stops > 2) text += fmt::format(", with {} on the way", flows_.stops - 2 == 1 ? "a stop" : "stops");
    text += said.covers.empty() ? "" : " (" + said.covers + ")";
    text += period_.empty() ? "." : fmt::format(", in {}.", period_in_words(period_));
    if (series_.size() > 1)
      text += fmt::format(" The latest of {} releases, one for each period from {} to {}.", series_.size(),
                          period_in_words(period_text(series_.front())), period_in_words(period_text(series_.back())));
    constexpr std::size_t kMost = 160;
    if (!said.about.empty()) text += " " + shortened(said.about, kMost);
    text += fmt::format(
        " Published on {} with noise in every number: no row of the data, no exact count and nobody's "
        "name or id is in it.",
        day_text(release_.date));
    return text;
  }

  std::string tiles() const {
    std::string text = "<div class=\"tiles\">\n";
    if (total_) {
      const auto [low, high] = total_interval(*total_);
      text += fmt::format("<p><b>about {} trips</b> in all; between {} and {} with 95 % certainty</p>\n",
                          whole(total_->estimate), whole(low), whole(high));
    }
    if (flows_can_be_read()) {
      const FlowError& error = flows_.errors.back();
      text += fmt::format("<p><b>off by at most {}</b> in 95 of 100 cases, where a flow has about {} trips</p>\n",
                          about(error.off), whole(error.trips));
    } else {
      text += "<p><b>read sums</b> of many places; single flows are too small to be told from noise</p>\n";
    }
    if (claims_privacy(card_)) {
      text += fmt::format("<p><b>{} of 100</b> guesses about {} are right at the very best; a coin has 50</p>\n",
                          guesses(whole_epsilon()), user_ ? "a person" : "a trip");
    } else {
      text += "<p><b>protects nobody</b> a test, not to be handed out</p>\n";
    }
    return text + "</div>\n";
  }

  std::string months() const {
    if (series_.size() < 2) return "";
    constexpr std::size_t kMost = 12;
    std::string text = "<p class=\"months\"><b>Trips, about:</b>";
    for (const Release& one : series_.subspan(series_.size() - std::min(kMost, series_.size()))) {
      if (const auto total = total_trips(one))
        text += fmt::format(" <span>{} <b>{}</b></span>", escape_markup(period_in_words(period_text(one))),
                            whole(total->estimate));
    }
    return text + "</p>\n";
  }

  // "Harbour -> Museum", so that a row needs two lines at most.
  std::string way_text(const std::vector<std::string>& names) const {
    std::vector<std::string> cut;
    for (const std::string& name : names) cut.push_back(shortened(name, 56 / names.size()));
    return fmt::format("{}", fmt::join(cut, " \u2192 "));
  }

  bool names_are_long() const {
    return std::any_of(flows_.flows.begin(), flows_.flows.end(),
                       [&](const StrongFlow& flow) { return way_text(flow.names).size() > 24; });
  }

  std::string flow_rows() const {
    std::string text;
    for (std::size_t i = 0; i < flows_.flows.size(); ++i) {
      const StrongFlow& flow = flows_.flows[i];
      std::string where;
      if (flows_.zones && !flow.where[0].empty() && !names_are_long())
        where = fmt::format("<small>{}</small>", escape_markup(way_text(flow.where)));
      text += fmt::format(
          "<tr><td class=\"i\">{}</td><td>{}{}</td><td class=\"n\"><b>{}</b></td><td class=\"n\">{} to {}</td></tr>\n",
          i + 1, escape_markup(way_text(flow.names)), where, whole(flow.estimate), whole(flow.lower),
          whole(flow.upper));
    }
    return text;
  }

  // Where the squares of the flows lie, each once.
  std::string squares_text() const {
    std::map<std::string, std::string> squares;
    for (const StrongFlow& flow : flows_.flows) {
      for (std::size_t s = 0; s < flow.names.size(); ++s) squares.emplace(flow.names[s], flow.where[s]);
    }
    std::string text;
    for (const auto& [name, where] : squares) {
      if (!where.empty()) text += fmt::format("{}<b>{}</b> {}", text.empty() ? "" : "; ", name, escape_markup(where));
    }
    return text.empty() ? "" : " Middles of squares: " + text + ".";
  }

  std::string main_part() const {
    if (flows_.flows.empty()) return "";
    const std::string map = strong_flows_svg(flows_, release_);
    const char* what = flows_.stops == 1 ? "busiest places" : "strongest flows";
    std::string text = fmt::format("<div class=\"main{}\">\n", map.empty()        ? " bare"
                                                               : names_are_long() ? " names"
                                                                                  : "");
    if (!map.empty()) {
      text += "<figure>" + map + "<figcaption class=\"note\">";
      text += flows_.zones
                  ? fmt::format("The {} {}, numbered as in the rows beside. Dots are all stations or zones.",
                                flows_.flows.size(), what)
                  : fmt::format("The {} {} between squares of about {:.0f} km, numbered as in the rows beside.{}",
                                flows_.flows.size(), what, flows_.side_km, squares_text());
      text += "</figcaption></figure>\n";
    }
    text += fmt::format(
        "<div><table>\n<thead><tr><th></th><th>the {} {}</th><th class=\"n\">trips</th><th "
        "class=\"n\">likely</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
        flows_.flows.size(), what, flow_rows());
    text += fmt::format("<p class=\"note\">{}{}</p></div>\n</div>\n",
                        flows_.stops > 1 ? "Trips that end where they began are not among them. " : "",
                        !flows_can_be_read()
                            ? "These flows are about as small as the noise: take their order as a hint and no more."
                        : flows_.claimed ? "The true number lies in the likely range in 95 of 100 cases."
                                         : "Likely ranges are the best guess there is; they may be too short.");
    return text;
  }

  std::string exact() const {
    std::string text;
    for (std::size_t i = 0; i < flows_.errors.size(); ++i) {
      const FlowError& error = flows_.errors[i];
      const bool same = i + 1 < flows_.errors.size() && about(flows_.errors[i + 1].off) == about(error.off);
      const std::string trips =
          same ? fmt::format("{} or {}", whole(flows_.errors[i + 1].trips), whole(error.trips)) : whole(error.trips);
      text += paragraph(fmt::format("A flow with {} trips is off by at most {} in 95 of 100 cases, {}.", trips,
                                    about(error.off),
                                    error.off < error.trips ? "and usually by less than half of that"
                                                            : "which is more than itself: do not read it alone"));
      if (same) ++i;
    }
    if (flows_.errors.empty()) text += paragraph("Single flows of this release are small. Read sums and larger areas.");
    text += paragraph(
        "The more trips are asked about together, the smaller the error in per cent. A single trip cannot be told from "
        "none, on purpose.");
    return text;
  }

  std::string safe() const {
    if (!claims_privacy(card_)) return paragraph(card_.promise.front());
    const bool several = person_in_all(release_).has_value();
    const std::string whom = several ? "what a certain person did in one " + std::string(unit_name(release_).substr(5))
                             : user_ ? "a certain person"
                                     : "a certain trip";
    std::string text = paragraph(fmt::format(
        "Nobody can tell for sure whether {} is in the data. Take somebody who knows all the others, and has to guess:",
        whom));
    text += guess_figure(release_.epsilon);
    const std::string per = period_.empty() || !user_ ? "" : period_word();
    if (const std::optional<PersonInAll> all = person_in_all(release_)) {
      text += paragraph(fmt::format(
          "This is for all trips of one {0}, at most {1} of them. The release covers {2} {0}s: for somebody who "
          "travels in all of them the limit is {3} of 100, by this release alone.",
          to_string(all->kind), release_.k, all->periods, guesses(all->epsilon)));
    } else if (!per.empty()) {
      text += paragraph(fmt::format(
          "This is for all trips of one {}, at most {} of them. Who travels in every one is protected less over time: "
          "after {} such releases the limit is {} of 100.",
          per, release_.k, year(), guesses(release_.epsilon * static_cast<Ticks>(year()))));
    } else if (user_) {
      text += paragraph(fmt::format("A person is protected with all trips together, of which at most {} {} counted.",
                                    release_.k, release_.k == 1 ? "is" : "are"));
    } else {
      text +=
          paragraph(fmt::format("One trip is protected, not all trips of a person: for somebody with ten trips the "
                                "limit is {} of 100.",
                                guesses(release_.epsilon * 10)));
    }
    text += paragraph(
        "It is a proof, not a habit: it holds whatever else somebody knows or learns later. It does not "
        "hide what is true of people in general.");
    return text;
  }

  std::string in_each() const {
    const std::string name = unit_name(release_);
    return name.starts_with("user-") ? " in each " + name.substr(5) : "";
  }

  // Of all that a person may have in it.
  Ticks whole_epsilon() const {
    const std::optional<PersonInAll> all = person_in_all(release_);
    return all ? all->epsilon : release_.epsilon;
  }

  std::string period_word() const {
    const std::optional<Period> one = period_of(release_);
    return one ? std::string(to_string(one->kind)) : "period";
  }

  std::int64_t year() const {
    const std::optional<Period> one = period_of(release_);
    return one ? periods_of_a_year(one->kind) : 1;
  }

  std::string cost() const {
    const std::string epsilon = format_epsilon(release_.epsilon);
    std::string text;
    if (!ledger_) {
      text = fmt::format("It cost {} of the privacy budget of these people.", epsilon);
    } else if (ledger_->chain.periods) {
      const PeriodRule& rule = ledger_->chain.periods->rule;
      text = fmt::format("It cost {} of the {} that may ever be spent on one {}.", epsilon, format_epsilon(rule.each),
                         to_string(rule.kind));
      if (rule.year > 0) text += fmt::format(" A year may cost {}.", format_epsilon(rule.year));
    } else {
      text = fmt::format(
          "It cost {} of the privacy budget of {} that was declared for these people, once and for all. "
          "Of that, {} is left, after all releases so far.",
          epsilon, format_epsilon(ledger_->chain.budget()), format_epsilon(ledger_->chain.left()));
    }
    text = paragraph(text + (ledger_ ? " Its account: " + ledger_->name + "." : ""));
    const Description& said = release_.description;
    const std::string what = flows_.zones ? "the list of " + places_text() : "the area and its grid";
    text += paragraph(fmt::format("Declared beforehand, not read off the data: {}{}.", what,
                                  user_ ? fmt::format(", at most {} trips of a person{}", release_.k, in_each()) : ""));
    if (said.credit.empty() && said.contact.empty()) {
      text += paragraph("Declared by: nobody is named in the release.");
    } else {
      text +=
          paragraph(fmt::format("Declared by: {}{}{}.", said.credit,
                                said.credit.empty() || said.contact.empty() ? "" : "; questions to ", said.contact));
    }
    return text;
  }

  std::string small_print() const {
    std::string signers;
    if (!source_.papers.signatures.empty())
      signers = fmt::format(" Signed with key {}.", fmt::join(source_.papers.signed_by(), ", "));
    return fmt::format(
        "<p class=\"small\"><b>To check it:</b> <code>stopover verify {}</code> recomputes its sums and what was "
        "spent. "
        "Fingerprint <code>{}</code>.{}<br>For specialists: {}{} Every figure here is made from the "
        "release alone{}.</p>\n",
        escape_markup(release_title(source_.path)), source_.content, escape_markup(signers), escape_markup(card_.title),
        release_.description.licence.empty() ? "" : escape_markup(" Licence: " + release_.description.licence + "."),
        ledger_ ? ", the balance from its ledger" : "");
  }

  const InfoSource& source_;
  const Release& release_;
  std::span<const Release> series_;
  const std::optional<BoardLedger>& ledger_;
  GuaranteeCard card_;
  StrongFlows flows_;
  std::optional<Answer> total_;
  bool user_ = false;
  std::string period_;
};

}  // namespace

std::string board_page(const InfoSource& source, std::span<const Release> series,
                       const std::optional<BoardLedger>& ledger) {
  return BoardSheet(source, series, ledger).html();
}

}  // namespace stopover
