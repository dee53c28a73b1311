#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"

namespace sheaf {
namespace {

using testing::small_minibatch;
using testing::to_buffer;
using testing::to_vector;

using Ints = std::vector<std::int64_t>;
using Flags = std::vector<std::uint8_t>;

TEST(PackedPacker, PacksSequencesIntoTheFirstSlotWithRoom) {
  const Minibatch minibatch = small_minibatch(Layout::packed);
  const StreamBatch& x = minibatch.batch("x");
  EXPECT_EQ(x.layout, Layout::packed);
  EXPECT_EQ(x.slot_count, 2);
  EXPECT_EQ(x.row_count(), 4);
  EXPECT_EQ(to_vector<float>(x.values), (std::vector<float>{1, 2, 5, 6,     // first step
                                                            3, 4, 0, 0}));  // second step
  EXPECT_EQ(to_vector<std::uint8_t>(x.mask), (Flags{1, 1, 1, 0}));
  EXPECT_EQ(to_vector<std::int64_t>(x.lengths), (Ints{2, 0, 1}));
  EXPECT_EQ(to_vector<std::int64_t>(x.slots), (Ints{0, 0, 1}));
  EXPECT_EQ(to_vector<std::int64_t>(x.begins), (Ints{0, 0, 0}));
  EXPECT_EQ(to_vector<std::uint8_t>(x.presence), (Flags{1, 0, 1}));
  EXPECT_TRUE(x.sequence_offsets.empty());
  EXPECT_TRUE(x.row_offsets.empty());
  EXPECT_TRUE(x.indices.empty());
}

// CNTK laid out lattices like this: one slot for each sequence, from the front.
TEST(PackedPacker, AStreamKeptTogetherHasARowForEachSequence) {
  const auto streams = std::make_shared<std::vector<Stream>>(std::vector<Stream>{
      {.name = "x", .sample_shape = {1}},
      {.name = "l", .sample_shape = {1}, .keeps_together = true},
  });
  std::vector<Column> columns(2);
  for (Column& column : columns) {
    column.values = to_buffer<float>({1, 2, 3, 4, 5, 6});
    column.sequence_offsets = to_buffer<std::int64_t>({0, 1, 4, 6, 6});
  }
  const Chunk chunk(*streams, 4, std::move(columns));
  SequenceList list(streams);
  for (std::int64_t i = 0; i < 4; ++i) list.add({static_cast<std::uint64_t>(i), 0}, chunk, i);
  for (const auto& packer : {packed_packer(), packed_packer(3)}) {
    const Minibatch minibatch = packer->pack(list);
    EXPECT_EQ(minibatch.batch("x").layout, Layout::packed);
    EXPECT_EQ(minibatch.batch("x").slot_count, 2);
    const StreamBatch& lattice = minibatch.batch("l");
    EXPECT_EQ(lattice.layout, Layout::padded);
    EXPECT_EQ(to_vector<float>(lattice.values),
              (std::vector<float>{1, 0, 0, 2, 3, 4, 5, 6, 0, 0, 0, 0}));
    EXPECT_EQ(to_vector<std::uint8_t>(lattice.mask), (Flags{1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0}));
    EXPECT_EQ(to_vector<std::int64_t>(lattice.lengths), (Ints{1, 3, 2, 0}));
    EXPECT_TRUE(lattice.slots.empty());
    EXPECT_TRUE(minibatch.has_views(1));
  }
}

TEST(PackedPacker, ARowOfAStreamKeptTogetherMayExceedRowSamples) {
  const auto streams = std::make_shared<std::vector<Stream>>(std::vector<Stream>{
      {.name = "x", .sample_shape = {1}},
      {.name = "l", .sample_shape = {1}, .keeps_together = true},
  });
  std::vector<Column> columns(2);
  columns[0].values = to_buffer<float>({1, 2});
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 1, 2});
  columns[1].values = to_buffer<float>({1, 2, 3, 4});
  columns[1].sequence_offsets = to_buffer<std::int64_t>({0, 1, 4});
  const Chunk chunk(*streams, 2, std::move(columns));
  SequenceList list(streams);
  for (std::int64_t i = 0; i < 2; ++i) list.add({static_cast<std::uint64_t>(i), 0}, chunk, i);
  const Minibatch minibatch = packed_packer(2)->pack(list);
  EXPECT_EQ(minibatch.batch("x").sample_count_max, 2);
  EXPECT_EQ(minibatch.batch("l").sample_count_max, 3);
}

