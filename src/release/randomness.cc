#include "release/randomness.h"

namespace stopover {
namespace {

constexpr std::string_view kSystem = "system", kRepeatable = "repeatable:", kNotTold = "not told";

}  // namespace

std::string Randomness::text() const {
  if (source_ == Source::repeatable) return std::string(kRepeatable) + name_;
  return std::string(source_ == Source::system ? kSystem : kNotTold);
}

Result<Randomness> Randomness::parse(std::string_view text) {
  if (text == kSystem) return system();
  if (text == kNotTold) return Randomness();
  if (text.starts_with(kRepeatable)) return repeatable(std::string(text.substr(kRepeatable.size())));
  return Error{Failure::usage,
               "the randomness is system, repeatable:NAME or not told, not \"" + std::string(text) + "\""};
}

std::string Randomness::warning() const {
  if (source_ == Source::repeatable) return "made with a key that can be repeated (" + name_ + "): it protects nobody";
  return source_ == Source::system ? ""
                                   : "made with randomness that nobody told about: it is not known to protect anybody";
}

}  // namespace stopover
