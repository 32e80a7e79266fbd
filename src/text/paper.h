// Paper: what reports are written on: lines of 80 columns, with colours where there are any.
#pragma once

#include <string>
#include <string_view>

namespace stopover {

enum class Tone { plain, strong, faint, good, bad, accent };

class Paper {
 public:
  explicit Paper(bool colours = false) : colours_(colours) {}

  // The text in a tone; as it is where there are no colours.
  std::string paint(Tone tone, std::string_view text) const;

 private:
  bool colours_;
};

// Lines of at most `width` columns, each after the first begun with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace stopover
