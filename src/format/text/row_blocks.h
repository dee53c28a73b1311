// Reads all rows of a text once, in parallel.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/parallel_for.h"

#include "base/unit_size.h"
#include "format/text/row_reader.h"

namespace sheaf::internal {

/// The rows of a text that begin in [begin, end), and how to read them. The first row begins at
/// `begin`.
struct RowPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t read_size_bytes = 0;
  std::int64_t row_size_max_bytes = RowReader::kAnySize;
};

/// Cuts a part of a source into blocks of a fixed size and gathers the rows of each block. `make()`
/// makes a gatherer for a block. `gatherer.add(row)` receives the rows that begin in the block,
/// numbered from 1. `take(gatherer, lines_before)` receives the gatherers in the order of the
/// blocks, with the number of rows before each block. The last row may extend past the end.
///
/// Threads: `make` and the gatherers run on `executor`, or on the caller's thread if that is null.
///          `take` runs on the caller's thread.
/// Throws:  IoError; the exceptions of RowReader and of the calls.
/// Cost:    a gatherer for each thread.
template <typename Make, typename Take>
void gather_rows(const ByteSource& source, const RowPart& part, Executor* executor,
                 const Make& make, const Take& take) {
  const std::int64_t block_size = 4 * unit_size_bytes();
  struct Block {
    std::optional<decltype(make())> gatherer;
    std::int64_t row_count = 0;
  };
  const std::int64_t count =
      std::max<std::int64_t>(1, (part.end - part.begin + block_size - 1) / block_size);
  const std::int64_t at_once = executor == nullptr ? 1 : std::max(1, executor->thread_count());
  std::int64_t lines_before = 0;
  for (std::int64_t first = 0; first < count; first += at_once) {
    std::vector<Block> blocks(static_cast<std::size_t>(std::min(at_once, count - first)));
    parallel_for(executor, std::ssize(blocks), [&](std::int64_t i) {
      Block& block = blocks[static_cast<std::size_t>(i)];
      block.gatherer.emplace(make());
      const std::int64_t from = part.begin + (first + i) * block_size;
      const std::int64_t to = std::min(part.end, from + block_size);
      const std::int64_t begin = from == part.begin ? from : find_row(source, from, to);
      RowReader rows(source, begin, source.size(), 1, part.read_size_bytes,
                     part.row_size_max_bytes);
      Row row;
      if (begin == to) return;
      while (rows.next(row) && row.offset < to) {
        block.row_count = row.line;
        block.gatherer->add(row);
      }
    });
    for (Block& block : blocks) {
      take(*block.gatherer, lines_before);
      lines_before += block.row_count;
    }
  }
}

}  // namespace sheaf::internal
