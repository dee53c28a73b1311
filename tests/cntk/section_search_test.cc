// Finds sections by path, and sections of readers.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::error_of;
using testing::warnings_of;

std::vector<std::string> readers_of(std::string_view text) {
  std::vector<std::string> paths;
  const Config config = Config::from_text(text, "a.cntk");
  for (const ConfigSection& section : config.reader_sections()) paths.push_back(section.path());
  return paths;
}

TEST(SectionSearch, FindsSectionsByPath) {
  const Config config = Config::from_text("Train=[reader=[d=({x=1}:{x=2});a@b=[x=3]]]", "a.cntk");
  EXPECT_EQ(config.section_at("").path(), "/");
  EXPECT_EQ(config.section_at("/").path(), "/");
  EXPECT_EQ(config.section_at("train/READER").path(), "/Train/reader");
  EXPECT_EQ(config.section_at("/Train/reader/d@1").get<std::int64_t>("x"), 2);
  EXPECT_EQ(config.section_at("Train/reader/a@b").get<std::int64_t>("x"), 3);
}

TEST(SectionSearch, RefusesUnknownPaths) {
  const Config config = Config::from_text("Train=[reader=[d=({x=1})]]\nTest=1", "a.cntk");
  EXPECT_EQ(error_of([&] { static_cast<void>(config.section_at("Train/raeder")); }),
            "a.cntk:1:7: error: expected the section raeder in /Train, found none "
            "[config-missing]");
  try {
    static_cast<void>(config.section_at("Train/raeder"));
  } catch (const ConfigTextError& error) {
    EXPECT_EQ(error.diagnostic().hint, "did you mean reader?");
  }
  EXPECT_EQ(error_of([&] { static_cast<void>(config.section_at("Train/reader/d@1")); }),
            "a.cntk:1:18: error: expected an element 1 as /Train/reader/d, found 1 elements "
            "[config-missing]");
  EXPECT_EQ(error_of([&] { static_cast<void>(config.section_at("Test")); }),
            "a.cntk:2:6: error: expected a section [ ... ] as /Test, found \"1\" "
            "[config-section]");
}

TEST(SectionSearch, FindsReaderSections) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(readers_of("T=[reader=[x=1];cvREADER=[x=1];y=[x=1]]"),
            (Paths{"/T/cvREADER", "/T/reader"}));
  EXPECT_EQ(readers_of("T=[a=[readerType=X];b=[deserializers=()];c=[q=[readertype=Y]]]"),
            (Paths{"/T/a", "/T/b", "/T/c/q"}));
  EXPECT_EQ(readers_of("T=[reader=[reader=[x=1]]]"), Paths{"/T/reader"});
  EXPECT_EQ(readers_of("T=[SimpleNetworkBuilder=[reader=[x=1]];SGD=[reader=[x=1]]]"), Paths{});
  EXPECT_EQ(readers_of("reader=5;a=$unknown$"), Paths{});
  EXPECT_EQ(readers_of("reader=$R$;R=[x=1]"), Paths{"/reader"});
}

TEST(SectionSearch, WarnsAboutSectionsAroundReadersButNotAboutNetworks) {
  const Config config =
      Config::from_text("a=1;a=2\nndl=[x=1 // y]\nT=[b=1;b=2;reader=[x=1]]", "a.cntk");
  EXPECT_EQ(config.reader_sections().size(), 1U);
  EXPECT_EQ(warnings_of(config),
            (std::vector<std::string>{"3:8 config-duplicate", "1:5 config-duplicate"}));
}

}  // namespace
}  // namespace sheaf
