#include "sheaf/extend/count_all.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"
#include "support/test_executors.h"
#include "support/text_data.h"

namespace sheaf {
namespace {

constexpr std::int64_t kRows = 20'000;

std::unique_ptr<Deserializer> rows_to_count() {
  std::string text;
  for (std::int64_t i = 0; i < kRows; ++i) text += std::to_string(i) + " |x 1 2\n";
  FormatOptions options = testing::with_streams({testing::dense("x", 2)}, 10'000);
  options.read_size_bytes = 4096;
  return conformance::format_named("ctf").open(
      {memory_source(std::move(text), "rows.ctf"), options});
}

TEST(CountAll, ManyThreadsBuildTheIndex) {
  const auto data = rows_to_count();
  testing::CountingExecutor threads(3);
  const DataCounts counts = count_all(*data, threads);
  EXPECT_EQ(counts.sequences, kRows);
  EXPECT_EQ(counts.samples, kRows);
  EXPECT_GT(counts.chunks, 10);
  EXPECT_GT(threads.submitted, 0);

  threads.submitted = 0;
  EXPECT_EQ(count_all(*data, threads), counts);
  EXPECT_EQ(threads.submitted, 0) << "the index is there";
}

TEST(CountAll, ManyThreadsContinueAnIndexThatOneThreadBegan) {
  const auto data = rows_to_count();
  const auto whole = rows_to_count();
  testing::CountingExecutor threads(3);
  const DataCounts expected = count_all(*whole, threads);
  ASSERT_TRUE(data->index().chunk(ChunkIndex{2}));
  const auto table = data->index().sequences(ChunkIndex{1});
  threads.submitted = 0;
  EXPECT_EQ(count_all(*data, threads), expected);
  EXPECT_GT(threads.submitted, 0);
  EXPECT_EQ(data->index().sequences(ChunkIndex{1}), table) << "tables found before stay";
  for (ChunkIndex c{}; const auto info = data->index().chunk(c); c = next(c)) {
    EXPECT_EQ(info, whole->index().chunk(c));
  }
}

}  // namespace
}  // namespace sheaf
