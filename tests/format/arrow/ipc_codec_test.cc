#include "format/arrow/ipc_codec.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "format/arrow/compressed_bytes.h"

namespace sheaf::arrow {
namespace {

using testing::compressed;

std::string error_for(IpcCodec codec, std::string_view bytes, std::int64_t size) {
  IpcDecompressor decompressor(codec);
  Buffer into;
  return decompressor.decompress(std::as_bytes(std::span(bytes)), size, into);
}

TEST(IpcCodec, BuffersOfAllSizesAreDecompressed) {
  for (const IpcCodec codec : {IpcCodec::lz4, IpcCodec::zstd}) {
    IpcDecompressor decompressor(codec);
    for (const std::int64_t size : {1, 100, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5'000'000}) {
      std::string text;
      while (std::ssize(text) < size) text += "some words " + std::to_string(text.size() % 97);
      text.resize(static_cast<std::size_t>(size));
      const std::string bytes = compressed(codec, text);
      Buffer into;
      ASSERT_EQ(decompressor.decompress(std::as_bytes(std::span(bytes)), size, into), "");
      ASSERT_EQ(into.size_bytes(), size);
      EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(into.data()), text.size()), text);
    }
  }
}

TEST(IpcCodec, ASizeOffByOneIsAnError) {
  const std::string zstd = compressed(IpcCodec::zstd, std::string(1000, 'x'));
  EXPECT_EQ(error_for(IpcCodec::zstd, zstd, 1000), "");
  EXPECT_EQ(error_for(IpcCodec::zstd, zstd, 1001),
            "1000 bytes decompressed, where 1001 were announced");
  EXPECT_NE(error_for(IpcCodec::zstd, zstd, 999), "");
  const std::string lz4 = compressed(IpcCodec::lz4, std::string(1000, 'x'));
  EXPECT_EQ(error_for(IpcCodec::lz4, lz4, 1000), "");
  EXPECT_EQ(error_for(IpcCodec::lz4, lz4, 1001),
            "1000 bytes decompressed, where 1001 were announced");
  EXPECT_NE(error_for(IpcCodec::lz4, lz4, 999), "");
}

TEST(IpcCodec, TruncatedAndInvalidBytesAreErrors) {
  for (const IpcCodec codec : {IpcCodec::lz4, IpcCodec::zstd}) {
    const std::string bytes = compressed(codec, "0123456789abcdefghij");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(error_for(codec, bytes.substr(0, size), 20), "") << size;
    }
    EXPECT_NE(error_for(codec, bytes + "x", 20), "");
    EXPECT_NE(error_for(codec, std::string(50, 'x'), 20), "");
  }
}

TEST(IpcCodec, AnErrorLeavesTheDecompressorUsable) {
  for (const IpcCodec codec : {IpcCodec::lz4, IpcCodec::zstd}) {
    IpcDecompressor decompressor(codec);
    const std::string bytes = compressed(codec, "0123456789abcdefghij");
    const auto raw = std::as_bytes(std::span(bytes));
    Buffer into;
    EXPECT_NE(decompressor.decompress(raw.first(raw.size() - 3), 20, into), "");
    EXPECT_EQ(decompressor.decompress(raw, 20, into), "");
  }
}

TEST(IpcCodec, AHugeClaimedSizeAllocatesLittle) {
  const std::string bytes = compressed(IpcCodec::zstd, "short");
  IpcDecompressor decompressor(IpcCodec::zstd);
  Buffer into;
  EXPECT_NE(decompressor.decompress(std::as_bytes(std::span(bytes)), std::int64_t{1} << 45, into),
            "");
  EXPECT_LE(into.capacity_bytes(), std::int64_t{2} << 20);
}

}  // namespace
}  // namespace sheaf::arrow
