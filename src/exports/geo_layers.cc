#include "exports/geo_layers.h"

#include <algorithm>

#include "base/largest.h"
#include "exports/feature_writer.h"
#include "exports/partition_table.h"
#include "exports/trip_model.h"
#include "query/answerer.h"

namespace stopover {
namespace {

using Properties = FeatureWriter::Properties;

struct Layers {
  const Release& release;
  std::vector<StopPlace> places;
  TripModel model;
  BoxIndex index;

  static Result<Layers> make(const Release& release) {
    Result<std::vector<StopPlace>> places = stop_places(release.domain);
    if (!places) return places.error();
    Result<TripModel> model = TripModel::make(release);
    if (!model) return model.error();
    Result<BoxIndex> index = BoxIndex::make(release);
    if (!index) return index.error();
    return Layers{release, *std::move(places), *std::move(model), *std::move(index)};
  }

  // What a leaf is besides its places: hours, purposes.
  void add_other_axes(const Box& box, Properties& properties) const {
    for (std::size_t a = 0; a < release.domain.d(); ++a) {
      const Axis& axis = release.domain.axis(a);
      if (axis.on_map()) continue;
      if (axis.labels.empty()) {
        properties.emplace_back(axis.name + "_from", json_number(axis.edge(box[a].lo)));
        properties.emplace_back(axis.name + "_to", json_number(axis.edge(box[a].hi)));
      } else {
        properties.emplace_back(axis.name, json_text(axis.label(box[a])));
      }
    }
  }

  Properties of_leaf(std::size_t leaf, Answerer& ask) const {
    const Table& table = release.tables[0];
    const std::size_t row = model.row(leaf);
    const Answer a = ask(BoxQuery::of(model.box(leaf)));
    const bool measured = table.row_ticks[row] > 0;
    Properties properties = {{"partition", std::to_string(leaf)},
                             {"estimate", json_number(model.estimate(leaf))},
                             {"noise_lower", json_number(a.noise_lower)},
                             {"noise_upper", json_number(a.noise_upper)},
                             {"count", measured ? std::to_string(table.count[row]) : "null"}};
    add_other_axes(model.box(leaf), properties);
    return properties;
  }

  // Rectangles that tile the map of a stop: of its own map, or equal ones.
  std::vector<std::pair<Interval, Interval>> tiles(std::size_t stop, std::size_t per_side) const {
    const StopPlace& place = places[stop];
    std::vector<std::pair<Interval, Interval>> found;
    for (const Table& table : release.tables) {
      const bool own = table.axes.size() == 2 && ((table.axes[0] == place.lon && table.axes[1] == place.lat) ||
                                                  (table.axes[0] == place.lat && table.axes[1] == place.lon));
      if (!own || table.kind != TableKind::partition) continue;
      const std::vector<bool> leaves = table.leaves();
      const std::size_t x = table.axes[0] == place.lon ? 0 : 1;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (leaves[row]) found.emplace_back(table.box(row)[x], table.box(row)[1 - x]);
      }
      return found;
    }
    const auto part = [&](std::size_t axis, std::size_t i) {
      const std::uint64_t cells = release.domain.axis(axis).cells;
      const std::uint64_t n = std::min<std::uint64_t>(cells, per_side);
      return Interval{static_cast<std::uint32_t>(cells * i / n), static_cast<std::uint32_t>(cells * (i + 1) / n)};
    };
    const std::size_t columns = std::min<std::size_t>(per_side, release.domain.axis(place.lon).cells);
    const std::size_t rows = std::min<std::size_t>(per_side, release.domain.axis(place.lat).cells);
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j < rows; ++j) found.emplace_back(part(place.lon, i), part(place.lat, j));
    }
    return found;
  }
};

}  // namespace

Result<std::string> partitions_layer(const Release& release, const std::string& card) {
  const Result<Layers> layers = Layers::make(release);
  if (!layers) return layers.error();
  FeatureWriter writer(card);
  Answerer ask(layers->index, {});
  for (std::size_t leaf = 0; leaf < layers->model.leaves(); ++leaf) {
    Properties properties = layers->of_leaf(leaf, ask);
    properties.insert(properties.begin(), {"stop", ""});
    for (std::size_t s = 0; s < layers->places.size(); ++s) {
      properties[0].second = json_text(release.domain.stops()[s].name);
      writer.polygon(geo_box(release.domain, layers->places[s], layers->model.box(leaf)), properties);
    }
  }
  return std::move(writer).finish();
}

Result<std::string> stops_layer(const Release& release, const std::string& card, std::size_t tiles) {
  const Result<Layers> layers = Layers::make(release);
  if (!layers) return layers.error();
  FeatureWriter writer(card);
  Answerer ask(layers->index, {});
  for (std::size_t s = 0; s < layers->places.size(); ++s) {
    const StopPlace& place = layers->places[s];
    for (const auto& [x, y] : layers->tiles(s, tiles)) {
      Box box = release.domain.whole();
      box[place.lon] = x;
      box[place.lat] = y;
      const Answer a = ask(BoxQuery::of(box));
      writer.polygon(geo_box(release.domain, place, x, y), {{"stop", json_text(release.domain.stops()[s].name)},
                                                            {"estimate", json_number(a.estimate)},
                                                            {"noise_lower", json_number(a.noise_lower)},
                                                            {"noise_upper", json_number(a.noise_upper)},
                                                            {"partitions_cut", std::to_string(a.partitions_cut)}});
    }
  }
  return std::move(writer).finish();
}

Result<std::string> flows_layer(const Release& release, const std::string& card, std::size_t most) {
  const Result<Layers> layers = Layers::make(release);
  if (!layers) return layers.error();
  if (layers->places.size() < 2) {
    return Error{Failure::bad_input,
                 "the release has one stop, and a flow needs two\n  Use `layer stops` or `layer partitions`."};
  }
  const TripModel& model = layers->model;
  std::vector<double> estimates(model.leaves());
  for (std::size_t leaf = 0; leaf < estimates.size(); ++leaf) estimates[leaf] = model.estimate(leaf);
  FeatureWriter writer(card);
  Answerer ask(layers->index, {});
  const TripCentres centres(model, layers->places);
  for (const std::size_t leaf : largest(estimates, most > 0 ? most : estimates.size())) {
    std::vector<GeoPoint> points;
    for (std::size_t s = 0; s < layers->places.size(); ++s) points.push_back(centres.of(s, model.box(leaf)));
    writer.line(points, layers->of_leaf(leaf, ask));
  }
  return std::move(writer).finish();
}

}  // namespace stopover
