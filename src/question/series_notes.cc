#include "question/series_notes.h"

#include <algorithm>
#include <string_view>

#include "base/nearest.h"

namespace stopover {

std::set<std::string>& SeriesNotes::periods_of(const std::string& note) {
  const auto found = std::find_if(notes_.begin(), notes_.end(), [&](const auto& one) { return one.first == note; });
  return found != notes_.end() ? found->second : notes_.emplace_back(note, std::set<std::string>()).second;
}

void SeriesNotes::add(const Period& period, const std::vector<std::string>& notes) {
  periods_.insert(period.name());
  for (const std::string& note : notes) periods_of(note).insert(period.name());
}

void SeriesNotes::add_step(const Period& against, const Period& period, const std::vector<std::string>& notes) {
  constexpr std::string_view kSecond = "in the second release, ";
  std::vector<std::string> first, second;
  for (const std::string& note : notes) {
    if (note.starts_with(kSecond)) {
      second.push_back(note.substr(kSecond.size()));
    } else {
      first.push_back(note);
    }
  }
  add(against, first);
  add(period, second);
}

void SeriesNotes::add_for_all(const std::string& note) { periods_of(note).clear(); }

std::vector<std::string> SeriesNotes::all() const {
  std::vector<std::string> told;
  for (const auto& [note, of] : notes_) {
    if (of.empty() || of == periods_) {
      told.push_back(note);
      continue;
    }
    const std::vector<std::string> names(of.begin(), of.end());
    told.push_back("in " + list_names(names) + ": " + note);
  }
  return told;
}

}  // namespace stopover
