#include "format/webdataset/webdataset_range.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/read_all.h"
#include "format/webdataset/webdataset_test_files.h"

namespace sheaf::webdataset {
namespace {

std::string_view bytes_of(const SequenceView& view) {
  return {reinterpret_cast<const char*>(view.values), static_cast<std::size_t>(view.value_count)};
}

std::vector<std::string> codes_of(const WebdatasetDeserializer& data) {
  Diagnostics diagnostics;
  static_cast<void>(data.read({.chunk = ChunkIndex{}, .count = ChunkRange::kAll}, diagnostics));
  std::vector<std::string> codes;
  for (const Diagnostic& each : diagnostics.described()) codes.push_back(each.code);
  return codes;
}

TEST(WebdatasetRange, BytesAreNotCopied) {
  const auto data = open_shard(tar_entry("a.jpg", "first") + tar_entry("a.txt", "one") +
                               tar_entry("b.jpg", "second") + tar_entry("b.txt", ""));
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{}, .count = 2}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(bytes_of(chunk.view(0, 0)), "first");
  EXPECT_EQ(bytes_of(chunk.view(1, 0)), "one");
  EXPECT_EQ(bytes_of(chunk.view(0, 1)), "second");
  EXPECT_EQ(bytes_of(chunk.view(1, 1)), "");
  EXPECT_EQ(chunk.key_text(1), "b");
  EXPECT_EQ(chunk.columns()[0].values.data(), chunk.columns()[1].values.data());
  EXPECT_EQ(chunk.columns()[0].values.capacity_bytes(), 0) << "borrowed";
}

TEST(WebdatasetRange, FramesOfASequenceAreConcatenated) {
  FormatOptions options;
  options.extra = {{"webdataset.frames", "true"}};
  const auto data = open_shard(tar_entry("a.000.jpg", "one") + tar_entry("a.json", "{}") +
                                   tar_entry("a.001.jpg", "three") + tar_entry("b.7.png", "") +
                                   tar_entry("b.json", "[]"),
                               options);
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{}, .count = 2}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(chunk.view(0, 0).sample_count, 2);
  EXPECT_EQ(bytes_of(chunk.view(0, 0)), "onethree");
  EXPECT_EQ(chunk.view(0, 0).extents[1], 5);
  EXPECT_EQ(bytes_of(chunk.view(1, 0)), "{}");
  EXPECT_EQ(chunk.view(0, 1).sample_count, 1);
  EXPECT_EQ(data->index().sequences(ChunkIndex{})->sample_count(0), 2);
}

TEST(WebdatasetRange, FramesMustRise) {
  FormatOptions options;
  options.extra = {{"webdataset.frames", "true"}};
  const auto codes = [&](const std::string& a, const std::string& b) {
    return codes_of(*open_shard(tar_entry(a, "") + tar_entry(b, ""), options));
  };
  using Codes = std::vector<std::string>;
  EXPECT_EQ(codes("a.1.jpg", "a.2.jpg"), Codes());
  EXPECT_EQ(codes("a.jpg", "a.0.jpg"), Codes()) << "a frame without a number is the first one";
  EXPECT_EQ(codes("a.2.jpg", "a.1.jpg"), Codes{"webdataset-frame-order"});
  EXPECT_EQ(codes("a.1.jpg", "a.01.png"), Codes{"webdataset-frame-order"});
  EXPECT_EQ(codes("a.1.jpg", "a.1.jpg"), Codes{"webdataset-repeated-entry"});
}

TEST(WebdatasetRange, ErrorsSpoilTheirSequence) {
  const std::string good = tar_entry("g.jpg", "x") + tar_entry("g.cls", "1");
  using Codes = std::vector<std::string>;
  EXPECT_EQ(codes_of(*open_shard(good)), Codes());
  EXPECT_EQ(codes_of(*open_shard(good + tar_entry("a.jpg", "x"))), Codes{"webdataset-missing"});
  EXPECT_EQ(codes_of(*open_shard(good + tar_entry("a.jpg", "x") + tar_entry("a.cls", "one"))),
            Codes{"webdataset-label"});
  EXPECT_EQ(codes_of(*open_shard(good + tar_entry("b.jpg", "") + tar_entry("b.cls", "1") + good)),
            Codes{"webdataset-repeated-key"});
  EXPECT_EQ(codes_of(*open_shard(good + tar_entry("a.jpg", "") + tar_entry("a.cls", "1") +
                                 tar_entry("a.cls", "1"))),
            Codes{"webdataset-repeated-entry"});
}

TEST(WebdatasetRange, ALabelHasAtMost64Bytes) {
  using Codes = std::vector<std::string>;
  for (const std::size_t size : {std::size_t{63}, std::size_t{64}, std::size_t{65}}) {
    const std::string label = std::string(size - 1, ' ') + "1";
    EXPECT_EQ(codes_of(*open_shard(tar_entry("a.jpg", "x") + tar_entry("a.cls", label))),
              size <= 64 ? Codes() : Codes{"webdataset-label"})
        << size;
  }
}

TEST(WebdatasetRange, ClassNumbersHaveALimit) {
  FormatOptions options;
  options.extra = {{"webdataset.classes", "3"}};
  for (const char* const label : {"0", "2"}) {
    EXPECT_TRUE(codes_of(*open_shard(tar_entry("a.cls", label), options)).empty()) << label;
  }
  for (const char* const label : {"-1", "3"}) {
    EXPECT_EQ(codes_of(*open_shard(tar_entry("a.cls", label), options)),
              std::vector<std::string>{"webdataset-class"})
        << label;
  }
}

TEST(WebdatasetRange, ALabelIsAWholeNumber) {
  struct Row {
    std::string_view text;
    std::int32_t expected;  // kNone means refused
  };
  constexpr std::int32_t kNone = -77;
  const Row rows[] = {
      {"0", 0},                             // shortest
      {" 12\n", 12},                        // white space around it
      {"-1", -1},                           // not a class
      {"2147483647", 2147483647},           // the largest
      {"2147483648", kNone},                // one more
      {"", kNone},                          // nothing
      {" ", kNone},                         // only white space
      {"1 2", kNone},                       // two numbers
      {"1.0", kNone},                       // a fraction
      {"+1", kNone},                        // a sign that is not needed
      {std::string_view("1\0", 2), kNone},  // a byte after it
  };
  for (const Row& row : rows) {
    std::int32_t number = 0;
    const bool is_number = parse_label(row.text, number);
    EXPECT_EQ(is_number ? number : kNone, row.expected) << row.text;
  }
}

}  // namespace
}  // namespace sheaf::webdataset
