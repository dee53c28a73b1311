#include "format/arrow/ipc_messages.h"

#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/arrow/ipc_test_files.h"
#include "support/error_of.h"
#include "support/test_sources.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::TestSource;
using testing::bytes_of;

IpcFile found_in(const std::string& bytes) { return find_messages(*memory_source(bytes, "t")); }

std::string error_for(const std::string& bytes) {
  return error_of<DataError>([&] { (void)found_in(bytes); });
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(IpcFindMessages, FilesAndStreamsHaveTheSameBatches) {
  const IpcFile stream = found_in(bytes_of("nested.stream"));
  const IpcFile file = found_in(bytes_of("nested.arrow"));
  EXPECT_TRUE(stream.is_stream);
  EXPECT_FALSE(file.is_stream);
  ASSERT_EQ(stream.batches.size(), 3U);
  ASSERT_EQ(file.batches.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(file.batches[i].row_count, stream.batches[i].row_count);
    EXPECT_EQ(file.batches[i].body_bytes, stream.batches[i].body_bytes);
    EXPECT_EQ(file.batches[i].prefix_bytes, 8);
  }
  EXPECT_EQ(stream.dictionaries.size(), 2U);
  EXPECT_EQ(file.dictionaries.size(), 2U);
  EXPECT_FALSE(file.is_compressed);
  EXPECT_TRUE(found_in(bytes_of("nested_lz4.arrow")).is_compressed);
}

TEST(IpcFindMessages, BatchesReferToTheDictionariesBeforeThem) {
  const IpcFile stream = found_in(bytes_of("dictionaries.stream"));
  ASSERT_EQ(stream.batches.size(), 4U);
  EXPECT_EQ(stream.batches[0].dictionaries_before, 1);
  EXPECT_EQ(stream.batches[1].dictionaries_before, 2);
  EXPECT_EQ(stream.batches[2].dictionaries_before, 3);
  EXPECT_EQ(stream.batches[3].dictionaries_before, 3);
  EXPECT_TRUE(stream.dictionaries[1].is_delta);
  EXPECT_FALSE(stream.dictionaries[2].is_delta);
  for (const IpcLocation& location : found_in(bytes_of("deltas.arrow")).batches) {
    EXPECT_EQ(location.dictionaries_before, 2);
  }
}

TEST(IpcFindMessages, OldStreamsHaveOnlyASizePrefix) {
  const IpcFile stream = found_in(bytes_of("legacy.stream"));
  EXPECT_EQ(stream.batches.at(0).prefix_bytes, 4);
}

TEST(IpcFindMessages, CloseMessagesShareARead) {
  const TestSource source(bytes_of("dictionaries.stream"));
  ASSERT_LT(source.size(), 4096);
  (void)find_messages(source);
  EXPECT_EQ(source.read_count(), 1);
}

TEST(IpcFindMessages, OtherFilesAreRefused) {
  EXPECT_EQ(error_for("some text, not of Arrow"),
            "t: byte 0: error: expected ARROW1 and two zero bytes, or the first message of a "
            "stream: a schema, found \"some t\" [arrow-magic]");
  EXPECT_TRUE(mentions(error_for(""), "[arrow-magic]"));
  EXPECT_TRUE(mentions(error_for("abc"), "[arrow-magic]"));
  EXPECT_TRUE(mentions(error_for(std::string(4, '\0')), "[arrow-schema]"));
  EXPECT_TRUE(mentions(error_for(std::string("\xff\xff\xff\xff\0\0\0\0", 8)), "[arrow-schema]"));
}

TEST(IpcFindMessages, AStreamBeginsWithItsOnlySchema) {
  const std::string bytes = bytes_of("dictionaries.stream");
  const IpcFile file = found_in(bytes);
  const auto schema_end = static_cast<std::size_t>(file.dictionaries[0].location.offset);
  EXPECT_TRUE(mentions(error_for(bytes.substr(schema_end)), "found a batch [arrow-schema]"));
  const std::string schema = bytes.substr(0, schema_end);
  EXPECT_EQ(error_for(schema), "");
  EXPECT_TRUE(mentions(error_for(schema + schema), "found another schema [arrow-schema]"));
}

TEST(IpcFindMessages, BytesAfterTheEndOfAStreamAreRefused) {
  const std::string bytes = bytes_of("dictionaries.stream");
  EXPECT_EQ(error_for(bytes), "");
  EXPECT_EQ(error_for(bytes + "x"),
            "t: byte " + std::to_string(bytes.size()) +
                ": error: expected the end of the file behind the end of the stream, found 1 bytes "
                "[arrow-more-bytes]");
  EXPECT_TRUE(mentions(error_for(bytes_of("legacy.stream") + bytes), "[arrow-more-bytes]"));
}

TEST(IpcFindMessages, AFileEndsWithItsFooter) {
  const std::string bytes = bytes_of("deltas.arrow");
  EXPECT_TRUE(mentions(error_for(bytes.substr(0, 17)), "found a file of 17 bytes [arrow-footer]"));
  EXPECT_TRUE(mentions(error_for(bytes.substr(0, bytes.size() - 1)), "[arrow-footer]"));
  const auto with_footer = [&](std::int32_t size) {
    std::string changed = bytes;
    std::memcpy(changed.data() + changed.size() - 10, &size, sizeof size);
    return error_for(changed);
  };
  EXPECT_TRUE(mentions(with_footer(0), "[arrow-footer]"));
  EXPECT_TRUE(mentions(with_footer(-1), "[arrow-footer]"));
  EXPECT_TRUE(
      mentions(with_footer(static_cast<std::int32_t>(bytes.size() - 17)), "[arrow-footer]"));
  EXPECT_FALSE(
      mentions(with_footer(static_cast<std::int32_t>(bytes.size() - 18)), "[arrow-footer]"));
}

TEST(IpcFindMessages, SizesBeyondTheFileAreRefused) {
  std::string bytes = bytes_of("dictionaries.stream");
  const std::size_t at = bytes.size() - 4;  // in the end-of-stream mark
  const std::int32_t size = 1000;
  std::memcpy(bytes.data() + at, &size, sizeof size);
  EXPECT_TRUE(mentions(error_for(bytes), "found the end of the file at"));
  std::memset(bytes.data() + at, 0x80, 4);
  EXPECT_TRUE(mentions(error_for(bytes), "[arrow-message]"));
}

TEST(IpcFindMessages, FirstBytesDistinguishFilesFromStreams) {
  EXPECT_EQ(looks_like_ipc(bytes_of("types.arrow")), Recognition::certain);
  EXPECT_EQ(looks_like_ipc(bytes_of("types.stream").substr(0, 4096)), Recognition::possible);
  EXPECT_EQ(looks_like_ipc("FEA1...."), Recognition::possible);
  EXPECT_EQ(looks_like_ipc("some text"), Recognition::no);
  EXPECT_EQ(looks_like_ipc(""), Recognition::no);
  EXPECT_EQ(looks_like_ipc("ARROW"), Recognition::no);
  EXPECT_EQ(looks_like_ipc(std::string("\xff\xff\xff\xff\x10\0\0\0", 8)), Recognition::possible);
  EXPECT_EQ(looks_like_ipc(std::string("\xff\xff\xff\xff\x08\0\0\0", 8)), Recognition::no);
  EXPECT_EQ(looks_like_ipc(std::string("\xff\xff\xff\xff\x11\0\0\0", 8)), Recognition::no);
  // Schemas of less than 2^28 bytes, of exactly as many, and of more.
  EXPECT_EQ(looks_like_ipc(std::string("\xff\xff\xff\xff\xfc\xff\xff\x0f", 8)),
            Recognition::possible);
  EXPECT_EQ(looks_like_ipc(std::string("\xff\xff\xff\xff\0\0\0\x10", 8)), Recognition::possible);
  EXPECT_EQ(looks_like_ipc(std::string("\xff\xff\xff\xff\x04\0\0\x10", 8)), Recognition::no);
}

TEST(IpcFindMessages, MetadataAreReadOnceMore) {
  const auto source = memory_source(bytes_of("nested.stream"), "t");
  const IpcFile file = find_messages(*source);
  const IpcMetadata metadata(*source, file.batches[1]);
  EXPECT_EQ(row_count_of(metadata.header(IpcKind::batch)), 5);
  EXPECT_THROW((void)metadata.header(IpcKind::dictionary), DataError);
}

}  // namespace
}  // namespace sheaf::arrow
