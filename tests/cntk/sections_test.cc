#include "cntk/sections.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::as_cntk;
using testing::elements_of;
using testing::error_of;
using testing::raw_settings;
using testing::settings_of;
using testing::warnings_of;

struct SectionCase {
  std::string_view text;
  std::string_view expected;
};

std::string section_of(std::string_view text, std::string_view path,
                       const ConfigOptions& options = {}) {
  return raw_settings(Config::from_text(text, "a.cntk", options).section_at(path));
}

TEST(Settings, HaveKeysAndValues) {
  const SectionCase cases[] = {
      {"a = 1", "a=1"},
      {"\t a \t=\t 1 \t", "a=1"},
      {"10x10 dense.b = 1", "10x10 dense.b=1"},  // keys may begin with digits, and contain blanks
                                                 // and dots
      {"T.a=2", "T.a=2"},                        // not a path
      {"a = \"\"", "a="},
      {"a = \"  b c  \"", "a=b c"},  // also trimmed in quotes
      {"a = b c", "a=b c"},
      {"a = b = c", "a=b = c"},
      {"a == b", "a== b"},
      {"a = c:\\new\\t", "a=c:\\new\\t"},  // no escapes
      {"word", "word=true"},
      {"a \"b\"", "a=b"},  // '=' is optional before a bracket or quote
      {"a = ( 1 : 2 )", "a=( 1 : 2 )"},
      {"= 1", "=1"},
  };
  for (const SectionCase& each : cases) {
    EXPECT_EQ(settings_of(each.text), each.expected) << each.text;
    EXPECT_EQ(settings_of(each.text, as_cntk()), each.expected) << each.text;
  }
}

TEST(Settings, AreSortedIgnoringCase) {
  EXPECT_EQ(settings_of("b=1;C=2;a=3;_x=4;Z1=5"), "_x=4 | a=3 | b=1 | C=2 | Z1=5");
}

TEST(Settings, KeysIgnoreCase) {
  // The first setting gives the spelling, and the last one the value.
  EXPECT_EQ(settings_of("frameMode=1;FRAMEMODE=2"), "frameMode=2");
  EXPECT_EQ(Config::from_text("frameMode=Yes", "a").root().get<std::string>("framemode"), "Yes");
}

TEST(Settings, AMissingValueIsAnError) {
  const SectionCase cases[] = {
      {"a =", "a.cntk:1:1: error: expected a value for /a, found none [config-value]"},
      {"b=1\n stderr= # your log file",
       "a.cntk:2:2: error: expected a value for /stderr, found none [config-value]"},
      {"R =\n[ a=1 ]", "a.cntk:1:1: error: expected a value for /R, found none [config-value]"},
      {"S = [ R = ; ]", "a.cntk:1:7: error: expected a value for /S/R, found none [config-value]"},
  };
  for (const SectionCase& each : cases) {
    EXPECT_EQ(error_of([&] {
                static_cast<void>(Config::from_text(each.text, "a.cntk").section_at("S"));
              }),
              each.expected)
        << each.text;
  }
}

TEST(Settings, ALaterValueReplacesAnEarlierOne) {
  EXPECT_EQ(settings_of("a=1;a=2"), "a=2");
  EXPECT_EQ(settings_of("a=[x=1];a={y=2}"), "a={y=2}");
  EXPECT_EQ(settings_of("a=[x=1];a=(1:2)"), "a=(1:2)");
}

TEST(Settings, ASquareBracketIsMergedWithTheExistingSection) {
  EXPECT_EQ(settings_of("a=[x=1];a=[y=2]"), "a=[x=1] [y=2]");
  EXPECT_EQ(section_of("a=[x=1;y=1];a=[y=2]", "a"), "x=1 | y=2");
  EXPECT_EQ(section_of("a={x=1;y=1};a=[y=2]", "a"), "x=1 | y=2");
  EXPECT_EQ(section_of("T=[r=[f=1;g=1];h=1] T=[r=[f=2]]", "T/r"), "f=2 | g=1");
  // A name may refer to a section.
  EXPECT_EQ(section_of("R=[x=1;y=1];T=[a=$R$];T=[a=[y=2]]", "T/a"), "x=1 | y=2");
  EXPECT_EQ(warnings_of("R=[x=1];a=$R$;a=[y=2]"),
            std::vector<std::string>{"1:15 config-duplicate"});
  // If the value is not a section, CNTK makes nonsense; sheaf replaces the value.
  EXPECT_EQ(settings_of("a=x;a=[y=2]", as_cntk()), "a=x [y=2]");
  EXPECT_EQ(settings_of("a=x;a=[y=2]"), "a=[y=2]");
  EXPECT_EQ(warnings_of("a=x;a=[y=2]"), std::vector<std::string>{"1:7 config-merge"});
}

TEST(Settings, AreReadInLinearTime) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "a=[x=1];b c;";  // one line, merged sections, and junk
  const Config config = Config::from_text(text, "a.cntk");
  EXPECT_EQ(config.section_at("a").get<std::int64_t>("x"), 1);
  static_cast<void>(config.root().settings());
  EXPECT_EQ(std::ssize(config.warnings()), Config::kWarningsMax);
  EXPECT_GT(config.warnings_left_out(), 100'000);
}

