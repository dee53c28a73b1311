#include <string>

#include <gtest/gtest.h>

#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf {
namespace {

TEST(Lz4Decoder, ReadsAtAndAroundIndependentBlocks) {
  const std::string text = compressible_text(400'000);
  for (const bool has_block_checksums : {false, true}) {
    for (const bool has_size : {false, true}) {
      const Lz4Options options = {.has_block_checksums = has_block_checksums, .has_size = has_size};
      const std::string file = lz4_frame(text, options);
      std::size_t point_count = 0;
      with_close_points(file, Compression::lz4, 1, point_count);
      EXPECT_EQ(point_count, 7U);  // one for each block of 64 KiB
      check_reads(file, Compression::lz4, 1, text);
      check_reads(file, Compression::lz4, 100'000, text);
      check_reads(file + file, Compression::lz4, 1, text + text);
    }
  }
}

TEST(Lz4Decoder, ReadsLinkedBlocksFromTheStartOfTheFrame) {
  const std::string text = compressible_text(400'000);
  const std::string frame = lz4_frame(text, {.is_independent = false});
  std::size_t point_count = 0;
  with_close_points(frame + frame, Compression::lz4, 1, point_count);
  EXPECT_EQ(point_count, 2U);
  check_reads(frame + frame, Compression::lz4, 1, text + text);
}

TEST(Lz4Decoder, ReadsEmptyAndSkippableFramesAndStoredBlocks) {
  std::string noise;
  for (std::uint64_t seed = 1; noise.size() < 140'000; seed += 2) {
    noise += static_cast<char>((seed * seed * 0x9E3779B97F4A7C15U) >> 56U);
  }
  const std::string file = skippable_frame("12") + lz4_frame("") + lz4_frame(noise) +
                           skippable_frame("") + lz4_frame("") + lz4_frame("1");
  check_reads(file, Compression::lz4, 1, noise + "1");
}

TEST(Lz4Decoder, DamageIsAnErrorOrChangesNothing) {
  for (const bool has_block_checksums : {false, true}) {
    const std::string first =
        lz4_frame("0 |x 1 2 3\n", {.has_block_checksums = has_block_checksums, .has_size = true});
    const std::string last = lz4_frame(std::string(300, '1'));
    check_damage(first + last, "a.ctf.lz4", "0 |x 1 2 3\n" + std::string(300, '1'), {first.size()});
  }
}

TEST(Lz4Decoder, NamesUnsupportedFeatures) {
  const std::string legacy("\x02\x21\x4C\x18\0\0\0\0", 8);
  EXPECT_NE(error_of(legacy, "a.lz4").find("the legacy format"), std::string::npos)
      << error_of(legacy, "a.lz4");
  std::string dictionary = lz4_frame("1");
  dictionary[4] |= 1;
  EXPECT_NE(error_of(dictionary, "a.lz4").find("needs a dictionary"), std::string::npos)
      << error_of(dictionary, "a.lz4");
}

}  // namespace
}  // namespace sheaf
