#include "ingest/text_encoding.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/text_form.h"

namespace stopover {
namespace {

// In pieces of every size, which must not matter.
std::string utf8(TextEncoding encoding, std::string_view bytes) {
  std::string whole;
  for (std::size_t piece = bytes.size() + 1; piece > 0; --piece) {
    Utf8Maker make(encoding);
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += piece) make.append(bytes.substr(at, piece), text);
    make.finish(text);
    if (piece > bytes.size()) whole = text;
    EXPECT_EQ(text, whole) << piece;
  }
  return whole;
}

std::string wide(std::u16string_view text, bool big_end_first) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8U), low = static_cast<char>(unit & 0xFFU);
    bytes += big_end_first ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

TEST(TextEncoding, LatinBytesAreCharacters) {
  EXPECT_EQ(utf8(TextEncoding::latin1, "caf\xe9 \x80\xff"), "caf\xc3\xa9 \xc2\x80\xc3\xbf");
  EXPECT_EQ(utf8(TextEncoding::windows1252, "caf\xe9 \x80\x9f\x81"), "caf\xc3\xa9 \xe2\x82\xac\xc5\xb8\xc2\x81");
  EXPECT_EQ(utf8(TextEncoding::utf8, "caf\xe9"), "caf\xe9");
}

TEST(TextEncoding, Utf16InEitherOrderWithAndWithoutAMark) {
  const std::u16string_view text = u"u,\u00fc,\u20ac,\U0001F6B2\n";
  const std::string expected = "u,\xc3\xbc,\xe2\x82\xac,\xf0\x9f\x9a\xb2\n";
  for (const bool big : {false, true}) {
    EXPECT_EQ(utf8(TextEncoding::utf16, wide(text, big)), expected) << big;
    EXPECT_EQ(utf8(TextEncoding::utf16, wide(u"\ufeff", big) + wide(text, big)), "\xef\xbb\xbf" + expected) << big;
  }
}

TEST(TextEncoding, HalfACharacterCostsItsLineAlone) {
  const char16_t high[] = {u'a', 0xD83D, u'b', u'\n', u'c', 0xDEB2, u'\n', u'd', u'\n', 0};
  EXPECT_EQ(utf8(TextEncoding::utf16, wide(high, false)),
            "a\xff"
            "b\nc\xff\nd\n");
  const char16_t last[] = {u'a', u'\n', 0xD83D, 0};
  EXPECT_EQ(utf8(TextEncoding::utf16, wide(last, false)), "a\n\xff");
  EXPECT_EQ(utf8(TextEncoding::utf16, wide(u"a\n", false) + "b"), "a\n\xff");
  EXPECT_FALSE(
      is_clean_text("a\xff"
                    "b"));
}

TEST(TextEncoding, Likely) {
  EXPECT_EQ(likely_encoding("Z\xfcrich,1"), TextEncoding::latin1);
  EXPECT_EQ(likely_encoding("Z\xfcrich \x96 Bern"), TextEncoding::windows1252);
  EXPECT_EQ(likely_encoding("\xff\xfeu\0i\0"), TextEncoding::utf16);
  EXPECT_EQ(likely_encoding(wide(u"uid,tid", true)), TextEncoding::utf16);
  EXPECT_EQ(likely_encoding("a\x81"), std::nullopt);
  EXPECT_EQ(likely_encoding(std::string("abcdefgh\0", 9)), std::nullopt);
}

TEST(TextEncoding, Names) {
  for (const TextEncoding encoding :
       {TextEncoding::utf8, TextEncoding::latin1, TextEncoding::windows1252, TextEncoding::utf16}) {
    EXPECT_EQ(*parse_encoding(to_string(encoding)), encoding);
  }
  EXPECT_EQ(*parse_encoding("ISO-8859-1"), TextEncoding::latin1);
  const Result<TextEncoding> other = parse_encoding("koi8-r");
  EXPECT_EQ(other.error().failure, Failure::usage);
  EXPECT_NE(other.error().message.find("iconv -f koi8-r"), std::string::npos);
}

TEST(TextForm, Delimiters) {
  EXPECT_EQ(*parse_delimiter(";"), ';');
  EXPECT_EQ(*parse_delimiter("tab"), '\t');
  EXPECT_EQ(*parse_delimiter("\\t"), '\t');
  for (const char* bad : {"", "\"", "a", ";;", "\n", ".", " "})
    EXPECT_EQ(parse_delimiter(bad).error().failure, Failure::usage) << bad;
  EXPECT_NE(delimiter_hint({"uid;lat;lng"}).find("`delimiter ';'`"), std::string::npos);
  EXPECT_NE(delimiter_hint({"uid\tlat\tlng"}).find("`delimiter tab`"), std::string::npos);
  EXPECT_NE(delimiter_hint({"uid,lat,lng"}).find("`delimiter ','`"), std::string::npos);
  EXPECT_EQ(delimiter_hint({"uid", "lat;lng"}), "");
  EXPECT_EQ(delimiter_hint({"uid"}), "");
}

}  // namespace
}  // namespace stopover
