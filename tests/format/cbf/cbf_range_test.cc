#include "format/cbf/cbf_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/format.h"

#include "conformance/read_all.h"
#include "format/cbf/cbf_checks.h"
#include "format/cbf/cbf_test_file.h"
#include "support/test_sources.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;

std::unique_ptr<Deserializer> open(std::shared_ptr<const ByteSource> source,
                                   const FormatOptions& options = {}) {
  return find_format("x.cbf", options).open({std::move(source), options});
}

// Returns a chunk of about `size_bytes` with two streams of one value. Sequences have 1 to 50
// samples.
CbfTestFile large_file(std::int64_t size_bytes) {
  CbfTestFile file{.streams = {{.name = "a"}, {.name = "b"}}, .chunks = {{}}};
  conformance::CbfTestChunk& chunk = file.chunks[0];
  chunk.blocks.resize(2);
  std::int64_t size = 0;
  for (std::uint32_t i = 0; size < size_bytes; ++i) {
    const std::uint32_t samples = 1 + i * 7 % 50;
    chunk.lengths.push_back(samples);
    chunk.blocks[0].push_back(
        dense_block(samples, std::vector<float>(samples, static_cast<float>(i))));
    chunk.blocks[1].push_back(dense_block(1, std::vector<float>{static_cast<float>(i) / 2}));
    size += 16 + samples * 4;
  }
  return file;
}

float first_value(const Chunk& chunk, std::int64_t stream, std::int64_t sequence) {
  float value = 0;
  std::memcpy(&value, chunk.view(stream, sequence).values, sizeof value);
  return value;
}

TEST(CbfRange, PartsOfALargeChunkAreReadIndividually) {
  CbfTestFile file = large_file(5 << 20);
  for (const std::uint32_t parts : {0U, 5U}) {
    SCOPED_TRACE(parts);
    file.parts = parts;
    const auto source = std::make_shared<testing::TestSource>(to_bytes(file));
    const auto data = open(source);
    const std::int64_t count = data->index().chunk(ChunkIndex{0})->sequence_count;
    Diagnostics diagnostics;
    static_cast<void>(data->read({.chunk = ChunkIndex{0}, .count = 1}, diagnostics));
    const std::int64_t before = source->read_count();
    const std::int64_t first = count / 2 + 17;
    const Chunk chunk =
        data->read({.chunk = ChunkIndex{0}, .first = first, .count = 100}, diagnostics);
    EXPECT_LE(source->read_count() - before, 4) << "a part of each stream, in MiB";
    EXPECT_TRUE(diagnostics.empty());
    for (const std::int64_t i : {0, 1, 99}) {
      EXPECT_EQ(first_value(chunk, 0, i), static_cast<float>(first + i));
      EXPECT_EQ(first_value(chunk, 1, i), static_cast<float>(first + i) / 2);
    }
  }
}

TEST(CbfRange, OneSequenceTakesAndHoldsLittle) {
  for (const std::int64_t size : {std::int64_t{300} << 10, std::int64_t{3} << 20}) {
    for (const std::uint32_t parts : {0U, 96U}) {
      SCOPED_TRACE(std::to_string(size) + " bytes, " + std::to_string(parts) + " parts");
      CbfTestFile file = large_file(size);
      file.parts = parts;
      const auto source = std::make_shared<testing::TestSource>(to_bytes(file));
      const auto data = open(source);
      Diagnostics diagnostics;
      const auto read = [&](std::int64_t sequence) {
        return data->read({.chunk = ChunkIndex{0}, .first = sequence, .count = 1}, diagnostics);
      };
      static_cast<void>(read(0));  // walks over the chunk if needed
      const std::int64_t before = source->read_bytes();
      const Chunk chunk = read(1000);
      EXPECT_LE(source->read_bytes() - before, 80 << 10);
      EXPECT_LE(chunk.columns()[0].values.size_bytes(), 1000);
      EXPECT_EQ(first_value(chunk, 0, 0), 1000);
      EXPECT_EQ(first_value(chunk, 1, 0), 500);
    }
  }
}

