#include "format/text/block_scan.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

#include "format/text/line_scanner.h"
#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

/// Scans lines that begin sequences, in blocks. Lacks the "line-count" of the scanner.
BlockFormat line_blocks(const ByteSource& source, const TextSchema& schema) {
  BlockFormat format;
  format.schema = &schema;
  format.find_start = [&source, &schema](std::int64_t from, std::int64_t to) {
    RowReader rows(source, from - 1, source.size(), 0, schema.read_size_bytes);
    Row row;
    rows.next(row);
    while (rows.next(row) && row.offset < to) {
      if (key_of_line(row)) return row.offset;
    }
    return to;
  };
  format.read = [&source, &schema](ScanPart part, bool /*decodes*/) {
    ScannedBlock block(source);
    part.block = &block;
    EXPECT_FALSE(LineScanner(source, schema, part).next());
    return block;
  };
  return format;
}

struct Found {
  std::vector<ChunkInfo> chunks;
  std::vector<std::int64_t> lines;  // lines of all sequences, relative to their chunks
  std::vector<std::uint64_t> keys;

  void add(const ScannedChunk& chunk) {
    chunks.push_back(chunk.info);
    for (std::int64_t i = 0; i < chunk.sequences.size(); ++i) {
      lines.push_back(chunk.sequences.first_line(i));
      keys.push_back(chunk.sequences.key(i).low);
    }
  }
  friend bool operator==(const Found&, const Found&) = default;
};

RC_GTEST_PROP(BlockScan, AgreesWithASequentialScan, ()) {
  std::string text = "1\n";
  for (const int number : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 300))) {
    // Some lines belong to the sequence before, and some are long.
    text += number % 4 == 0 ? std::string(static_cast<std::size_t>(number), '-')
                            : std::to_string(number);
    text += '\n';
  }
  const auto source = memory_source(text, "t");
  TextSchema schema = line_schema(*rc::gen::inRange(1, 100));
  schema.read_size_bytes = *rc::gen::inRange(1, 5);
  const ScanPart rows{.begin = 0,
                      .end = source->size(),
                      .first_line = 11,
                      .chunk_size_bytes = schema.chunk_size_bytes};
  Found expected;
  LineScanner scanner(*source, schema, rows);
  while (const auto chunk = scanner.next()) expected.add(*chunk);

  Found found;
  const BlockFormat format = line_blocks(*source, schema);
  const std::int64_t memory_limit_bytes =
      *rc::gen::inRange(0, 2);  // with 1, only a few blocks at once
  BlockScan scan(
      format, rows, *source, [&found](const ScannedChunk& chunk) { found.add(chunk); },
      memory_limit_bytes);
  const std::unique_ptr<Executor> threads = thread_pool(2);
  scan.run(*threads, nullptr);
  RC_ASSERT(found == expected);

  // The ranges cover all sequences in order.
  std::size_t chunk = 0;
  std::int64_t end = 0;
  for (const DecodedRange& range : scan.take_ranges()) {
    if (static_cast<std::size_t>(range.range.chunk) != chunk) {
      RC_ASSERT(end == expected.chunks[chunk].sequence_count);
      ++chunk;
      end = 0;
    }
    RC_ASSERT(range.range.first == end);
    end += range.range.count;
  }
  RC_ASSERT(chunk + 1 == expected.chunks.size());
  RC_ASSERT(end == expected.chunks.back().sequence_count);
}

TEST(BlockScan, AReadErrorPropagates) {
  const auto source =
      std::make_shared<testing::TestSource>(std::string(1000, '1') + "\n" + "2\n3\n");
  TextSchema schema = line_schema(10);
  schema.read_size_bytes = 8;
  source->fail_read(20);
  const BlockFormat format = line_blocks(*source, schema);
  const ScanPart rows{.begin = 0, .end = source->size(), .chunk_size_bytes = 10};
  BlockScan scan(format, rows, *source, [](const ScannedChunk& /*chunk*/) {});
  const std::unique_ptr<Executor> threads = thread_pool(2);
  EXPECT_THROW(scan.run(*threads, nullptr), IoError);
}

}  // namespace
}  // namespace sheaf::internal
