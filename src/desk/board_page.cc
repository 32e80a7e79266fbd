#include "desk/board_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/grouped.h"
#include "base/markup.h"
#include "job/info_facts.h"
#include "job/info_page.h"
#include "page/html_page.h"
#include "release_io/guarantee_card.h"

namespace stopover {
namespace {

// Two bars: how sure somebody was, and how sure they can become.
std::string belief_figure(Ticks epsilon) {
  const double after = 100 * belief_after(epsilon);
  const auto bar = [](double y, double percent, std::string_view fill, const std::string& label) {
    return fmt::format(
        "<rect x=\"0\" y=\"{0}\" width=\"400\" height=\"26\" rx=\"4\" fill=\"currentColor\" opacity=\"0.08\"/>"
        "<rect x=\"0\" y=\"{0}\" width=\"{1:.1f}\" height=\"26\" rx=\"4\" fill=\"{2}\"/>"
        "<text x=\"410\" y=\"{3}\" fill=\"currentColor\" font-size=\"15\">{4}</text>",
        y, 4 * percent, fill, y + 18, label);
  };
  return fmt::format(
      "<svg viewBox=\"0 0 700 64\" role=\"img\" aria-label=\"50 % sure before, at most {0:.0f} % sure after\" "
      "style=\"max-width:100%\">{1}{2}</svg>",
      after, bar(0, 50, "#6daaa8", "before: 50 % sure"),
      bar(34, after, "#a8325e", fmt::format("after seeing it: at most {:.0f} % sure", after)));
}

std::string paragraph(const std::string& text) { return "<p>" + escape_markup(text) + "</p>\n"; }

std::string published_text(const Release& release, std::size_t releases) {
  std::string text = "Noisy counts of trips between ";
  const auto& stops = release.domain.stops();
  for (std::size_t i = 0; i < stops.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == stops.size() ? " and " : ", ") + stops[i].name;
  }
  if (releases > 1) text += fmt::format(", one release for each of {} periods; this page is of the first", releases);
  text += ".";
  if (const auto total = total_trips(release)) {
    const auto [low, high] = total_interval(*total);
    text += fmt::format(" About {} trips in all ({} to {} with 95 % certainty).",
                        grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, total->estimate)))),
                        grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, low)))),
                        grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, high)))));
  }
  return text + " No row of the data, no exact count and nobody's id is in it.";
}

}  // namespace

std::string board_page(const InfoSource& source, std::size_t releases) {
  const Release& release = source.release;
  const GuaranteeCard card = guarantee_card(release);
  std::string sheet = "<h2>What was published</h2>\n" + paragraph(published_text(release, releases));
  if (const std::string picture = static_picture(release); !picture.empty()) {
    sheet +=
        "<style>figure svg{max-width:100%;height:auto}</style><figure style=\"margin:0\">" + picture + "</figure>\n";
  }
  sheet += "<h2>Why it is safe to share</h2>\n";
  for (const std::string& sentence : card.promise) sheet += paragraph(sentence);
  if (claims_privacy(card)) {
    sheet += belief_figure(release.epsilon) +
             paragraph(
                 "The bars are the promise for somebody who knows everything else. It is also tried out: with the "
                 "strongest attack of this software's laboratory, somebody who knew all trips but one told "
                 "whether it was there 72.4 % of the time, where the promise allows 73.1 % (San Francisco's cabs, "
                 "epsilon 1; the method is described in docs/internals/attack.md).");
  }
  sheet += "<h2>What is not promised</h2>\n<ul>\n";
  for (const std::string& sentence : card.not_covered) sheet += "<li>" + escape_markup(sentence) + "</li>\n";
  sheet += "</ul>\n<hr>\n";
  std::string page = info_html(source).text;
  const std::size_t at = std::min(page.find("<h2>"), page.size());
  return page.substr(0, at) + sheet + page.substr(at);
}

}  // namespace stopover
