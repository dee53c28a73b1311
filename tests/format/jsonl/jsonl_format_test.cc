#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf {
namespace {

TEST(JsonlFormat, AnObjectAtTheStartIsRecognized) {
  const Format& format = conformance::format_named("jsonl");
  for (const std::string_view bytes : {"{\"a\":1}\n", "\n {\t\"a\"", "\xEF\xBB\xBF{}", "", "{ "}) {
    EXPECT_EQ(format.recognize(bytes), Recognition::possible) << bytes;
  }
  for (const std::string_view bytes : {"[1]", "{1:2}", "1 1:2", "|a 1", "{{", "\"a\""}) {
    EXPECT_EQ(format.recognize(bytes), Recognition::no) << bytes;
  }
}

// Manifests have the same extension.
TEST(JsonlFormat, TheFirstBytesDistinguishManifests) {
  const auto found = [](const std::string& text) {
    return std::string(find_format("a.jsonl", *memory_source(text, "a.jsonl"), {}).name);
  };
  EXPECT_EQ(found("{\"label\":1,\"text\":\"x\"}\n"), "jsonl");
  EXPECT_EQ(found("{\"audio_filepath\":\"a.wav\",\"duration\":1.5}\n"), "manifest");
  EXPECT_EQ(find_format("a.ndjson", FormatOptions{}).name, "jsonl");
}

}  // namespace
}  // namespace sheaf
