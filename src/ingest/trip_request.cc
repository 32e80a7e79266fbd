#include "ingest/trip_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "base/split.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::int64_t kHour = 3'600'000, kDayMillis = 24 * kHour;

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "HH:MM" up to 48:00, in milliseconds.
std::optional<std::int64_t> clock_time(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto hours = number<unsigned>(text.substr(0, 2)), minutes = number<unsigned>(text.substr(3));
  if (!hours || !minutes || *minutes > 59 || *hours * 60 + *minutes > 48 * 60) return std::nullopt;
  return *hours * kHour + *minutes * 60'000;
}

bool overlap_on_the_clock(const Frame& a, const Frame& b) {
  for (const std::int64_t shift : {-2 * kDayMillis, -kDayMillis, std::int64_t{0}, kDayMillis, 2 * kDayMillis}) {
    if (a.since < b.until + shift && b.since + shift < a.until) return true;
  }
  return false;
}

bool good_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::vector<std::string> stop_names(const TripRequest& request) {
  if (!request.names.empty()) return request.names;
  if (request.model == StopModel::first) return {"origin"};
  if (request.model == StopModel::last) return {"destination"};
  std::vector<std::string> names;
  if (request.model == StopModel::frames) {
    for (const Frame& frame : request.frames) names.push_back(frame.name);
    return names;
  }
  names.emplace_back("origin");
  for (std::size_t i = 1; i + 1 < request.stops(); ++i) names.push_back(fmt::format("via{}", i));
  names.emplace_back("destination");
  return names;
}

}  // namespace

