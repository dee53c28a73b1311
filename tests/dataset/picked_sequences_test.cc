#include "dataset/picked_sequences.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/text_data.h"

namespace sheaf::internal {
namespace {

using conformance::ReferenceStream;
using conformance::to_reference;
using testing::ctf;
using testing::with_streams;

/// Returns sequences with i % 3 + 1 samples of "x" and one of "y". Even sequences also have "z".
NamedData made_up(std::int64_t sequence_count, std::int64_t chunk_size_bytes) {
  std::string text;
  for (std::int64_t i = 0; i < sequence_count; ++i) {
    for (std::int64_t k = 0; k <= i % 3; ++k) {
      const std::string id = std::to_string(i);
      text += id + " |x " + id + " " + std::to_string(k);
      if (k == 0) text += " |y " + id + ":1 90:" + id;
      if (k == 0 && i % 2 == 0) text += " |z " + id;
      text += "\n";
    }
  }
  FormatOptions options = with_streams(
      {testing::dense("x", 2), testing::sparse("y", 100), testing::dense("z")}, chunk_size_bytes);
  options.missing_streams = MissingStreams::allow;
  return ctf("made-up", text, options);
}

/// Returns the sequences of all chunks.
std::vector<std::vector<ReferenceStream>> rows_of(std::span<const Stream> streams,
                                                  const Chunk& chunk) {
  std::vector<std::vector<ReferenceStream>> rows;
  for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
    auto& row = rows.emplace_back();
    for (std::int64_t s = 0; s < chunk.stream_count(); ++s) {
      row.push_back(to_reference(streams[static_cast<std::size_t>(s)], chunk.view(s, i)));
    }
  }
  return rows;
}

RC_GTEST_PROP(PickedSequences, AreTheRequestedSequences, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(1, 30);
  const NamedData data = made_up(count, *rc::gen::element<std::int64_t>(1, 100, 1 << 20));
  const auto all = testing::sequences_of(*data.data);
  SequenceNumbers numbers;
  for (const std::int64_t size : testing::chunk_sizes(*data.data)) numbers.add_chunk(size);

  std::vector<std::int64_t> wanted(static_cast<std::size_t>(count));
  std::iota(wanted.begin(), wanted.end(), std::int64_t{0});
  const bool is_shuffled = *rc::gen::arbitrary<bool>();
  if (is_shuffled) {
    for (std::size_t i = wanted.size() - 1; i > 0; --i) {
      std::swap(wanted[i], wanted[*rc::gen::inRange<std::size_t>(0, i + 1)]);
    }
  }
  std::vector<WantedSequence> rows;
  const auto skip = *rc::gen::inRange<std::int64_t>(2, 40);  // one sequence in `skip` is absent
  for (std::int64_t row = 0; row < count; ++row) {
    if (row % skip == 1) continue;
    rows.push_back({numbers.locate(wanted[static_cast<std::size_t>(row)]), row});
  }
  HeldUnits held(*data.data);
  const bool is_held = *rc::gen::arbitrary<bool>();
  const PickedSequences picked(*data.data, is_held ? &held : nullptr, rows, count);
  const Chunk chunk(data.data->streams(), count, picked.columns({}), {});
  const auto actual = rows_of(data.data->streams(), chunk);
  for (std::int64_t row = 0; row < count; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (row % skip == 1) {
      for (const ReferenceStream& stream : actual[i]) {
        RC_ASSERT(!stream.is_present);
        RC_ASSERT(stream.samples.empty());
      }
    } else {
      RC_ASSERT(actual[i] == all[static_cast<std::size_t>(wanted[i])].streams);
    }
  }
}

TEST(PickedSequences, AContiguousRangeIsBorrowed) {
  const NamedData data = made_up(10, 1 << 20);
  std::vector<WantedSequence> rows;
  for (std::int64_t i = 0; i < 5; ++i) rows.push_back({{ChunkIndex{0}, 3 + i}, i});
  const PickedSequences picked(*data.data, nullptr, rows, 5);
  for (const Column& column : picked.columns({})) EXPECT_EQ(column.memory_bytes(), 0);
  std::swap(rows[0].row, rows[1].row);
  const PickedSequences swapped(*data.data, nullptr, rows, 5);
  for (const Column& column : swapped.columns({})) EXPECT_GT(column.memory_bytes(), 0);
}

TEST(PickedSequences, HolesAreEmpty) {
  const FormatOptions options = with_streams({testing::dense("x")});
  const NamedData data = ctf("a.ctf", "1 |x 1\n2 |x y\n3 |x 3\n4 |x 4\n", options);
  std::vector<WantedSequence> rows;
  for (std::int64_t i = 0; i < 4; ++i) rows.push_back({{ChunkIndex{0}, 3 - i}, i});
  PickedSequences picked(*data.data, nullptr, rows, 4);
  EXPECT_EQ(picked.holes(), (std::vector<std::int64_t>{2}));
  ASSERT_EQ(picked.found().size(), 1U);
  EXPECT_EQ(picked.found()[0].row, 2);
  EXPECT_TRUE(picked.found()[0].is_described);
  EXPECT_EQ(picked.found()[0].diagnostic.line, 2);

  const std::vector<std::int64_t> holes = {0, 2};  // another member has a hole, too
  const Chunk chunk(data.data->streams(), 4, picked.columns(holes), holes);
  EXPECT_EQ(chunk.view(0, 0).sample_count, 0);
  EXPECT_EQ(chunk.view(0, 1).sample_count, 1);
  EXPECT_EQ(chunk.view(0, 2).sample_count, 0);
  EXPECT_EQ(*reinterpret_cast<const float*>(chunk.view(0, 1).values), 3);
  EXPECT_EQ(*reinterpret_cast<const float*>(chunk.view(0, 3).values), 1);
}

TEST(PickedSequences, ErrorsOfUnpickedSequencesAreIgnored) {
  const FormatOptions options = with_streams({testing::dense("x")});
  const NamedData data = ctf("a.ctf", "1 |x 1\n2 |x y\n3 |x 3\n", options);
  PickedSequences picked(*data.data, nullptr, {{{ChunkIndex{0}, 0}, 0}, {{ChunkIndex{0}, 2}, 1}},
                         2);
  EXPECT_TRUE(picked.holes().empty());
  EXPECT_TRUE(picked.found().empty());
}

TEST(PickedSequences, HaveTheTextsOfTheirKeys) {
  FormatOptions options = with_streams({testing::dense("x")});
  options.keys = KeyType::text;
  const NamedData data = ctf("a.ctf", "a |x 1\nb |x 2\nc |x 3\n", options);
  const PickedSequences picked(*data.data, nullptr,
                               {{{ChunkIndex{0}, 0}, 2}, {{ChunkIndex{0}, 2}, 0}}, 3);
  EXPECT_EQ(picked.key_text(0), "c");
  EXPECT_EQ(picked.key_text(1), "");
  EXPECT_EQ(picked.key_text(2), "a");
}

}  // namespace
}  // namespace sheaf::internal