TEST(PackedPacker, RowsOfAStreamKeptTogetherAreCountedForMemory) {
  const Ints counts = {5, 1, 1, 1};
  const auto packer = packed_packer();
  EXPECT_EQ(packer->row_count(counts), 10);  // two slots
  EXPECT_EQ(packer->stream_row_count({.name = "x", .sample_shape = {1}}, counts), 10);
  EXPECT_EQ(
      packer->stream_row_count({.name = "l", .sample_shape = {1}, .keeps_together = true}, counts),
      20);
}

TEST(PackedPacker, GapsOfSparseStreamsHaveNoEntries) {
  const Minibatch minibatch = small_minibatch(Layout::packed);
  const StreamBatch& y = minibatch.batch("y");
  EXPECT_EQ(y.slot_count, 2);
  EXPECT_EQ(to_vector<double>(y.values), (std::vector<double>{.1, .2, .3, .4}));
  EXPECT_EQ(to_vector<std::int32_t>(y.indices), (std::vector<std::int32_t>{1, 2, 0, 8}));
  EXPECT_EQ(to_vector<std::int64_t>(y.row_offsets), (Ints{0, 2, 2,  // a sample, an empty sample
                                                          2, 4}));  // a gap, a sample
  EXPECT_EQ(to_vector<std::uint8_t>(y.mask), (Flags{1, 1, 0, 1}));
  EXPECT_EQ(to_vector<std::int64_t>(y.slots), (Ints{0, 1, 0}));
  EXPECT_TRUE(y.presence.empty());
}

TEST(PackedPacker, EmptySequencesTakeNoRows) {
  const auto streams = std::make_shared<std::vector<Stream>>(std::vector<Stream>{
      {.name = "x", .sample_shape = {2}},
      {.name = "y", .sample_shape = {9}, .storage = Storage::sparse},
  });
  std::vector<Column> columns(2);
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 0, 0});
  columns[0].presence = to_buffer<std::uint8_t>({0, 1});
  columns[1].sample_offsets = to_buffer<std::int64_t>({0});
  columns[1].sequence_offsets = to_buffer<std::int64_t>({0, 0, 0});
  const Chunk chunk(*streams, 2, std::move(columns));
  SequenceList list(streams);
  list.add({0, 0}, chunk, 0);
  list.add({1, 0}, chunk, 1);
  const Minibatch minibatch = packed_packer()->pack(list);
  for (const char* name : {"x", "y"}) {
    const StreamBatch& batch = minibatch.batch(name);
    EXPECT_EQ(batch.slot_count, 0);
    EXPECT_EQ(batch.row_count(), 0);
    EXPECT_TRUE(batch.values.empty());
    EXPECT_TRUE(batch.mask.empty());
    EXPECT_EQ(to_vector<std::int64_t>(batch.slots), (Ints{0, 0}));
    EXPECT_EQ(to_vector<std::int64_t>(batch.begins), (Ints{0, 0}));
  }
  EXPECT_EQ(to_vector<std::uint8_t>(minibatch.batch("x").presence), (Flags{0, 1}));
  EXPECT_EQ(to_vector<std::int64_t>(minibatch.batch("y").row_offsets), Ints{0});
}

