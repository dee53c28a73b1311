#include "format/audio/sound_ends.h"

#include <string>

#include <gtest/gtest.h>

#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

std::string cut_end(const std::string& bytes, SoundCoding coding, std::int64_t sample_count = 10) {
  const testing::TestSource source("abc" + bytes + "xyz");
  return cut_end_of(source, {.begin_bytes = 3, .end_bytes = 3 + std::ssize(bytes)},
                    {.coding = coding, .sample_count = sample_count});
}

/// Returns a page of Ogg with two segments of `size` bytes in total.
std::string page(char flags, std::size_t size) {
  std::string bytes = "OggS";
  bytes += '\0';
  bytes += flags;
  bytes.append(20, '\0');
  bytes += '\2';
  bytes += static_cast<char>(size / 2);
  bytes += static_cast<char>(size - size / 2);
  return bytes + std::string(size, 'p');
}

TEST(SoundEnds, TheLastOggPageMustBeWholeAndEndTheStream) {
  const std::string first = page(2, 30);
  const std::string last = page(4, 400);
  EXPECT_EQ(cut_end(first + last, SoundCoding::ogg), "");
  EXPECT_EQ(cut_end(first + last + "a tag", SoundCoding::ogg), "");
  EXPECT_EQ(cut_end(first, SoundCoding::ogg), "a last page that does not end the stream");
  for (std::size_t size = 4; size < last.size(); ++size) {
    EXPECT_EQ(cut_end(first + last.substr(0, size), SoundCoding::ogg),
              std::to_string(size) + " bytes of the last page");
  }
}

TEST(SoundEnds, APageMayContainThePageMarker) {
  std::string last = page(4, 400);
  last.replace(100, 6, "OggS\1\4", 6);  // another version of Ogg
  EXPECT_EQ(cut_end(last, SoundCoding::ogg), "");
  last.replace(100, 6, "OggS\0\10", 6);  // a flag that does not exist
  EXPECT_EQ(cut_end(last, SoundCoding::ogg), "");
  EXPECT_EQ(cut_end("no page", SoundCoding::ogg), "");
  EXPECT_EQ(cut_end("", SoundCoding::ogg), "");
}

TEST(SoundEnds, SphereHasTheSamplesOfItsHeader) {
  const std::string header = "NIST_1A\n   1024\nsample_count -i 10\nend_head\n";
  EXPECT_EQ(cut_end(header, SoundCoding::sphere, 10), "");
  EXPECT_EQ(cut_end(header, SoundCoding::sphere, 11), "");
  EXPECT_EQ(cut_end(header, SoundCoding::sphere, 9), "9 of 10 samples");
  EXPECT_EQ(cut_end("NIST_1A\nsample_count -i", SoundCoding::sphere, 9), "");
  EXPECT_EQ(cut_end("NIST_1A\nsample_count -i x\n", SoundCoding::sphere, 9), "");
  EXPECT_EQ(cut_end("", SoundCoding::sphere, 9), "");
}

TEST(SoundEnds, FlacSamplesAreCountedWhileDecoding) {
  EXPECT_EQ(cut_end("OggS", SoundCoding::flac), "");
}

}  // namespace
}  // namespace sheaf::internal