// Returns a file whose second stream has other lengths than the first. The table tells the
// difference.
CbfTestFile uneven_file(std::int64_t size_bytes) {
  CbfTestFile file = large_file(size_bytes);
  for (std::size_t i = 0; i < file.chunks[0].lengths.size(); i += 3) {
    const float value = static_cast<float>(i) / 2;
    file.chunks[0].blocks[1][i] = dense_block(2, std::vector<float>{value, value});
  }
  return file;
}

struct ReadResult {
  std::vector<std::int64_t> holes;
  std::vector<std::string> damage;
};

// Reads a whole chunk in ranges of `range_size` sequences.
ReadResult read_in_ranges(const std::string& bytes, std::int64_t range_size) {
  const auto data = open(memory_source(bytes, "x.cbf"));
  const std::int64_t count = data->index().chunk(ChunkIndex{0})->sequence_count;
  ReadResult result;
  for (std::int64_t first = 0; first < count; first += range_size) {
    Diagnostics diagnostics(count);
    const Chunk chunk = data->read(
        {.chunk = ChunkIndex{0}, .first = first, .count = std::min(range_size, count - first)},
        diagnostics);
    for (const std::int64_t hole : chunk.holes()) result.holes.push_back(first + hole);
    for (const Diagnostic& each : diagnostics.described()) result.damage.push_back(to_string(each));
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      if (chunk.is_hole(i)) continue;
      EXPECT_EQ(first_value(chunk, 0, i), static_cast<float>(first + i));
      EXPECT_EQ(first_value(chunk, 1, i), static_cast<float>(first + i) / 2);
    }
  }
  return result;
}

TEST(CbfRange, DamageDoesNotDependOnTheReadRange) {
  const std::int64_t sizes[] = {60 << 10, 200 << 10, 2 << 20};
  for (const std::int64_t size : sizes) {
    for (const bool is_even : {true, false}) {
      SCOPED_TRACE(std::to_string(size) + (is_even ? " even" : " uneven"));
      const CbfTestFile file = is_even ? large_file(size) : uneven_file(size);
      const auto count = std::ssize(file.chunks[0].lengths);
      std::string bytes = to_bytes(file);
      const std::size_t at = 12 + static_cast<std::size_t>(4 * count);
      bytes[at + 3] = '\x7F';  // the number of samples of the first block
      const ReadResult whole = read_in_ranges(bytes, count);
      const std::int64_t chunk_size =
          open(memory_source(bytes, "x.cbf"))->index().chunk(ChunkIndex{0})->size_bytes;
      // An error in a small chunk, or in a chunk that has to be walked over, loses the whole chunk.
      const bool is_lost = chunk_size <= 64 << 10 || !is_even;
      EXPECT_EQ(std::ssize(whole.holes), is_lost ? count : count / part_count(chunk_size, count));
      EXPECT_EQ(whole.damage.size(), whole.holes.size());
      for (const std::int64_t range_size : {std::int64_t{1}, std::int64_t{100}, count / 2}) {
        if (range_size * 1000 < count) continue;  // skips slow cases
        const ReadResult parts = read_in_ranges(bytes, range_size);
        EXPECT_EQ(parts.holes, whole.holes);
        EXPECT_EQ(parts.damage, whole.damage);
      }
    }
  }
}

TEST(CbfRange, MisplacedPartsAreDetected) {
  // Two sequences swap their sample counts. The size of the file stays, but the offsets between the
  // two change.
  CbfTestFile file = large_file(2 << 20);
  std::vector<std::string>& blocks = file.chunks[0].blocks[0];
  const std::size_t other = blocks.size() / 2;
  blocks[100] = dense_block(9, std::vector<float>(9, 100.0F));
  blocks[other] = dense_block(1, std::vector<float>(1, static_cast<float>(other)));
  file.chunks[0].lengths[100] = 1;
  file.chunks[0].lengths[other] = 9;
  const std::string bytes = to_bytes(file);
  for (const std::int64_t range_size : {std::int64_t{500}, std::int64_t{1} << 30}) {
    EXPECT_TRUE(read_in_ranges(bytes, range_size).damage.empty());
  }
}