TEST(Settings, RepeatedSettingsInOneFileAreWarnings) {
  EXPECT_EQ(warnings_of("a=1\nA=2"), std::vector<std::string>{"2:1 config-duplicate"});
  EXPECT_EQ(warnings_of("a=[x=1]\na=[y=2]"), std::vector<std::string>{"2:1 config-duplicate"});
  const std::vector<std::string> words = {"a=1", "a=2", "b"};  // words exist to override settings
  const Config config = Config::from_words(words);
  EXPECT_EQ(raw_settings(config.root()), "a=2 | b=true");
  EXPECT_EQ(warnings_of(config), std::vector<std::string>{});
}

TEST(Settings, JunkIsAWarning) {
  const SectionCase cases[] = {
      {"a = \"x#y\"# c", "1:10 config-junk"},  // text after the quote
      {"#x", ""},
      {"x#y = 1", "1:1 config-junk"},
      {"// c = 2", "1:1 config-junk"},
      {"d = [a=1]:[b=2]", "1:10 config-junk"},
      {"your log = 2", "1:1 config-junk"},
      {"= 2", "1:1 config-junk"},
      {"labelDim = 4 dim = 3", "1:14 config-junk"},  // two settings in one
      {"f = x,y", "1:7 config-junk"},
      {"word", "1:1 config-junk"},
      {"a = 1 // x", "1:7 config-comment"},
      {"a = 'x y'", "1:5 config-quote"},
      {"a = \xE2\x80\x9Cx\xE2\x80\x9D", "1:5 config-quote"},
      {"a = \"'x y'\"", ""},
      {"a = \"b c = d\"", ""},
      {"a = b=c", ""},
  };
  for (const SectionCase& each : cases) {
    std::string found;
    for (const std::string& warning : warnings_of(each.text)) {
      found += (found.empty() ? "" : " ") + warning;
    }
    EXPECT_EQ(found, each.expected) << each.text;
  }
}

TEST(Settings, UnusedSectionsAreNotParsed) {
  const Config config = Config::from_text("net=[ y = ; // x ] \n a=1", "a.cntk");
  EXPECT_EQ(config.root().get<std::int64_t>("a"), 1);
  EXPECT_EQ(warnings_of(config), std::vector<std::string>{});
  EXPECT_EQ(error_of([&] { static_cast<void>(config.root().at("net").section()); }),
            "a.cntk:1:7: error: expected a value for /net/y, found none [config-value]");
}

TEST(Sections, AreInSquareOrCurlyBrackets) {
  const Config config = Config::from_text("a=[x=1]\nb={x=2}\nc=(x=3)\nd=x\ne=\"[x=1]\"", "a.cntk");
  const ConfigSection root = config.root();
  EXPECT_EQ(root.at("a").section().get<std::int64_t>("x"), 1);
  EXPECT_EQ(root.at("b").section().get<std::int64_t>("x"), 2);
  EXPECT_FALSE(root.at("c").is_section());
  EXPECT_TRUE(root.at("c").is_array());
  EXPECT_EQ(error_of([&] { static_cast<void>(root.at("c").section()); }),
            "a.cntk:3:3: error: expected a section [ ... ] as /c, found \"(x=3)\" "
            "[config-section]");
  EXPECT_TRUE(root.at("d").is_scalar());
  EXPECT_TRUE(root.at("e").is_scalar());  // in quotes
}

TEST(Sections, NestingIsLimited) {
  std::string text = "x=1";
  for (int i = 0; i < 150; ++i) text = "a=[" + text + "]";
  Config config = Config::from_text(text, "a.cntk");
  ConfigSection section = config.root();
  for (int i = 0; i < 150; ++i) section = section.at("a").section();
  EXPECT_EQ(section.get<std::int64_t>("x"), 1);
}

TEST(Arrays, AreParsedAsCntkDoes) {
  const SectionCase cases[] = {
      {"a=1:2:3", "<1><2><3>"},
      {"a=(1:2:3)", "<1><2><3>"},
      {"a=[1:2:3]", "<1><2><3>"},
      {"a={1:2:3}", "<1><2><3>"},
      {"a=1", "<1>"},
      {"a=()", ""},
      {"a=(\n1\n2,3\n)", "<1><2><3>"},
      {"a=( 1 : 2 )", "<1><2>"},
      {"a=([x=1],[x=2])", "<[x=1]><[x=2]>"},
      {"a=([x=1]:\n{x=2})", "<[x=1]><{x=2}>"},
      {"a=([x=1]\n[x=2])", "<[x=1]><[x=2]>"},
      {"a=(1;2)", "<1;2>"},  // ';' does not separate elements
      {"a=0.1*2:0.01*3", "<0.1><0.1><0.01><0.01><0.01>"},
      {"a=(0.1 * 2)", "<0.1><0.1>"},
      {"a=(1*0:2:3*-1)", "<2>"},
      {"a=(\"c:\\x\":\"b\")", "<c:\\x><b>"},
      {"a=\"a:b\"", "<a><b>"},
      {"a=\"0.5:0.8\"", "<0.5><0.8>"},
      {"a=c:\\foo", "<c><\\foo>"},
      {"a=(;c:\\a.txt;c:\\b.txt)", "<c:\\a.txt><c:\\b.txt>"},
      {"a=((1:2):(3))", "<(1:2)><(3)>"},
      {"a=(x[1]:y)", "<x[1]><y>"},
  };
  for (const SectionCase& each : cases) {
    EXPECT_EQ(elements_of(each.text), each.expected) << each.text;
    EXPECT_EQ(elements_of(each.text, as_cntk()), each.expected) << each.text;
  }
}

