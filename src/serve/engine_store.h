// EngineStore: engines of releases, opened when they are first asked and kept while there is room for them.
//
// Those that were not asked for longest go first once all together take more than `limit` bytes; the one that is asked
// always stays, however large. Where it is known what the whole process takes, the limit is for all of that: engines
// have what the rest leaves, room is made before one is opened (twice what it takes: its release is read beside it),
// and what went is given back to the system. Whoever holds an engine keeps it until he is done. May be used by any
// number of threads; engines are opened one after the other, so that only one release at a time is being read.
//
//   EngineStore store(std::size_t{2} << 30);
//   Result<std::shared_ptr<const QueryEngine>> engine = store.get(content, [&] { return read(path); });
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/query_engine.h"

namespace stopover {

// About what an engine takes in memory.
std::size_t bytes_of(const QueryEngine& engine);

// What the process has of the machine's memory now; 0 where the system does not say.
std::size_t resident_bytes();

class EngineStore {
 public:
  using Engine = std::shared_ptr<const QueryEngine>;

  // `resident` tells what the whole process takes; DEFAULT: not known, the limit is for engines alone.
  explicit EngineStore(std::size_t limit, std::function<std::size_t()> resident = {})
      : limit_(limit), resident_(std::move(resident)) {}

  // The engine of this key; `open` is called where it is not there, and its failure handed on: the next call tries
  // again.
  Result<Engine> get(const std::string& key, const std::function<Result<QueryEngine>()>& open);

  // Makes room for something else of the process that takes so many bytes for a while.
  void spare(std::size_t bytes);

  std::size_t bytes() const;
  std::size_t engines() const;
  std::uint64_t opened() const;  // how often

 private:
  struct Place {
    std::mutex opening;
    Engine engine;
    std::size_t bytes = 0;  // when it was there last
    std::uint64_t asked = 0;
  };

  std::shared_ptr<Place> place_of(const std::string& key);
  // Finds out what there is, and drops engines until so much of it is free. REQUIRES: reading_ is held.
  void make_room(std::size_t bytes, const Place* kept);
  void keep(Place& place, Engine engine);
  // Drops engines but that of `kept` until all others take at most `room`. REQUIRES: mutex_ is held; what it gives is
  // freed after that.
  std::vector<Engine> drop(std::size_t room, const Place* kept);

  const std::size_t limit_;
  const std::function<std::size_t()> resident_;
  std::mutex reading_;         // of whoever opens an engine; before mutex_
  std::size_t room_ = limit_;  // for engines, as was found when one was opened last; reading_ has it
  std::size_t largest_ = 0;    // of the engines so far; reading_ has it
  mutable std::mutex mutex_;   // over the rest but `opening`
  std::map<std::string, std::shared_ptr<Place>> places_;
  std::size_t bytes_ = 0;
  std::uint64_t clock_ = 0, opened_ = 0;
};

}  // namespace stopover
