#include "format/arrow/ipc_message.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/flat_builder.h"
#include "support/error_of.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;

FlatDraft message_with(std::int16_t version, std::uint8_t kind, std::int64_t body_bytes) {
  FlatDraft message;
  message.number<std::int16_t>(0, version);
  message.number<std::uint8_t>(1, kind);
  message.table(2, FlatDraft());
  message.number<std::int64_t>(3, body_bytes);
  return message;
}

class IpcMessages : public ::testing::Test {
 protected:
  FlatTable root_of(const FlatDraft& draft) {
    bytes_ = flat_bytes(draft);
    return flat_root(flat());
  }
  FlatBytes flat() const {
    return {.file = file_.get(), .offset = 8, .bytes = std::as_bytes(std::span(bytes_))};
  }
  IpcMessage read(const FlatDraft& draft) {
    bytes_ = flat_bytes(draft);
    return read_message(flat());
  }

  const std::shared_ptr<const ByteSource> file_ = memory_source("", "t");
  std::string bytes_;
};

TEST_F(IpcMessages, VersionsFourAndFiveAreRead) {
  EXPECT_EQ(read(message_with(3, 1, 0)).version, kVersion4);
  EXPECT_EQ(read(message_with(4, 1, 0)).version, kVersion5);
  EXPECT_EQ(error_of([&] { (void)read(message_with(2, 1, 0)); }),
            "t: byte 8: error: expected metadata of version V4 or V5, found version V3 "
            "[arrow-version]");
  EXPECT_THROW((void)read(message_with(5, 1, 0)), DataError);
}

TEST_F(IpcMessages, TensorsAndOtherKindsAreRefused) {
  EXPECT_EQ(read(message_with(4, 3, 0)).kind, IpcKind::batch);
  EXPECT_NE(error_of([&] { (void)read(message_with(4, 4, 0)); }).find("found a tensor"),
            std::string::npos);
  EXPECT_THROW((void)read(message_with(4, 0, 0)), DataError);
  EXPECT_THROW((void)read(message_with(4, 6, 0)), DataError);
}

TEST_F(IpcMessages, ANegativeBodySizeIsRefused) {
  EXPECT_EQ(read(message_with(4, 3, 0)).body_bytes, 0);
  EXPECT_THROW((void)read(message_with(4, 3, -1)), DataError);
}

TEST_F(IpcMessages, AMessageHasAHeader) {
  FlatDraft message;
  message.number<std::int16_t>(0, 4);
  message.number<std::uint8_t>(1, 3);
  EXPECT_THROW((void)read(message), DataError);
}

