#include "format/cbf/cbf_range.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/format.h"

#include "conformance/read_all.h"
#include "conformance/test_sources.h"
#include "format/cbf/cbf_test_file.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;

std::unique_ptr<Deserializer> open(std::shared_ptr<const ByteSource> source,
                                   const FormatOptions& options = {}) {
  return find_format("x.cbf", options).open(std::move(source), options);
}

// A chunk of `size_bytes`, about, in two streams of one value: sequences of 1 to 50 samples.
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

TEST(CbfRange, PartsOfALargeChunkAreReadAlone) {
  CbfTestFile file = large_file(5 << 20);
  for (const std::uint32_t parts : {0U, 5U}) {
    SCOPED_TRACE(parts);
    file.parts = parts;
    const auto source = std::make_shared<conformance::TestSource>(to_bytes(file));
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
      const auto source = std::make_shared<conformance::TestSource>(to_bytes(file));
      const auto data = open(source);
      Diagnostics diagnostics;
      const auto read = [&](std::int64_t sequence) {
        return data->read({.chunk = ChunkIndex{0}, .first = sequence, .count = 1}, diagnostics);
      };
      static_cast<void>(read(0));  // walks over the chunk, where it has to
      const std::int64_t before = source->read_bytes();
      const Chunk chunk = read(1000);
      EXPECT_LE(source->read_bytes() - before, 80 << 10);
      EXPECT_LE(chunk.columns()[0].values.size_bytes(), 1000);
      EXPECT_EQ(first_value(chunk, 0, 0), 1000);
      EXPECT_EQ(first_value(chunk, 1, 0), 500);
    }
  }
}

TEST(CbfRange, DamageIsTheSameForAllOfAChunkAndForAPart) {
  const CbfTestFile file = large_file(200 << 10);
  std::string bytes = to_bytes(file);
  const std::size_t at = 12 + 4 * file.chunks[0].lengths.size();
  bytes[at + 3] = '\x7F';  // samples of the first block
  const auto whole = open(memory_source(bytes, "x.cbf"));
  const std::int64_t count = whole->index().chunk(ChunkIndex{0})->sequence_count;
  Diagnostics of_all(count);
  EXPECT_EQ(std::ssize(whole->read({.chunk = ChunkIndex{0}}, of_all).holes()), count);
  const auto other = open(memory_source(bytes, "x.cbf"));
  Diagnostics of_one;
  const Chunk one = other->read({.chunk = ChunkIndex{0}, .first = 77, .count = 1}, of_one);
  EXPECT_TRUE(one.is_hole(0));
  ASSERT_EQ(of_one.described().size(), 1);
  EXPECT_EQ(of_one.described()[0], of_all.described()[77]);
}

TEST(CbfRange, AStreamThatNobodyWantsIsNotReadWhereItsPlaceIsKnown) {
  CbfTestFile file = large_file(3 << 20);
  file.parts = 3;
  const auto source = std::make_shared<conformance::TestSource>(to_bytes(file));
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

TEST(CbfRange, DamageInALargeChunkSpoilsItWhole) {
  const CbfTestFile file = large_file(2 << 20);
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

TEST(CbfRange, DoublesAreDeliveredWhereverTheyLie) {
  CbfTestFile file{.streams = {{.name = "a", .is_double = true}}, .chunks = {}};
  file.gap = "x";  // nothing is aligned
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
