#include "format/kaldi/kaldi_words.h"

#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::kaldi {
namespace {

TEST(KaldiWords, AreVisitedInOrder) {
  std::string_view line = " \ta  b\vc\r";
  EXPECT_EQ(take_word(line), "a");
  EXPECT_EQ(take_word(line), "b");
  EXPECT_EQ(take_word(line), "c");
  EXPECT_EQ(take_word(line), "");
  EXPECT_EQ(take_word(line), "");
  EXPECT_TRUE(line.empty());
}

TEST(KaldiWords, AreCounted) {
  EXPECT_EQ(count_words(""), 0);
  EXPECT_EQ(count_words(" \r"), 0);
  EXPECT_EQ(count_words("a"), 1);
  EXPECT_EQ(count_words(" a\tb  c "), 3);
}

TEST(KaldiWords, FollowAKey) {
  const struct {
    std::string_view line;
    std::string_view key;
    std::string_view text;
  } cases[] = {
      {"u a  b", "u", "a  b"},         // blanks between words stay
      {"  u\ta b \r", "u", "a b"},     // blanks at the ends are dropped
      {"u", "u", ""},                  // no blank after the key
      {"u ", "u", ""},                 // no word
      {" \r", "", ""},                 // a blank line
      {"", "", ""},                    // an empty line
      {"u \xC3\xA9", "u", "\xC3\xA9"}  // any bytes
  };
  for (const auto& each : cases) {
    const TextLine found = split_text_line(each.line);
    EXPECT_EQ(found.key, each.key) << each.line;
    EXPECT_EQ(found.text, each.text) << each.line;
  }
}

}  // namespace
}  // namespace sheaf::kaldi
