#include "io/compressed/compressed_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"

#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kBuffer = CompressedInput::kBufferBytes;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(CompressedInput, DeliversEverySourceSizeForEveryReadSize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kBuffer - 1, kBuffer, kBuffer + 1,
                                 2 * kBuffer - 1, 2 * kBuffer, 2 * kBuffer + 1}) {
    const std::string text = compressible_text(size);
    const auto source = memory_source(text, "x");
    for (const std::size_t piece : {std::size_t{1000}, kBuffer - 1, kBuffer}) {
      CompressedInput input(*source, 0, source->size());
      std::string read;
      for (;;) {
        const std::span<const std::byte> bytes = input.peek(piece);
        ASSERT_GE(bytes.size(), std::min(piece, size - read.size()));
        const std::size_t taken = std::min(piece, bytes.size());
        if (taken == 0) break;
        read += text_of(bytes.first(taken));
        input.consume(taken);
        ASSERT_EQ(input.position(), std::ssize(read));
      }
      EXPECT_EQ(read, text) << size << ' ' << piece;
    }
  }
}

TEST(CompressedInput, SkipsPeekedAndUnpeekedBytes) {
  const std::string text = compressible_text(3 * kBuffer);
  const auto source = memory_source(text, "x");
  for (const std::size_t count : {kBuffer - 1, kBuffer, kBuffer + 1, 3 * kBuffer}) {
    CompressedInput input(*source, 0, source->size());
    static_cast<void>(input.peek());
    EXPECT_TRUE(input.skip(static_cast<std::int64_t>(count)));
    EXPECT_EQ(text_of(input.peek()), text.substr(count, input.peek().size())) << count;
  }
  CompressedInput input(*source, 0, source->size());
  EXPECT_FALSE(input.skip(std::ssize(text) + 1));
}

// Sizes, decompressed and compressed, around every internal size: parts of both ends, blocks of
// lz4, buffers, pieces, and the share of one thread.
TEST(CompressedSizes, AroundEveryInternalSizeAreRead) {
  const std::unique_ptr<Executor> pool = thread_pool(2);
  for (const std::int64_t size : {64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      const std::string text = compressible_text(static_cast<std::size_t>(size + more));
      const auto plain = memory_source(text, "x");
      // Level 0 stores the text, so the compressed size is the size of the text plus a few bytes.
      for (const auto& [file, name] : {std::pair{gzip_member(text), "a.gz"},
                                       {gzip_member(text, {.level = 0}), "a.gz"},
                                       {zstd_frame(text), "a.zst"},
                                       {zstd_frame(text) + zstd_frame(text), "b.zst"},
                                       {lz4_frame(text), "a.lz4"}}) {
        const std::string expected = name[0] == 'b' ? text + text : text;
        const auto source = decompressed(memory_source(file, name), {.executor = pool.get()});
        ASSERT_EQ(source->size(), std::ssize(expected)) << name << ' ' << size + more;
        EXPECT_TRUE(read_all(*source) == expected) << name << ' ' << size + more;
        const std::int64_t last = source->size() - 1;
        EXPECT_EQ(read_text(*source, last, 1)[0], expected.back());
      }
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
