#include "serve/engine_store.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace stopover {
namespace {

// What was freed goes back to the system now, not when it likes to.
void give_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::size_t bytes_of(const QueryEngine& engine) {
  const BoxIndex& index = engine.index();
  const std::size_t bounds = index.maps() == nullptr ? 2 * sizeof(std::uint32_t) * index.axes() : 0;
  const std::size_t node = sizeof(BoxIndex::Node) + sizeof(Sums) + bounds;
  std::size_t bytes = sizeof(QueryEngine) + index.nodes().size() * node +
                      index.measurements().size() * sizeof(BoxIndex::Measurement) +
                      index.running().size() * sizeof(Sums) + index.grids().size() * sizeof(BoxIndex::Grid);
  const MapPlaces* maps = index.maps();
  if (maps == nullptr) return bytes;
  bytes += index.nodes().size() * maps->size() * sizeof(std::uint32_t) +
           maps->places() * (sizeof(MapPlaces::Place) + sizeof(MapPlaces::Sides) / MapPlaces::kLanes);
  for (std::size_t m = 0; m < maps->size(); ++m) {
    std::size_t x_edges = 0, y_edges = 0;
    const Interval places = maps->places_on(m);
    for (std::size_t i = places.lo; i < places.hi; ++i) {
      x_edges = std::max<std::size_t>(x_edges, maps->place(i).x_edges[1] + 1);
      y_edges = std::max<std::size_t>(y_edges, maps->place(i).y_edges[1] + 1);
    }
    const std::uint32_t step = maps->map(m).step();  // of its raster, in cells
    const std::size_t width = maps->map(m).width() / step + 2, height = maps->map(m).height() / step + 2;
    bytes += (width * height + width * y_edges + height * x_edges) * sizeof(double);
  }
  return bytes;
}

std::shared_ptr<EngineStore::Place> EngineStore::place_of(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Place>& place = places_[key];
  if (place == nullptr) place = std::make_shared<Place>();
  place->asked = ++clock_;
  return place;
}

Result<EngineStore::Engine> EngineStore::get(const std::string& key, const std::function<Result<QueryEngine>()>& open) {
  const std::shared_ptr<Place> place = place_of(key);
  {
    const std::scoped_lock lock(mutex_);
    if (place->engine != nullptr) return place->engine;
  }
  const std::scoped_lock opening(place->opening);
  {
    // Somebody may have been quicker.
    const std::scoped_lock lock(mutex_);
    if (place->engine != nullptr) return place->engine;
  }
  const std::scoped_lock reading(reading_);
  // Its release is read beside it.
  make_room(2 * (place->bytes > 0 ? place->bytes : largest_), place.get());
  Result<QueryEngine> made = open();
  if (!made) return made.error();
  Engine engine = std::make_shared<const QueryEngine>(std::move(*made));
  keep(*place, engine);
  return engine;
}

std::vector<EngineStore::Engine> EngineStore::drop(std::size_t room, const Place* kept) {
  std::vector<Engine> gone;
  while (bytes_ > room) {
    Place* oldest = nullptr;
    for (const auto& [key, other] : places_) {
      if (other.get() == kept || other->engine == nullptr) continue;
      if (oldest == nullptr || other->asked < oldest->asked) oldest = other.get();
    }
    if (oldest == nullptr) break;
    bytes_ -= oldest->bytes;
    gone.push_back(std::move(oldest->engine));
    oldest->engine = nullptr;
  }
  return gone;
}

void EngineStore::spare(std::size_t bytes) {
  const std::scoped_lock reading(reading_);
  make_room(bytes, nullptr);
}

void EngineStore::make_room(std::size_t bytes, const Place* kept) {
  if (!resident_) return;
  give_back();
  std::vector<Engine> gone;
  {
    const std::scoped_lock lock(mutex_);
    const std::size_t all = resident_(), rest = all > bytes_ ? all - bytes_ : 0;
    room_ = limit_ > rest ? limit_ - rest : 0;
    gone = drop(room_ > bytes ? room_ - bytes : 0, kept);
  }
  if (gone.empty()) return;
  gone.clear();
  give_back();
}

void EngineStore::keep(Place& place, Engine engine) {
  const std::size_t bytes = bytes_of(*engine);
  std::vector<Engine> gone;  // freed after the lock
  const std::scoped_lock lock(mutex_);
  ++opened_;
  place.engine = std::move(engine);
  place.bytes = bytes;
  largest_ = std::max(largest_, bytes);
  bytes_ += bytes;
  gone = drop(room_, &place);
}

std::size_t EngineStore::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

std::size_t EngineStore::engines() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(places_.begin(), places_.end(), [](const auto& entry) { return entry.second->engine != nullptr; }));
}

std::uint64_t EngineStore::opened() const {
  const std::scoped_lock lock(mutex_);
  return opened_;
}

}  // namespace stopover
