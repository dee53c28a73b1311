#include "format/arrow/ipc_buffers.h"

#include <cstdint>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/arrow/compressed_bytes.h"
#include "support/error_of.h"
#include "support/test_sources.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::TestSource;
using testing::compressed;

std::string_view text_in(const ReadBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data), static_cast<std::size_t>(bytes.size)};
}

std::string numbered(std::int64_t size) {
  std::string text;
  for (std::int64_t i = 0; i < size; ++i) text.push_back(static_cast<char>(i % 251));
  return text;
}

// Returns a wish for part of a buffer, from `begin` on.
BufferReads::Wish part_of(IpcPair buffer, std::int64_t begin, std::int64_t size) {
  return {.buffer = buffer, .begin = begin, .size = size};
}

TEST(IpcBuffers, CloseReadsAreMerged) {
  const std::string text = numbered(100'000);
  const TestSource source(text);
  BufferReads reads(source, 10, IpcCodec::none);
  const std::size_t a = reads.want(part_of({.first = 0, .second = 50}, 5, 20));
  const std::size_t far = reads.want(part_of({.first = 50'000, .second = 50}, 0, 50));
  // The second begins 4096 bytes after the end of the first.
  const std::size_t b = reads.want(part_of({.first = 25 + 4096, .second = 10}, 0, 10));
  reads.run();
  EXPECT_EQ(source.read_count(), 2);
  EXPECT_EQ(text_in(reads.read(a)), text.substr(15, 20));
  EXPECT_EQ(text_in(reads.read(b)), text.substr(10 + 25 + 4096, 10));
  EXPECT_EQ(text_in(reads.read(far)), text.substr(50'010, 50));
}

TEST(IpcBuffers, DistantReadsAreNotMerged) {
  const TestSource source(numbered(10'000));
  BufferReads reads(source, 0, IpcCodec::none);
  (void)reads.want(part_of({.first = 0, .second = 20}, 0, 20));
  (void)reads.want(part_of({.first = 20 + 4097, .second = 10}, 0, 10));
  reads.run();
  EXPECT_EQ(source.read_count(), 2);
}

TEST(IpcBuffers, MergedReadsHaveAtMost256KiB) {
  constexpr std::int64_t kMost = std::int64_t{256} << 10;
  for (const std::int64_t size : {kMost - 1, kMost, kMost + 1}) {
    const std::string text = numbered(size);
    const TestSource source(text);
    BufferReads reads(source, 0, IpcCodec::none);
    (void)reads.want(part_of({.first = 0, .second = 100}, 0, 100));
    const std::int64_t rest = size - 100;
    const std::size_t b = reads.want(part_of({.first = 100, .second = rest}, 0, rest));
    reads.run();
    EXPECT_EQ(source.read_count(), size <= kMost ? 1 : 2) << size;
    EXPECT_EQ(text_in(reads.read(b)), text.substr(100)) << size;
  }
}

TEST(IpcBuffers, LargeBuffersAreReadByThemselvesAndAligned) {
  const std::string text = numbered(1'000'000);
  const TestSource source(text);
  BufferReads reads(source, 3, IpcCodec::none);
  const std::size_t a = reads.want(part_of({.first = 0, .second = 300'000}, 0, 300'000));
  const std::size_t b = reads.want(part_of({.first = 300'000, .second = 300'000}, 0, 300'000));
  reads.run();
  EXPECT_EQ(source.read_count(), 2);
  for (const std::size_t number : {a, b}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(reads.read(number).data) % 64, 0U);
  }
  EXPECT_EQ(text_in(reads.read(b)), text.substr(300'003, 300'000));
}

TEST(IpcBuffers, OverlappingReadsAreMadeOnce) {
  const std::string text = numbered(1'000'000);
  const TestSource source(text);
  BufferReads reads(source, 0, IpcCodec::none);
  for (int i = 0; i < 100; ++i)
    (void)reads.want(part_of({.first = 0, .second = 900'000}, i, 800'000));
  reads.run();
  EXPECT_EQ(source.read_count(), 1);
  EXPECT_EQ(source.read_bytes(), 800'099);
  EXPECT_EQ(text_in(reads.read(99)), text.substr(99, 800'000));
}

TEST(IpcBuffers, ValuesAreAlignedAtAnyOffset) {
  const std::string text = numbered(200);
  const TestSource source(text);
  for (std::int64_t offset = 0; offset < 16; ++offset) {
    BufferReads reads(source, offset, IpcCodec::none);
    const std::size_t a = reads.want({.buffer = {.first = 0, .second = 3}, .size = 3});
    const std::size_t b =
        reads.want({.buffer = {.first = 3, .second = 16}, .size = 16, .alignment = 8});
    reads.run();
    EXPECT_EQ(source.read_count(), offset + 1);
    EXPECT_EQ(text_in(reads.read(a)), text.substr(static_cast<std::size_t>(offset), 3));
    EXPECT_EQ(text_in(reads.read(b)), text.substr(static_cast<std::size_t>(offset + 3), 16));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(reads.read(b).data) % 8, 0U);
  }
}

TEST(IpcBuffers, EmptyBuffersAreNotReadButHaveAnAddress) {
  const TestSource source("abc");
  BufferReads reads(source, 0, IpcCodec::none);
  const std::size_t none = reads.want(part_of({.first = 3, .second = 0}, 0, 0));
  reads.run();
  EXPECT_EQ(source.read_count(), 0);
  EXPECT_EQ(reads.read(none).size, 0);
  EXPECT_NE(reads.read(none).data, nullptr);
}

TEST(IpcBuffers, LaterRoundsKeepEarlierBuffers) {
  const std::string text = numbered(100);
  const TestSource source(text);
  BufferReads reads(source, 0, IpcCodec::none);
  const std::size_t a = reads.want(part_of({.first = 0, .second = 10}, 0, 10));
  reads.run();
  const std::byte* const data = reads.read(a).data;
  const std::size_t b = reads.want(part_of({.first = 50, .second = 10}, 0, 10));
  reads.run();
  EXPECT_EQ(reads.read(a).data, data);
  EXPECT_EQ(text_in(reads.read(b)), text.substr(50, 10));
  EXPECT_EQ(source.read_count(), 2);
}

TEST(IpcBuffers, ABufferThatIsOneByteShortIsRefused) {
  const TestSource source("0123456789");
  BufferReads reads(source, 0, IpcCodec::none);
  (void)reads.want({.buffer = {.first = 0, .second = 8, .location = 77}, .size = 8, .least = 8});
  EXPECT_EQ(error_of([&] {
              (void)reads.want(
                  {.buffer = {.first = 0, .second = 7, .location = 77}, .size = 7, .least = 8});
            }),
            "memory: byte 77: error: expected a buffer within the body, with the bytes that its "
            "array needs, found 7 bytes, where the array needs 8 [arrow-buffer]");
}

std::string with_size(std::int64_t size, std::string_view bytes) {
  std::string text(8, '\0');
  std::memcpy(text.data(), &size, sizeof size);
  return text.append(bytes);
}

// Reads a whole file as one compressed buffer.
std::string read_compressed(IpcCodec codec, const std::string& file, std::int64_t least = 0) {
  const TestSource source(file);
  BufferReads reads(source, 0, codec);
  const std::size_t number =
      reads.want({.buffer = {.first = 0, .second = source.size(), .location = 9},
                  .size = source.size(),
                  .least = least});
  reads.run();
  return std::string(text_in(reads.read(number)));
}

TEST(IpcBuffers, CompressedAndStoredBuffersAreRead) {
  for (const IpcCodec codec : {IpcCodec::lz4, IpcCodec::zstd}) {
    const std::string text = "0123456789012345678901234567890123456789";
    EXPECT_EQ(read_compressed(codec, with_size(40, compressed(codec, text)), 40), text);
    EXPECT_EQ(read_compressed(codec, with_size(-1, "stored"), 6), "stored");
    EXPECT_EQ(read_compressed(codec, with_size(-1, "")), "");
    EXPECT_EQ(read_compressed(codec, with_size(0, "")), "");
    EXPECT_EQ(read_compressed(codec, ""), "");
    EXPECT_THROW(read_compressed(codec, with_size(40, compressed(codec, text)), 41), DataError);
    EXPECT_THROW(read_compressed(codec, with_size(-1, "stored"), 7), DataError);
  }
}

TEST(IpcBuffers, WrongSizesOfCompressedBuffersAreRefused) {
  for (const IpcCodec codec : {IpcCodec::lz4, IpcCodec::zstd}) {
    const std::string bytes = compressed(codec, std::string(40, 'x'));
    EXPECT_THROW(read_compressed(codec, "1234567"), DataError);
    EXPECT_THROW(read_compressed(codec, with_size(-2, bytes)), DataError);
    EXPECT_THROW(read_compressed(codec, with_size(39, bytes)), DataError);
    EXPECT_THROW(read_compressed(codec, with_size(41, bytes)), DataError);
    EXPECT_THROW(read_compressed(codec, with_size(INT64_MAX, bytes)), DataError);
  }
  // One byte of lz4 yields at most 255 bytes.
  EXPECT_EQ(error_of([] { read_compressed(IpcCodec::lz4, with_size(2549, "123456789")); }),
            "memory: byte 0: error: expected a buffer that is compressed with LZ4 or ZSTD, found "
            "ERROR_frameType_unknown [arrow-compression]");
  EXPECT_EQ(error_of([] { read_compressed(IpcCodec::lz4, with_size(2550, "123456789")); }),
            "memory: byte 0: error: expected a buffer that is compressed with LZ4 or ZSTD, found "
            "2550 bytes before compression, and 9 behind it [arrow-compression]");
}

}  // namespace
}  // namespace sheaf::arrow
