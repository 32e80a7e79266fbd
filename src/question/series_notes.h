// SeriesNotes: the notes of many periods, each told once. Internal to this room.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/period.h"

namespace stopover {

class SeriesNotes {
 public:
  void add(const Period& period, const std::vector<std::string>& notes);
  // Of two releases that were compared.
  void add_step(const Period& against, const Period& period, const std::vector<std::string>& notes);
  void add_for_all(const std::string& note);

  // A note that not all periods have begins with those that do: "in 2019-01, 2019-03: ...".
  std::vector<std::string> all() const;

 private:
  std::set<std::string>& periods_of(const std::string& note);

  std::set<std::string> periods_;  // that had a say
  std::vector<std::pair<std::string, std::set<std::string>>> notes_;
};

}  // namespace stopover