// The packing of CNTK 2.x itself, written by a program that links CNTK's packers. A line describes
// the layout: S slots, T steps, and the sequences and gaps of each slot. The columns follow in
// order, with `-` for a gap, or the content of compressed columns. Sample k of sequence i has the
// value i + k / 100.

using Golden = std::vector<std::string>;  // one text for each minibatch or stream

const Golden kDense7 = {
    "layout S 2 T 3 cols 6 samples 4 : (seq0 s0 0..3) (seq1 s1 0..1) (gap s1 1..3)\n"
    "columns : 0.00 1.00 0.01 - 0.02 -\n",
    "layout S 2 T 4 cols 8 samples 5 : (seq0 s0 0..4) (seq1 s1 0..1) (gap s1 1..4)\n"
    "columns : 2.00 3.00 2.01 - 2.02 - 2.03 -\n",
    "layout S 1 T 5 cols 5 samples 5 : (seq0 s0 0..5)\n"
    "columns : 4.00 4.01 4.02 4.03 4.04\n",
    "layout S 1 T 9 cols 9 samples 9 : (seq0 s0 0..9)\n"
    "columns : 5.00 5.01 5.02 5.03 5.04 5.05 5.06 5.07 5.08\n"};

const Golden kDense12 = {
    "layout S 3 T 4 cols 12 samples 9 : (seq0 s0 0..3) (seq1 s0 3..4) (seq2 s1 0..4) (seq3 s2 "
    "0..1) (gap s2 1..4)\n"
    "columns : 0.00 2.00 3.00 0.01 2.01 - 0.02 2.02 - 1.00 2.03 -\n",
    "layout S 1 T 5 cols 5 samples 5 : (seq0 s0 0..5)\n"
    "columns : 4.00 4.01 4.02 4.03 4.04\n",
    "layout S 2 T 9 cols 18 samples 11 : (seq0 s0 0..9) (seq1 s1 0..2) (gap s1 2..9)\n"
    "columns : 5.00 6.00 5.01 6.01 5.02 - 5.03 - 5.04 - 5.05 - 5.06 - 5.07 - 5.08 -\n",
    "layout S 2 T 6 cols 12 samples 11 : (seq0 s0 0..6) (seq1 s1 0..5) (gap s1 5..6)\n"
    "columns : 7.00 8.00 7.01 8.01 7.02 8.02 7.03 8.03 7.04 8.04 7.05 -\n"};

const Golden kDense20 = {
    "layout S 3 T 5 cols 15 samples 14 : (seq0 s0 0..3) (seq1 s0 3..4) (seq2 s1 0..4) (seq3 s0 "
    "4..5) (seq4 s2 0..5) (gap s1 4..5)\n"
    "columns : 0.00 2.00 4.00 0.01 2.01 4.01 0.02 2.02 4.02 1.00 2.03 4.03 3.00 - 4.04\n",
    "layout S 2 T 9 cols 18 samples 17 : (seq0 s0 0..9) (seq1 s1 0..2) (seq2 s1 2..8) (gap s1 "
    "8..9)\n"
    "columns : 5.00 6.00 5.01 6.01 5.02 7.00 5.03 7.01 5.04 7.02 5.05 7.03 5.06 7.04 5.07 7.05 "
    "5.08 -\n",
    "layout S 3 T 5 cols 15 samples 13 : (seq0 s0 0..5) (seq1 s1 0..3) (seq2 s2 0..5) (gap s1 "
    "3..5)\n"
    "columns : 8.00 9.00 10.00 8.01 9.01 10.01 8.02 9.02 10.02 8.03 - 10.03 8.04 - 10.04\n",
    "layout S 3 T 8 cols 24 samples 17 : (seq0 s0 0..8) (seq1 s1 0..1) (seq2 s1 1..2) (seq3 s1 "
    "2..3) (seq4 s1 3..5) (seq5 s1 5..6) (seq6 s1 6..7) (seq7 s1 7..8) (seq8 s2 0..1) (gap s2 "
    "1..8)\n"
    "columns : 11.00 12.00 19.00 11.01 13.00 - 11.02 14.00 - 11.03 15.00 - 11.04 15.01 - 11.05 "
    "16.00 - 11.06 17.00 - 11.07 18.00 -\n"};

