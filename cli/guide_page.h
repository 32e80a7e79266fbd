// The pages of docs/guide, which are inside the program, and what one can ask `help` for besides commands.
//
//   const Topic topic = find_topic("zones");       // also "zones.md", and words of the glossary: "likely interval"
//   if (topic) show(topic.markdown);
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stopover {

struct GuidePage {
  std::string_view name;  // "zones" of docs/guide/zones.md
  std::string_view markdown;

  // Its heading, without markup.
  std::string_view title() const;
};

// In the order of their names.
std::span<const GuidePage> guide_pages();

struct Topic {
  std::string name;           // a page's, or a word of the glossary
  std::string_view markdown;  // empty: there is no such topic
  bool is_page = false;

  explicit operator bool() const { return !markdown.empty(); }
};

// Upper and lower case are alike, and so are blanks and dashes.
Topic find_topic(std::string_view name);

}  // namespace stopover
