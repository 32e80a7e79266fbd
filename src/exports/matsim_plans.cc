#include "exports/matsim_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>

#include "base/disk_full.h"
#include "base/markup.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

constexpr std::size_t kNoAxis = SIZE_MAX;

// A stop that is somewhere.
struct PlaceOfPlan {
  std::string name;
  std::size_t lng = kNoAxis, lat = kNoAxis, zone = kNoAxis, time = kNoAxis;
};

Result<std::vector<PlaceOfPlan>> places_of_plan(const Domain& domain) {
  std::vector<PlaceOfPlan> places;
  for (const Stop& stop : domain.stops()) {
    PlaceOfPlan place{stop.name};
    for (const std::size_t a : stop.axes) {
      const AxisKind kind = domain.axis(a).kind;
      if (kind == AxisKind::longitude) place.lng = a;
      if (kind == AxisKind::latitude) place.lat = a;
      if (kind == AxisKind::zone && domain.zones() != nullptr && domain.zones()->has_places()) place.zone = a;
      if (kind == AxisKind::time) place.time = a;
    }
    if (place.zone != kNoAxis || (place.lng != kNoAxis && place.lat != kNoAxis)) {
      places.push_back(std::move(place));
    } else if (std::any_of(stop.axes.begin(), stop.axes.end(), [&](std::size_t a) {
                 const AxisKind kind = domain.axis(a).kind;
                 return kind == AxisKind::number || kind == AxisKind::zone;
               })) {
      return Error{Failure::bad_input, fmt::format("stop {} is on no map\n  Plans need places: publish with `bbox`, or "
                                                   "zones with places.",
                                                   stop.name)};
    }
  }
  if (places.size() < 2) return Error{Failure::bad_input, "the release has one place, and a plan needs two"};
  return places;
}

}  // namespace

bool has_departures(const Domain& domain) {
  for (const std::size_t a : domain.stops().front().axes) {
    if (domain.axis(a).kind == AxisKind::time) return true;
  }
  return false;
}

Status write_matsim_plans(const SyntheticTrips& trips, const MatsimOptions& options, const std::string& path) {
  const Domain& domain = trips.domain;
  const Result<std::vector<PlaceOfPlan>> places = places_of_plan(domain);
  if (!places) return places.error();
  std::ofstream file(path, std::ios::binary);
  file << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE population SYSTEM \"http://www.matsim.org/files/dtd/population_v6.dtd\">\n<population>\n"
          "<attributes>\n<attribute name=\"coordinateReferenceSystem\" "
          "class=\"java.lang.String\">EPSG:4326</attribute>\n"
          "<attribute name=\"stopover\" class=\"java.lang.String\">"
       << escape_markup(options.card) << "</attribute>\n</attributes>\n";
  NumberSequence numbers(options.seed, 3'000'000);
  const auto within = [&](std::size_t axis, std::size_t trip) {
    const std::uint32_t cell = trips.cells[axis][trip];
    return numbers.uniform(domain.axis(axis).edge(cell), domain.axis(axis).edge(cell + 1));
  };
  const std::string mode = escape_markup(options.mode);
  for (std::size_t trip = 0; trip < trips.rows(); ++trip) {
    std::string text = fmt::format("<person id=\"{}\"><plan selected=\"yes\">\n", trip + 1);
    for (std::size_t p = 0; p < places->size(); ++p) {
      const PlaceOfPlan& place = (*places)[p];
      PlanePoint at;
      if (place.zone != kNoAxis) {
        at = (*domain.zones())[trips.cells[place.zone][trip]].place;
      } else {
        at.x = within(place.lng, trip);
        at.y = within(place.lat, trip);
      }
      text += fmt::format("<activity type=\"{}\" x=\"{:.7f}\" y=\"{:.7f}\"", escape_markup(place.name), at.x, at.y);
      const bool last = p + 1 == places->size();
      if (!last && (place.time != kNoAxis || p == 0)) {
        const double second =
            place.time != kNoAxis ? within(place.time, trip) : numbers.uniform(options.hours.begin, options.hours.end);
        text += fmt::format(" end_time=\"{}\"", clock_text(static_cast<std::uint32_t>(second)));
      } else if (!last) {
        text += " max_dur=\"00:00:00\"";
      }
      text += last ? "/>\n" : fmt::format("/>\n<leg mode=\"{}\"/>\n", mode);
    }
    file << text << "</plan></person>\n";
  }
  file << "</population>\n";
  errno = 0;
  file.close();
  if (file) return {};
  return Error{write_failure(errno), fmt::format("cannot write {}", path)};
}

}  // namespace stopover
