#include "cntk/record_splitter.h"

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

struct RecordCase {
  std::string_view text;
  std::string_view expected;
};

// Each case gives the result of CNTK's own parser.
TEST(RecordSplitter, SplitsTextAsCntkDoes) {
  const RecordCase cases[] = {
      {"a=1\nb=2\r\nc=3", "a=1 | b=2 | c=3"},
      {"a=1;b=2,c=3", "a=1 | b=2 | c=3"},
      {";;, a=1 ;; ;\n\n b=2;", "a=1 | b=2"},
      {"[a=1;b=2]", "a=1 | b=2"},               // brackets around everything
      {"[a=1] [b=2]{c=3}", "a=1 | b=2 | c=3"},  // brackets around parts
      {"[a=1];b=2", "a=1 | b=2"},
      {"labelDim = 4 dim = 3", "labelDim=4 dim = 3"},
      {"[a = \"1\" b = \"2\"]", "a=1 | b=2"},
      {"[a = [x=1] b = [y=2]]", "a=[x=1] | b=[y=2]"},
      {"f = x,y", "f=x | y=true"},
      {"f = C:\\a b;c.txt", "c.txt=true | f=C:\\a b"},
      {"g = /p(x)/q.txt", "/q.txt=true | g=/p(x)"},
      {"f = \"a\"b", "b=true | f=a"},
      {"f = a \"b c\" d", "d=true | f=a \"b c\""},
      {"f = 'x y'", "f='x y'"},
      {"f = 'x; y'", "f='x | y'=true"},
      {"R [ a=1 ]", "R=[ a=1 ]"},
      {"S{b=2}", "S={b=2}"},
      {"transforms ( {..} )", "transforms=( {..} )"},
      {"d = [a=1]:[b=2]", ":=[b=2] | d=[a=1]"},
      {"a = 10:\"x y\":1.25", ":1.25=true | a=10:\"x y\""},
      {"a = \"x\ny;z\"", "a=x\ny;z"},     // quotes may contain anything but '"'
      {"a = [x=\"]\"]", "a=[x=\"]\"]"},   // brackets in quotes are text
      {"[x=1; [y=2] ]", "=[y=2] | x=1"},  // an inner bracket without a key
      {"[\"a=1\"; b=2]", "a=1 | b=2"},    // inner quotes without a key
      {"\"a=1;b=2\"", "a=1 | b=2"},       // quotes around everything act as brackets
      {"a=1 ] b", "a=1 ] b"},             // an unmatched bracket is a letter
      {"", ""},
      {" \t\r\n", ""},
  };
  for (const RecordCase& each : cases) {
    EXPECT_EQ(settings_of(each.text), each.expected) << each.text;
    EXPECT_EQ(settings_of(each.text, as_cntk()), each.expected) << each.text;
  }
}

TEST(RecordSplitter, TheFirstCharacterOfAGroupMayBeItsSeparator) {
  const RecordCase cases[] = {
      {"[_x=1]", "x=1"},
      {"[$D$=1]", "D$=1"},  // does not split the key
      {"[|x=1;2|y=3]", "x=1;2 | y=3"},
      {"[|x=1,y=3]", "x=1 | y=3"},           // commas split nevertheless
      {"[|x=1]a=2;b=3", "a=2 | b=3 | x=1"},  // the split ends with its group
      {"[../x=1]", "../x=1"},                // paths begin like this
      {"[./x=1]", "./x=1"},
      {"[.\\x=1]", ".\\x=1"},
      {"[\\\\x=1]", "\\\\x=1"},
      {"[ _x=1]", "_x=1"},
  };
  for (const RecordCase& each : cases) {
    EXPECT_EQ(settings_of(each.text, testing::as_written()), each.expected) << each.text;
  }
  using Codes = std::vector<std::string>;
  EXPECT_EQ(warnings_of("[_x=1]"), Codes{"1:2 config-separator"});
  EXPECT_EQ(warnings_of("[|x=1]"), Codes{});
  EXPECT_EQ(warnings_of("[;x=1]"), Codes{});
  EXPECT_EQ(warnings_of("[,x=1]"), Codes{});
  EXPECT_EQ(warnings_of("[:x=1]"), Codes{});
}

TEST(RecordSplitter, ANameIsNoSeparator) {
  EXPECT_EQ(settings_of("D=x\nS=[$D$=1]"), "D=x | S=[$D$=1]");
  const Config config = Config::from_text("D=x\nS=[$D$=1]", "a.cntk");
  EXPECT_EQ(testing::raw_settings(config.root().at("S").section()), "x=1");
}

TEST(RecordSplitter, MismatchedBracketsAreErrors) {
  const RecordCase cases[] = {
      {"a=[x=1\nb=2\n",
       "a.cntk:1:3: error: expected a closing ']', found the end of the text "
       "[config-bracket]"},
      {"a=(x=1]", "a.cntk:1:7: error: expected ')', found ']' [config-bracket]"},
      {"a=[\n{]\n}", "a.cntk:2:2: error: expected '}', found ']' [config-bracket]"},
      {"a=[ \"x ]",
       "a.cntk:1:5: error: expected a closing '\"', found the end of the text "
       "[config-bracket]"},
  };
  for (const RecordCase& each : cases) {
    EXPECT_EQ(error_of([&] { static_cast<void>(settings_of(each.text, as_cntk())); }),
              each.expected)
        << each.text;
  }
}

TEST(RecordSplitter, AnUnopenedBracketIsAWarning) {
  EXPECT_EQ(warnings_of("a=[x=1]\n]\nb=2"), std::vector<std::string>{"2:1 config-bracket"});
}

TEST(RecordSplitter, IndentationLocatesAMissingBracket) {
  const std::string text = "T = [\n  reader = [\n    x = ( 1 )\n]\n";
  try {
    static_cast<void>(settings_of(text));
    FAIL();
  } catch (const ConfigTextError& error) {
    EXPECT_EQ(error.diagnostic().line, 1);
    EXPECT_EQ(error.diagnostic().hint,
              "']' at a.cntk:4:1 closes the one at a.cntk:2:12, and is indented differently");
  }
}

TEST(RecordSplitter, TextAfterABracketIsAWarning) {
  EXPECT_EQ(warnings_of("f = \"a\"b"), std::vector<std::string>{"1:8 config-junk"});
  EXPECT_EQ(warnings_of("a = [x=1]b = 2"), std::vector<std::string>{"1:10 config-junk"});
  EXPECT_EQ(warnings_of("a = \"1\" b = [c=[x=1]] d=3"), std::vector<std::string>{});
}

TEST(RecordSplitter, DeepNestingIsAnError) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(error_of([&] { static_cast<void>(settings_of("a=" + deep)); }),
            "a.cntk:1:203: error: expected at most 200 brackets in each other, found one more "
            "[config-depth]");
  const std::string allowed = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(settings_of("a=" + allowed), "a=" + allowed);
}

}  // namespace
}  // namespace sheaf
