#include "packer/gather.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"

namespace sheaf::internal {
namespace {

using testing::append;
using testing::Bytes;
using testing::PlainData;
using testing::PlainSample;
using testing::PlainSequence;
using testing::Streams;

using Offsets = std::vector<std::int64_t>;

/// Makes bytes that identify their source: few sources have the same bytes.
class MadeUpBytes {
 public:
  /// Returns the next bytes, in memory that ends with them. No byte is 0, which is the padding
  /// value.
  Bytes next(std::int64_t size) {
    Bytes bytes;
    bytes.reserve(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      state_ = state_ * 1'664'525U + 1'013'904'223U;
      bytes.push_back(static_cast<std::byte>(1 + (state_ >> 16) % 255));
    }
    return bytes;
  }

 private:
  std::uint32_t state_ = 1;
};

/// Returns a view of values in samples that end at `ends`. The first element of `ends` is the
/// offset of the first value.
SequenceView view_of(const Offsets& ends) {
  SequenceView view;
  view.sample_offsets = ends.data();
  view.sample_count = std::ssize(ends) - 1;
  view.value_count = ends.back() - ends.front();
  return view;
}

TEST(Gather, CopiesExactlyTheBytesOfEachView) {
  constexpr std::int64_t kAround = 32;
  constexpr std::byte kUntouched{0};
  for (const std::int64_t count : {1, 2, 3, 5}) {
    for (std::int64_t size = 0; size <= 33; ++size) {
      SCOPED_TRACE(std::to_string(count) + " views of " + std::to_string(size) + " bytes");
      MadeUpBytes bytes;
      std::vector<Bytes> sources;
      std::vector<SequenceView> views(static_cast<std::size_t>(count));
      Bytes expected(kAround, kUntouched);
      for (SequenceView& view : views) {
        sources.push_back(bytes.next(size));
        append(expected, sources.back());
        view.indices = sources.back().data();
      }
      expected.resize(expected.size() + kAround, kUntouched);
      Bytes out(expected.size(), kUntouched);
      const bool copied =
          copy_few_bytes_each(views, &SequenceView::indices, size, out.data() + kAround);
      EXPECT_EQ(copied, size == 1 || size == 2 || size == 4 || size == 8 || size == 16);
      EXPECT_EQ(out, copied ? expected : Bytes(expected.size(), kUntouched));
    }
  }
}

TEST(Gather, NoViewsNeedNoMemory) {
  EXPECT_TRUE(copy_few_bytes_each({}, &SequenceView::values, 16, nullptr));
  EXPECT_FALSE(copy_few_bytes_each({}, &SequenceView::values, 0, nullptr));
  const Sizes sizes = measure({});
  EXPECT_EQ(sizes.value_count, 0);
  EXPECT_FALSE(sizes.has_one_each(0));
}

TEST(Gather, DetectsEvenViewsOfOneSample) {
  struct Case {
    std::vector<Offsets> sequences;
    bool has_equal_values;
    bool has_one_each;
  };
  const Case cases[] = {
      {{{0, 2}}, true, true},                           // one sequence
      {{{0, 2}, {7, 9}}, true, true},                   // the same at another offset
      {{{0, 2}, {7, 10}}, false, true},                 // the last one differs
      {{{0, 3}, {7, 9}, {9, 11}}, false, true},         // the first one differs
      {{{0, 2}, {2, 2}, {4, 6}}, false, true},          // an empty sample
      {{{5, 5}, {0, 0}}, true, true},                   // only empty samples
      {{{0, 2}, {7, 8, 9}}, true, false},               // as many values in two samples
      {{{0}, {0, 1, 2}}, false, false},                 // as many samples as sequences
      {{{0}, {4, 4, 4}}, true, false},                  // as before, without values
      {{{3}, {4, 4}}, true, false},                     // a sequence without samples
      {{{0}, {0}}, true, false},                        // no samples at all
      {{{0, 1, 2}, {0, 0, 2}, {5, 7, 7}}, true, false}  // several samples
  };
  for (const Case& c : cases) {
    std::vector<SequenceView> views;
    Offsets expected = {0};
    for (const Offsets& ends : c.sequences) {
      views.push_back(view_of(ends));
      const std::int64_t before = expected.back();
      for (std::size_t i = 1; i < ends.size(); ++i) {
        expected.push_back(before + ends[i] - ends.front());
      }
    }
    SCOPED_TRACE(::testing::PrintToString(c.sequences));
    const Sizes sizes = measure(views);
    EXPECT_EQ(sizes.has_equal_values, c.has_equal_values);
    EXPECT_EQ(sizes.has_one_each(std::ssize(views)), c.has_one_each);
    const Buffer offsets = gather_row_offsets(views, sizes, *std::pmr::new_delete_resource());
    EXPECT_EQ(testing::to_vector<std::int64_t>(offsets), expected);
  }
}

TEST(Gather, EvenRowOffsetsAreMultiples) {
  Offsets out(6, -1);
  write_even_row_offsets(4, 3, out.data());
  EXPECT_EQ(out, (Offsets{0, 3, 6, 9, 12, -1}));
  write_even_row_offsets(1, 0, out.data());
  EXPECT_EQ(out, (Offsets{0, 0, 6, 9, 12, -1}));
  write_even_row_offsets(0, 7, out.data());
  EXPECT_EQ(out, (Offsets{0, 0, 6, 9, 12, -1}));
}

// Minibatches of every layout, value by value.

/// The number of samples of each sequence, or kAbsent for an absent stream.
using SampleCounts = std::vector<std::int64_t>;
constexpr std::int64_t kAbsent = -1;

const SampleCounts kSampleCounts[] = {
    {},                        // no sequences
    {1},                       //
    {1, 1},                    //
    {1, 1, 1, 1, 1, 1, 1, 1},  //
    {2, 2, 2},                 //
    {4, 4},                    //
    {1, 2, 1},                 //
    {0, 2},                    // as many samples as sequences
    {0, 0},                    //
    {1, 0, 1},                 //
    {kAbsent},                 //
    {kAbsent, kAbsent},        //
    {1, kAbsent, 1},           //
    {kAbsent, 1, 1, kAbsent},  //
    {kAbsent, 3, 0, 1},        //
};

/// The number of values of each sample in a sparse or opaque stream, cyclically.
const std::vector<std::int64_t> kValueCounts[] = {{1}, {2}, {4}, {5}, {0}, {3, 3, 0}, {1, 2}};

/// A layout with its options.
struct Way {
  Layout layout = Layout::padded;
  Padding padding = {};