Result<std::vector<Frame>> parse_frames(std::string_view text) {
  std::vector<Frame> frames;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('='), dash = part.rfind('-');
    const bool cut = equals != std::string_view::npos && dash != std::string_view::npos && dash > equals;
    const auto since = cut ? clock_time(part.substr(equals + 1, dash - equals - 1)) : std::nullopt;
    const auto until = cut ? clock_time(part.substr(dash + 1)) : std::nullopt;
    if (!since || !until || !good_name(part.substr(0, equals))) {
      return usage_error(
          fmt::format("a frame must be name=HH:MM-HH:MM, not \"{}\"\n  As in `frames "
                      "morning=05:00-10:00,noon=11:00-14:00,night=22:00-28:00`",
                      part));
    }
    if (*since >= *until || *until - *since > kDayMillis) {
      return usage_error(
          fmt::format("frame \"{}\" must end after it begins and last at most 24 hours\n  Past midnight, count on: "
                      "night=22:00-28:00",
                      part));
    }
    Frame frame{std::string(part.substr(0, equals)), *since, *until};
    for (const Frame& other : frames) {
      if (other.name == frame.name) return usage_error(fmt::format("there are two frames named {}", frame.name));
      if (overlap_on_the_clock(other, frame)) {
        return usage_error(fmt::format("the frames {} and {} overlap\n  One moment would count for two stops.",
                                       other.name, frame.name));
      }
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

Status check_box(const DegreeBox& box) {
  if (box.on_globe() && box.west < box.east && box.south < box.north) return {};
  const DegreeBox turned{box.south, box.west, box.north, box.east};
  const bool swapped = turned.on_globe() && turned.west < turned.east && turned.south < turned.north;
  return usage_error(
      fmt::format("`bbox {},{},{},{}` is not a box on the globe\n  West, south, east, north, in degrees: {}", box.west,
                  box.south, box.east, box.north,
                  swapped ? fmt::format("longitude comes first. Did you mean `bbox {},{},{},{}`?", turned.west,
                                        turned.south, turned.east, turned.north)
                          : "`bbox -122.6,37.6,-122.3,37.9`"));
}

Result<DegreeBox> parse_bounding_box(std::string_view text) {
  if (text == "auto") {
    return Error{Failure::privacy,
                 "the bounding box must be declared, not taken from the data.\n"
                 "  A box fitted to the trips tells where the outermost trip was.\n"
                 "  Use `bbox W,S,E,N`  or  `bbox_from zones.geojson`"};
  }
  const std::vector<std::string> parts = split(text, ',');
  std::array<double, 4> edges{};
  bool good = parts.size() == 4;
  for (std::size_t i = 0; good && i < 4; ++i) {
    const auto edge = number<double>(parts[i]);
    good = edge && std::isfinite(*edge);
    if (good) edges[i] = *edge;
  }
  if (!good) return usage_error(fmt::format("`bbox` must be W,S,E,N in degrees, not \"{}\"", text));
  const DegreeBox box{edges[0], edges[1], edges[2], edges[3]};
  if (Status bad = check_box(box); !bad) return bad.error();
  return box;
}

Result<std::pair<std::uint32_t, std::uint32_t>> parse_grid(std::string_view text) {
  const std::vector<std::string> parts = split(text, 'x');
  const auto x = parts.size() == 2 ? number<std::uint32_t>(parts[0]) : std::nullopt;
  const auto y = parts.size() == 2 ? number<std::uint32_t>(parts[1]) : std::nullopt;
  constexpr std::uint32_t most = 1U << 30;
  if (!x || !y || *x < 1 || *y < 1 || *x > most || *y > most) {
    return usage_error(fmt::format("`grid` must be columns x rows of a stop's map, as in 1000x1000, not \"{}\"", text));
  }
  return std::pair(*x, *y);
}

Result<std::vector<std::uint32_t>> parse_stop_counts(std::string_view text) {
  std::vector<std::uint32_t> counts;
  for (const std::string_view part : split(text, ',')) {
    const auto count = number<std::uint32_t>(part);
    if (!count || *count < 2 || *count > kMaxAxes / 2 || (!counts.empty() && *count <= counts.back())) {
      return usage_error(fmt::format("`stops` must be counts of stops from 2 to {}, ascending, as in 2,3, not \"{}\"",
                                     kMaxAxes / 2, text));
    }
    counts.push_back(*count);
  }
  return counts;
}

std::size_t TripRequest::stops() const {
  switch (model) {
    case StopModel::first:
    case StopModel::last:
      return 1;
    case StopModel::od:
      return 2;
    case StopModel::first_mid_last:
      return 3;
    case StopModel::od_vias:
      return std::size_t{2} + vias;
    case StopModel::frames:
      return frames.size();
    case StopModel::counts:
      return counts.back();
  }
  return 0;
}

bool TripRequest::needs_time() const {
  const auto timed = [](const ExtraAxis& axis) { return axis.kind->needs_time; };
  // A row of trips has a column of its own for the trip's time.
  const bool clock = std::any_of(axes.begin(), axes.end(), timed) ||
                     (shape != RowShape::trips && std::any_of(trip_axes.begin(), trip_axes.end(), timed));
  return clock || shape == RowShape::pings || model == StopModel::frames;
}

const ExtraAxis* TripRequest::labelled_axis() const {
  const auto at = std::find_if(axes.begin(), axes.end(), [](const ExtraAxis& a) { return a.kind->needs_column; });
  return at == axes.end() ? nullptr : &*at;
}

std::vector<std::string> wanted_columns(const TripRequest& request) {
  std::vector<std::string> wanted;
  const auto want = [&](const std::string& column) {
    if (!column.empty() && std::find(wanted.begin(), wanted.end(), column) == wanted.end()) wanted.push_back(column);
  };
  for (const std::string& column : request.where_columns) want(column);
  want(request.user);
  want(request.trip);
  if (!request.spans.empty()) want(request.time);
  if (request.shape == RowShape::trips) {
    for (const PointColumns& point : request.points) {
      for (const std::string& column : {point.lat, point.lng, point.time, point.category, point.zone}) want(column);
    }
    for (const ExtraAxis& axis : request.trip_axes) want(axis.column);
    return wanted;
  }
  if (request.shape == RowShape::stops && request.model != StopModel::frames) want(request.seq);
  want(request.time);
  if (request.by_zone_id()) {
    want(request.zone);
  } else {
    want(request.lat);
    want(request.lng);
  }
  for (const ExtraAxis& axis : request.axes) want(axis.column);
  for (const ExtraAxis& axis : request.trip_axes) want(axis.column);
  return wanted;
}

namespace {

Status check_trip_axes(const TripRequest& r) {
  std::set<std::string> names;
  for (const std::string& name : stop_names(r)) names.insert(name);
  for (const ExtraAxis& axis : r.trip_axes) {
    if (r.model == StopModel::frames || r.model == StopModel::counts) {
      return usage_error("`trip_axes` goes with one number of stops, and not with frames");
    }
    if (!names.insert(axis.name()).second) {
      return usage_error(fmt::format("`trip_axes` would be named {}, as a stop or another one is", axis.name()));
    }
    const bool wide = r.shape == RowShape::trips;
    if (wide && axis.column.empty()) {
      return usage_error(
          fmt::format("`trip_axes {0}` needs a column of times\n  As in `trip_axes {0}:start_time`", axis.name()));
    }
    if (!wide && axis.kind->needs_time && !axis.column.empty() && axis.column != r.time) {
      return usage_error(
          fmt::format("`trip_axes` of rows of stops or pings take the time of the first stop, column {}, not {}",
                      r.time, axis.column));
    }
    if (r.shape == RowShape::pings && axis.kind->needs_column) {
      return usage_error(fmt::format(
          "`trip_axes` of pings are those of time, not {}\n  A ping says nothing about its trip.", axis.name()));
    }
  }
  return {};
}

}  // namespace

Status check_request(const TripRequest& r) {
  const bool wide = r.shape == RowShape::trips;
  if (r.max_trips_per_user && r.user.empty()) {
    return usage_error(
        "`unit user` needs a column of user ids\n  Name it with `user COLUMN`; without one only `unit trip` is left.");
  }
  if (r.shape == RowShape::pings && r.user.empty()) {
    return usage_error("pings need a column of user ids\n  Name it with `user COLUMN`.");
  }
  if (r.model == StopModel::frames && (r.user.empty() || wide)) {
    return usage_error(
        "`stops frames` needs rows of stops or pings with a user id and a time\n  A frame's stop is where one user "
        "was.");
  }
  if (r.model == StopModel::frames && r.frames.empty()) {
    return usage_error("`stops frames` needs `frames`\n  As in `frames morning=05:00-10:00,noon=11:00-14:00`");
  }
  if (r.model == StopModel::counts && wide) {
    return usage_error(
        "`stops` with several counts is for rows of stops or pings\n  A row of trips has as many points as columns for "
        "them.");
  }
  if (r.model != StopModel::frames && !r.frames.empty()) return usage_error("`frames` goes with `stops frames`");
  if (r.shape == RowShape::stops && r.model != StopModel::frames) {
    if (r.trip.empty()) return usage_error("stops need a column of trip ids\n  Name it with `trip COLUMN`.");
    if (r.seq.empty() && r.time.empty()) {
      return usage_error("stops need an order\n  Name a column of numbers with `seq` or of times with `time`.");
    }
  }
  if (r.time.empty() && ((r.needs_time() && !wide) || !r.spans.empty())) {
    return usage_error("a column of times is needed\n  Name it with `time COLUMN`.");
  }
  if (wide && r.points.size() != r.stops()) {
    return usage_error(
        fmt::format("a trip has {} stops but columns for {} points\n  Give `points LAT,LNG` once for each, in order.",
                    r.stops(), r.points.size()));
  }
  for (const ExtraAxis& axis : r.axes) {
    const auto same = [&](const ExtraAxis& other) { return other.kind == axis.kind; };
    if (std::count_if(r.axes.begin(), r.axes.end(), same) > 1) {
      return usage_error("`axes` of one kind may be given once");
    }
  }
  if (Status s = check_trip_axes(r); !s) return s;
  for (const PointColumns& point : r.points) {
    if (r.needs_time() && point.time.empty()) {
      return usage_error("an axis of time needs a time for every point\n  As in `points o_lat,o_lng,o_time`");
    }
    if (r.labelled_axis() != nullptr && point.category.empty()) {
      return usage_error("an axis of categories needs one for every point\n  As in `points o_lat,o_lng,,o_purpose`");
    }
  }
  if (!r.names.empty()) {
    if (r.model == StopModel::frames || r.model == StopModel::counts) {
      return usage_error(
          "`stop_names` goes with one number of stops\n  Frames have names of their own, and counts of stops share "
          "theirs.");
    }
    if (r.names.size() != r.stops()) {
      return usage_error(fmt::format("a trip has {} stops but {} are named\n  Name all of them, in order, or none.",
                                     r.stops(), r.names.size()));
    }
    for (const std::string& name : r.names) {
      if (!good_name(name))
        return usage_error(fmt::format("a stop's name must be of letters, digits, _ and -, not \"{}\"", name));
      if (std::count(r.names.begin(), r.names.end(), name) > 1)
        return usage_error(fmt::format("there are two stops named {}", name));
    }
  }
  if (!(r.stay_metres > 0) || r.stay_metres > 1e6) return usage_error("`stay_metres` must be above 0");
  return {};
}

Result<Domain> trip_domain(const TripRequest& request) {
  std::vector<Axis> axes;
  std::vector<Stop> stops;
  const auto add = [&](Axis axis) {
    axis.name = fmt::format("a{}", axes.size());
    stops.back().axes.push_back(axes.size());
    axes.push_back(std::move(axis));
  };
  for (const std::string& name : stop_names(request)) {
    stops.push_back({name, {}});
    if (request.zones) {
      add(Axis::of_labels("", AxisKind::zone, request.zones->ids()));
    } else {
      add({"", request.columns, AxisKind::longitude, request.box.west, request.box.east, {}});
      add({"", request.rows, AxisKind::latitude, request.box.south, request.box.north, {}});
    }
    for (const ExtraAxis& extra : request.axes) add(extra.kind->axis(extra));
  }
  for (const ExtraAxis& extra : request.trip_axes) {
    stops.push_back({extra.name(), {}});
    add(extra.kind->axis(extra));
  }
  return Domain::make(std::move(axes), std::move(stops), request.zones);
}

Result<std::vector<TripPart>> trip_parts(const TripRequest& request) {
  std::vector<TripPart> parts;
  std::vector<std::uint32_t> counts = request.counts;
  if (request.model != StopModel::counts) counts = {static_cast<std::uint32_t>(request.stops())};
  for (const std::uint32_t count : counts) {
    TripRequest one = request;
    if (request.model == StopModel::counts) {
      one.model = StopModel::od_vias;
      one.vias = count - 2;
    }
    Result<Domain> domain = trip_domain(one);
    if (!domain) return domain.error();
    parts.push_back({count, std::move(*domain)});
  }
  return parts;
}

}  // namespace stopover
