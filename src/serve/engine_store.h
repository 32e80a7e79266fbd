// EngineStore: engines of releases, opened when they are first asked and kept while there is room for them.
//
// Those that were not asked for longest go first once all together take more than `limit` bytes; the one that is asked
// always stays, however large. Whoever holds an engine keeps it until he is done. May be used by any number of threads;
// an engine that several want at once is opened by one of them.
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

#include "base/result.h"
#include "query/query_engine.h"

namespace stopover {

// About what an engine takes in memory.
std::size_t bytes_of(const QueryEngine& engine);

class EngineStore {
 public:
  using Engine = std::shared_ptr<const QueryEngine>;

  explicit EngineStore(std::size_t limit) : limit_(limit) {}

  // The engine of this key; `open` is called where it is not there, and its failure handed on: the next call tries
  // again.
  Result<Engine> get(const std::string& key, const std::function<Result<QueryEngine>()>& open);

  std::size_t bytes() const;
  std::size_t engines() const;
  std::uint64_t opened() const;  // how often

 private:
  struct Place {
    std::mutex opening;
    Engine engine;
    std::size_t bytes = 0;
    std::uint64_t asked = 0;
  };

  std::shared_ptr<Place> place_of(const std::string& key);
  void keep(Place& place, Engine engine);

  const std::size_t limit_;
  mutable std::mutex mutex_;  // over all but `opening`
  std::map<std::string, std::shared_ptr<Place>> places_;
  std::size_t bytes_ = 0;
  std::uint64_t clock_ = 0, opened_ = 0;
};

}  // namespace stopover