  [[nodiscard]] std::unique_ptr<Packer> packer() const {
    return layout == Layout::padded ? padded_packer(padding) : make_packer(layout);
  }
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << to_string(way.layout) << (way.padding.pad_side == PadSide::left ? " left" : "")
       << " multiple " << way.padding.pad_multiple.value_or(0) << " length "
       << way.padding.pad_length.value_or(0);
}

const Way kWays[] = {
    {Layout::padded},
    {Layout::padded, {.pad_side = PadSide::left}},
    {Layout::padded, {.pad_multiple = 2}},
    {Layout::padded, {.pad_side = PadSide::left, .pad_multiple = 3}},
    {Layout::padded, {.pad_length = 4}},
    {Layout::padded, {.pad_side = PadSide::left, .pad_length = 5}},
    {Layout::ragged},
    {Layout::frames},
};

/// Returns the sample in each array row, or null for none. Returns nothing if the layout refuses
/// the sequences.
std::optional<std::vector<const PlainSample*>> rows_of(const Way& way,
                                                       const std::vector<PlainSequence>& all) {
  std::int64_t longest = 0;
  for (const PlainSequence& sequence : all) {
    const std::int64_t count = sequence ? std::ssize(*sequence) : 0;
    if (way.layout == Layout::frames && sequence && count != 1) return std::nullopt;
    longest = std::max(longest, count);
  }
  while (longest % way.padding.pad_multiple.value_or(1) != 0) ++longest;
  longest = way.padding.pad_length.value_or(longest);
  if (way.layout == Layout::frames) longest = 1;
  if (way.layout == Layout::ragged) longest = 0;
  std::vector<const PlainSample*> rows;
  for (const PlainSequence& sequence : all) {
    std::vector<const PlainSample*> own;
    if (sequence) {
      for (const PlainSample& sample : *sequence) own.push_back(&sample);
    }
    const auto missing =
        static_cast<std::size_t>(std::max<std::int64_t>(0, longest - std::ssize(own)));
    own.insert(way.padding.pad_side == PadSide::left ? own.begin() : own.end(), missing, nullptr);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  return rows;
}

/// The arrays of one stream.
struct Arrays {
  Bytes values;
  Bytes indices;
  Offsets row_offsets;

  friend bool operator==(const Arrays&, const Arrays&) = default;
};

Arrays arrays_of(const Stream& stream, const std::vector<const PlainSample*>& rows, Layout layout) {
  Arrays arrays;
  const bool has_offsets = stream.storage == Storage::sparse || !stream.sample_shape.is_fixed();
  const std::int64_t size = element_size(stream.element_type);
  if (has_offsets) arrays.row_offsets.push_back(0);
  for (const PlainSample* const sample : rows) {
    if (sample != nullptr) {
      append(arrays.values, sample->values);
      append(arrays.indices, sample->indices);
    } else if (!has_offsets) {
      append(arrays.values, Bytes(static_cast<std::size_t>(stream.sample_shape.size() * size)));
    }
    if (has_offsets) arrays.row_offsets.push_back(std::ssize(arrays.values) / size);
  }
  EXPECT_TRUE(layout != Layout::ragged || std::ranges::count(rows, nullptr) == 0);
  return arrays;
}

Arrays arrays_of(const StreamBatch& batch) {
  const auto bytes = [](const Buffer& buffer) {
    return Bytes(buffer.data(), buffer.data() + buffer.size_bytes());
  };
  return {bytes(batch.values), bytes(batch.indices),
          testing::to_vector<std::int64_t>(batch.row_offsets)};
}

/// Returns sequences of a stream. A sample has a fixed number of values, or the numbers of
/// `value_counts` cyclically.
PlainData data_of(const Stream& stream, const SampleCounts& sample_counts,
                  const std::vector<std::int64_t>& value_counts) {
  PlainData data = {.streams = std::make_shared<const std::vector<Stream>>(1, stream),
                    .keys = {},
                    .sequences = {{}}};
  MadeUpBytes bytes;
  std::size_t sample_number = 0;
  for (const std::int64_t count : sample_counts) {
    data.keys.push_back({data.keys.size(), 7});
    PlainSequence& sequence = data.sequences[0].emplace_back();
    if (count == kAbsent) continue;
    sequence.emplace();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t value_count = value_counts[sample_number++ % value_counts.size()];
      PlainSample& sample = sequence->emplace_back();
      sample.values = bytes.next(value_count * element_size(stream.element_type));
      if (stream.storage == Storage::sparse) {
        sample.indices = bytes.next(value_count * element_size(stream.index_type));
      }
      if (!stream.sample_shape.is_fixed()) sample.extents = {value_count};
    }
  }
  return data;
}

/// Returns a buffer of the same bytes that ends where its memory ends, for tools that watch memory.
Buffer to_size(const Buffer& buffer) {
  Buffer exact(*std::pmr::new_delete_resource());
  exact.reserve(buffer.size_bytes());
  exact.resize(buffer.size_bytes());
  if (!buffer.empty()) {
    std::memcpy(exact.mutable_data(), buffer.data(), static_cast<std::size_t>(buffer.size_bytes()));
  }
  return exact;
}

/// Packs the sequences in chunk order, and then sequences from two chunks alternately, the last
/// first.
void expect_arrays(const PlainData& data) {
  const Stream& stream = data.streams->front();
  const std::vector<PlainSequence>& sequences = data.sequences[0];
  Column column = testing::to_column(stream, sequences);
  column.values = to_size(column.values);
  column.indices = to_size(column.indices);
  std::vector<Column> columns;
  columns.push_back(std::move(column));
  const Chunk chunk(*data.streams, std::ssize(sequences), std::move(columns));
  const Chunk other = testing::to_chunk(data);
  SequenceList in_order(data.streams);
  in_order.add(data.keys, chunk, 0);
  SequenceList from_two(data.streams);
  std::vector<PlainSequence> reversed;
  for (std::int64_t i = std::ssize(sequences); i-- > 0;) {
    from_two.add(data.keys[static_cast<std::size_t>(i)], i % 2 == 0 ? chunk : other, i);
    reversed.push_back(sequences[static_cast<std::size_t>(i)]);
  }
  for (const Way& way : kWays) {
    SCOPED_TRACE(::testing::PrintToString(way));
    const std::unique_ptr<Packer> packer = way.packer();
    const std::optional<std::vector<const PlainSample*>> rows = rows_of(way, sequences);
    if (!rows) continue;
    const auto packed = [&](const SequenceList& list) {
      return arrays_of(packer->pack(list, *std::pmr::new_delete_resource()).batch(0));
    };
    EXPECT_EQ(packed(in_order), arrays_of(stream, *rows, way.layout));
    EXPECT_EQ(packed(from_two), arrays_of(stream, *rows_of(way, reversed), way.layout));
  }
}

/// Sizes from one to a few values, and the sizes beside them.
constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32};

TEST(GatherLayouts, DenseSamplesOfAnySizeFollowTheOptions) {
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::f64}) {
    for (const std::int64_t size : kSizes) {
      if (size % element_size(type) != 0) continue;
      const std::int64_t value_count = size / element_size(type);
      const Stream stream = {.name = "x", .element_type = type, .sample_shape = {value_count}};
      for (const SampleCounts& counts : kSampleCounts) {
        SCOPED_TRACE(to_string(stream) + " " + ::testing::PrintToString(counts));
        expect_arrays(data_of(stream, counts, {value_count}));
      }
    }
  }
}

