#include "format/sheaf/block_compression.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::container {
namespace {

std::vector<std::byte> text_like(std::size_t size) {
  std::mt19937 random(5);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(random() % 3));
  return bytes;
}

std::vector<std::byte> noise(std::size_t size) {
  std::mt19937 random(5);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(random() % 256));
  return bytes;
}

struct Library {
  std::optional<Buffer> (*compress)(std::span<const std::byte>, std::int64_t);
  bool (*decompress)(std::span<const std::byte>, std::span<std::byte>);
};

constexpr Library kLibraries[] = {{compress_lz4, decompress_lz4}, {compress_zstd, decompress_zstd}};

TEST(BlockCompression, BytesRoundTrip) {
  for (const Library& library : kLibraries) {
    for (const std::size_t size : {1U, 2U, 100U, 65'535U, 65'536U, 65'537U, 1'000'000U}) {
      const std::vector<std::byte> bytes = text_like(size);
      const std::optional<Buffer> packed = library.compress(bytes, 2'000'000);
      ASSERT_TRUE(packed.has_value());
      std::vector<std::byte> back(size);
      const std::span stored(packed->data(), static_cast<std::size_t>(packed->size_bytes()));
      EXPECT_TRUE(library.decompress(stored, back));
      EXPECT_EQ(back, bytes);
      std::vector<std::byte> other(size + 1);
      EXPECT_FALSE(library.decompress(stored, other));
      other.resize(size - 1);
      EXPECT_FALSE(library.decompress(stored, other));
    }
  }
}

TEST(BlockCompression, TheSizeLimitIsKept) {
  const std::vector<std::byte> bytes = text_like(100'000);
  for (const Library& library : kLibraries) {
    const std::int64_t size = library.compress(bytes, 1 << 30)->size_bytes();
    EXPECT_EQ(library.compress(bytes, size)->size_bytes(), size);
    EXPECT_FALSE(library.compress(bytes, size - 1).has_value());
    EXPECT_FALSE(library.compress(bytes, 0).has_value());
  }
}

TEST(BlockCompression, DamagedBytesStayWithinBounds) {
  const std::vector<std::byte> bytes = text_like(3000);
  for (const Library& library : kLibraries) {
    const std::optional<Buffer> packed = library.compress(bytes, 1 << 30);
    std::vector<std::byte> back(bytes.size());
    for (std::int64_t size = 0; size < packed->size_bytes(); ++size) {
      const std::vector<std::byte> cut(packed->data(), packed->data() + size);
      EXPECT_FALSE(library.decompress(cut, back)) << size;
    }
  }
}

TEST(BlockCompression, SamplingPredictsWhetherCompressionPays) {
  for (const std::size_t size : {65'535U, 65'536U, 65'537U, 500'000U}) {
    EXPECT_TRUE(is_compressible(text_like(size)));
    EXPECT_EQ(is_compressible(noise(size)), size <= 65'536U)
        << size;  // small arrays are simply tried
  }
}

}  // namespace
}  // namespace sheaf::container
