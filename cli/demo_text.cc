#include "cli/demo_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/grouped.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

std::uint64_t true_trips(const Flow& flow, const SyntheticTrips& trips) {
  std::uint64_t n = 0;
  for (std::size_t row = 0; row < trips.rows(); ++row) {
    bool inside = true;
    for (std::size_t s = 0; s < flow.zones.size() && inside; ++s) {
      const std::vector<std::size_t>& axes = trips.domain.stops()[s].axes;
      const auto part = [&](std::size_t axis) {
        const std::uint64_t cells = trips.domain.axis(axis).cells;
        return ((trips.cells[axis][row] + 1) * DemoCity::kZones - 1) / cells;
      };
      inside = part(axes[0]) == flow.zones[s] % DemoCity::kZones && part(axes[1]) == flow.zones[s] / DemoCity::kZones;
    }
    n += inside ? 1 : 0;
  }
  return n;
}

// Whether the release has likely intervals.
bool is_calibrated(const FlowMap& map) {
  return std::all_of(map.flows.begin(), map.flows.end(), [](const Flow& flow) { return flow.answer.calibrated; });
}

bool is_claimed(const FlowMap& map) {
  return std::all_of(map.flows.begin(), map.flows.end(), [](const Flow& flow) { return flow.answer.claimed; });
}

std::string table_of(const FlowMap& map, const SyntheticTrips& trips, const Paper& paper) {
  const bool learned = is_calibrated(map);
  std::string text = fmt::format("  {:<16}{:>9}{:>22}{:>10}\n", "by way of", "estimate",
                                 !learned          ? "noise alone, 95 %"
                                 : is_claimed(map) ? "likely, 95 %"
                                                   : "likely, not claimed",
                                 "truth");
  for (const Flow& flow : map.flows) {
    const Answer& a = flow.answer;
    text += fmt::format("  {:<16}{}{:>22}{:>10}\n", way_of(flow),
                        paper.paint(Tone::strong, fmt::format("{:>9}", figure_text(a.estimate))),
                        fmt::format("{} to {}", figure_text(learned ? a.lower : a.noise_lower),
                                    figure_text(learned ? a.upper : a.noise_upper)),
                        grouped(true_trips(flow, trips)));
  }
  return text;
}

std::string next_steps(const DemoCity& city) {
  const DemoPlaces& places = city.places;
  const Domain& domain = city.trips.domain;
  std::vector<std::string> stops;
  for (const Stop& stop : domain.stops()) stops.push_back(stop.name);
  return fmt::format(
      "\nTry next\n"
      "  stopover info {}\n"
      "  stopover query {} \\\n      --box {}\n"
      "  stopover publish --matrix {} \\\n      --shape {} --stops {} \\\n"
      "      --bbox={} --epsilon {} --mechanism daf-entropy \\\n      --ledger {} -o {}/again.odr",
      places.release, places.release, flow_box(city.map.flows.front(), DemoCity::kZones, domain), places.trips,
      domain.shape_text(), fmt::join(stops, ","),
      fmt::format("{},{},{},{}", DemoCity::kBox.west, DemoCity::kBox.south, DemoCity::kBox.east, DemoCity::kBox.north),
      format_epsilon(city.release.epsilon), places.ledger, places.folder);
}

}  // namespace

std::string demo_text(const DemoCity& city, const Paper& paper) {
  const DemoPlaces& places = city.places;
  std::string text = fmt::format(
      "{}\n  {} synthetic trips, {} stops each, a map of {} x {} cells per stop\n"
      "  published as {} boxes with epsilon {} ({})\n\n",
      paper.paint(Tone::strong, places.release), grouped(DemoCity::kTrips), DemoCity::kStops, grouped(DemoCity::kGrid),
      grouped(DemoCity::kGrid), grouped(city.outcome.partitions), format_epsilon(city.release.epsilon),
      city.release.mechanism);
  text += fmt::format("The {} largest flows between quarters that do not touch (A1: south-west)\n\n{}\n",
                      city.map.flows.size(), table_of(city.map, city.trips, paper));
  const std::string placed_as =
      city.release.answer_model == AnswerModel::maps ? "as the stops' own published maps say" : "evenly";
  text += wrapped(
      is_calibrated(city.map)
          ? fmt::format(
                "The truth can be shown because the trips are synthetic. The likely interval is learned from "
                "the release: it holds the noise, and that the quarters cut published boxes, inside which trips "
                "are taken to lie {}.{}",
                placed_as,
                is_claimed(city.map) ? ""
                                     : " It is meant to hold 95 times in 100, but not claimed to with three "
                                       "stops (docs/internals/intervals.md).")
          : fmt::format("The truth can be shown because the trips are synthetic. Where it lies outside the interval, "
                        "the difference is not noise: the quarters cut published boxes, and trips inside a box are "
                        "taken to lie {}.",
                        placed_as),
      80, 0);
  text += fmt::format("\n\nThe picture is {}", paper.paint(Tone::strong, places.picture));
  if (city.no_page.empty()) {
    text += fmt::format("\nThe page is    {}: open it in a browser\n  (or: stopover serve {} --open)",
                        paper.paint(Tone::strong, places.page), places.release);
  }
  return text + "\n" + next_steps(city);
}

}  // namespace stopover
