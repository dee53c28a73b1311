#include "format/cbf/cbf_read_ahead.h"

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_sources.h"

namespace sheaf::cbf {
namespace {

constexpr std::int64_t kSize = std::int64_t{4} << 20;

std::string some_bytes() {
  std::string bytes(static_cast<std::size_t>(kSize), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7919 >> 8U);
  return bytes;
}

std::string text(const SharedBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()};
}

TEST(ReadAhead, MergesSmallRangesInOrder) {
  const std::string bytes = some_bytes();
  const auto source = std::make_shared<testing::TestSource>(bytes);
  const ReadAhead reader(*source, kSize);
  constexpr std::int64_t kRange = 1000;
  for (std::int64_t at = 0; at + kRange <= kSize; at += kRange) {
    ASSERT_EQ(text(reader.read(at, kRange)), bytes.substr(static_cast<std::size_t>(at), kRange));
  }
  EXPECT_LE(source->read_count(), 1 + kSize / ReadAhead::piece_size() + 1);
}

TEST(ReadAhead, ReadsUnorderedRangesIndividually) {
  const auto source = std::make_shared<testing::TestSource>(some_bytes());
  const ReadAhead reader(*source, kSize);
  for (std::int64_t i = 0; i < 50; ++i) {
    const std::int64_t at = (i % 2 == 0 ? 3 : 1) * (kSize / 4) - i * 2000;
    EXPECT_EQ(reader.read(at, 1000).bytes.size(), 1000);
  }
  EXPECT_EQ(reader.piece_count(), 0);
  EXPECT_EQ(source->read_size_max(), 1000);
}

TEST(ReadAhead, ReadsNothingAfterTheEnd) {
  const auto source = std::make_shared<testing::TestSource>(some_bytes());
  const ReadAhead reader(*source, 5000);
  static_cast<void>(reader.read(0, 1000));
  static_cast<void>(reader.read(1000, 1000));
  EXPECT_EQ(source->read_size_max(), 4000);
}

TEST(ReadAhead, BytesOutliveTheCachedPieces) {
  const std::string bytes = some_bytes();
  const auto source = memory_source(bytes, "x");
  const ReadAhead kept(*source, kSize);
  std::vector<SharedBytes> all;
  for (std::int64_t at = 0; at < kSize; at += 100'000) all.push_back(kept.read(at, 4));
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(text(all[i]), bytes.substr(i * 100'000, 4));
}

TEST(ReadAhead, ThreadsReadTheSame) {
  const std::string bytes = some_bytes();
  const auto source = memory_source(bytes, "x");
  const ReadAhead reader(*source, kSize);
  std::vector<std::thread> threads;
  for (std::int64_t n = 0; n < 3; ++n) {
    threads.emplace_back([&, n] {
      for (std::int64_t at = n * 500; at + 500 <= kSize; at += 1500) {
        EXPECT_EQ(text(reader.read(at, 500)), bytes.substr(static_cast<std::size_t>(at), 500));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace sheaf::cbf
