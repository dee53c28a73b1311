#include "cntk/config_files.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cntk/config_section.h"
#include "cntk/config_text.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::reader_of;

FilesSpec files_of(std::string_view settings) {
  return *files_of(reader_of("r=[file=f\n" + std::string(settings) + "]").spec.data).at(0);
}

TEST(ConfigFiles, StreamsComeInAlphabeticalOrder) {
  const FilesSpec files = files_of(
      "input=[y=[dim=3;format=Sparse];B=[dim=2;format=dense;alias=b;definesMBSize=true];"
      "a=[dim=1;format=\"dense\"]]");
  const std::vector<StreamOptions>& streams = files.format.streams;
  ASSERT_EQ(streams.size(), 3);
  EXPECT_EQ(streams[0].name, "a");
  EXPECT_EQ(streams[1].name, "B");
  EXPECT_EQ(streams[1].alias, "b");
  EXPECT_TRUE(streams[1].defines_minibatch_size);
  EXPECT_EQ(streams[2].name, "y");
  EXPECT_EQ(streams[2].storage, Storage::sparse);
  EXPECT_EQ(streams[2].sample_shape, Shape{3});
  EXPECT_EQ(files.format.format, "ctf");
}

TEST(ConfigFiles, SettingsOfTextReachTheFormat) {
  const FilesSpec files = files_of(
      "skipSequenceIds=true;chunkSizeInBytes=1024;cacheIndex=true;compatibility=cntk;"
      "missingStreams=allow;sameKeys=number;input=[x=[dim=1;format=dense]]");
  EXPECT_TRUE(files.format.skip_sequence_ids);
  EXPECT_EQ(files.format.chunk_size_bytes, 1024);
  EXPECT_EQ(files.format.index.mode, IndexMode::automatic);
  EXPECT_EQ(files.format.compatibility, Compatibility::cntk);
  EXPECT_EQ(files.format.missing_streams, MissingStreams::allow);
  EXPECT_EQ(files.same_keys, ConcatenatedKeys::number);
  EXPECT_EQ(files_of("cacheIndex=false;input=[x=[dim=1;format=dense]]").format.index.mode,
            IndexMode::off);
}