const Golden kFrames = {
    "layout S 5 T 1 cols 5 samples 5 : (seq0 s0 0..1) (seq1 s1 0..1) (seq2 s2 0..1) (seq3 s3 "
    "0..1) (seq4 s4 0..1)\n"
    "columns : 0.00/1000.00 1.00/1001.00 2.00/1002.00 3.00/1003.00 4.00/1004.00\n",
    "layout S 3 T 1 cols 3 samples 3 : (seq0 s0 0..1) (seq1 s1 0..1) (seq2 s2 0..1)\n"
    "columns : 5.00/1005.00 6.00/1006.00 7.00/1007.00\n"};

const Golden kTwoStreams = {
    "layout S 3 T 4 cols 12 samples 10 : (seq0 s0 0..3) (seq1 s0 3..4) (seq2 s1 0..4) (seq3 s2 "
    "0..2) (gap s2 2..4)\n"
    "columns : 0.00 2.00 3.00 0.01 2.01 3.01 0.02 2.02 - 1.00 2.03 -\n",
    "layout S 2 T 5 cols 10 samples 9 : (seq0 s0 0..1) (seq1 s0 1..2) (seq2 s0 2..4) (seq3 s1 "
    "0..5) (gap s0 4..5)\n"
    "columns : 0.00 3.00 1.00 3.01 2.00 3.02 2.01 3.03 - 3.04\n"
    "keys : 0 1 2 3\n"};

const Golden kSparse7 = {
    "layout S 2 T 3 cols 6 samples 4 : (seq0 s0 0..3) (seq1 s1 0..1) (gap s1 1..3)\n"
    "nnz 4\n"
    "values : 1.00 0.01 0.02 0.02\n"
    "rows : 1 1 2 4\n"
    "offsets : 0 0 1 2 2 4 4\n",
    "layout S 2 T 4 cols 8 samples 5 : (seq0 s0 0..4) (seq1 s1 0..1) (gap s1 1..4)\n"
    "nnz 5\n"
    "values : 2.00 2.00 2.02 2.03 2.03\n"
    "rows : 2 4 4 5 0\n"
    "offsets : 0 2 2 2 2 3 3 5 5\n",
    "layout S 1 T 5 cols 5 samples 5 : (seq0 s0 0..5)\n"
    "nnz 6\n"
    "values : 4.00 4.01 4.01 4.03 4.04 4.04\n"
    "rows : 4 5 0 0 1 3\n"
    "offsets : 0 1 3 3 4 6\n"};

const Golden kSparse12 = {
    "layout S 3 T 4 cols 12 samples 9 : (seq0 s0 0..3) (seq1 s0 3..4) (seq2 s1 0..4) (seq3 s2 "
    "0..1) (gap s2 1..4)\n"
    "nnz 9\n"
    "values : 2.00 2.00 0.01 0.02 0.02 2.02 1.00 2.03 2.03\n"
    "rows : 2 4 1 2 4 4 1 5 0\n"
    "offsets : 0 0 2 2 3 3 3 5 6 6 7 9 9\n",
    "layout S 1 T 5 cols 5 samples 5 : (seq0 s0 0..5)\n"
    "nnz 6\n"
    "values : 4.00 4.01 4.01 4.03 4.04 4.04\n"
    "rows : 4 5 0 0 1 3\n"
    "offsets : 0 1 3 3 4 6\n",
    "layout S 2 T 9 cols 18 samples 11 : (seq0 s0 0..9) (seq1 s1 0..2) (gap s1 2..9)\n"
    "nnz 10\n"
    "values : 5.00 5.00 6.01 5.02 5.03 5.03 5.05 5.06 5.06 5.08\n"
    "rows : 5 0 0 0 1 3 3 4 6 6\n"
    "offsets : 0 2 2 2 3 4 4 6 6 6 6 7 7 9 9 9 9 10 10\n"};

