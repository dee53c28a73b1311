#include "sheaf/extend/config.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::as_cntk;
using testing::error_of;
using testing::raw_settings;
using testing::warnings_of;

Config config_of(std::string_view text) { return Config::from_text(text, "a.cntk"); }

TEST(ConfigLookup, SearchesFromTheInnermostSectionOutwards) {
  const Config config = config_of("a=1;b=1\nT=[b=2;c=2;R=[c=3]]");
  const ConfigSection reader = config.section_at("T/R");
  EXPECT_EQ(reader.get<std::int64_t>("a"), 1);
  EXPECT_EQ(reader.get<std::int64_t>("B"), 2);
  EXPECT_EQ(reader.get<std::int64_t>("c"), 3);
  EXPECT_TRUE(reader.has("a"));
  EXPECT_FALSE(reader.has_here("a"));
  EXPECT_TRUE(reader.has_here("c"));
  EXPECT_FALSE(reader.find("d").has_value());
  EXPECT_EQ(reader.get<std::int64_t>("d", 7), 7);
}

TEST(ConfigLookup, DefaultEndsTheSearch) {
  const Config config = config_of("a=1\nT=[a=default;b=Default;c=\"default\"]");
  const ConfigSection section = config.section_at("T");
  EXPECT_FALSE(section.has("a"));
  EXPECT_EQ(section.get<std::int64_t>("a", 7), 7);
  EXPECT_TRUE(section.has("b"));
  EXPECT_FALSE(section.has("c"));
  EXPECT_EQ(error_of([&] { static_cast<void>(section.at("a")); }),
            "a.cntk:2:3: error: expected the setting a in /T, found none [config-missing]");
}

TEST(ConfigLookup, RequiredSettingsMayNotBeEmpty) {
  const Config config = config_of("T=[fille=x; e=\"\"; b=\"\"]");
  const ConfigSection section = config.section_at("T");
  EXPECT_EQ(error_of([&] { static_cast<void>(section.at("e")); }),
            "a.cntk:1:15: error: expected the setting e as /T/e, found an empty one "
            "[config-missing]");
  EXPECT_FALSE(section.get<bool>("b", true));
  EXPECT_EQ(section.get<std::string>("b", "x"), "");
  try {
    static_cast<void>(section.at("file"));
    FAIL();
  } catch (const ConfigTextError& error) {
    EXPECT_EQ(error.diagnostic().hint, "there is fille; did you mean that?");
  }
}

TEST(ConfigValues, AreConvertedToTypes) {
  const Config config = config_of("b=T;i=12;d=0x10;s=a b;l=1*2:3;m=true:0");
  const ConfigSection root = config.root();
  EXPECT_TRUE(root.get<bool>("b"));
  EXPECT_EQ(root.get<std::int64_t>("i"), 12);
  EXPECT_EQ(root.get<double>("d"), 16);
  EXPECT_EQ(root.get<float>("d"), 16.0F);
  EXPECT_EQ(root.get<std::string>("s"), "a b");
  EXPECT_EQ(root.get<std::vector<std::int64_t>>("l"), (std::vector<std::int64_t>{1, 1, 3}));
  EXPECT_EQ(root.get<std::vector<bool>>("m"), (std::vector<bool>{true, false}));
  EXPECT_EQ(root.get<std::vector<std::string>>("none", {"x"}), std::vector<std::string>{"x"});
}

TEST(ConfigValues, OfTheWrongTypeAreErrors) {
  const Config config = config_of("T=[b=yes;i=1.0;d=1,5;f=1e300;l=1:x;c=-1]");
  const ConfigSection s = config.section_at("T");
  EXPECT_EQ(error_of([&] { static_cast<void>(s.get<bool>("b", true)); }),
            "a.cntk:1:6: error: expected true or false as /T/b, found \"yes\" [config-bool]");
  EXPECT_EQ(error_of([&] { static_cast<void>(s.get<std::int64_t>("i")); }),
            "a.cntk:1:12: error: expected a whole number as /T/i, found \"1.0\" [config-integer]");
  EXPECT_EQ(s.get<double>("d"), 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(s.get<float>("f")); }),
            "a.cntk:1:24: error: expected a number of 32 bits as /T/f, found \"1e300\" "
            "[config-number]");
  EXPECT_EQ(error_of([&] { static_cast<void>(s.get<std::vector<double>>("l")); }),
            "a.cntk:1:34: error: expected a number as /T/l@1, found \"x\" [config-number]");
  EXPECT_EQ(error_of([&] { static_cast<void>(s.at("c").as_count()); }),
            "a.cntk:1:38: error: expected a whole number of at least 0 as /T/c, found \"-1\" "
            "[config-integer]");
  EXPECT_EQ(error_of([&] { static_cast<void>(s.at("c").as_count(1, 9)); }),
            "a.cntk:1:38: error: expected a whole number from 1 to 9 as /T/c, found \"-1\" "
            "[config-integer]");
  EXPECT_EQ(s.at("c").as_count(-1), -1);
  EXPECT_EQ(error_of([&] { static_cast<void>(config_of("a\nword").root().get<double>("word")); }),
            "a.cntk:2:1: error: expected a number as /word, found \"true\" [config-number]");
}

