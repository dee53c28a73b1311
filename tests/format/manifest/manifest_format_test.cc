#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

Recognition recognized(std::string_view bytes) {
  FormatOptions options;
  options.format = "manifest";
  return find_format("x", options).recognize(bytes);
}

TEST(ManifestFormat, RecognizesItsLines) {
  EXPECT_EQ(recognized("{\"audio_filepath\": \"a\"}\n{"), Recognition::certain);
  EXPECT_EQ(recognized("\n\xEF\xBB\xBF{\"audio_filepath\": \"a\"}\n"), Recognition::certain);
  EXPECT_EQ(recognized(R"({"id": "a", "start": 0, "duration": 1, "recording": {}})"),
            Recognition::certain);
  EXPECT_EQ(recognized("{\"text\": 1}\n"), Recognition::no);
  EXPECT_EQ(recognized("{\"text\": 1}\n{\"audio_filepath\": \"a\"}\n"), Recognition::no);
  EXPECT_EQ(recognized("{\n\"audio_filepath\": \"a\"}\n"), Recognition::no) << "an indented file";
  EXPECT_EQ(recognized(""), Recognition::no);
  EXPECT_EQ(recognized("\n"), Recognition::no);
}

TEST(ManifestFormat, ALongLineMayBeAManifest) {
  EXPECT_EQ(recognized(R"({"audio_filepath": "a", "text": ")"), Recognition::possible);
  EXPECT_EQ(recognized(R"({"id": "a", "start": 0, "duration": 1, "custom": {)"),
            Recognition::possible);
  EXPECT_EQ(recognized(R"({"id": "a", "start": 0, "custom": {)"), Recognition::no);
  EXPECT_EQ(recognized(R"(["audio_filepath")"), Recognition::no);
}

TEST(ManifestFormat, IsSelectedByItsExtensions) {
  EXPECT_EQ(find_format("x.jsonl", {}).name, "manifest");
  EXPECT_EQ(find_format("x.jsonl.gz", {}).name, "manifest");
  EXPECT_EQ(find_format("x.json", {}).name, "manifest");
}

}  // namespace
}  // namespace sheaf