const Golden kDenseOutput7 = {
    "layout S 2 T 3 cols 6 samples 4 : (seq0 s0 0..3) (seq1 s1 0..1) (gap s1 1..3)\n"
    "columns : 0.00/0.00/0.00/0.00/0.00/0.00/0.00 0.00/1.00/0.00/0.00/0.00/0.00/0.00 "
    "0.00/0.01/0.00/0.00/0.00/0.00/0.00 - 0.00/0.00/0.02/0.00/0.02/0.00/0.00 -\n"};

/// The lengths of the sequences in most texts.
const Ints kTable = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 1, 1, 1, 2, 1, 1, 1, 1};

struct StreamData {
  Stream stream;
  Ints lengths;
};

void append_dense(Column& column, std::int64_t dim, float value) {
  for (std::int64_t element = 0; element < dim; ++element) {
    column.values.push_back(value + 1000 * static_cast<float>(element));
  }
}

/// Appends (i + k) mod 3 values with the indices (i + k + 2z) mod 7.
void append_sparse(Column& column, std::int64_t i, std::int64_t k, float value) {
  for (std::int64_t z = 0; z < (i + k) % 3; ++z) {
    column.values.push_back(value);
    column.indices.push_back(static_cast<std::int32_t>((i + k + 2 * z) % 7));
  }
  column.sample_offsets.push_back(column.values.size_bytes() / std::int64_t{sizeof(float)});
}

Column column_of(const StreamData& data) {
  const bool is_sparse = data.stream.storage == Storage::sparse;
  Column column;
  column.sequence_offsets.push_back(std::int64_t{0});
  if (is_sparse) column.sample_offsets.push_back(std::int64_t{0});
  std::int64_t samples = 0;
  for (std::int64_t i = 0; i < std::ssize(data.lengths); ++i) {
    const std::int64_t length = data.lengths[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < length; ++k) {
      const float value = static_cast<float>(i) + static_cast<float>(k) / 100;
      if (is_sparse) {
        append_sparse(column, i, k, value);
      } else {
        append_dense(column, data.stream.sample_shape.size(), value);
      }
    }
    column.sequence_offsets.push_back(samples += length);
  }
  return column;
}

/// Packs sequences [first, first + count) of made-up streams.
Minibatch packed(const std::vector<StreamData>& data, std::int64_t first, std::int64_t count,
                 const Packer& packer) {
  auto streams = std::make_shared<std::vector<Stream>>();
  std::vector<Column> columns;
  for (const StreamData& each : data) {
    streams->push_back(each.stream);
    columns.push_back(column_of(each));
  }
  const Chunk chunk(*streams, std::ssize(data.front().lengths), std::move(columns));
  SequenceList list(streams);
  for (std::int64_t i = first; i < first + count; ++i) {
    list.add({static_cast<std::uint64_t>(i), 0}, chunk, i);
  }
  return packer.pack(list);
}

std::string layout_line(const StreamBatch& batch) {
  const bool is_packed = batch.layout == Layout::packed;
  const std::int64_t slot_count = is_packed ? batch.slot_count : batch.sequence_count;
  Ints used(static_cast<std::size_t>(slot_count));
  std::string text = fmt::format("layout S {} T {} cols {} samples {} :", slot_count,
                                 batch.sample_count_max, batch.row_count(), batch.sample_count);
  for (std::int64_t i = 0; i < batch.sequence_count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t slot = is_packed ? batch.slots.as<std::int64_t>()[at] : i;
    const std::int64_t begin = is_packed ? batch.begins.as<std::int64_t>()[at] : 0;
    const std::int64_t end = begin + batch.lengths.as<std::int64_t>()[at];
    text += fmt::format(" (seq{} s{} {}..{})", i, slot, begin, end);
    used[static_cast<std::size_t>(slot)] = end;
  }
  for (std::size_t slot = 0; slot < used.size(); ++slot) {
    if (used[slot] == batch.sample_count_max) continue;
    text += fmt::format(" (gap s{} {}..{})", slot, used[slot], batch.sample_count_max);
  }
  return text + "\n";
}

