#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "support/text_data.h"

namespace sheaf {
namespace {

using testing::error_of;

constexpr std::array<std::string_view, 3> kModes = {"fast", "slow", "none"};
constexpr std::array<std::string_view, 1> kFlags = {"on"};
constexpr FormatOption kMode = {"rows.mode", kModes, "how rows are read"};
constexpr std::array kOptions = {kMode, FormatOption{"rows.flag", kFlags, "always on"}};

TEST(FormatOptions, TheFirstValueIsTheDefault) {
  EXPECT_EQ(value_of(kMode, {}), "fast");
  EXPECT_EQ(value_of(kMode, {{"rows.flag", "on"}}), "fast");
  EXPECT_EQ(value_of(kMode, {{"rows.mode", "none"}}), "none");
  EXPECT_EQ(error_of<ConfigError>([] {
              static_cast<void>(value_of(kMode, {{"rows.mode", "Slow"}}));
            }),
            "rows.mode: expected fast, slow or none, found \"Slow\"");
}

TEST(FormatOptions, MayAcceptAnyText) {
  static constexpr std::array<std::string_view, 2> kValues = {"none", "COUNT"};
  constexpr FormatOption kSize = {"rows.size", kValues, "how many rows", true};
  EXPECT_EQ(value_of(kSize, {}), "none");
  const std::map<std::string, std::string> given = {{"rows.size", "12"}};
  EXPECT_EQ(value_of(kSize, given), "12");
  check_format_options("rows", std::array{kSize}, given);
  const std::map<std::string, std::string> nothing = {{"rows.size", ""}};
  EXPECT_EQ(value_of(kSize, nothing), "");
}

TEST(FormatOptions, PathOptionsAreFoundAmongTheGivenOptions) {
  std::map<std::string, std::string> given = {
      {"libsvm.base", "0"}, {"mlf.gap", "a/b"}, {"mlf.states", "s.list"}, {"x", "y"}};
  const std::vector<std::string*> paths = paths_among(given);
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0], &given.at("mlf.states"));
  given["mlf.states"] = "";
  EXPECT_TRUE(paths_among(given).empty()) << "the default is no path";
  EXPECT_TRUE(paths_among(given, {}).empty());
}

TEST(FormatOptions, UnknownOptionsAreRefusedWithASuggestion) {
  const auto refused = [](std::string name, std::string value, std::string_view use = {}) {
    return error_of<ConfigError>([&] {
      check_format_options("rows", kOptions, {{name, value}}, use);
    });
  };
  check_format_options("rows", kOptions, {{"rows.mode", "slow"}, {"rows.flag", "on"}});
  check_format_options("rows", {}, {});
  EXPECT_EQ(refused("rows.mod", "slow"),
            "extra: rows has no option \"rows.mod\"; it has rows.mode, rows.flag; did you mean "
            "rows.mode?");
  EXPECT_EQ(refused("x", "", "for writing"),
            "extra: rows has no option \"x\" for writing; it has rows.mode, rows.flag");
  EXPECT_EQ(refused("rows.flag", "off"), "rows.flag: expected on, found \"off\"");
  EXPECT_EQ(error_of<ConfigError>([] {
              check_format_options("rows", {}, {{"a", "b"}});
            }),
            "extra: rows has no option \"a\"");
}

TEST(FormatOptions, EachHasThePrefixOfItsFormatAndAHelpText) {
  for (const Format& format : builtin_formats()) {
    for (const auto options : {format.read_options, format.write_options}) {
      for (const FormatOption& option : options) {
        EXPECT_TRUE(option.name.starts_with(std::string(format.name) + ".")) << option.name;
        EXPECT_GT(option.values.size(), 1U) << option.name;
        EXPECT_FALSE(option.help.empty()) << option.name;
      }
    }
  }
}

TEST(FindCntkFormat, FindsReadersModulesAndDeserializers) {
  const Format* const text = find_cntk_format("CNTKTextFormatReader");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->name, "ctf");
  EXPECT_EQ(find_cntk_format("Cntk.Deserializers.TextFormat"), text);
  EXPECT_EQ(find_cntk_format("CNTKTextFormatDeserializer"), text);
  EXPECT_EQ(find_cntk_format("CNTKBinaryReader")->name, "cbf");
  EXPECT_EQ(find_cntk_format("cntktextformatreader"), nullptr);
  EXPECT_EQ(find_cntk_format(""), nullptr);
}

}  // namespace
}  // namespace sheaf
