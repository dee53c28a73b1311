// All rows of a text once, in parallel.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sheaf/byte_source.h"
#include "sheaf/executor.h"

#include "base/parallel_for.h"
#include "io/row_reader.h"

namespace sheaf::internal {

/// What was gathered from the rows that begin in one block.
template <typename Gatherer>
struct RowBlock {
  Gatherer gatherer;
  std::int64_t lines_before = 0;  // rows of the blocks before
};

/// Cut [begin, end) of a source, whose first row is at `begin`, into blocks of a size that depends
/// on nothing; and show the rows that begin in a block to a gatherer of its own, which `make`
/// makes: `gatherer.add(row)`, the rows of each block numbered from 1. The last row may reach
/// beyond `end`.
///
/// Threads: runs on `executor`; on the caller's thread where that is null.
/// Throws:  IoError.
template <typename Make>
[[nodiscard]] auto gather_rows(const ByteSource& source, std::int64_t begin, std::int64_t end,
                               std::int64_t read_size_bytes, Executor* executor, const Make& make) {
  constexpr std::int64_t kBlockSize = std::int64_t{4} << 20;
  using Block = RowBlock<decltype(make())>;
  const std::int64_t count = std::max<std::int64_t>(1, (end - begin + kBlockSize - 1) / kBlockSize);
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < count; ++i) blocks.push_back(Block{make()});
  std::vector<std::int64_t> row_counts(blocks.size());
  parallel_for(executor, count, [&](std::int64_t i) {
    const std::int64_t from = begin + i * kBlockSize;
    const std::int64_t to = std::min(end, from + kBlockSize);
    // Not at the start of a row: the rest of the row before is another block's.
    RowReader rows(source, i == 0 ? from : from - 1, source.size(), i == 0 ? 1 : 0,
                   read_size_bytes);
    Row row;
    if (i > 0) rows.next(row);
    auto& gatherer = blocks[static_cast<std::size_t>(i)].gatherer;
    std::int64_t& row_count = row_counts[static_cast<std::size_t>(i)];
    while (rows.next(row) && row.offset < to) {
      row_count = row.line;
      gatherer.add(row);
    }
  });
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    blocks[i].lines_before = blocks[i - 1].lines_before + row_counts[i - 1];
  }
  return blocks;
}

}  // namespace sheaf::internal