TEST(ConfigValues, KnowTheirLocation) {
  const Config config = config_of("a=1\nT=[\n  file = \"x\"\n  word\n  d=({t=1}:\n{t=2})\n]");
  const ConfigSection section = config.section_at("T");
  const auto location = [](const ConfigValue& value) {
    return std::to_string(value.location().line) + ':' + std::to_string(value.location().column);
  };
  EXPECT_EQ(location(section.at("file")), "3:10");
  EXPECT_EQ(location(section.at("word")), "4:3");
  EXPECT_EQ(location(section.at("d").sections()[1].at("t")), "6:4");
  EXPECT_EQ(section.at("d").sections()[1].at("t").path(), "/T/d@1/t");
  EXPECT_EQ(section.location().line, 2);
  EXPECT_EQ(section.at("file").location().byte_offset, 17);
}

TEST(ConfigValues, KeepTheirLocationThroughMergesAndNames) {
  const std::vector<std::string> words = {"T=[x=1;R=[y=2]]"};
  const Config config = Config::from_file(
      "a.cntk", words,
      testing::with_files({{"a.cntk", "S=[\n  z=3\n]\nT=[\n  x=0\n  R=[ y=0; q=0 ]\n  P=$S$ ]"}}));
  const ConfigSection section = config.section_at("T");
  EXPECT_EQ(section.at("x").location(),
            (ConfigLocation{.path = "<words>", .line = 2, .column = 6, .byte_offset = 5}));
  EXPECT_EQ(section.at("R").section().at("y").location().path, "<words>");
  EXPECT_EQ(section.at("R").section().at("q").location(),
            (ConfigLocation{.path = "a.cntk", .line = 6, .column = 14, .byte_offset = 35}));
  EXPECT_EQ(section.at("P").section().at("z").location(),
            (ConfigLocation{.path = "a.cntk", .line = 2, .column = 5, .byte_offset = 8}));
}

TEST(ConfigValues, CanBeRefusedByTheCaller) {
  const Config config = config_of("T=[format=\"spares\"]");
  const ConfigValue value = config.section_at("T").at("format");
  try {
    value.refuse("dense or sparse", "did you mean sparse?");
    FAIL();
  } catch (const ConfigTextError& error) {
    EXPECT_STREQ(error.what(),
                 "a.cntk:1:12: error: expected dense or sparse as /T/format, found \"spares\" "
                 "[config-value]\n"
                 "  T=[format=\"spares\"]\n"
                 "             ^~~~~~\n"
                 "  did you mean sparse?");
  }
  value.warn("old", "a newer word");
  EXPECT_EQ(warnings_of(config), std::vector<std::string>{"1:12 config-old"});
}

TEST(ConfigUnused, ListsSettingsThatWereNotRead) {
  const Config config = config_of(
      "D=/x;E=/y\nT=[reader=[file=$D$;radnomize=1;input=[A=[dim=3;dimm=4]];d=({x=1;y=2})]"
      ";SGD=[a=1]]");
  const ConfigSection reader = config.section_at("T/reader");
  static_cast<void>(reader.get<std::string>("file"));
  static_cast<void>(reader.get<bool>("randomize", true));
  static_cast<void>(reader.at("input").section().at("A").section().get<std::int64_t>("dim"));
  static_cast<void>(reader.at("d").sections()[0].get<std::int64_t>("x"));
  std::string unused;
  for (const ConfigValue& value : reader.unused()) unused += value.path() + ' ';
  EXPECT_EQ(unused, "/T/reader/d@0/y /T/reader/input/A/dimm /T/reader/radnomize ");
  reader.warn_unused(std::vector<std::string_view>{"Y"});
  ASSERT_EQ(config.warnings().size(), 2U);
  EXPECT_EQ(to_string(config.warnings()[1]).substr(0, 90),
            "a.cntk:2:21: warning: expected a setting that /T/reader knows, found \"radnomize\" "
            "[config-u");
  EXPECT_EQ(config.warnings()[1].hint, "did you mean randomize?");
  EXPECT_EQ(config.warnings()[0].hint, "did you mean dim?");
}

