#include "reader/fetch/held_chunk.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reader/fetch/chunk_memory.h"
#include "support/buffer_of.h"

namespace sheaf::internal {
namespace {

using testing::buffer_of;

constexpr SampleRange kWhole{0, SampleRange::kAll};

/// Three sequences, with 2, 0 and 3 samples in "x", and with 1, 2 and 0 in "y". The last sequence
/// lacks "y".
const std::vector<Stream> kStreams = {
    {.name = "x", .sample_shape = {2}},
    {.name = "y", .sample_shape = {100}, .storage = Storage::sparse},
};

std::vector<Column> small_columns() {
  std::vector<Column> columns(2);
  columns[0].values = buffer_of(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  columns[0].sequence_offsets = buffer_of(std::vector<std::int64_t>{0, 2, 2, 5});
  columns[1].values = buffer_of(std::vector<float>{1, 1, 1, 1});
  columns[1].indices = buffer_of(std::vector<std::int32_t>{5, 99, 0, 7});
  columns[1].sample_offsets = buffer_of(std::vector<std::int64_t>{0, 1, 1, 4});
  columns[1].sequence_offsets = buffer_of(std::vector<std::int64_t>{0, 1, 3, 3});
  columns[1].presence = buffer_of(std::vector<std::uint8_t>{1, 1, 0});
  return columns;
}

HeldChunk narrow(Chunk chunk, const std::vector<Stream>& streams = kStreams) {
  return {std::move(chunk), streams, default_memory(), false};
}

TEST(HeldChunk, NarrowColumnsLocateSamples) {
  Chunk chunk(kStreams, 3, small_columns(), {1});
  chunk.set_key_texts({"a", "b", "c"});
  const std::int64_t before = held_bytes(chunk);
  const HeldChunk held = narrow(std::move(chunk));
  ASSERT_TRUE(held.is_narrow());
  EXPECT_LT(held.held_bytes(), before);
  EXPECT_EQ(held.stream_count(), 2);
  EXPECT_EQ(held.rows().sequence_count(), 3);
  EXPECT_TRUE(held.rows().is_hole(1));
  EXPECT_FALSE(held.rows().is_hole(2));
  EXPECT_EQ(held.rows().key_text(2), "c");
  EXPECT_EQ(held.sample_count(0, 0), 2);
  EXPECT_EQ(held.sample_count(0, 1), 0);
  EXPECT_EQ(held.sample_count(1, 1), 2);
  EXPECT_EQ(held.sample_count(1, 2), std::nullopt) << "the stream is absent";

  const HeldChunk::StoredSequence last = held.stored_sequence(0, 2, kWhole);
  EXPECT_EQ(last.first_sample, 2);
  EXPECT_EQ(last.sample_count, 3);
  EXPECT_EQ(last.first_value, 4);
  EXPECT_EQ(last.value_count, 6);
  const HeldChunk::StoredSequence part = held.stored_sequence(0, 2, {1, 1});
  EXPECT_EQ(part.sample_count, 1);
  EXPECT_EQ(part.whole_count, 3);
  float values[2] = {};
  held.widen(0, part, reinterpret_cast<std::byte*>(values), nullptr, nullptr, 0);
  EXPECT_EQ(values[0], 6.F);
  EXPECT_EQ(values[1], 7.F);
  for (const SampleRange& behind : {SampleRange{3, 1}, SampleRange{9, SampleRange::kAll}}) {
    EXPECT_EQ(held.stored_sequence(0, 2, behind).sample_count, 0);
    EXPECT_EQ(held.stored_sequence(0, 2, behind).value_count, 0);
  }

  const HeldChunk::StoredSequence sparse = held.stored_sequence(1, 1, kWhole);
  EXPECT_EQ(sparse.value_count, 3);
  float ones[3] = {};
  std::int32_t indices[3] = {};
  std::int64_t ends[2] = {-1, -1};
  held.widen(1, sparse, reinterpret_cast<std::byte*>(ones), reinterpret_cast<std::byte*>(indices),
             ends, 100);
  EXPECT_EQ(std::vector(ones, ones + 3), std::vector<float>(3, 1.F));
  EXPECT_EQ(std::vector(indices, indices + 3), (std::vector<std::int32_t>{99, 0, 7}));
  EXPECT_EQ(std::vector(ends, ends + 2), (std::vector<std::int64_t>{100, 103}));
}

/// Returns a chunk of one dense stream. Every sequence has one sample.
Chunk dense_chunk(const std::vector<float>& values) {
  std::vector<Column> columns(1);
  columns[0].values = buffer_of(values);
  return {std::span(kStreams).first(1), std::ssize(values) / 2, std::move(columns)};
}

TEST(HeldChunk, IsNotNarrowedIfLittleIsSaved) {
  const std::vector<Stream> streams = {kStreams[0]};
  std::vector<float> values(1000, 0.5F);
  values[7] = 0.25F;
  const HeldChunk as_read = narrow(dense_chunk(values), streams);
  EXPECT_FALSE(as_read.is_narrow());
  EXPECT_EQ(as_read.sample_count(0, 499), 1);
  EXPECT_GE(as_read.held_bytes(), 4000);
  EXPECT_EQ(as_read.held_bytes(125), (as_read.held_bytes() + 3) / 4);
  EXPECT_EQ(as_read.held_bytes(0), 0);
  values.assign(1000, 3.F);
  values[7] = 1'000.F;
  const HeldChunk half = narrow(dense_chunk(values), streams);
  EXPECT_TRUE(half.is_narrow());
  EXPECT_EQ(half.held_bytes(), 2000);
  EXPECT_EQ(half.held_bytes(250), 1000);
}

TEST(HeldChunk, NarrowColumnsTakeAtMostThreeQuarters) {
  // A sequence of 100 whole numbers takes half of its memory. A sequence of fractions takes all of
  // it.
  for (const std::int64_t fraction_count : {99, 100, 101}) {
    const std::vector<Stream> streams = {{.name = "whole", .sample_shape = {100}},
                                         {.name = "fractions", .sample_shape = {fraction_count}}};
    std::vector<float> whole(100, 3.F);
    whole[0] = 1'000.F;
    std::vector<float> fractions(static_cast<std::size_t>(fraction_count), 0.5F);
    fractions[0] = 0.25F;
    std::vector<Column> columns(2);
    columns[0].values = buffer_of(whole);
    columns[1].values = buffer_of(fractions);
    const HeldChunk held = narrow(Chunk(streams, 1, std::move(columns)), streams);
    EXPECT_EQ(held.is_narrow(), fraction_count <= 100) << fraction_count;
  }
}

TEST(HeldChunk, IsNotNarrowedIfAStreamHasNoNarrowForm) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {Shape::kVariable}}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of(std::vector<float>(100, 1.F));
  columns[0].sample_offsets = buffer_of(std::vector<std::int64_t>{0, 100});
  columns[0].extents = buffer_of(std::vector<std::int64_t>{100});
  EXPECT_FALSE(narrow(Chunk(streams, 1, std::move(columns)), streams).is_narrow());

