#include "io/compressed/zstd_decoder.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"

#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf {
namespace {

TEST(ZstdDecoder, ReadsAtAndAroundFramesIncludingEmptyAndSkippableOnes) {
  std::string text;
  std::string file = skippable_frame("a table");
  for (const std::size_t size : {0U, 1U, 300'000U, 0U, 131'072U, 131'071U, 131'073U, 0U}) {
    const std::string part = compressible_text(size, size + 1);
    text += part;
    file += zstd_frame(part, size % 2 == 0) + skippable_frame("") + skippable_frame("another");
  }
  std::size_t point_count = 0;
  with_close_points(file, Compression::zstd, 1, point_count);
  EXPECT_EQ(point_count, 6U);
  check_reads(file, Compression::zstd, 1, text);
  check_reads(file, Compression::zstd, 1 << 20, text);
}

TEST(ZstdDecoder, DamageIsAnErrorOrChangesNothing) {
  const std::string first = zstd_frame("0 |x 1 2 3\n") + skippable_frame("12");
  const std::string text = "0 |x 1 2 3\n" + std::string(300, '1');
  const std::size_t first_frame = first.size() - skippable_frame("12").size();
  check_damage(first + zstd_frame(std::string(300, '1')), "a.ctf.zst", text,
               {first.size(), first_frame});
}

TEST(ZstdDecoder, LocatesDamage) {
  const std::string first = zstd_frame("12345");  // 18 bytes
  EXPECT_EQ(error_of(first + "more", "a.zst"),
            "a.zst: damaged at compressed byte 18, after 5 decompressed bytes: the bytes that "
            "follow the last zstd frame are no zstd frame");
  EXPECT_EQ(error_of(first + first.substr(0, 17), "a.zst"),
            "a.zst: damaged at compressed byte 35, after 10 decompressed bytes: the file ends "
            "inside a zstd frame");
}

TEST(ZstdDecoder, RefusesFramesThatNeedMuchMemory) {
  // The magic number; a descriptor without single segment; a window of 2^31 bytes; an empty last
  // block.
  const std::string file("\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00", 9);
  EXPECT_NE(error_of(file, "a.zst").find("a window of more than 128 MiB"), std::string::npos)
      << error_of(file, "a.zst");
}

TEST(ZstdDecoder, FindsTheEndOfEachFrame) {
  std::vector<std::string> frames = {zstd_frame(""),
                                     skippable_frame("12"),
                                     zstd_frame(std::string(1'000'000, 'x')),  // repeated bytes
                                     zstd_frame(compressible_text(400'000), false),
                                     zstd_frame("1"),
                                     zstd_frame(compressible_text(300))};
  std::string file;
  std::vector<std::int64_t> ends;
  for (const std::string& frame : frames) {
    file += frame;
    ends.push_back(std::ssize(file));
  }
  const auto source = memory_source(file, "x");
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    EXPECT_EQ(internal::zstd_frames_end(*source, begin, 1), end);
    EXPECT_EQ(internal::zstd_frames_end(*source, begin, end - begin), end);
    EXPECT_EQ(internal::zstd_frames_end(*source, 0, end), end);
    begin = end;
  }
  for (std::size_t size = 1; size < file.size(); size += 97) {
    const auto cut = memory_source(file.substr(0, size), "x");
    EXPECT_EQ(internal::zstd_frames_end(*cut, 0, std::ssize(file)), cut->size());
  }
}

TEST(ZstdDecoder, ManyThreadsFindTheSamePoints) {
  std::string file;
  std::string text;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string part = compressible_text(700'000, i);
    text += part;
    file += zstd_frame(part);
  }
  const auto source = memory_source(file, "a.zst");
  const std::unique_ptr<Executor> pool = thread_pool(3);
  const internal::AccessPoints one =
      internal::find_access_points(*source, Compression::zstd, nullptr);
  EXPECT_EQ(internal::find_access_points(*source, Compression::zstd, pool.get()), one);
  EXPECT_GT(one.points.size(), 10U);
  EXPECT_EQ(one.decompressed, memory_source(text, "x")->fingerprint());

  // The first damage is reported, regardless of which thread is first.
  std::string damaged = file;
  damaged[file.size() / 2] ^= 1;
  damaged[file.size() - 1] ^= 1;
  const std::string wrong[] = {damaged, file + "more", file.substr(0, file.size() - 1)};
  for (const std::string& bytes : wrong) {
    const std::string expected = error_of(bytes, "a.zst");
    EXPECT_NE(expected, "");
    EXPECT_EQ(error_of(bytes, "a.zst", {.executor = pool.get()}), expected);
  }
}

}  // namespace
}  // namespace sheaf