std::string numbers_bytes(const std::vector<std::int64_t>& numbers) {
  std::string bytes(numbers.size() * 8, '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

struct Made {
  std::int64_t rows = 3;
  std::vector<std::int64_t> nodes = {3, 0, 3, 1};                          // pairs
  std::vector<std::int64_t> buffers = {0, 0, 0, 48, 48, 8, 56, 7, 64, 1};  // pairs
  std::vector<std::int64_t> counts = {1};
};

FlatDraft batch_of(const Made& made) {
  FlatDraft batch;
  batch.number<std::int64_t>(0, made.rows);
  batch.vector(1, numbers_bytes(made.nodes), std::ssize(made.nodes) / 2, 8);
  batch.vector(2, numbers_bytes(made.buffers), std::ssize(made.buffers) / 2, 8);
  batch.vector(4, numbers_bytes(made.counts), std::ssize(made.counts), 8);
  return batch;
}

// Returns a column of views with one buffer of bytes, and a column of numbers.
const IpcField& view_field() {
  static const IpcField field{.path = "v", .layout = {LayoutKind::views, 16}};
  return field;
}
const IpcField& number_field() {
  static const IpcField field{.path = "n",
                              .layout = {LayoutKind::fixed, 1},
                              .before = {.nodes = 1, .buffers = 2, .views = 1}};
  return field;
}
constexpr IpcCounts kAll{.nodes = 2, .buffers = 4, .views = 1};

TEST_F(IpcMessages, ViewBuffersShiftTheBuffersAfterThem) {
  const IpcBatchHeader header(root_of(batch_of({})), kAll, 65);
  EXPECT_EQ(header.row_count(), 3);
  EXPECT_EQ(header.view_buffer_count(view_field()), 1);
  EXPECT_EQ(header.view_buffer_count(number_field()), 0);
  EXPECT_EQ(header.buffer(view_field(), 2).first, 48);
  EXPECT_EQ(header.buffer(number_field(), 0).first, 56);
  EXPECT_EQ(header.buffer(number_field(), 1).first, 64);
  EXPECT_EQ(header.node(number_field()).second, 1);
  EXPECT_EQ(header.node(number_field()).location - header.node(view_field()).location, 16);
}

TEST_F(IpcMessages, ABufferLiesWithinTheBody) {
  EXPECT_NO_THROW((void)IpcBatchHeader(root_of(batch_of({})), kAll, 65).buffer(number_field(), 1));
  EXPECT_THROW((void)IpcBatchHeader(root_of(batch_of({})), kAll, 64).buffer(number_field(), 1),
               DataError);
}

TEST_F(IpcMessages, NodesBuffersAndCountsMustMatchTheSchema) {
  const auto error_with = [&](const Made& made) {
    return error_of<DataError>([&] { IpcBatchHeader(root_of(batch_of(made)), kAll, 65); });
  };
  EXPECT_EQ(error_with({}), "");
  EXPECT_NE(error_with({.nodes = {3, 0}}), "");
  EXPECT_NE(error_with({.nodes = {3, 0, 3, 1, 3, 0}}), "");
  EXPECT_NE(error_with({.buffers = {0, 0, 0, 0, 0, 0, 0, 0}}), "");
  EXPECT_NE(error_with({.buffers = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}), "");
  EXPECT_NE(error_with({.counts = {}}), "");
  EXPECT_NE(error_with({.counts = {0}}), "");
  EXPECT_NE(error_with({.counts = {2}}), "");
  EXPECT_NE(error_with({.counts = {-1}}), "");
  EXPECT_NE(error_with({.counts = {INT64_MAX}}), "");
  EXPECT_NE(error_with({.rows = -1}), "");
}

TEST_F(IpcMessages, TwoCompressionsAreSupported) {
  const auto codec_with = [&](std::int8_t codec, std::int8_t method) {
    FlatDraft compression;
    compression.number<std::int8_t>(0, codec);
    compression.number<std::int8_t>(1, method);
    FlatDraft batch;
    batch.table(3, compression);
    return codec_of(root_of(batch));
  };
  EXPECT_EQ(codec_of(root_of(FlatDraft())), IpcCodec::none);
  EXPECT_EQ(codec_with(0, 0), IpcCodec::lz4);
  EXPECT_EQ(codec_with(1, 0), IpcCodec::zstd);
  EXPECT_THROW((void)codec_with(2, 0), DataError);
  EXPECT_THROW((void)codec_with(-1, 0), DataError);
  EXPECT_THROW((void)codec_with(0, 1), DataError);
}

TEST_F(IpcMessages, ADictionaryHasValues) {
  FlatDraft dictionary;
  dictionary.number<std::int64_t>(0, 5);
  EXPECT_THROW((void)read_dictionary_header(root_of(dictionary)), DataError);
  dictionary.table(1, FlatDraft());
  EXPECT_EQ(read_dictionary_header(root_of(dictionary)).id, 5);
  EXPECT_FALSE(read_dictionary_header(root_of(dictionary)).is_delta);
  dictionary.number<std::uint8_t>(2, 1);
  EXPECT_TRUE(read_dictionary_header(root_of(dictionary)).is_delta);
}

}  // namespace
}  // namespace sheaf::arrow