TEST(Arrays, QuirksOfCntkAreKeptInItsDialect) {
  const SectionCase cases[] = {
      {"a=(1:2*:3)", "<1>"},           // an incomplete element and everything after it
      {"a=([x=1]*2)", "<[x=1]><><>"},  // brackets cannot be repeated
      {"a=(\"b*2\")", "<b><b>"},       // also in quotes
  };
  for (const SectionCase& each : cases) {
    EXPECT_EQ(elements_of(each.text, as_cntk()), each.expected) << each.text;
  }
  EXPECT_EQ(elements_of("a=(\"b*2\")"), "<b*2>");
  EXPECT_EQ(elements_of("a=(\"part-*.ctf\":\"x\")"), "<part-*.ctf><x>");
  EXPECT_EQ(elements_of("a=\"part-*.ctf\""), "<part-*.ctf>");
  EXPECT_EQ(error_of([] { static_cast<void>(elements_of("a=(1:2*:3)")); }),
            "a.cntk:1:6: error: expected VALUE*COUNT in /a, found \"2*\" [config-repeat]");
  EXPECT_EQ(error_of([] { static_cast<void>(elements_of("a=([x=1]*2)")); }),
            "a.cntk:1:9: error: expected VALUE*COUNT in /a, found \"*2\" [config-repeat]");
  EXPECT_EQ(error_of([] { static_cast<void>(elements_of("a=3*x")); }),
            "a.cntk:1:3: error: expected VALUE*COUNT in /a, found \"3*x\" [config-repeat]");
}

TEST(Arrays, HaveALimitedSize) {
  EXPECT_EQ(error_of([] { static_cast<void>(elements_of("a=1*9999999999")); }),
            "a.cntk:1:3: error: expected at most 200000 elements in all arrays as /a, found more "
            "[config-size]");
}

TEST(Arrays, OfSectionsNeedParentheses) {
  const Config config = Config::from_text("d={type=\"T\"; x=1}\ne=({x=1}:{x=2})\nf=(1)", "a.cntk");
  EXPECT_EQ(error_of([&] { static_cast<void>(config.root().at("d").sections()); }),
            "a.cntk:1:3: error: expected an array of sections as /d, found a section "
            "[config-array]");
  const std::vector<ConfigSection> sections = config.root().at("e").sections();
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[1].get<std::int64_t>("x"), 2);
  EXPECT_EQ(sections[1].path(), "/e@1");
  EXPECT_EQ(error_of([&] { static_cast<void>(config.root().at("f").sections()); }),
            "a.cntk:3:4: error: expected a section [ ... ] as /f@0, found \"1\" [config-section]");
}

TEST(Arrays, ElementsInheritNothing) {
  const Config config = Config::from_text("x=1; R=[x=2; d=({y=1}); e={y=1}]", "a.cntk");
  const ConfigSection reader = config.root().at("R").section();
  EXPECT_FALSE(reader.at("d").sections()[0].has("x"));
  EXPECT_EQ(reader.at("e").section().get<std::int64_t>("x"), 2);
}

TEST(Sections, TheNumberOfAllSettingsIsLimited) {
  std::string text = "S=[";
  for (int i = 0; i < 120'000; ++i) text += "k" + std::to_string(i) + ";";
  const Config config = Config::from_text(text + "]\nT=$S$\n", "a.cntk");
  EXPECT_EQ(config.section_at("S").settings().size(), 120'000U);
  const std::string error = error_of([&] { static_cast<void>(config.section_at("T")); });
  EXPECT_EQ(error.substr(error.find("expected")),
            "expected at most 200000 settings in all sections, found more [config-size]");
}

// A listing has the path of its section in each line.
TEST(Sections, PathsHaveALimitedSize) {
  const auto nested = [](std::size_t key_size) {
    return std::string(key_size, 'a') + "=[" + std::string(499, 'b') + "=[c=1]]";
  };
  const std::string path = std::string(499, 'a') + '/' + std::string(499, 'b');
  EXPECT_EQ(section_of(nested(499), path), "c=1");
  EXPECT_EQ(error_of([&] { static_cast<void>(section_of(nested(500), 'a' + path)); }).substr(0, 41),
            "a.cntk:1:1003: error: expected a path of ");
}

}  // namespace
}  // namespace sheaf
