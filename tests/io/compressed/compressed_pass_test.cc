#include "io/compressed/compressed_pass.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"
#include "sheaf/extend/interruption.h"

#include "io/compressed/both_ends.h"
#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf::internal {
namespace {

TEST(CompressedPass, PointsTakeLessThanAHundredthOfTheDecompressedSize) {
  std::string noise;  // its decoder windows are as large as possible
  for (std::uint64_t seed = 1; std::ssize(noise) < 20 << 20; seed += 2) {
    noise += static_cast<char>((seed * seed * 0x9E3779B97F4A7C15U) >> 56U);
  }
  const auto source = memory_source(gzip_member(noise, {.level = 1}), "a.gz");
  const AccessPoints points = find_access_points(*source, Compression::gzip, nullptr);
  EXPECT_GE(points.points.size(), 4U);
  EXPECT_LT(std::ssize(to_bytes(points)) * 100, std::ssize(noise));
}

TEST(CompressedPass, TheFingerprintCoversTheDecompressedBytes) {
  constexpr std::int64_t kPart = BothEnds::kPartBytes;
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, kPart - 1, kPart, kPart + 1,
                                  2 * kPart - 1, 2 * kPart, 2 * kPart + 1, 5 * kPart}) {
    const std::string text = compressible_text(static_cast<std::size_t>(size));
    EXPECT_EQ(decompressed(memory_source(gzip_member(text), "a.gz"))->fingerprint(),
              memory_source(text, "a")->fingerprint())
        << size;
  }
}

TEST(CompressedPass, BothEndsOfPartsCombine) {
  const std::string text = compressible_text(400'000);
  for (const std::size_t part : {1'000U, 65'535U, 65'536U, 65'537U, 100'000U, 400'000U}) {
    BothEnds ends;
    for (std::size_t i = 0; i < text.size(); i += part) {
      BothEnds own;
      const std::string piece = text.substr(i, part);
      own.add(std::as_bytes(std::span(piece)));
      ends.add(own);
    }
    EXPECT_EQ(ends.size(), std::ssize(text));
    EXPECT_EQ(ends.first(), text.substr(0, 65'536));
    EXPECT_EQ(ends.last(), text.substr(text.size() - 65'536));
  }
}

}  // namespace
}  // namespace sheaf::internal
