#include "ops/report/page_text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal::page {
namespace {

TEST(PageText, MarkupIsEscaped) {
  EXPECT_EQ(plain("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(marked("</b>"), "<bdi>&lt;/b&gt;</bdi>");
  EXPECT_EQ(plain("&lt;"), "&amp;lt;");
}

TEST(PageText, InvisibleCharactersAreShownAsCodes) {
  EXPECT_EQ(plain("a\xE2\x80\xAE"), "a[U+202E]");
  EXPECT_EQ(marked("\x01"), "<bdi><i class=\"u\">U+0001</i></bdi>");
  EXPECT_EQ(plain("\xE2\x80\x8B\xEF\xBB\xBF\xC2\xAD"), "[U+200B][U+FEFF][U+00AD]");
  EXPECT_EQ(plain("\n"), "[U+000A]");
  EXPECT_EQ(plain(std::string(1, '\0')), "[U+0000]");
  EXPECT_EQ(plain("\xF3\xA0\x81\x81"), "[U+E0041]");
}

TEST(PageText, OtherCharactersStay) {
  EXPECT_EQ(plain("\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x90\x88"), "\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x90\x88");
}

TEST(PageText, InvalidBytesAreShownAsTheReplacementCharacter) {
  EXPECT_EQ(plain("a\xFFz"), "a[U+FFFD]z");
  EXPECT_EQ(plain("\xE2\x80"), "[U+FFFD][U+FFFD]");
}

TEST(PageText, LongTextsAreTruncated) {
  EXPECT_EQ(plain("abcd", 4), "abcd");
  EXPECT_EQ(plain("abcde", 4), "abcd&hellip;");
  EXPECT_EQ(plain("<<<", 2), "&lt;&lt;&hellip;");
  // A code counts as eight characters.
  EXPECT_EQ(plain("\x01\x01", 8), "[U+0001]&hellip;");
  EXPECT_LE(marked(std::string(5000, '"')).size(), 6U * kTextMax + 20);
}

TEST(PageText, LineBreaksAreKeptOnRequest) {
  EXPECT_EQ(marked_lines("a\n\tb\r", 40), "<bdi>a\n\tb<i class=\"u\">U+000D</i></bdi>");
}

TEST(PageText, CountsHaveCommas) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(-999), "-999");
  EXPECT_EQ(count_text(-1000), "-1,000");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(counted(1, "place", "places"), "1 place");
  EXPECT_EQ(counted(2000, "place", "places"), "2,000 places");
}

TEST(PageText, SharesAreShownAsPercent) {
  EXPECT_EQ(share_text(0), "0&nbsp;%");
  EXPECT_EQ(share_text(1), "100&nbsp;%");
  EXPECT_EQ(share_text(0.031), "3.1&nbsp;%");
  EXPECT_EQ(share_text(0.5), "50&nbsp;%");
  EXPECT_EQ(share_text(1e-9), "&lt;0.1&nbsp;%");
  EXPECT_EQ(share_text(0.999999), "&gt;99.9&nbsp;%");
  EXPECT_EQ(share_text(std::nan("")), "?");
}

TEST(PageText, ValuesHaveFourSignificantDigits) {
  EXPECT_EQ(value_text(0), "0");
  EXPECT_EQ(value_text(-0.0), "0");
  EXPECT_EQ(value_text(12), "12");
  EXPECT_EQ(value_text(12345.678), "12,346");
  EXPECT_EQ(value_text(0.031234), "0.03123");
  EXPECT_EQ(value_text(-18.4213), "-18.42");
  EXPECT_EQ(value_text(1.2e-7), "1.2e-7");
  EXPECT_EQ(value_text(3.40282e38), "3.4e38");
  EXPECT_EQ(value_text(1e100), "1e100");
  EXPECT_EQ(value_text(HUGE_VAL), "?");
}

TEST(PageText, SizesHaveUnits) {
  EXPECT_EQ(bytes_text(0), "0&nbsp;B");
  EXPECT_EQ(bytes_text(1288490189), "1.2&nbsp;GiB");
}

}  // namespace
}  // namespace sheaf::internal::page