TEST(ConfigUnused, ReplacedNamesCountAsRead) {
  const Config config = config_of("D=/x;E=/y;f=$D$");
  static_cast<void>(config.root().get<std::string>("f"));
  ASSERT_EQ(config.root().unused().size(), 1U);
  EXPECT_EQ(config.root().unused()[0].key(), "E");
}

TEST(ConfigData, IsNeverParsedAsText) {
  const std::string file = " /data/a(b);c,[d{ \"e\" #f $x$\n";
  const Config config =
      Config::from_data({{"file", file},
                         {"randomize", false},
                         {"seed", std::int64_t{1} << 60},
                         {"rate", 0.1},
                         {"input", ConfigData::Members{{"B", ConfigData::Members{{"dim", 3}}},
                                                       {"a", ConfigData::Members{{"dim", 4}}}}},
                         {"list", ConfigData::List{"a:b", "c*2"}},
                         {"deserializers", ConfigData::List{ConfigData::Members{{"file", file}}}}});
  const ConfigSection root = config.root();
  EXPECT_EQ(root.get<std::string>("file"), file);
  EXPECT_FALSE(root.get<bool>("randomize", true));
  EXPECT_EQ(root.get<std::int64_t>("seed"), std::int64_t{1} << 60);
  EXPECT_EQ(root.get<double>("rate"), 0.1);
  EXPECT_EQ(root.get<std::vector<std::string>>("list"), (std::vector<std::string>{"a:b", "c*2"}));
  EXPECT_EQ(root.get<std::vector<std::string>>("file"), std::vector<std::string>{file});
  const ConfigSection input = root.at("input").section();
  EXPECT_EQ(input.settings()[0].key(), "a");  // in text order
  EXPECT_EQ(input.at("b").section().get<std::int64_t>("dim"), 3);
  EXPECT_EQ(root.at("deserializers").sections()[0].get<std::string>("file"), file);
  EXPECT_TRUE(root.at("input").is_section());
  EXPECT_TRUE(root.at("list").is_array());
}

TEST(ConfigData, PathsStartAtTheFolderThatTheCallerNames) {
  const Config config = Config::from_data({{"a", "b.txt"}, {"c", "/d.txt"}}, "/data");
  EXPECT_EQ(config.directory(), "/data");
  EXPECT_EQ(config.root().at("a").as_path(), "/data/b.txt");
  EXPECT_EQ(config.root().at("c").as_path(), "/d.txt");
  EXPECT_EQ(Config::from_data({{"a", "b.txt"}}).root().at("a").as_path(), "b.txt");
}

TEST(ConfigData, ErrorsNameThePath) {
  const Config config = Config::from_data(
      {{"input", ConfigData::Members{{"A", ConfigData::Members{{"dim", "x"}, {"b", 1.5}}}}}});
  const ConfigSection section = config.section_at("input/A");
  EXPECT_EQ(error_of([&] { static_cast<void>(section.get<std::int64_t>("dim")); }),
            "<code>: error: expected a whole number as /input/A/dim, found \"x\" [config-integer]");
  EXPECT_EQ(error_of([&] { static_cast<void>(section.get<std::int64_t>("b")); }),
            "<code>: error: expected a whole number as /input/A/b, found 1.5 [config-integer]");
  EXPECT_EQ(error_of([&] { static_cast<void>(section.at("format")); }),
            "<code>: error: expected the setting format in /input/A, found none [config-missing]");
  EXPECT_EQ(section.at("dim").location(), ConfigLocation{.path = "<code>"});
  EXPECT_EQ(error_of([] {
              static_cast<void>(Config::from_data({{"a", 1}, {"A", 2}}));
            }),
            "/A: the setting is there twice");
}

