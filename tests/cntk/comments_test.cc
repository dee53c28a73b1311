#include "cntk/comments.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::as_cntk;
using testing::error_of;
using testing::settings_of;
using testing::warnings_of;

struct Case {
  std::string_view text;
  std::string_view expected;
};

TEST(Comments, BothDialectsAgreeOnCommonComments) {
  const Case cases[] = {
      {"# a=1\n  # b=2\n\t#c\nd=3", "d=3"},
      {"a=1 # x\nb=2\t# y", "a=1 | b=2"},
      {"a=x#y", "a=x#y"},  // '#' after a letter
      {"a = 1#INF", "a=1#INF"},
      {"\n\n  \na=1\n\t\n", "a=1"},
      {"\xEF\xBB\xBF"
       "a=1",
       "a=1"},                                 // a byte-order mark
      {"a=1\r\n# b\r\nc=2\r\n", "a=1 | c=2"},  // CR LF
      {"// c = 2", "// c=2"},                  // '//' does not begin a comment
      {"a = 1 // x", "a=1 // x"},
      {"a = 1 /* x */", "a=1 /* x */"},
      {"a = \"x#y\"", "a=x#y"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(settings_of(each.text), each.expected) << each.text;
    EXPECT_EQ(settings_of(each.text, as_cntk()), each.expected) << each.text;
  }
}

TEST(Comments, OfCntkDependOnTheFirstHashOfALine) {
  EXPECT_EQ(settings_of("a = \"x#y\" # c", as_cntk()), "# c=true | a=x#y");
  EXPECT_EQ(settings_of("a = 1#INF  # c", as_cntk()), "a=1#INF  # c");
  EXPECT_EQ(error_of([] { static_cast<void>(settings_of("d = \"p #q\"", as_cntk())); }),
            "a.cntk:1:5: error: expected a closing '\"', found the end of the text "
            "[config-bracket]");
}

TEST(Comments, DoNotBeginInsideQuotes) {
  EXPECT_EQ(settings_of("d = \"p #q\""), "d=p #q");
  EXPECT_EQ(settings_of("a = \"x#y\" # c"), "a=x#y");
  EXPECT_EQ(settings_of("a = 1#INF  # c"), "a=1#INF");
  EXPECT_EQ(settings_of("a = \"x\n# y\"\nb=1 # \"\nc=2"), "a=x\n# y | b=1 | c=2");
}

TEST(Comments, OfCntkAreRemovedFromValuesAgain) {
  // "#" after "x" keeps the line whole. Read on its own, the value contains a comment.
  const Config config = Config::from_text("s=\"x#y\"; f=\"/a #b/c\"", "a.cntk", as_cntk());
  EXPECT_EQ(config.root().get<std::string>("f"), "/a ");
  const std::vector<std::string> words = {"f=/a #b/c"};
  EXPECT_EQ(Config::from_words(words, as_cntk()).root().get<std::string>("f"), "/a ");
}

TEST(Comments, InWordsAreRemovedWithAWarning) {
  const std::vector<std::string> words = {"f=/a #b/c", "g=\"/a #b\""};
  const Config config = Config::from_words(words);
  EXPECT_EQ(config.root().get<std::string>("f"), "/a");
  EXPECT_EQ(config.root().get<std::string>("g"), "/a #b");
  EXPECT_EQ(warnings_of(config), std::vector<std::string>{"1:6 config-comment"});
}

TEST(Comments, UnicodeBlanksAreBlanksWithAWarning) {
  const std::string nbsp = "\xC2\xA0";
  const std::string text = "verbosity = 0 ;" + nbsp + "  randomize = false";
  EXPECT_EQ(settings_of(text), "randomize=false | verbosity=0");
  EXPECT_EQ(warnings_of(text), std::vector<std::string>{"1:16 config-blank"});
  // CNTK reads the byte as a letter of the key.
  EXPECT_EQ(settings_of(text, as_cntk()), "verbosity=0 | " + nbsp + "  randomize=false");
  EXPECT_EQ(warnings_of(text, as_cntk()),
            (std::vector<std::string>{"1:16 config-blank", "1:16 config-junk"}));
  // Also before a comment. In quotes, these bytes are text.
  EXPECT_EQ(settings_of("a = 1" + nbsp + "# c"), "a=1");
  EXPECT_EQ(settings_of("a = \"x" + nbsp + "y\""), "a=x" + nbsp + "y");
  EXPECT_EQ(warnings_of("a = \"x" + nbsp + "y\""), std::vector<std::string>{});
}

TEST(Comments, UnicodeBlanksWarnOnceALine) {
  for (const std::string_view blank :
       {"\xC2\xA0", "\xE2\x80\x89", "\xE3\x80\x80", "\xEF\xBB\xBF", "\xE2\x80\x8B", "\x0C"}) {
    const std::string b(blank);
    EXPECT_EQ(settings_of("a" + b + "=" + b + "1\nb=2"), "a=1 | b=2");
    EXPECT_EQ(warnings_of("a" + b + "=" + b + "1\nb=" + b + "2"),
              (std::vector<std::string>{"1:2 config-blank", "2:3 config-blank"}));
  }
}

TEST(Comments, AnUnclosedQuoteIsReportedAtItsStart) {
  EXPECT_EQ(error_of([] { static_cast<void>(settings_of("a = \"x\"\nb = \"y\nc = \"z\"\n")); }),
            "a.cntk:2:5: error: expected a closing '\"', found the end of the file "
            "[config-bracket]");
}

TEST(Comments, WarningsAreKeptUpToALimit) {
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "a\xC2\xA0=1\n";
  const Config config = Config::from_text(text, "a.cntk");
  EXPECT_EQ(std::ssize(config.warnings()), Config::kWarningsMax);
  EXPECT_EQ(config.warnings_left_out(), 500);
}

}  // namespace
}  // namespace sheaf
