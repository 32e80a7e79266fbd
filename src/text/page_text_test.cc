#include "text/page_text.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(PageText, HeadingsParagraphsAndListsAreFilled) {
  EXPECT_EQ(
      page_text("# Title\n\nOne two\nthree four five.\n\n* **an entry** that\n  goes on\n* another\n", Paper(), 16),
      "Title\n=====\n\nOne two three\nfour five.\n\n* an entry that\n  goes on\n* another");
}

TEST(PageText, OfLinksTheTextStaysAndWhereItIsNotClearAlsoThePlace) {
  EXPECT_EQ(
      page_text(
          "[zones.md](zones.md), [zones](zones.md#names), [there](../guide/zones.md), [more](../internals/page.md), "
          "[H3](https://h3geo.org), [below](#below)\n",
          Paper(), 200),
      "zones.md, zones, there (help zones.md), more (docs/internals/page.md), H3 (https://h3geo.org), below");
}

TEST(PageText, CodeIsNotFilledButBrokenWhereItIsTooLong) {
  EXPECT_EQ(page_text("    a  *b*\n\n    $ stopover query city.odr --stop origin=x --share\n", Paper(), 36),
            "    a  *b*\n\n    $ stopover query city.odr \\\n        --stop origin=x --share");
  EXPECT_EQ(page_text("    stopover info city.odr     # what it promises\n", Paper(), 36),
            "    # what it promises\n    stopover info city.odr");
}

TEST(PageText, CellsAreBrokenWithinTheirColumns) {
  EXPECT_EQ(page_text("| name | what |\n|---|---|\n| `a|b` | one two three |\n| c | |\n", Paper(), 16),
            "name   what\n----------------\n`a|b`  one two\n       three\nc");
  EXPECT_EQ(page_text("| | |\n|---|---|\n| a | b |\n", Paper(), 16), "a  b");
}

TEST(PageText, EveryLineFitsWhateverTheTableHolds) {
  std::string row = "|", line = "|";
  for (int i = 0; i < 5; ++i) {
    row += " " + std::string(30, 'x') + " word |";
    line += "---|";
  }
  const std::string text = page_text(row + "\n" + line + "\n" + row + "\n", Paper(), 80) + "\n";
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    EXPECT_LE(end - at, 80U);
  }
}

TEST(PageText, PicturesAreLeftOutAndTonesDoNotCount) {
  EXPECT_EQ(page_text("![a map](map.png)\n\n**strong words** here\n", Paper(true), 12),
            "\x1b[1mstrong words\x1b[0m\nhere");
  EXPECT_EQ(page_text("| ![a map](map.png) | text |\n|---|---|\n", Paper(), 12), "   text\n-------");
  EXPECT_EQ(page_text("**strong words** here\n", Paper(true), 8), "\x1b[1mstrong\x1b[0m\n\x1b[1mwords\x1b[0m\nhere");
}

}  // namespace
}  // namespace stopover