  const auto bytes = std::make_shared<std::vector<std::byte>>(800);
  std::vector<Column> borrowed(1);
  borrowed[0].values = Buffer::borrow(*bytes, bytes);
  const std::vector<Stream> pairs = {kStreams[0]};
  EXPECT_FALSE(narrow(Chunk(pairs, 100, std::move(borrowed)), pairs).is_narrow());

  std::vector<Column> with_offsets(1);
  with_offsets[0].values = buffer_of(std::vector<float>(100, 1.F));
  with_offsets[0].value_byte_offsets = buffer_of(std::vector<std::int64_t>{8});
  const std::vector<Stream> dense = {kStreams[0]};
  EXPECT_FALSE(narrow(Chunk(dense, 1, std::move(with_offsets)), dense).is_narrow());
}

TEST(HeldChunk, PrefetchesOffsetsOfScatteredSequences) {
  const std::vector<Stream> dense = {{.name = "x", .sample_shape = {2}}};
  const auto has_numbers = [&](Column column) {
    std::vector<Column> columns;
    column.values = buffer_of(std::vector<float>{0.5F, 1.25F, 2.125F, 3.75F});
    columns.push_back(std::move(column));
    const HeldChunk held(Chunk(dense, 2, std::move(columns)));
    for (const bool samples : {false, true}) {
      held.prefetch(0, samples);
      held.prefetch(1, samples);
    }
    return held.has_sequence_numbers();
  };
  EXPECT_FALSE(has_numbers({})) << "the number of a row says where the row lies";
  EXPECT_TRUE(has_numbers({.sequence_offsets = buffer_of(std::vector<std::int64_t>{0, 1, 2})}));
  EXPECT_TRUE(has_numbers({.value_byte_offsets = buffer_of(std::vector<std::int64_t>{8, 0})}));
}

TEST(HeldChunk, MayBeEmpty) {
  std::vector<Column> columns(1);
  const std::vector<Stream> streams = {kStreams[0]};
  EXPECT_EQ(narrow(Chunk(streams, 0, std::move(columns)), streams).rows().sequence_count(), 0);
  EXPECT_EQ(narrow(Chunk({}, 4, {}), {}).rows().sequence_count(), 4);
}

}  // namespace
}  // namespace sheaf::internal
