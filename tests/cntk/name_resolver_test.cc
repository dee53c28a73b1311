#include "cntk/name_resolver.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cntk/config_text.h"
#include "cntk/name_syntax.h"

namespace sheaf {
namespace {

using testing::as_cntk;
using testing::elements_of;
using testing::error_of;
using testing::raw_settings;

struct NameCase {
  std::string_view text;
  std::string_view expected;
};

/// Returns the setting at the end of a path of sections, with its names replaced.
std::string value_of(std::string_view text, std::string_view section, std::string_view key,
                     const ConfigOptions& options = {}) {
  return Config::from_text(text, "a.cntk", options).section_at(section).get<std::string>(key);
}

TEST(Names, HaveSeveralSpellings) {
  const NameCase cases[] = {
      {"$D$", "D"},  {"$_d-1.x$", "_d-1.x"}, {"$1$", ""},    {"$$", ""},
      {"$a b$", ""}, {"$a\nb$", ""},         {"$a/b$", ""},  {"$a", ""},
      {"a$", ""},    {"$a:b$", ""},          {"$D$E$", "D"},
  };
  for (const NameCase& each : cases) {
    EXPECT_EQ(internal::name_at(each.text, 0).value_or(""), each.expected) << each.text;
  }
}

TEST(Names, AreReplaced) {
  const NameCase cases[] = {
      {"D=/data; f=$D$/x.txt", "/data/x.txt"},
      {"D=/data; f=\"$D$/x.txt\"", "/data/x.txt"},
      {"f=\"$d$/x\"; D=/data", "/data/x"},    // any case; defined later
      {"A=$B$; B=$C$-b; C=c; f=$A$", "c-b"},  // names lead to names
      {"A=1;B=2;f=$A$$B$", "12"},
      {"f=$1$ a$b c $$", "$1$ a$b c $$"},  // not names
      {"A=x;f=a$b $A$", "a$b x"},
      {"A=x;f=$$A$", "$x"},
  };
  for (const NameCase& each : cases) {
    EXPECT_EQ(value_of(each.text, "/", "f"), each.expected) << each.text;
    EXPECT_EQ(value_of(each.text, "/", "f", as_cntk()), each.expected) << each.text;
  }
}

TEST(Names, MayStandForSections) {
  const std::string text = "S=[x=1;y=2]\nT=[R=$S$]";
  EXPECT_EQ(value_of(text, "T/R", "y"), "2");
  EXPECT_EQ(value_of(text, "T/R", "y", as_cntk()), "2");
  EXPECT_EQ(value_of("S=[x=1]; Z=[y=2]; T=[R=$S$ $Z$]", "T/R", "y"), "2");
}

TEST(Names, MayStandForKeysAndSettings) {
  for (const ConfigOptions& options : {ConfigOptions(), as_cntk()}) {
    EXPECT_EQ(value_of("K=x; S=[$K$-1=7]", "S", "x-1", options), "7");
    EXPECT_EQ(value_of("O=\"x=1;y=2\"; S=[ $O$; z=3 ]", "S", "y", options), "2");
  }
}

TEST(Names, AreReplacedInTypedValues) {
  const Config config = Config::from_text("D=12; T=true; k=$D$; b=$T$; a=1:$D$", "a.cntk");
  EXPECT_EQ(config.root().get<std::int64_t>("k", 0), 12);
  EXPECT_TRUE(config.root().get<bool>("b", false));
  EXPECT_EQ(config.root().get<std::vector<double>>("a"), (std::vector<double>{1, 12}));
}

TEST(Names, OfArraysMayStandForSeveralElements) {
  EXPECT_EQ(elements_of("r=2:3; a=(1:$r$:4)"), "<1><2><3><4>");
  EXPECT_EQ(elements_of("r=2:3; a=(1:$r$:4)", as_cntk()), "<1><2><3><4>");
  EXPECT_EQ(elements_of("r=2:3; a=\"1:$r$\""), "<1><2><3>");
}

TEST(Names, AreSearchedAtTheRootThenFromTheInnermostSectionOutwards) {
  const std::string text = "a=root; T=[ a=t; b=t; R=[ a=r; b=r; c=r; f=$a$ $b$ $c$ ] ]";
  EXPECT_EQ(value_of(text, "T/R", "f"), "root r r");
  EXPECT_EQ(value_of("T=[ b=t; R=[ d=({ f=$b$ }) ] ]", "T/R/d@0", "f"), "t");
  // CNTK searches only the root.
  EXPECT_EQ(error_of([&] { static_cast<void>(value_of(text, "T/R", "f", as_cntk())); }),
            "a.cntk:1:48: error: expected a name that is defined, found \"$b$\" [config-name]");
}

TEST(Names, ASelfReferenceMeansTheOuterDefinition) {
  EXPECT_EQ(value_of("T=[ D=/a; R=[ D=$D$/b; f=$D$ ] ]", "T/R", "f"), "/a/b");
  EXPECT_EQ(value_of("labelDim=7; T=[ labelDim=$labelDim$ ]", "T", "labelDim"), "7");
  EXPECT_EQ(error_of([] { static_cast<void>(value_of("T=[ D=$D$ ]", "T", "D")); }),
            "a.cntk:1:7: error: expected a name that is defined, found \"$D$\" [config-name]");
}

TEST(Names, UndefinedNamesAreErrors) {
  const Config config = Config::from_text("DataDir=/x\nf=$DataDri$/a\ng=$Other$", "a.cntk");
  try {
    static_cast<void>(config.root().get<std::string>("f"));
    FAIL();
  } catch (const ConfigTextError& error) {
    EXPECT_STREQ(error.what(),
                 "a.cntk:2:3: error: expected a name that is defined, found \"$DataDri$\" "
                 "[config-name]\n"
                 "  f=$DataDri$/a\n"
                 "    ^~~~~~~~~\n"
                 "  did you mean $DataDir$?");
  }
  EXPECT_EQ(error_of([&] { static_cast<void>(config.root().get<std::string>("g")); }),
            "a.cntk:3:3: error: expected a name that is defined, found \"$Other$\" [config-name]");
}

TEST(Names, CyclesAreErrors) {
  const Config config =
      Config::from_text("A=$B$\nB=x$C$\nC=$A$\ndeviceId=$DeviceId$\nf=$A$", "a.cntk");
  try {
    static_cast<void>(config.root().get<std::string>("f"));
    FAIL();
  } catch (const ConfigTextError& error) {
    EXPECT_STREQ(error.what(),
                 "a.cntk:3:3: error: expected a name that does not lead back to itself, found "
                 "\"$A$\" [config-cycle]\n"
                 "  C=$A$\n"
                 "    ^~~\n"
                 "  /A -> /B -> /C -> /A");
  }
  try {
    static_cast<void>(config.root().get<std::string>("deviceId"));
    FAIL();
  } catch (const ConfigTextError& error) {
    EXPECT_EQ(error.diagnostic().hint, "a word DeviceId=... replaces this setting");
  }
  EXPECT_EQ(error_of([&] { static_cast<void>(config.root().get<std::string>("f")); }),
            "a.cntk:3:3: error: expected a name that does not lead back to itself, found \"$A$\" "
            "[config-cycle]");  // an error has no side effect
}

TEST(Names, MayReferToNamesUpToALimit) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text += "n" + std::to_string(i) + "=$n" + std::to_string(i + 1) + "$\n";
  }
  const Config config = Config::from_text(text, "a.cntk");
  EXPECT_EQ(error_of([&] { static_cast<void>(config.root().get<std::string>("n0")); }),
            "a.cntk:100:5: error: expected at most 100 names that lead to names, found one more "
            "[config-depth]");
}

