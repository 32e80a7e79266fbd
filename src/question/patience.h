// Patience: how much work one question may make. A person at a terminal waits as long as they like; a server does not.
//
//   Patience patience;
//   patience.late = [end] { return std::chrono::steady_clock::now() > end; };
//   Result<Reply> reply = ask(engine, question, nullptr, patience);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/usage_error.h"

namespace stopover {

struct Patience {
  // Answers that one table may have.
  std::size_t answers = 250'000;
  // Cells that the zones of one table may touch, all together: the memory they take.
  std::uint64_t zone_cells = std::uint64_t{1} << 28;
  // Corners of one area, drawn or of a zone: checking it takes up to the square of them and cannot be ended half-way.
  std::size_t corners = std::size_t{1} << 30;
  // Looked at between the steps of long work: true ends it. Empty: never.
  std::function<bool()> late;

  bool lost() const { return late && late(); }
  // What is said of an area with more corners (usage).
  Error too_many_corners(const std::string& what) const {
    return usage_error(what + " has too many corners\n  At most " + std::to_string(corners) + " here: simplify it.");
  }
  // What is said when it is lost (interrupted).
  static Error error() {
    return {Failure::interrupted,
            "the question takes too long\n  Ask for fewer zones, tiles or corners, or fewer answers at once."};
  }
};

}  // namespace stopover