TEST(ConfigFiles, AListOfFilesIsOneDataSet) {
  constexpr std::string_view kInput = "input=[x=[dim=1;format=dense]]";
  EXPECT_EQ(files_of(reader_of("r=[file=(\"a b\":c);" + std::string(kInput) + "]").spec.data)
                .at(0)
                ->files,
            (std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(
      files_of(reader_of("r=[file=\"c:\\data\\*.txt\";" + std::string(kInput) + "]").spec.data)
          .at(0)
          ->files,
      (std::vector<std::string>{"c:\\data\\*.txt"}));
  EXPECT_NE(error_of([&] { reader_of("r=[file=();" + std::string(kInput) + "]"); }), "no error");
}

TEST(ConfigFiles, StreamsInheritNoRequiredSettings) {
  struct Row {
    std::string_view text;
    std::string_view error;
  };
  const Row rows[] = {
      {"x=1", "expected the setting file in /r, found none [config-missing]"},
      {"file=f", "expected the setting input in /r, found none"},
      {"file=f;input=[]", "at least one stream"},
      {"file=f;dim=1;input=[x=[format=dense]]", "expected the setting dim in /r/input/x"},
      {"file=f;input=[x=[dim=1]]", "expected the setting format in /r/input/x"},
      {"file=f;input=[x=[dim=0;format=dense]]", "from 1"},
      {"file=f;input=[x=[dim=2147483648;format=sparse]]", "2147483647"},
      {"file=f;input=[x=[dim=1;format=full]]", "expected dense or sparse"},
      {"file=f;input=[x=[dim=1;format=dense;alias=\"\"]]", "expected a name"},
      {"file=f;input=[x=[dim=1;format=dense;alias=y];y=[dim=1;format=dense]]",
       "expected a name that no other stream has in the file"},
      {"file=f;definesMBSize=true;input=[x=[dim=1;format=dense];y=[dim=1;format=dense]]",
       "expected definesMBSize for one stream alone"},
      {"file=f;compatibility=CNTK;input=[x=[dim=1;format=dense]]", "expected strict or cntk"},
  };
  for (const Row& row : rows) {
    const std::string error = error_of([&] { reader_of("r=[" + std::string(row.text) + "]"); });
    EXPECT_NE(error.find(row.error), std::string::npos) << row.text << "\n" << error;
    EXPECT_TRUE(error.starts_with("a.cntk:1:")) << error;
  }
}

TEST(ConfigFiles, InputSectionsRenameBinaryStreams) {
  const ConfiguredReader reader = reader_of(
      "r=[readerType=CNTKBinaryReader;file=f;maxErrors=3;chunkSizeInBytes=10;input=[x=[alias=a]]]");
  const FilesSpec& files = *files_of(reader.spec.data).at(0);
  EXPECT_EQ(files.format.format, "cbf");
  EXPECT_EQ(files.format.compatibility, Compatibility::cntk);
  ASSERT_EQ(files.format.streams.size(), 1);
  EXPECT_EQ(files.format.streams[0].alias, "a");
  EXPECT_EQ(files.format.streams[0].sample_shape, std::nullopt);
  EXPECT_EQ(reader.spec.read.max_errors, 0);
  EXPECT_EQ(reader.ignored.size(), 2);
}

// A format unknown to this layer, with CNTK's names in its table of settings.
constexpr std::array<CntkSetting, 4> kRowsSettings = {{
    {.name = "rowLimit",
     .kind = CntkSetting::Kind::whole,
     .option = "chunk_size",
     .min = 2,
     .max = 9},
    {.name = "keepIndex",
     .kind = CntkSetting::Kind::truth,
     .option = "index",
     .if_true = "require",
     .if_false = "off"},
    {.name = "maxErrors", .kind = CntkSetting::Kind::errors},
    {.name = "verbosity", .reason = "nobody listens"},
}};
constexpr std::array<std::string_view, 1> kRowsReaders = {"RowsReader"};
constexpr std::array<std::string_view, 1> kRowsDeserializers = {"RowsDeserializer"};
constexpr CntkNames kRowsNames = {.readers = kRowsReaders,
                                  .modules = {},
                                  .deserializers = kRowsDeserializers,
                                  .declares_streams = false,
                                  .settings = kRowsSettings};

std::vector<Format> with_rows() {
  std::vector<Format> formats(builtin_formats().begin(), builtin_formats().end());
  formats.push_back({.name = "rows", .description = "toy", .extensions = {}, .open = nullptr});
  formats.back().cntk = &kRowsNames;
  return formats;
}

TEST(ConfigFiles, AFormatAddedByTheCallerUsesItsOwnTable) {
  const std::vector<Format> formats = with_rows();
  const ConfiguredReader reader = reader_of(
      "r=[readerType=RowsReader;file=f;rowLimit=7;keepIndex=true;maxErrors=3;verbosity=1]",
      formats);
  const FilesSpec& files = *files_of(reader.spec.data).at(0);
  EXPECT_EQ(files.format.format, "rows");
  EXPECT_EQ(files.format.chunk_size_bytes, 7);
  EXPECT_EQ(files.format.index.mode, IndexMode::require);
  EXPECT_EQ(reader.spec.read.max_errors, 3);
  const std::vector<std::string> words = describe(reader, formats);
  EXPECT_EQ(words[0], "reads: f, ROWS, as float, in chunks of 7 bytes");
  EXPECT_EQ(words[1], "  and all other streams of the file");
  EXPECT_EQ(words.back(), "ignores /r/verbosity: nobody listens");

  const ConfiguredReader joined = reader_of(
      "r=[deserializers=([type=RowsDeserializer;file=f]:[type=CNTKBinaryFormatDeserializer;file=g])"
      "]",
      formats);
  EXPECT_EQ(files_of(joined.spec.data).at(0)->format.format, "rows");
  EXPECT_EQ(error_of([&] { reader_of("r=[readerType=RowsReader;file=f;rowLimit=10]", formats); }),
            "a.cntk:1:42: error: expected a whole number from 2 to 9 as /r/rowLimit, found \"10\" "
            "[config-integer]");
  EXPECT_EQ(error_of([&] { reader_of("r=[readerType=RowReader;file=f]", formats); }),
            "a.cntk:1:15: error: expected \"CNTKTextFormatReader\" or \"CNTKBinaryReader\" or "
            "\"HTKDeserializers\" or \"Kaldi2Reader\" or \"ImageReader\" or \"RowsReader\" as "
            "/r/readerType, found "
            "\"RowReader\" "
            "[config-value]");
}

TEST(ConfigFiles, EachTableOptionIsASpecOption) {
  for (const Format& format : builtin_formats()) {
    if (format.cntk == nullptr) continue;
    for (const CntkSetting& setting : format.cntk->settings) {
      const bool has_option =
          setting.kind == CntkSetting::Kind::truth || setting.kind == CntkSetting::Kind::whole;
      EXPECT_EQ(has_option, !setting.option.empty()) << setting.name;
      EXPECT_EQ(setting.kind == CntkSetting::Kind::ignored, !setting.reason.empty());
      if (!has_option) continue;
      const std::string value = !setting.if_true.empty() ? '"' + std::string(setting.if_true) + '"'
                                : setting.kind == CntkSetting::Kind::whole
                                    ? std::to_string(setting.min)
                                    : "true";
      const std::string json =
          R"({"data": {"files": "f", ")" + std::string(setting.option) + "\": " + value + "}}";
      EXPECT_NO_THROW(static_cast<void>(parse_spec(json, "s"))) << json;
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
