#include "format/manifest/manifest_cut.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::manifest {
namespace {

std::string cut_told(std::string_view fields, Samples samples, const std::string& text_field = "") {
  LineRules rules{.kind = LineKind::cut, .samples = samples, .allows_missing_texts = true};
  if (!text_field.empty()) rules.text_fields = {text_field};
  const std::string line =
      R"({"id": "c", "start": 1.5, "duration": 2, )" + std::string(fields) + "}";
  const ManifestLine parsed = parse_line(line, rules, true);
  if (parsed.fault) return std::string(parsed.fault->kind->code) + ": " + parsed.fault->found;
  std::string text = parsed.key + " " + parsed.path + " " + std::to_string(parsed.part.begin);
  if (parsed.object_begin) text += " object " + std::to_string(*parsed.object_begin);
  if (parsed.channel) text += " channel " + std::to_string(*parsed.channel);
  for (const auto& each : parsed.texts) text += each ? " <" + *each + ">" : " none";
  return text;
}

std::string recording(std::string_view more) {
  return R"("recording": {"id": "r", )" + std::string(more) + "}";
}

std::string features(std::string_view type, std::string_view more = "") {
  return R"("features": {"storage_type": ")" + std::string(type) +
         R"(", "storage_path": "d", "storage_key": "k.npy", "frame_shift": 0.01,)"
         R"( "sampling_rate": 16000)" +
         std::string(more) + "}";
}

TEST(ManifestCut, SelectsTheSourceOfTheChannel) {
  const std::string one =
      recording(R"("sources": [{"type": "file", "channels": [0], "source": "a.wav"}])");
  EXPECT_EQ(cut_told(one, Samples::audio), "c a.wav 1.500000 channel 0");
  const std::string two =
      recording(R"("sources": [{"type": "file", "channels": [0, 2], "source": "a.wav"},)"
                R"( {"type": "file", "channels": [1, 3], "source": "b.wav"}])");
  EXPECT_EQ(cut_told(two + R"(, "channel": 2)", Samples::audio), "c a.wav 1.500000 channel 1");
  EXPECT_EQ(cut_told(two + R"(, "channel": 1)", Samples::audio), "c b.wav 1.500000 channel 0");
  EXPECT_EQ(cut_told(two + R"(, "channel": 4)", Samples::audio), "manifest-channel: no channel 4");
  EXPECT_EQ(cut_told(two, Samples::none), "c  1.500000");
}

TEST(ManifestCut, RefusesOtherSources) {
  for (const std::string type : {"command", "url", "memory", "shar"}) {
    const std::string source =
        recording(R"("sources": [{"type": ")" + type + R"(", "channels": [0], "source": "a"}])");
    EXPECT_EQ(cut_told(source, Samples::audio), "manifest-source: \"" + type + "\"");
  }
  const std::string changed = recording(R"("transforms": [{"name": "Speed"}], "sources": [])");
  EXPECT_EQ(cut_told(changed, Samples::audio).substr(0, 20), "manifest-transforms:");
}

TEST(ManifestCut, RefusesOtherCuts) {
  const std::string one = recording(R"("sources": [])");
  EXPECT_EQ(cut_told(one + R"(, "type": "MixedCut")", Samples::audio),
            "manifest-cut-type: \"\\\"MixedCut\\\"\"");
  EXPECT_EQ(cut_told(one + R"(, "channel": [0, 1])", Samples::audio),
            "manifest-cut-type: channel \"[0, 1]\"");
  EXPECT_EQ(cut_told(one, Samples::features), "manifest-field: no \"features\"");
}

TEST(ManifestCut, FindsFeaturesInFilesOfNumPy) {
  EXPECT_EQ(cut_told(features("numpy_files"), Samples::features), "c d/k.npy 1.500000");
  EXPECT_EQ(cut_told(features("numpy_files", R"(, "start": 1)"), Samples::features),
            "c d/k.npy 0.500000");
  EXPECT_EQ(cut_told(features("numpy_files", R"(, "start": 1.5009)"), Samples::features),
            "c d/k.npy 0.000000");
  EXPECT_EQ(cut_told(features("numpy_files", R"(, "start": 1.6)"), Samples::features),
            "manifest-range: a cut that starts at 1.5 s, where the features start at 1.6 s");
  EXPECT_EQ(cut_told(features("lilcom_chunky"), Samples::features),
            "manifest-storage: \"lilcom_chunky\"");
}

TEST(ManifestCut, FindsObjectsOfKaldi) {
  const auto object = [](const std::string& path) {
    std::string text = features("kaldiio");
    text.replace(text.find("\"d\""), 3, '"' + path + '"');
    return cut_told(text, Samples::features);
  };
  EXPECT_EQ(object("d/x.ark:17"), "c d/x.ark 1.500000 object 17");
  EXPECT_EQ(object("x.mat"), "c x.mat 1.500000 object 0");
  EXPECT_EQ(object("a:b/x.mat"), "c a:b/x.mat 1.500000 object 0");
  EXPECT_EQ(object("x.ark:"), "c x.ark: 1.500000 object 0");
  EXPECT_EQ(object("x.ark:9223372036854775807"), "c x.ark 1.500000 object 9223372036854775807");
  EXPECT_EQ(object("x.ark:9223372036854775808"), "manifest-offset: \"9223372036854775808\"");
  EXPECT_EQ(object("feats.scp"), "manifest-storage: \"feats.scp\"");
  EXPECT_EQ(object("copy-feats x - |"), "manifest-storage: \"copy-feats x - |\"");
  EXPECT_EQ(object("| x"), "manifest-storage: \"| x\"");
  EXPECT_EQ(object(""), "manifest-path: \"\"");
}

TEST(ManifestCut, JoinsTheTextsOfSupervisions) {
  EXPECT_EQ(
      cut_told(R"("supervisions": [{"text": "a b"}, {"id": "x"}, {"text": "c"}], "features": {})",
               Samples::none, "text"),
      "c  1.500000 <a b c>");
  EXPECT_EQ(
      cut_told(R"("supervisions": [{"speaker": "s"}], "features": {})", Samples::none, "text"),
      "c  1.500000 none");
  EXPECT_EQ(cut_told(R"("supervisions": 3, "features": {})", Samples::none, "text"),
            "manifest-type: \"3\" as \"supervisions\"");
}

}  // namespace
}  // namespace sheaf::manifest