TEST(Names, ExpandUpToALimit) {
  std::string text = "n0=xxxxxxxxxx\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "$n" + std::to_string(i - 1) + "$";
    text.append("n").append(std::to_string(i)).append("=").append(last).append(last).append("\n");
  }
  const Config config = Config::from_text(text, "a.cntk");
  EXPECT_EQ(error_of([&] { static_cast<void>(config.root().get<std::string>("n59")); }),
            "a.cntk:18:10: error: expected text of at most 1048576 bytes, found more, with names "
            "replaced [config-size]");
}

TEST(Names, ExpandUpToALimitTogether) {
  std::string text = "n=" + std::string(1'000'000, 'x') + "\n";
  for (int i = 0; i < 30; ++i) text += "f" + std::to_string(i) + "=$n$\n";
  const Config config = Config::from_text(text, "a.cntk");
  EXPECT_EQ(error_of([&] {
              for (const ConfigValue& value : config.root().settings()) {
                static_cast<void>(value.as<std::string>());
              }
            }),
            "a.cntk:25:5: error: expected texts of at most 16777216 bytes together, found more, "
            "with names replaced [config-size]");
}

// Each setting asks for a text that is too large. The cost is paid once, not for each setting.
TEST(Names, FailedReplacementsAreNotRepeated) {
  std::string text = "n0=xxxxxxxxxx\n";
  for (int i = 1; i < 18; ++i) {
    const std::string last = "$n" + std::to_string(i - 1) + "$";
    text.append("n").append(std::to_string(i)).append("=").append(last).append(last).append("\n");
  }
  for (int i = 0; i < 3000; ++i) text += "u" + std::to_string(i) + "=$n17$\n";
  const Config config = Config::from_text(text, "a.cntk");
  std::set<std::string> errors;
  for (const ConfigValue& value : config.root().settings()) {
    const std::string error = error_of([&] { static_cast<void>(value.as<std::string>()); });
    errors.insert(error.substr(std::min(error.find("expected"), error.find("no error"))));
  }
  EXPECT_EQ(errors, (std::set<std::string>{
                        "expected text of at most 1048576 bytes, found more, with names replaced "
                        "[config-size]",
                        "expected texts of at most 16777216 bytes together, found more, with names "
                        "replaced [config-size]",
                        "no error"}));
}

