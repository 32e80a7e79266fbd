#include "cli/guide_page.h"

#include <algorithm>
#include <cctype>

namespace stopover {
namespace {

std::string plain(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c == '-' || c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
  return text;
}

// "* **word**: ...", with the lines that go on.
Topic entry_of_glossary(std::string_view page, const std::string& word) {
  constexpr std::string_view kMark = "\n* **";
  for (std::size_t at = page.find(kMark); at != std::string_view::npos; at = page.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size();
    const std::string_view name = page.substr(begin, page.find("**", begin) - begin);
    if (plain(name) != word) continue;
    std::size_t end = page.find('\n', begin);
    while (page.substr(end).starts_with("\n  ")) end = page.find('\n', end + 1);
    return {std::string(name), page.substr(at + 3, end - at - 3), false};
  }
  return {};
}

}  // namespace

std::string_view GuidePage::title() const {
  const std::size_t begin = std::min(markdown.find("# ") + 2, markdown.size());
  return markdown.substr(begin, markdown.find('\n', begin) - begin);
}

Topic find_topic(std::string_view name) {
  if (name.ends_with(".md")) name.remove_suffix(3);
  const std::string word = plain(name);
  for (const GuidePage& page : guide_pages()) {
    if (plain(page.name) == word) return {std::string(page.name), page.markdown, true};
  }
  for (const GuidePage& page : guide_pages()) {
    if (page.name == "glossary") return entry_of_glossary(page.markdown, word);
  }
  return {};
}

}  // namespace stopover
