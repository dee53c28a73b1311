#include "format/manifest/manifest_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/manifest/manifest_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::manifest {
namespace {

using sheaf::testing::error_of;

std::string streams_of(const FormatOptions& options, const LineContents& first = {}) {
  std::string text;
  for (const Stream& stream : read_options_of(options, first).streams) {
    text += to_string(stream) + "; ";
  }
  return text;
}

std::string refusal(const FormatOptions& options, const LineContents& first = {}) {
  return error_of<ConfigError>([&] { static_cast<void>(streams_of(options, first)); });
}

FormatOptions with(const std::string& name, const std::string& value) {
  FormatOptions options;
  options.extra[name] = value;
  return options;
}

FormatOptions declared(std::vector<StreamOptions> streams) {
  FormatOptions options;
  options.streams = std::move(streams);
  return options;
}

constexpr LineContents kTexts{.has_text = true};
constexpr LineContents kCut{.kind = LineKind::cut, .has_features = true};

TEST(ManifestOptions, TheFirstLineDeterminesUndeclaredStreams) {
  EXPECT_EQ(streams_of({}), "audio: dense f32 []; ");
  EXPECT_EQ(streams_of({}, kTexts), "audio: dense f32 []; text: dense bytes [*]; ");
  EXPECT_EQ(streams_of({}, kCut), "features: dense f32 []; ");
  EXPECT_EQ(streams_of(with("manifest.read", "audio"), kCut), "audio: dense f32 []; ");
  EXPECT_EQ(streams_of(with("manifest.fields", "lang,speaker"), kTexts),
            "audio: dense f32 []; text: dense bytes [*]; lang: dense bytes [*]; "
            "speaker: dense bytes [*]; ");
  for (const std::string fields : {"", "a,", ",a", "a,a", "text"}) {
    EXPECT_NE(refusal(with("manifest.fields", fields), kTexts).find("names that differ"),
              std::string::npos)
        << fields;
  }
}

TEST(ManifestOptions, DeclaredStreamsSelectTheFields) {
  const FormatOptions texts = declared({{.name = "text"}, {.name = "who", .alias = "speaker"}});
  const ReadOptions options = read_options_of(texts, {});
  EXPECT_EQ(options.rules.samples, Samples::none);
  EXPECT_EQ(options.rules.text_fields, (std::vector<std::string>{"text", "speaker"}));
  EXPECT_EQ(options.sample_count(7), 1);
  const ReadOptions audio =
      read_options_of(declared({{.name = "text"}, {.name = "x", .alias = "audio"}}), {});
  EXPECT_EQ(audio.rules.samples, Samples::audio);
  EXPECT_EQ(audio.sample_stream, 1U);
  EXPECT_EQ(audio.sample_count(7), 7);
  const ReadOptions counted = read_options_of(
      declared({{.name = "text", .defines_minibatch_size = true}, {.name = "audio"}}), {});
  EXPECT_EQ(counted.sample_count(7), 1);
  EXPECT_EQ(streams_of(declared({{.name = "audio", .sample_shape = Shape{2}}})),
            "audio: dense f32 [2]; ");
}

TEST(ManifestOptions, RefusesInvalidStreamsAndOptions) {
  EXPECT_NE(
      refusal(declared({{.name = "audio"}, {.name = "b", .alias = "audio"}})).find("join two"),
      std::string::npos);
  EXPECT_NE(refusal(declared({{.name = "features"}})).find("no features"), std::string::npos);
  EXPECT_NE(refusal(declared({{.name = "audio", .storage = Storage::sparse}})).find("dense"),
            std::string::npos);
  EXPECT_NE(refusal(declared({{.name = "audio", .dtype = ElementType::f64}})).find("cast"),
            std::string::npos);
  EXPECT_NE(
      refusal(declared({{.name = "audio", .sample_shape = Shape{Shape::kVariable}}})).find("fixed"),
      std::string::npos);
  EXPECT_NE(refusal(declared({{.name = "text", .sample_shape = Shape{3}}})).find("bytes"),
            std::string::npos);
  EXPECT_NE(refusal(declared({{.name = "text", .dtype = ElementType::f32}})).find("bytes"),
            std::string::npos);
  for (const std::string rate : {"0", "x", "-1", "4294967296", "1.5"}) {
    EXPECT_NE(refusal(with("manifest.rate", rate)).find("manifest.rate"), std::string::npos)
        << rate;
  }
  EXPECT_EQ(read_options_of(with("manifest.rate", "4294967295"), {}).rate, 4294967295);
  FormatOptions cntk;
  cntk.compatibility = Compatibility::cntk;
  EXPECT_NE(refusal(cntk).find("compatibility"), std::string::npos);
  FormatOptions ids;
  ids.skip_sequence_ids = true;
  EXPECT_NE(refusal(ids).find("skip_sequence_ids"), std::string::npos);
  FormatOptions chunks;
  chunks.chunk_size_bytes = 0;
  EXPECT_NE(refusal(chunks).find("chunk_size_bytes"), std::string::npos);
}

TEST(ManifestOptions, FindsTheFirstLine) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::string large(200'000, 'x');
  sheaf::testing::write_file(*files, "m", "\n \r\nabc\nd");
  EXPECT_EQ(first_line_of(*files->open("m"), 7), "abc");
  sheaf::testing::write_file(*files, "m", large);
  EXPECT_EQ(first_line_of(*files->open("m"), 1 << 20), large);
  sheaf::testing::write_file(*files, "m", std::string(70'000, '\n') + large + "\nz");
  EXPECT_EQ(first_line_of(*files->open("m"), 1 << 20), large);
  sheaf::testing::write_file(*files, "m", " \n\n");
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(first_line_of(*files->open("m"), 7));
            }).find("[manifest-empty]"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::manifest