/// Returns the values of an array row in dense form.
std::vector<float> row_values(const Stream& stream, const StreamBatch& batch, std::int64_t row) {
  const std::span<const float> values = batch.values.as<float>();
  const std::int64_t dim = stream.sample_shape.size();
  if (stream.storage == Storage::dense) {
    return {values.begin() + row * dim, values.begin() + (row + 1) * dim};
  }
  std::vector<float> dense(static_cast<std::size_t>(dim));
  const auto offsets = batch.row_offsets.as<std::int64_t>();
  for (std::int64_t i = offsets[static_cast<std::size_t>(row)];
       i < offsets[static_cast<std::size_t>(row) + 1]; ++i) {
    const auto at = static_cast<std::size_t>(i);
    dense[static_cast<std::size_t>(batch.indices.as<std::int32_t>()[at])] = values[at];
  }
  return dense;
}

std::string columns_line(const Stream& stream, const StreamBatch& batch) {
  std::string text = "columns :";
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    const std::vector<float> values = row_values(stream, batch, row);
    if (!batch.mask.empty() && batch.mask.as<std::uint8_t>()[static_cast<std::size_t>(row)] == 0) {
      EXPECT_EQ(std::ranges::count(values, 0.F), std::ssize(values));
      text += " -";
    } else {
      text += fmt::format(" {:.2f}", fmt::join(values, "/"));
    }
  }
  return text + "\n";
}

std::string dense_text(const Stream& stream, const StreamBatch& batch) {
  return layout_line(batch) + columns_line(stream, batch);
}

std::string sparse_text(const Stream& /*stream*/, const StreamBatch& batch) {
  return layout_line(batch) + fmt::format("nnz {}\nvalues : {:.2f}\nrows : {}\noffsets : {}\n",
                                          batch.values.as<float>().size(),
                                          fmt::join(batch.values.as<float>(), " "),
                                          fmt::join(batch.indices.as<std::int32_t>(), " "),
                                          fmt::join(batch.row_offsets.as<std::int64_t>(), " "));
}

using ToText = std::function<std::string(const Stream&, const StreamBatch&)>;

/// Packs the sequences of the stream. Each minibatch has as many sequences as its text names.
void expect_golden(const Golden& golden, const StreamData& data, Layout layout,
                   const ToText& to_text) {
  std::int64_t first = 0;
  for (const std::string& expected : golden) {
    std::int64_t count = 0;
    for (std::size_t at = expected.find("(seq"); at != std::string::npos; ++count) {
      at = expected.find("(seq", at + 1);
    }
    const Minibatch minibatch = packed({data}, first, count, *make_packer(layout));
    EXPECT_EQ(to_text(data.stream, minibatch.batch(0)), expected);
    first += count;
  }
}

const Stream kDense = {.name = "a", .sample_shape = {1}};
const Stream kSparse = {.name = "a", .sample_shape = {7}, .storage = Storage::sparse};

TEST(PackedPacker, PacksDenseStreamsAsCntkDoes) {
  for (const Golden& golden : {kDense7, kDense12, kDense20}) {
    expect_golden(golden, {kDense, kTable}, Layout::packed, dense_text);
  }
}

TEST(PackedPacker, PacksSparseStreamsAsCntkDoes) {
  for (const Golden& golden : {kSparse7, kSparse12}) {
    expect_golden(golden, {kSparse, kTable}, Layout::packed, sparse_text);
  }
}

