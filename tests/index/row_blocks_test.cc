#include "index/row_blocks.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/executor.h"

namespace sheaf::internal {
namespace {

struct Lines {
  void add(const Row& row) { lines.emplace_back(row.line, row.text()); }
  std::vector<std::pair<std::int64_t, std::string>> lines;
};

TEST(RowBlocks, EachRowIsShownOnceWithItsLine) {
  std::string text = "skipped";
  std::vector<std::pair<std::int64_t, std::string>> expected;
  for (std::int64_t i = 1; text.size() < std::size_t{9} << 20; ++i) {
    // Some rows are longer than a block, some end where one does.
    const std::string row(i % 50 == 0 ? std::size_t{5} << 20 : (1 << 18) - 1, 'x');
    text += row + '\n';
    expected.emplace_back(i, row);
  }
  text += "last";
  expected.emplace_back(std::ssize(expected) + 1, "last");
  const auto source = memory_source(text, "text");
  const std::unique_ptr<Executor> threads = thread_pool(3);
  for (Executor* executor : {static_cast<Executor*>(nullptr), threads.get()}) {
    const auto blocks =
        gather_rows(*source, 7, source->size(), 100'000, executor, [] { return Lines(); });
    EXPECT_EQ(blocks.size(), 3U);
    std::vector<std::pair<std::int64_t, std::string>> found;
    for (const auto& block : blocks) {
      for (const auto& [line, row] : block.gatherer.lines) {
        found.emplace_back(block.lines_before + line, row);
      }
    }
    EXPECT_TRUE(found == expected);
  }
}

TEST(RowBlocks, EndWhereTheyAreToldTo) {
  const auto source = memory_source("ab\ncd\nef\n", "text");
  const auto count = [&](std::int64_t end) {
    return gather_rows(*source, 0, end, 10, nullptr, [] { return Lines(); })[0]
        .gatherer.lines.size();
  };
  EXPECT_EQ(count(9), 3U);
  EXPECT_EQ(count(6), 2U);
  EXPECT_EQ(count(4), 2U);  // the row that begins before the end is taken whole
}

}  // namespace
}  // namespace sheaf::internal
