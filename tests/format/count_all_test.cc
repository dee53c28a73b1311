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
#include "dataset/text_data.h"

namespace sheaf {
namespace {

/// Counts what is submitted.
class CountingExecutor final : public Executor {
 public:
  void submit(std::function<void()> task) override {
    ++submitted;
    threads_->submit(std::move(task));
  }
  [[nodiscard]] int thread_count() const noexcept override { return threads_->thread_count(); }

  std::atomic<std::int64_t> submitted = 0;

 private:
  std::unique_ptr<Executor> threads_ = thread_pool(3);
};

constexpr std::int64_t kRows = 20'000;

std::unique_ptr<Deserializer> rows_to_count() {
  std::string text;
  for (std::int64_t i = 0; i < kRows; ++i) text += std::to_string(i) + " |x 1 2\n";
  FormatOptions options = testing::with_streams({testing::dense("x", 2)}, 10'000);
  options.read_size_bytes = 4096;
  return conformance::format_named("ctf").open(
      {memory_source(std::move(text), "rows.ctf"), options});
}

TEST(CountAll, ManyThreadsMakeTheIndexForIt) {
  const auto data = rows_to_count();
  CountingExecutor threads;
  const DataCounts counts = count_all(*data, threads);
  EXPECT_EQ(counts.sequences, kRows);
  EXPECT_EQ(counts.samples, kRows);
  EXPECT_GT(counts.chunks, 10);
  EXPECT_GT(threads.submitted, 0);

  threads.submitted = 0;
  EXPECT_EQ(count_all(*data, threads), counts);
  EXPECT_EQ(threads.submitted, 0) << "the index is there";
}

TEST(CountAll, ManyThreadsMakeTheIndexThatOneThreadBegan) {
  const auto data = rows_to_count();
  const auto whole = rows_to_count();
  CountingExecutor threads;
  const DataCounts expected = count_all(*whole, threads);
  ASSERT_TRUE(data->index().chunk(ChunkIndex{2}));
  const auto table = data->index().sequences(ChunkIndex{1});
  threads.submitted = 0;
  EXPECT_EQ(count_all(*data, threads), expected);
  EXPECT_GT(threads.submitted, 0);
  EXPECT_EQ(data->index().sequences(ChunkIndex{1}), table) << "what was found before stays";
  for (ChunkIndex c{}; const auto info = data->index().chunk(c); c = next(c)) {
    EXPECT_EQ(info, whole->index().chunk(c));
  }
}

}  // namespace
}  // namespace sheaf