TEST(CbfRange, PartsAreLocatedByLengthsWithoutReadingTwice) {
  const std::string bytes = to_bytes(large_file(3 << 20));
  const auto source = std::make_shared<testing::TestSource>(bytes);
  const auto data = open(source);
  Diagnostics diagnostics;
  const std::int64_t before = source->read_bytes();
  static_cast<void>(data->read({.chunk = ChunkIndex{0}, .first = 5000, .count = 1}, diagnostics));
  EXPECT_LE(source->read_bytes() - before, (300 << 10));  // lengths, and a part of each stream
}

TEST(CbfRange, UnusedStreamsAreNotReadIfTheirOffsetIsKnown) {
  CbfTestFile file = large_file(3 << 20);
  file.parts = 3;
  const auto source = std::make_shared<testing::TestSource>(to_bytes(file));
  FormatOptions options;
  options.streams = {{.name = "b"}};
  options.read_size_bytes = 1 << 10;
  const auto data = open(source, options);
  const std::int64_t before = source->read_count();
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{0}}, diagnostics);
  const std::int64_t bytes_of_b = chunk.sequence_count() * 8;
  EXPECT_LE(source->read_count() - before, bytes_of_b / options.read_size_bytes + 10);
  EXPECT_EQ(first_value(chunk, 0, 7), 3.5F);
}

TEST(CbfRange, DamageSpoilsTheWholeChunkIfItHasToBeScanned) {
  const CbfTestFile file = uneven_file(2 << 20);
  std::string bytes = to_bytes(file);
  const std::size_t at = 12 + 4 * file.chunks[0].lengths.size();
  const std::uint32_t wrong = 0xFFFFFFF0;
  std::memcpy(bytes.data() + at + 8, &wrong, sizeof wrong);  // the second block of the first stream
  const auto data = open(memory_source(bytes, "x.cbf"));
  const std::int64_t count = data->index().chunk(ChunkIndex{0})->sequence_count;
  Diagnostics diagnostics;
  const Chunk chunk =
      data->read({.chunk = ChunkIndex{0}, .first = count - 3, .count = 2}, diagnostics);
  EXPECT_TRUE(chunk.is_hole(0));
  EXPECT_TRUE(chunk.is_hole(1));
  ASSERT_EQ(diagnostics.entries().size(), 2);
  EXPECT_EQ(diagnostics.entries()[0].sequence, count - 3);
  EXPECT_EQ(diagnostics.entries()[0].byte_offset, static_cast<std::int64_t>(at) + 8);
  EXPECT_EQ(diagnostics.described()[0].code, "cbf-block-cut");
}

TEST(CbfRange, DoublesAreDeliveredAtAnyAlignment) {
  CbfTestFile file{.streams = {{.name = "a", .is_double = true}}, .chunks = {}};
  file.gap = "x";  // breaks the alignment
  file.chunks = {{.lengths = {1, 2},
                  .blocks = {{dense_block(1, std::vector<double>{0.1}),
                              dense_block(2, std::vector<double>{-0.0, 1e300})}}}};
  const auto data = open(memory_source(to_bytes(file), "x.cbf"));
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{0}}, diagnostics);
  double values[2] = {};
  std::memcpy(values, chunk.view(0, 1).values, sizeof values);
  EXPECT_EQ(values[0], 0);
  EXPECT_TRUE(std::signbit(values[0]));
  EXPECT_EQ(values[1], 1e300);
}

}  // namespace
}  // namespace sheaf::cbf
