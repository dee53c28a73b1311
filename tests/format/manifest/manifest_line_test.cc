#include "format/manifest/manifest_line.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::manifest {
namespace {

std::string line_told(std::string_view line, const LineRules& rules = {}) {
  const ManifestLine parsed = parse_line(line, rules, true);
  if (parsed.fault) {
    return std::to_string(parsed.fault->location.begin) + " " +
           std::string(parsed.fault->kind->code) + ": " + parsed.fault->found;
  }
  std::string text = parsed.key + " " + parsed.path + " " + std::to_string(parsed.part.begin);
  if (parsed.part.duration) text += "+" + std::to_string(*parsed.part.duration);
  for (const auto& each : parsed.texts) text += each ? " <" + *each + ">" : " none";
  return text;
}

TEST(ManifestLine, ParsesNeMoUtterances) {
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav", "duration": 1.5})"),
            "a.wav a.wav 0.000000+1.500000");
  EXPECT_EQ(line_told(R"({"audio_filename": "a.wav"})"), "a.wav a.wav 0.000000");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav", "duration": null, "offset": null})"),
            "a.wav a.wav 0.000000");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav", "offset": 0, "duration": 2})"),
            "a.wav a.wav 0.000000+2.000000");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav", "offset": 2.50, "duration": 2})"),
            "a.wav@2.50 a.wav 2.500000+2.000000");
  EXPECT_EQ(line_told("\xEF\xBB\xBF"
                      R"({"audio_filepath": "a\/b.wav"})"),
            "a/b.wav a/b.wav 0.000000");
}

TEST(ManifestLine, KeysAndTextsAreFields) {
  LineRules rules{.key_field = "id", .text_fields = {"text", "speaker"}};
  constexpr std::string_view kLine =
      R"({"audio_filepath": "a.wav", "id": 17, "text": "a\tb", "speaker": "s"})";
  EXPECT_EQ(line_told(kLine, rules), "17 a.wav 0.000000 <a\tb> <s>");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav", "text": "a", "speaker": "s"})", rules),
            "0 manifest-field: no \"id\"");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav", "id": "u", "text": "a"})", rules),
            "0 manifest-field: no \"speaker\"");
  rules.allows_missing_texts = true;
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav", "id": "u", "text": ""})", rules),
            "u a.wav 0.000000 <> none");
}

TEST(ManifestLine, ErrorsHaveAnOffsetAndAReason) {
  EXPECT_EQ(line_told("{"),
            "1 manifest-json: the end of the line, where a name in quotes is expected");
  EXPECT_EQ(line_told("[1]"), "0 manifest-json: \"[1]\"");
  EXPECT_EQ(line_told(R"({"text": "a"})"), "0 manifest-line: neither");
  EXPECT_EQ(line_told(R"({"id": "a", "start": 0, "duration": 1})"), "0 manifest-line: neither");
  EXPECT_EQ(line_told(R"({"id": "a", "start": 0, "duration": 1, "features": {}})"),
            "0 manifest-other-line: a cut of lhotse");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a.wav"})", {.kind = LineKind::cut}),
            "0 manifest-other-line: an utterance of NeMo");
  EXPECT_EQ(line_told(R"({"audio_filepath": ["a", "b"]})"),
            "19 manifest-type: \"[\\\"a\\\", \\\"b\\\"]\" as audio_filepath");
  EXPECT_EQ(line_told(R"({"audio_filepath": ""})"), "19 manifest-path: \"\"");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a\u0000b"})"), "19 manifest-path: \"a\\x00b\"");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a", "duration": -1})"),
            "36 manifest-number: \"-1\" as \"duration\"");
  EXPECT_EQ(line_told(R"({"audio_filepath": "a", "audio_filepath": "b"})"),
            "25 manifest-repeated-field: \"audio_filepath\" twice");
}

TEST(ManifestLine, ShardsAreRefusedIfAudioIsRead) {
  constexpr std::string_view kLine = R"({"audio_filepath": "a.wav", "shard_id": 3})";
  EXPECT_EQ(line_told(kLine), "40 manifest-tarred: shard \"3\"");
  EXPECT_EQ(line_told(kLine, {.samples = Samples::none}), "a.wav a.wav 0.000000");
}

TEST(ManifestLine, ContentsDetermineTheStreams) {
  const LineContents nemo = contents_of(R"({"audio_filepath": "a", "text": "x"})");
  EXPECT_EQ(nemo.kind, LineKind::nemo);
  EXPECT_TRUE(nemo.has_text);
  EXPECT_FALSE(nemo.has_features);
  const LineContents cut =
      contents_of(R"({"id": "a", "start": 0, "duration": 1, "features": {}, "supervisions": []})");
  EXPECT_EQ(cut.kind, LineKind::cut);
  EXPECT_TRUE(cut.has_features);
  EXPECT_FALSE(cut.has_text);
  EXPECT_TRUE(contents_of("{}").fault);
}

TEST(ManifestLine, ScansCountTexts) {
  const LineRules texts{
      .samples = Samples::none, .text_fields = {"text"}, .allows_missing_texts = true};
  ManifestLines lines(texts);
  EXPECT_EQ(lines.parse(R"({"audio_filepath": "a", "text": "x"})").count, 1U);
  EXPECT_EQ(lines.parse(R"({"audio_filepath": "a"})").count, 0U);
  EXPECT_FALSE(lines.parse("x").is_good);
  EXPECT_EQ(lines.parse("x").count, 0U);
  const LineRules audio;
  ManifestLines others(audio);
  EXPECT_EQ(others.parse(R"({"audio_filepath": "a"})").count, internal::ListEntry::kUnknownCount);
  EXPECT_EQ(others.parse(R"({"audio_filepath": "a"})").path, "a");
  EXPECT_TRUE(ManifestLines::is_blank(" \t\r"));
  EXPECT_FALSE(ManifestLines::is_blank("{"));
}

}  // namespace
}  // namespace sheaf::manifest
