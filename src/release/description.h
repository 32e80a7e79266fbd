// Description: what its publisher says a release is. Declared and public: nothing in it comes from the rows.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace stopover {

struct Description {
  std::string title;    // what it is, in a line
  std::string about;    // in some sentences
  std::string covers;   // which time and place: "Los Angeles, 2019"
  std::string credit;   // whose trips, who is to be named
  std::string licence;  // under which it may be used: "CC-BY-4.0"
  std::string contact;  // whom to ask

  inline bool empty() const;
  bool operator==(const Description&) const = default;
};

// By the names that all faces give them, in the order in which they are shown.
inline constexpr std::pair<const char*, std::string Description::*> kDescriptionTexts[] = {
    {"title", &Description::title},   {"about", &Description::about},     {"covers", &Description::covers},
    {"credit", &Description::credit}, {"licence", &Description::licence}, {"contact", &Description::contact}};

bool Description::empty() const {
  return std::all_of(std::begin(kDescriptionTexts), std::end(kDescriptionTexts),
                     [&](const auto& text) { return (this->*text.second).empty(); });
}

}  // namespace stopover