TEST(GatherLayouts, SparseSamplesHaveTheirPairsAndRowOffsets) {
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::f32, ElementType::f64}) {
    for (const ElementType index_type : {ElementType::i32, ElementType::i64}) {
      const Stream stream = {.name = "y",
                             .element_type = type,
                             .sample_shape = {9},
                             .storage = Storage::sparse,
                             .index_type = index_type};
      for (const SampleCounts& counts : kSampleCounts) {
        for (const std::vector<std::int64_t>& value_counts : kValueCounts) {
          SCOPED_TRACE(to_string(stream) + " " + ::testing::PrintToString(counts) + " of " +
                       ::testing::PrintToString(value_counts));
          expect_arrays(data_of(stream, counts, value_counts));
        }
      }
    }
  }
}

TEST(GatherLayouts, OpaqueSamplesOfAnySizeAreConsecutive) {
  const Stream stream = {
      .name = "blob", .element_type = ElementType::bytes, .sample_shape = {Shape::kVariable}};
  for (const SampleCounts& counts : kSampleCounts) {
    for (const std::int64_t size : kSizes) {
      SCOPED_TRACE(::testing::PrintToString(counts) + " of " + std::to_string(size));
      expect_arrays(data_of(stream, counts, {size}));
      expect_arrays(data_of(stream, counts, {size, size + 1}));
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
