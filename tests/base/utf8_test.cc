#include "base/utf8.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, CharactersHaveOneToFourBytes) {
  EXPECT_EQ(utf8_size("ab"), 1);
  EXPECT_EQ(utf8_size("\0"sv), 1);
  EXPECT_EQ(utf8_size("\xC3\xA9x"), 2);
  EXPECT_EQ(utf8_size("\xE2\x82\xAC"), 3);
  EXPECT_EQ(utf8_size("\xF0\x9F\x98\x80"), 4);
  EXPECT_EQ(utf8_size(""), 0);
}

TEST(Utf8, TheBordersOfWhatIsWellFormed) {
  for (const std::string_view good :
       {"\x7F"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv, "\xED\x9F\xBF"sv, "\xEE\x80\x80"sv,
        "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv}) {
    EXPECT_EQ(utf8_size(good), good.size());
    EXPECT_TRUE(is_utf8(std::string(good) + "." + std::string(good)));
  }
  for (const std::string_view bad :
       {"\x80"sv, "\xBF"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv,
        "\xED\xBF\xBF"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv,
        "\xFF"sv}) {
    EXPECT_EQ(utf8_size(bad), 0);
    EXPECT_FALSE(is_utf8("x" + std::string(bad)));
  }
}

TEST(Utf8, ACharacterThatIsCutIsNone) {
  const std::string whole = "\xF0\x9F\x98\x80";
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_EQ(utf8_size(whole.substr(0, size)), 0);
    EXPECT_EQ(utf8_size(whole.substr(0, size) + "a"), 0);
  }
}

TEST(Utf8, NothingIsWellFormed) { EXPECT_TRUE(is_utf8("")); }

}  // namespace
}  // namespace sheaf::internal