TEST(PackedPacker, SparseStreamsAsDenseMatchCntk) {
  expect_golden(kDenseOutput7, {kSparse, kTable}, Layout::packed, dense_text);
}

TEST(PackedPacker, PacksFramesAsCntkDoes) {
  const StreamData frames = {{.name = "a", .sample_shape = {2}}, Ints(8, 1)};
  expect_golden(kFrames, frames, Layout::packed, dense_text);
  expect_golden(kFrames, frames, Layout::frames, dense_text);
}

TEST(PackedPacker, PacksEachStreamByItsOwnLengthsAsCntkDoes) {
  const Minibatch minibatch =
      packed({{kDense, {3, 1, 4, 2}}, {{.name = "b", .sample_shape = {1}}, {1, 1, 2, 5}}}, 0, 4,
             *packed_packer());
  std::string keys = "keys :";
  for (const SequenceKey& key : minibatch.keys()) keys += " " + to_string(key);
  EXPECT_EQ(dense_text(minibatch.streams()[0], minibatch.batch("a")), kTwoStreams[0]);
  EXPECT_EQ(dense_text(minibatch.streams()[1], minibatch.batch("b")) + keys + "\n", kTwoStreams[1]);
}

// Slots of a fixed length take the sequences in the order 2, 0, 3, 1, longest first. Sequence 3
// fits exactly after 2, and sequence 1 goes after 0, although it is not the first in any slot.

TEST(PackedPacker, RowSamplesFixTheSlotLengthAndUseBestFit) {
  const Minibatch dense = packed({{kDense, {3, 1, 4, 2, 0}}}, 0, 5, *packed_packer(6));
  EXPECT_EQ(dense_text(kDense, dense.batch(0)),
            "layout S 2 T 6 cols 12 samples 10 : (seq0 s1 0..3) (seq1 s1 3..4) (seq2 s0 0..4) "
            "(seq3 s0 4..6) (seq4 s0 0..0) (gap s0 0..6) (gap s1 4..6)\n"
            "columns : 2.00 0.00 2.01 0.01 2.02 0.02 2.03 1.00 3.00 - 3.01 -\n");
  const Minibatch sparse = packed({{kSparse, {3, 1, 4, 2}}}, 0, 4, *packed_packer(6));
  EXPECT_EQ(sparse_text(kSparse, sparse.batch(0)),
            "layout S 2 T 6 cols 12 samples 10 : (seq0 s1 0..3) (seq1 s1 3..4) (seq2 s0 0..4) "
            "(seq3 s0 4..6) (gap s1 4..6)\n"
            "nnz 10\n"
            "values : 2.00 2.00 0.01 2.02 0.02 0.02 2.03 2.03 1.00 3.01\n"
            "rows : 2 4 1 4 2 4 5 0 1 4\n"
            "offsets : 0 2 2 2 3 4 6 8 9 9 9 10 10\n");
}

TEST(PackedPacker, RowSamplesKeepTheMinibatchOrderWithinASlot) {
  const Minibatch minibatch = packed({{kDense, {1, 2, 3, 2}}}, 0, 4, *packed_packer(8));
  const StreamBatch& batch = minibatch.batch(0);
  EXPECT_EQ(batch.slot_count, 1);
  EXPECT_EQ(to_vector<std::int64_t>(batch.begins), (Ints{0, 1, 3, 6}));
  EXPECT_EQ(to_vector<float>(batch.values),
            (std::vector<float>{0, 1, 1.01F, 2, 2.01F, 2.02F, 3, 3.01F}));
}

TEST(PackedPacker, RowSamplesPadPartialSlotsWithGaps) {
  const Minibatch minibatch = packed({{kDense, {2, 1}}}, 0, 2, *packed_packer(5));
  const StreamBatch& batch = minibatch.batch(0);
  EXPECT_EQ(batch.slot_count, 1);
  EXPECT_EQ(to_vector<float>(batch.values), (std::vector<float>{0, 0.01F, 1, 0, 0}));
  EXPECT_EQ(to_vector<std::uint8_t>(batch.mask), (Flags{1, 1, 1, 0, 0}));
}

