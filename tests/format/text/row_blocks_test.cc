#include "format/text/row_blocks.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"

namespace sheaf::internal {
namespace {

struct Lines {
  void add(const Row& row) { lines.emplace_back(row.line, row.text()); }
  std::vector<std::pair<std::int64_t, std::string>> lines;
};

TEST(RowBlocks, EachRowIsVisitedOnceWithItsLine) {
  std::string text = "skipped";
  std::vector<std::pair<std::int64_t, std::string>> expected;
  for (std::int64_t i = 1; text.size() < std::size_t{9} << 20; ++i) {
    // Some rows are longer than a block, and some end at the end of a block.
    const std::string row(i % 50 == 0 ? std::size_t{5} << 20 : (1 << 18) - 1, 'x');
    text += row + '\n';
    expected.emplace_back(i, row);
  }
  text += "last";
  expected.emplace_back(std::ssize(expected) + 1, "last");
  const auto source = memory_source(text, "text");
  const std::unique_ptr<Executor> threads = thread_pool(3);
  for (Executor* executor : {static_cast<Executor*>(nullptr), threads.get()}) {
    std::vector<std::pair<std::int64_t, std::string>> found;
    gather_rows(
        *source, {.begin = 7, .end = source->size(), .read_size_bytes = 100'000}, executor,
        [] { return Lines(); },
        [&](const Lines& block, std::int64_t lines_before) {
          for (const auto& [line, row] : block.lines) found.emplace_back(lines_before + line, row);
        });
    EXPECT_TRUE(found == expected);
  }
}

TEST(RowBlocks, EndAtTheRequestedOffset) {
  const auto source = memory_source("ab\ncd\nef\n", "text");
  const auto count = [&](std::int64_t end) {
    std::size_t rows = 0;
    gather_rows(
        *source, {.begin = 0, .end = end, .read_size_bytes = 10}, nullptr, [] { return Lines(); },
        [&](const Lines& block, std::int64_t /*lines_before*/) { rows += block.lines.size(); });
    return rows;
  };
  EXPECT_EQ(count(9), 3U);
  EXPECT_EQ(count(6), 2U);
  EXPECT_EQ(count(4), 2U);  // the row that begins before the end is taken as a whole
}

TEST(RowBlocks, ProcessOneBlockPerThread) {
  constexpr std::size_t kRowSize = 256;
  std::string text(std::size_t{64} << 20, 'x');
  for (std::size_t i = kRowSize - 1; i < text.size(); i += kRowSize) text[i] = '\n';
  const auto source = memory_source(std::move(text), "text");
  std::atomic<int> alive = 0;
  std::atomic<int> most = 0;
  struct Counted {
    explicit Counted(std::atomic<int>& count) : alive(&count) { ++count; }
    Counted(Counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
    Counted& operator=(Counted&&) = delete;
    ~Counted() {
      if (alive != nullptr) --*alive;
    }
    void add(const Row& /*row*/) { ++rows; }
    std::atomic<int>* alive;
    std::int64_t rows = 0;
  };
  const std::unique_ptr<Executor> threads = thread_pool(3);
  std::int64_t rows = 0;
  gather_rows(
      *source, {.begin = 0, .end = source->size(), .read_size_bytes = 1 << 20}, threads.get(),
      [&] { return Counted(alive); },
      [&](const Counted& block, std::int64_t lines_before) {
        EXPECT_EQ(lines_before, rows);
        rows += block.rows;
        most = std::max(most.load(), alive.load());
      });
  EXPECT_EQ(rows, source->size() / std::int64_t{kRowSize});
  EXPECT_EQ(most, 3);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace sheaf::internal
