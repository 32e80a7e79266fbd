// KeySource: where a release's key comes from. The source and what the release says of its randomness are one thing, so
// that neither can be had without the other: keys of the system make private releases, any other keys make releases
// that say `repeatable`.
//
//   PublishDoors doors{files, store, KeySource::system()};
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "privacy/entropy.h"
#include "release/randomness.h"

namespace stopover {

class KeySource {
 public:
  // Fresh ones (draw_release_key).
  static KeySource system() { return {Randomness::system(), draw_release_key}; }
  // Any others, under the name by which they can be had again: for tests and stopover-lab.
  static KeySource repeatable(std::string name, std::function<Result<ReleaseKey>()> draw) {
    return {Randomness::repeatable(std::move(name)), std::move(draw)};
  }
  // A bare function says nothing about its keys, so its releases are not called private: their randomness is not told.
  template <std::invocable Draw>
    requires(!std::same_as<std::remove_cvref_t<Draw>, KeySource>)
  KeySource(Draw&& draw) : draw_(std::forward<Draw>(draw)) {}  // NOLINT(google-explicit-constructor)

  Result<ReleaseKey> operator()() const { return draw_(); }
  const Randomness& randomness() const { return randomness_; }

 private:
  KeySource(Randomness randomness, std::function<Result<ReleaseKey>()> draw)
      : randomness_(std::move(randomness)), draw_(std::move(draw)) {}

  Randomness randomness_;
  std::function<Result<ReleaseKey>()> draw_;
};

}  // namespace stopover
