// Randomness: where the noise of a release came from. It decides whether the release protects anybody at all.
//
//   Randomness::system()            a fresh key of the operating system, never stored: what `publish` draws
//   Randomness::repeatable("a")     a key made from a name: whoever knows the name draws the same noise and takes it
//   away
//   Randomness()                    not told: nobody said, so nobody may call it private
//
// A field of every release (release.h), covered by its content hash. The publishing transaction sets it, from the
// source of the key itself; nothing else does, and there is no default that claims privacy.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace stopover {

class Randomness {
 public:
  Randomness() = default;
  static Randomness system() { return {Source::system, ""}; }
  static Randomness repeatable(std::string name) { return {Source::repeatable, std::move(name)}; }

  bool is_private() const { return source_ == Source::system; }
  bool is_repeatable() const { return source_ == Source::repeatable; }
  // Of a repeatable key.
  const std::string& key_name() const { return name_; }

  // "system", "repeatable:NAME" or "not told", as release.json has it; parse fails (usage) on all else.
  std::string text() const;
  static Result<Randomness> parse(std::string_view text);

  // "made with a key that can be repeated (NAME): it protects nobody"; "" for a private release.
  std::string warning() const;

  bool operator==(const Randomness&) const = default;

 private:
  enum class Source { not_told, system, repeatable };
  Randomness(Source source, std::string name) : source_(source), name_(std::move(name)) {}

  Source source_ = Source::not_told;
  std::string name_;
};

}  // namespace stopover
