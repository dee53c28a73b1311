// Sections of a reader whose format has two kinds of streams. The format consists of a name and
// settings.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"

#include "cntk/config_streams.h"
#include "cntk/config_text.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::with_files;
using Paths = std::vector<std::string>;

constexpr std::array<std::string_view, 1> kPairDims = {"dim"};
constexpr std::array<std::string_view, 1> kPairLabelDims = {"labelDim"};

// Two kinds of streams in one format. Text lines name the files: "at FILE".
std::optional<std::string> path_of_line(std::string_view line) {
  if (!line.starts_with("at ")) return std::nullopt;
  return std::string(line.substr(3));
}
constexpr std::array<std::string_view, 1> kPairReaders = {"PairReader"};
constexpr std::array<CntkFileSetting, 1> kPairFrameFiles = {
    {{.name = "rx",
      .kind = CntkFileSetting::Kind::specifier,
      .path_of = path_of_line,
      .lines = "at FILE"}}};
constexpr std::array<CntkSetting, 2> kPairSettings = {{
    {.name = "scpFile", .reason = "it has counts"},
    {.name = "featureTransform",
     .kind = CntkSetting::Kind::fixed,
     .if_true = "NONE",
     .reason = "there are no networks"},
}};
constexpr CntkStream kPairFrames = {.files = kPairFrameFiles,
                                    .mark = "scpFile",
                                    .dims = kPairDims,
                                    .settings = kPairSettings,
                                    .type = "real",
                                    .makes_text_keys = true};
constexpr std::array<CntkFileSetting, 1> kPairLabelFiles = {
    {{.name = "mlfFile",
      .kind = CntkFileSetting::Kind::specifier,
      .path_of = path_of_line,
      .lines = "at FILE"}}};
constexpr CntkStream kPairLabels = {.files = kPairLabelFiles,
                                    .dims = kPairLabelDims,
                                    .storage = Storage::sparse,
                                    .type = "category",
                                    .may_be_first = false,
                                    .makes_text_keys = true};
constexpr CntkNames kPairNames = {
    .readers = kPairReaders, .stream = &kPairFrames, .second_stream = &kPairLabels};

const std::vector<Format>& pair_formats() {
  static const std::vector<Format> all = [] {
    Format pairs = builtin_formats()[0];
    pairs.name = "pairs";
    pairs.cntk = &kPairNames;
    return std::vector<Format>{pairs};
  }();
  return all;
}

ConfiguredReader pair_reader_of(const std::string& text, const ConfigOptions& options) {
  const Config config = Config::from_text(text, "a.cntk", options);
  return configured_reader(config.section_at("r"), pair_formats());
}

std::string pair(std::string_view settings = "rx=x.txt;featureTransform=NONE") {
  return "r=[readerType=PairReader;\n"
         "y=[mlfFile=y.txt;labelDim=5]\n"
         "x=[dim=3;scpFile=c.txt;" +
         std::string(settings) +
         "]\n"
         "a=[rx=a.txt]\n"
         "d=[type=seqTrainDeriv]\n"
         "l=[rx=l.txt;kaldiModel=m;silPhoneList=s]]";
}

TEST(ConfigTwoStreams, OneFormatMayHaveTwoKindsOfStreams) {
  const ConfigOptions texts = with_files({{"x.txt", " at d/x \n\n"}, {"y.txt", "at /y"}});
  const ConfiguredReader reader = pair_reader_of(pair(), texts);
  const auto all = files_of(reader.spec.data);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]->files, Paths{"d/x"});
  EXPECT_EQ(all[0]->format.format, "pairs");
  EXPECT_EQ(all[0]->format.streams[0].name, "x");
  EXPECT_EQ(all[0]->format.streams[0].storage, Storage::dense);
  EXPECT_EQ(all[1]->files, Paths{"/y"});
  EXPECT_EQ(all[1]->format.streams[0].storage, Storage::sparse);
  EXPECT_EQ(all[1]->format.streams[0].sample_shape, Shape{5});
  std::vector<std::string> ignored;
  for (const IgnoredSetting& each : reader.ignored) ignored.push_back(each.path);
  EXPECT_EQ(ignored, (Paths{"/r/x/scpFile", "/r/a", "/r/d", "/r/l"}));
}

TEST(ConfigTwoStreams, PathsInTextsStartAtTheCurrentDirectory) {
  const ConfigOptions texts =
      with_files({{"/e/a.cntk", pair()}, {"/e/x.txt", "at d/x"}, {"/e/y.txt", "at /y"}});
  const std::vector<std::string> words = {"currentDirectory=/e", "configFile=a.cntk"};
  const Config config = Config::from_words(words, texts);
  const auto reader = configured_reader(config.section_at("r"), pair_formats());
  EXPECT_EQ(files_of(reader.spec.data)[0]->files, Paths{"/e/d/x"});
  EXPECT_EQ(files_of(reader.spec.data)[1]->files, Paths{"/y"});
}

TEST(ConfigTwoStreams, TextsThatNameNoFileAreRefused) {
  struct Case {
    std::string x;
    std::string part;
  };
  const Case cases[] = {
      {"", "expected a file with one line, at FILE as /r/x/rx, found \"x.txt\" [config-value]"},
      {"at a\nat b", "the file has 2 lines"},
      {"run | ", "the file has \"run |\""},
  };
  for (const Case& each : cases) {
    const ConfigOptions texts = with_files({{"x.txt", each.x}, {"y.txt", "at y"}});
    const std::string error =
        error_of<ConfigError>([&] { static_cast<void>(pair_reader_of(pair(), texts)); });
    EXPECT_NE(error.find(each.part), std::string::npos) << error;
  }
}

TEST(ConfigTwoStreams, ASettingMayAllowOneValueOnly) {
  const ConfigOptions texts = with_files({{"x.txt", "at x"}, {"y.txt", "at y"}});
  EXPECT_NO_THROW(static_cast<void>(pair_reader_of(pair("rx=x.txt"), texts)));
  const std::string error = error_of<ConfigError>([&] {
    static_cast<void>(pair_reader_of(pair("rx=x.txt;featureTransform=final.nnet"), texts));
  });
  EXPECT_NE(error.find("expected NONE as /r/x/featureTransform, found \"final.nnet\""),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("there are no networks"), std::string::npos) << error;
}

}  // namespace
}  // namespace sheaf::internal