TEST(Names, FailedReplacementsCountTowardsTheLimit) {
  const std::string text = "long=" + std::string(1'000'000, 'x') + "$none$\n";
  const Config config = Config::from_text(text, "a.cntk");
  const auto ask = [&] {
    return error_of([&] { static_cast<void>(config.root().get<std::string>("long")); });
  };
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(ask(),
              "a.cntk:1:1000006: error: expected a name that is defined, found \"$none$\" "
              "[config-name]");
  }
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(ask(),
              "a.cntk:1:6: error: expected texts of at most 16777216 bytes together, found more, "
              "with names replaced [config-size]");
  }
}

TEST(Names, OfCntkMayNotStandForLinesOrEmptyText) {
  EXPECT_EQ(value_of("S=\"a\nb\"; f=$S$", "/", "f"), "a\nb");
  EXPECT_EQ(error_of([] { static_cast<void>(value_of("S=\"a\nb\"; f=$S$", "/", "f", as_cntk())); }),
            "a.cntk:2:7: error: expected a name for text of one line, found \"$S$\" [config-name]");
  EXPECT_EQ(value_of("S=\"\"; f=x$S$", "/", "f"), "x");
  EXPECT_EQ(error_of([] { static_cast<void>(value_of("S=\"\"; f=x$S$", "/", "f", as_cntk())); }),
            "a.cntk:1:10: error: expected a name that is defined, found \"$S$\" [config-name]");
}

TEST(Names, OfCntkAreReplacedBeforeTextIsSplit) {
  const std::string text = "L=\"a;b\"; S=[f=$L$]";
  EXPECT_EQ(value_of(text, "S", "f"), "a;b");
  EXPECT_EQ(value_of(text, "S", "f", as_cntk()), "a");
  EXPECT_EQ(value_of(text, "S", "b", as_cntk()), "true");
}

TEST(Names, AreNotReplacedInAListing) {
  const Config config = Config::from_text("S=[f=$L$/x]", "a.cntk", testing::as_written());
  EXPECT_EQ(raw_settings(config.section_at("S")), "f=$L$/x");
  EXPECT_EQ(config.section_at("S").get<std::string>("f"), "$L$/x");
}

TEST(Names, AnErrorShowsTheDefinitionAndTheUse) {
  const std::vector<std::string> words = {"labelDim=abc"};
  const Config config = Config::from_file(
      "a.cntk", words, testing::with_files({{"a.cntk", "T=[\n  dim = $labelDim$\n]"}}));
  try {
    static_cast<void>(config.section_at("T").get<std::int64_t>("dim"));
    FAIL();
  } catch (const ConfigTextError& error) {
    EXPECT_STREQ(error.what(),
                 "<words>:2:10: error: expected a whole number as /T/dim, found \"abc\" "
                 "[config-integer]\n"
                 "  labelDim=abc\n"
                 "           ^~~\n"
                 "  it stands for $labelDim$ at a.cntk:2:9");
  }
}

}  // namespace
}  // namespace sheaf