TEST(ConfigData, CanBeSetInAParsedConfig) {
  const Config config = config_of("S=[a=1;T=[b=2]]");
  ConfigSection section = config.section_at("S");
  const ConfigValue before = section.at("a");
  section.set("A", "x;y");
  section.set("c", 7);
  section.at("T").section().set("b", ConfigData::List{1, 2});
  EXPECT_EQ(section.get<std::string>("a"), "x;y");
  EXPECT_EQ(section.at("a").key(), "a");
  EXPECT_EQ(before.raw(), "1");  // a section handed out earlier does not change
  EXPECT_EQ(section.get<std::int64_t>("c"), 7);
  EXPECT_EQ(config.section_at("S/T").get<std::vector<std::int64_t>>("b"),
            (std::vector<std::int64_t>{1, 2}));
}

TEST(ConfigData, CanDefineNames) {
  const Config config = config_of("f=$D$/x");
  config.root().set("D", "/a;b");
  EXPECT_EQ(config.root().get<std::string>("f"), "/a;b/x");
}

// Properties.

/// Visits everything in a section. Errors in the configuration are allowed, and nothing else.
std::int64_t walk(const ConfigSection& section) {
  std::int64_t count = 0;
  for (const ConfigValue& value : section.settings()) {
    ++count;
    static_cast<void>(value.location());
    try {
      if (value.is_section()) {
        count += walk(value.section());
      } else {
        for (const ConfigValue& element : value.elements()) {
          if (element.is_section()) count += walk(element.section());
        }
      }
      static_cast<void>(value.as<std::string>());
    } catch (const ConfigTextError& error) {
      RC_ASSERT(!error.diagnostic().expected.empty());
    }
  }
  return count;
}

/// Returns random text from the elements of configurations.
rc::Gen<std::string> made_up_text() {
  const auto letter = rc::gen::elementOf(std::string("ab=;:,[]{}()\"#$ \n\t*.|1\xC2\xA0"));
  return rc::gen::container<std::string>(letter);
}

RC_GTEST_PROP(ConfigProperty, AnyTextIsParsedOrRefused, ()) {
  const std::string text = *rc::gen::scale(3.0, made_up_text());
  for (const ConfigOptions& options : {ConfigOptions(), as_cntk(), testing::as_written()}) {
    try {
      RC_ASSERT(walk(Config::from_words(std::vector<std::string>{text}, options).root()) >= 0);
    } catch (const ConfigTextError& error) {
      RC_ASSERT(!error.diagnostic().expected.empty());
    } catch (const IoError&) {  // the text names a file
    }
  }
}

RC_GTEST_PROP(ConfigProperty, AnyBytesAreParsedOrRefused, (const std::string& text)) {
  for (const ConfigOptions& options : {ConfigOptions(), as_cntk()}) {
    try {
      RC_ASSERT(walk(Config::from_text(text, "a.cntk", options).root()) >= 0);
    } catch (const ConfigTextError&) {
    } catch (const IoError&) {
    }
  }
}

/// Returns a random value that quotes can hold.
rc::Gen<std::string> made_up_value() {
  const auto letter = rc::gen::elementOf(std::string("ab=;:,[]{}()# \n\t*.|1\\/'"));
  return rc::gen::map(rc::gen::container<std::string>(letter), [](std::string text) {
    const auto is_blank = [](char byte) { return byte == ' ' || byte == '\t'; };
    while (!text.empty() && is_blank(text.back())) text.pop_back();
    while (!text.empty() && is_blank(text.front())) text.erase(0, 1);
    return text;
  });
}

RC_GTEST_PROP(ConfigProperty, QuotedTextIsUnchanged, ()) {
  const std::string value = *made_up_value();
  std::string text = "# one\nS = [ a = \"" + value + "\" # two\n T = { b = \"" + value + "\" }\n]";
  const Config config = Config::from_text(text, "a.cntk");
  RC_ASSERT(config.section_at("S").get<std::string>("a", "none") == value);
  RC_ASSERT(config.section_at("S/T").get<std::string>("b", "none") == value);
  const ConfigLocation location = config.section_at("S").find("a")->location();
  RC_ASSERT(text[static_cast<std::size_t>(location.byte_offset)] == '"');
}

}  // namespace
}  // namespace sheaf
