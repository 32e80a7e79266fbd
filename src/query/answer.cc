#include "query/answer.h"

#include <string>

namespace stopover {

std::string_view to_string(Estimates estimates) { return estimates == Estimates::consistent ? "consistent" : "plain"; }

Result<Estimates> parse_estimates(std::string_view text) {
  if (text == "consistent") return Estimates::consistent;
  if (text == "plain") return Estimates::plain;
  return Error{Failure::usage, "estimates are consistent or plain, not \"" + std::string(text) + "\""};
}

Status check_level(double level) {
  if (level >= kLeastLevel && level <= kMostLevel) return {};
  return Error{Failure::usage, "the level must be from 0.000001 to 0.999999999, not " + std::to_string(level) +
                                   "\n  Write for example 0.95."};
}

}  // namespace stopover
