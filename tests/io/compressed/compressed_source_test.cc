#include "io/compressed/compressed_source.h"

#include <atomic>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"
#include "sheaf/extend/parallel_for.h"

#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf {
namespace {

/// Counts the bytes read from a source.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string bytes, std::string name)
      : source_(memory_source(std::move(bytes), std::move(name))) {}

  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::string_view path() const noexcept override { return "/a/path"; }
  [[nodiscard]] std::int64_t modified_ns() const noexcept override { return 42; }
  [[nodiscard]] std::int64_t size() const noexcept override { return source_->size(); }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    bytes_read += std::ssize(into);
    source_->read_at(offset, into);
  }

  mutable std::atomic<std::int64_t> bytes_read = 0;

 private:
  std::shared_ptr<const ByteSource> source_;
};

TEST(CompressedSource, KeepsNamePathAndTimeOfTheFile) {
  const auto file = std::make_shared<const CountingSource>(gzip_member("1"), "a.ctf.gz");
  const auto source = decompressed(file);
  EXPECT_EQ(source->name(), "a.ctf.gz");
  EXPECT_EQ(source->path(), "/a/path");
  EXPECT_EQ(source->modified_ns(), 42);
  EXPECT_EQ(source->size(), 1);
  EXPECT_FALSE(source->has_fast_random_access());
}

TEST(CompressedSource, RefusesReadsBeyondItsEnds) {
  const auto source = decompressed(memory_source(gzip_member("12345"), "a.gz"));
  EXPECT_THROW((void)read_text(*source, -1, 1), IoError);
  EXPECT_THROW((void)read_text(*source, 0, 6), IoError);
  EXPECT_THROW((void)read_text(*source, 6, 0), IoError);
  EXPECT_EQ(read_text(*source, 5, 0), "");
  EXPECT_EQ(read_text(*source, 4, 1), "5");
}

TEST(CompressedSource, ReadingFrontToBackDecompressesOnce) {
  const std::string text = compressible_text(8'000'000);
  const std::string file = zstd_frame(text);
  const auto counting = std::make_shared<const CountingSource>(file, "a.zst");
  const auto source = decompressed(counting);
  counting->bytes_read = 0;
  for (std::int64_t begin = 0; begin < source->size(); begin += 10'000) {
    (void)read_text(*source, begin, std::min<std::int64_t>(10'000, source->size() - begin));
  }
  EXPECT_LE(counting->bytes_read, std::ssize(file));
}

TEST(CompressedSource, AccessPointsSaveThePass) {
  const std::string text = compressible_text(9'000'000);
  const std::string file = gzip_member(text);
  const std::string points = decompressed(memory_source(file, "a.gz"))->access_points();
  const auto counting = std::make_shared<const CountingSource>(file, "a.gz");
  const auto source = decompressed(counting, {.access_points = points});
  EXPECT_LE(counting->bytes_read, 2 * 65'536 + 4);  // the fingerprint and the beginning
  EXPECT_EQ(source->access_points(), points);
  EXPECT_EQ(source->size(), std::ssize(text));
  EXPECT_EQ(read_text(*source, 8'000'000, 1000), text.substr(8'000'000, 1000));
  EXPECT_LE(counting->bytes_read, std::ssize(file) * 3 / 4);
}

TEST(CompressedSource, AccessPointsOfAnotherFileAreNotUsed) {
  const std::string points =
      decompressed(memory_source(gzip_member("12345"), "a.gz"))->access_points();
  const std::string wrong[] = {points, "x", points.substr(1)};
  for (const std::string& bytes : wrong) {
    const auto source =
        decompressed(memory_source(gzip_member("678"), "a.gz"), {.access_points = bytes});
    EXPECT_EQ(read_all(*source), "678");
  }
}

TEST(CompressedSource, LocatesLaterDamageOfAFile) {
  std::string text = compressible_text(2'000'000);
  std::string file = gzip_member(text);
  const std::string points = decompressed(memory_source(file, "a.gz"))->access_points();
  file.replace(file.size() / 2, 100, std::string(100, '\xFF'));  // far from both ends
  const auto source = decompressed(memory_source(file, "a.gz"), {.access_points = points});
  try {
    (void)read_all(*source);
    FAIL();
  } catch (const IoError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("a.gz: damaged at compressed byte ") ||
                what.starts_with("a.gz: ends after "))
        << what;
  }
  EXPECT_EQ(read_text(*source, 0, 1000), text.substr(0, 1000));
}

TEST(CompressedSource, ManyThreadsReadTheSameBytes) {
  const std::string text = compressible_text(3'000'000);
  const std::string part = compressible_text(300'000, 3);
  std::string frames;
  std::string frames_text;
  for (int i = 0; i < 10; ++i) {
    frames += zstd_frame(part);
    frames_text += part;
  }
  const std::unique_ptr<Executor> pool = thread_pool(8);
  const auto check = [&pool](const std::string& file, Compression compression,
                             const std::string& expected) {
    std::size_t ignored = 0;
    const auto source = with_close_points(file, compression, 100'000, ignored);
    parallel_for(pool.get(), 64, [&](std::int64_t task) {
      std::uint64_t random = static_cast<std::uint64_t>(task) + 1;
      for (int i = 0; i < 20; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        const auto begin = static_cast<std::int64_t>((random >> 24U) % expected.size());
        const std::int64_t size = std::min<std::int64_t>(5000, source->size() - begin);
        EXPECT_EQ(read_text(*source, begin, size),
                  expected.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)));
      }
    });
  };
  check(gzip_member(text), Compression::gzip, text);
  check(frames, Compression::zstd, frames_text);
  check(lz4_frame(text), Compression::lz4, text);
}

}  // namespace
}  // namespace sheaf