TEST(PackedPacker, RowSamplesAlignLabelsWithTokens) {
  const Ints lengths = {5, 2, 3, 1, 4, 0, 7, 2};
  const Minibatch minibatch = packed({{kDense, lengths},
                                      {{.name = "label", .sample_shape = {3}}, lengths},
                                      {{.name = "topic", .sample_shape = {1}}, Ints(8, 1)}},
                                     0, 8, *packed_packer(8));
  const StreamBatch& tokens = minibatch.batch("a");
  const StreamBatch& labels = minibatch.batch("label");
  EXPECT_EQ(tokens.slot_count, 3);
  EXPECT_EQ(labels.slot_count, 3);
  EXPECT_EQ(to_vector<std::int64_t>(tokens.slots), to_vector<std::int64_t>(labels.slots));
  EXPECT_EQ(to_vector<std::int64_t>(tokens.begins), to_vector<std::int64_t>(labels.begins));
  EXPECT_EQ(to_vector<std::uint8_t>(tokens.mask), to_vector<std::uint8_t>(labels.mask));
  const StreamBatch& topics = minibatch.batch("topic");  // has other lengths, so other slots
  EXPECT_EQ(topics.sample_count_max, 8);
  EXPECT_EQ(to_vector<std::int64_t>(topics.slots), Ints(8, 0));
  EXPECT_EQ(to_vector<std::int64_t>(topics.begins), (Ints{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(PackedPacker, RowSamplesNeedNoSlotForEmptySequences) {
  const Minibatch minibatch = packed({{kDense, {0, 0}}}, 0, 2, *packed_packer(8));
  const StreamBatch& batch = minibatch.batch(0);
  EXPECT_EQ(batch.sample_count_max, 8);
  EXPECT_EQ(batch.slot_count, 0);
  EXPECT_EQ(batch.row_count(), 0);
  EXPECT_EQ(to_vector<std::int64_t>(batch.slots), (Ints{0, 0}));
  EXPECT_EQ(to_vector<std::int64_t>(batch.begins), (Ints{0, 0}));
}

TEST(PackedPacker, RowSamplesRefuseALongerSequence) {
  const std::vector<StreamData> data = {{kDense, {1, 2, 3}},
                                        {{.name = "b", .sample_shape = {1}}, {3, 9, 10}}};
  EXPECT_NO_THROW(static_cast<void>(packed(data, 0, 3, *packed_packer(10))));
  try {
    static_cast<void>(packed(data, 0, 3, *packed_packer(8)));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "packing: sequence 1 has 9 samples in stream \"b\", more than the 8 of "
                 "row_samples: make row_samples as large as the longest sequence, say with `long` "
                 "what becomes of longer ones, or pack without row_samples");
  }
}

// The long sequence may be a hole. Until this is known, it counts as a full slot.
TEST(PackedPacker, RowSamplesPlanALongerSequenceAsAFullSlot) {
  EXPECT_EQ(packed_packer(8)->row_count(Ints{9, 3, 5, std::int64_t{1} << 40, 8}), 4 * 8);
  EXPECT_EQ(packed_packer(8)->row_count(Ints{}), 0);
}

TEST(PackedPacker, RowSamplesArePartOfTheName) {
  EXPECT_EQ(packed_packer()->name(), "packed");
  EXPECT_EQ(packed_packer(512)->name(), "packed/512");
  EXPECT_EQ(packed_packer(1'000'000'000)->name(), "packed/1000000000");
  for (const std::int64_t row_samples :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1'000'000'001}}) {
    try {
      static_cast<void>(packed_packer(row_samples));
      FAIL();
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(),
                "row_samples must be 1 to 1000000000: got " + std::to_string(row_samples));
    }
  }
}

}  // namespace
}  // namespace sheaf
