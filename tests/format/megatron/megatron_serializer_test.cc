#include "format/megatron/megatron_serializer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/megatron/megatron_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::megatron {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::text_of;
using testing::made_of;

Stream stream_of(ElementType type) {
  return {.name = "ids", .element_type = type, .sample_shape = Shape{1}};
}

class MegatronSerializerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<MegatronSerializer> begin(const Stream& stream,
                                                          const std::string& path = "d/o.idx") {
    return std::make_unique<MegatronSerializer>(CreateRequest{
        .sink = files_->create(path),
        .streams = {stream},
        .options = {},
        .create_file = [this](const std::string& name) { return files_->create(name); },
        .files = files_.get()});
  }

  template <typename T>
  void append(MegatronSerializer& serializer, const std::vector<std::vector<T>>& documents) {
    std::vector<SequenceKey> keys;
    std::vector<SequenceView> views;
    for (const std::vector<T>& tokens : documents) {
      keys.push_back({.low = keys.size()});
      views.push_back({.values = std::as_bytes(std::span(tokens)).data(),
                       .sample_count = std::ssize(tokens),
                       .value_count = std::ssize(tokens)});
    }
    const std::vector<std::span<const SequenceView>> spans = {views};
    serializer.append(serializer.encode({.keys = keys, .views = spans}));
  }

  [[nodiscard]] std::string written(const std::string& path) const {
    return text_of(*files_->open(path));
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_F(MegatronSerializerTest, TheBytesMatchMegatron) {
  const std::vector<std::vector<std::uint16_t>> documents = {{1, 2, 3}, {}, {65535}};
  const auto serializer = begin(stream_of(ElementType::u16));
  append(*serializer, documents);
  serializer->finish();
  const testing::Made expected = made_of<std::uint16_t>(8, documents);
  EXPECT_EQ(written("d/o.idx"), expected.list());
  EXPECT_EQ(written("d/o.bin"), expected.tokens);
}

// 8,192 offsets are written at a time.
TEST_F(MegatronSerializerTest, DocumentsAreWrittenInAnyBatches) {
  for (const std::size_t count : {8190U, 8191U, 8192U, 8193U, 16385U}) {
    const std::vector<std::vector<std::int32_t>> documents(count, {-1, 2});
    const auto serializer = begin(stream_of(ElementType::i32));
    append<std::int32_t>(*serializer, {documents.begin(), documents.begin() + 5});
    append<std::int32_t>(*serializer, {documents.begin() + 5, documents.end()});
    serializer->finish();
    EXPECT_TRUE(written("d/o.idx") == made_of<std::int32_t>(4, documents).list()) << count;
  }
}

TEST_F(MegatronSerializerTest, UnsupportedStreamsAndPathsAreRefused) {
  const auto refused = [&](const Stream& stream, const std::string& path = "d/o.idx") {
    return error_of<ConfigError>([&] { static_cast<void>(begin(stream, path)); });
  };
  EXPECT_EQ(refused({.name = "x", .sample_shape = Shape{2}}),
            "stream \"x\": a sample is one token, of the shape [1], not [2]");
  EXPECT_NE(refused({.name = "x", .sample_shape = Shape{9}, .storage = Storage::sparse}), "");
  EXPECT_NE(refused(stream_of(ElementType::f16)), "");
  EXPECT_NE(refused(stream_of(ElementType::u8), "d/o.txt"), "");
  EXPECT_EQ(refused(stream_of(ElementType::u8), "d/p.idx"), "");
  EXPECT_NE(error_of<DataError>([&] { begin(stream_of(ElementType::u8), "d/q.idx")->finish(); }),
            "");
}

// A list has 31 bits for the number of tokens. The test has no tokens in memory: no value is read.
TEST_F(MegatronSerializerTest, ADocumentOfTooManyTokensIsRefused) {
  const auto serializer = begin(stream_of(ElementType::u8));
  const std::vector<SequenceKey> keys = {{.low = 4}};
  const std::vector<SequenceView> views = {
      {.sample_count = std::int64_t{1} << 31, .value_count = std::int64_t{1} << 31}};
  const std::vector<std::span<const SequenceView>> spans = {views};
  const std::string error = error_of<DataError>(
      [&] { static_cast<void>(serializer->encode({.keys = keys, .views = spans})); });
  EXPECT_NE(error.find("megatron-written-count"), std::string::npos) << error;
}

TEST_F(MegatronSerializerTest, ASequenceWithoutTheStreamIsRefused) {
  const auto serializer = begin(stream_of(ElementType::u8));
  const std::vector<SequenceKey> keys = {{.low = 4}};
  const std::vector<SequenceView> views = {{.is_present = false}};
  const std::vector<std::span<const SequenceView>> spans = {views};
  const std::string error = error_of<DataError>(
      [&] { static_cast<void>(serializer->encode({.keys = keys, .views = spans})); });
  EXPECT_NE(error.find("megatron-written-absent"), std::string::npos) << error;
}

}  // namespace
}  // namespace sheaf::megatron
