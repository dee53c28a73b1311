#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf {
namespace {

TEST(GzipDecoder, ReadsAtAndAroundEveryPointInsideOneMember) {
  const std::string text = compressible_text(600'000);
  for (const int level : {0, 1, 6, 9}) {
    SCOPED_TRACE(level);
    const std::string file = gzip_member(text, {.level = level});
    std::size_t point_count = 0;
    with_close_points(file, Compression::gzip, 1, point_count);
    EXPECT_GT(point_count, 2U);
    check_reads(file, Compression::gzip, 1, text);
    check_reads(file, Compression::gzip, 100'000, text);
  }
}

TEST(GzipDecoder, ReadsConsecutiveAndEmptyMembers) {
  std::string text;
  std::string file;
  for (const std::size_t size : {0U, 1U, 70'000U, 0U, 0U, 32'768U, 3U, 0U}) {
    const std::string part = compressible_text(size, size);
    text += part;
    file += gzip_member(part);
  }
  check_reads(file, Compression::gzip, 1, text);
  check_reads(file, Compression::gzip, 50'000, text);
}

TEST(GzipDecoder, SkipsEveryFieldOfAHeader) {
  const std::string text = compressible_text(1000);
  const GzipOptions headers[] = {
      {.name = "train.ctf"},
      {.comment = "a comment"},
      {.extra = std::string("BC\x02\0\x10\0", 6)},  // as written by bgzip
      {.has_header_checksum = true},
      {.name = "n", .comment = "c", .extra = "e", .has_header_checksum = true},
  };
  for (const GzipOptions& header : headers) {
    const std::string file = gzip_member(text, header);
    EXPECT_EQ(read_all(*decompressed(memory_source(file, "a.gz"))), text);
    const std::string twice = file + file;
    check_reads(twice, Compression::gzip, 1, text + text);
  }
}

TEST(GzipDecoder, DamageIsAnErrorOrChangesNothing) {
  const GzipOptions options = {.name = "n", .extra = "xy", .has_header_checksum = true};
  const std::string first = gzip_member("0 |x 1 2 3\n", options);
  const std::string file = first + gzip_member("1 |x 4 5 6\n1 |x 4 5 6\n1 |x 4 5 6\n");
  check_damage(file, "a.ctf.gz", read_all(*decompressed(memory_source(file, "a.gz"))),
               {first.size()});
}

TEST(GzipDecoder, LocatesDamage) {
  const std::string first = gzip_member("12345");
  std::string wrong_sum = first;
  wrong_sum[wrong_sum.size() - 8] ^= 1;
  EXPECT_EQ(error_of(wrong_sum, "a.ctf.gz"),
            "a.ctf.gz: damaged at compressed byte 21, after 5 decompressed bytes: incorrect data "
            "check");
  EXPECT_EQ(error_of(first.substr(0, 20), "a.ctf.gz"),
            "a.ctf.gz: damaged at compressed byte 20, after 5 decompressed bytes: the file ends "
            "inside a gzip member");
  EXPECT_EQ(error_of(first + "more", "a.ctf.gz"),
            "a.ctf.gz: damaged at compressed byte 25, after 5 decompressed bytes: the bytes that "
            "follow the last gzip member are no gzip member");
}

}  // namespace
}  // namespace sheaf
