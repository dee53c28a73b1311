#include "sheaf/extend/packer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

#include "packer/gather.h"
#include "packer/made_up_data.h"
#include "support/test_memory.h"

namespace sheaf {
namespace {

using testing::PlainData;
using testing::random_data;
using testing::random_streams;
using testing::small_minibatch;
using testing::TestMemory;
using testing::to_arrays;
using testing::to_chunk;
using testing::to_list;
using testing::to_plain;
using testing::to_plain_by_sample;
using testing::to_vector;

constexpr Layout kLayouts[] = {Layout::padded, Layout::ragged, Layout::packed, Layout::frames};

/// Returns random sequences that the layout supports.
PlainData random_data_for(Layout layout) { return random_data(random_streams(), layout); }

/// A layout, with the length of its slots if that is fixed.
struct Packing {
  Layout layout;
  std::int64_t row_samples = 0;

  [[nodiscard]] std::unique_ptr<Packer> packer() const {
    return row_samples > 0 ? packed_packer(row_samples) : make_packer(layout);
  }
};

/// Slots have room for any sequence of random_data(), and for several short ones.
Packing random_packing() {
  std::vector<Packing> packings;
  for (const Layout layout : kLayouts) packings.push_back({layout});
  packings.push_back({Layout::packed, *testing::any_of<std::int64_t>(3, 9)});
  return *rc::gen::elementOf(packings);
}

/// The number of arrays of small_minibatch(). "x" has values, lengths and presence. "y" has values,
/// indices, row_offsets and lengths. Each layout adds its own arrays.
struct LayoutArrays {
  Layout layout;
  std::int64_t count;
};
constexpr LayoutArrays kLayoutArrays[] = {
    {Layout::padded, 7 + 2},  // mask
    {Layout::ragged, 7 + 2},  // sequence_offsets
    {Layout::packed, 7 + 6},  // mask, slots, begins
};

TEST(Packer, IsCreatedByLayout) {
  for (const Layout layout : kLayouts) EXPECT_EQ(make_packer(layout)->name(), to_string(layout));
  EXPECT_THROW(static_cast<void>(make_packer(Layout{99})), ConfigError);
}

TEST(Packer, NoSequencesGiveAnEmptyMinibatch) {
  const auto streams = std::make_shared<std::vector<Stream>>(std::vector<Stream>{
      {.name = "x", .sample_shape = {2}},
      {.name = "y", .sample_shape = {9}, .storage = Storage::sparse},
  });
  for (const Layout layout : kLayouts) {
    SCOPED_TRACE(to_string(layout));
    const Minibatch minibatch = make_packer(layout)->pack(SequenceList(streams));
    EXPECT_EQ(minibatch.sequence_count(), 0);
    EXPECT_EQ(minibatch.sample_count(), 0);
    for (std::int64_t i = 0; i < 2; ++i) {
      const StreamBatch& batch = minibatch.batch(i);
      EXPECT_EQ(batch.row_count(), 0);
      EXPECT_TRUE(batch.values.empty());
      EXPECT_TRUE(batch.lengths.empty());
      EXPECT_TRUE(batch.mask.empty());
      EXPECT_TRUE(batch.presence.empty());
      EXPECT_EQ(to_vector<std::int64_t>(batch.sequence_offsets).size(),
                layout == Layout::ragged ? 1U : 0U);
    }
    EXPECT_EQ(to_vector<std::int64_t>(minibatch.batch("y").row_offsets),
              std::vector<std::int64_t>{0});
  }
}

TEST(Packer, EveryArrayIsOneAllocationFromTheMemoryGiven) {
  for (const auto& [layout, count] : kLayoutArrays) {
    SCOPED_TRACE(to_string(layout));
    TestMemory memory;
    {
      const Minibatch minibatch = small_minibatch(layout, memory);
      EXPECT_EQ(memory.allocations(), count);
    }
    EXPECT_EQ(memory.held_bytes(), 0);
  }
}

TEST(Packer, NothingLeaksWhenAllocationFails) {
  for (const auto& [layout, count] : kLayoutArrays) {
    SCOPED_TRACE(to_string(layout));
    std::int64_t failures = 0;
    for (;; ++failures) {
      TestMemory memory(failures);
      try {
        static_cast<void>(small_minibatch(layout, memory));
        break;
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(memory.allocations(), failures);
        EXPECT_EQ(memory.held_bytes(), 0);
      }
    }
    EXPECT_EQ(failures, count);
  }
}

TEST(Packer, AHugeRectangleIsABadAlloc) {
  // The sequence is never read, because its copy would not fit into memory.
  const std::int64_t sample_count = std::int64_t{1} << 61;
  EXPECT_THROW(static_cast<void>(internal::product(sample_count, 4)), std::bad_alloc);
  EXPECT_EQ(internal::product(sample_count, 3), 3 * sample_count);
  EXPECT_EQ(internal::product(0, sample_count), 0);
}

TEST(Packer, ConsecutiveSequencesAreCopiedAsOneRun) {
  const char source[] = "abcdefgh";
  const auto* from = reinterpret_cast<const std::byte*>(source);
  char out[12] = "...........";
  {
    internal::RunCopier copier(reinterpret_cast<std::byte*>(out));
    copier.append(from, 2);      // ab
    copier.append(from + 2, 1);  // c is adjacent
    copier.append(nullptr, 0);   // nothing
    copier.append(from + 6, 2);  // gh is not adjacent
    copier.append_padding({}, 2);
    copier.append(from + 5, 1);  // f
    copier.append_padding({}, 0);
    copier.append(from + 6, 1);  // g is adjacent
  }
  EXPECT_EQ(std::string(out, sizeof(out) - 1), std::string("abcgh\0\0fg..", 11));
}

RC_GTEST_PROP(PackerLaws, ViewsOfAMinibatchEqualThePackedSequences, ()) {
  const Packing packing = random_packing();
  const PlainData data = random_data_for(packing.layout);
  const Chunk chunk = to_chunk(data);
  const SequenceList list = to_list(data, chunk);
  RC_ASSERT(to_plain(list) == data);
  TestMemory memory;
  const Minibatch minibatch = packing.packer()->pack(list, memory);
  bool has_views = true;
  for (std::int64_t i = 0; i < std::ssize(*data.streams); ++i) {
    const Stream& stream = (*data.streams)[static_cast<std::size_t>(i)];
    const bool lies_together =
        packing.layout != Layout::packed && !testing::is_padded_shape(stream, minibatch.batch(i));
    RC_ASSERT(minibatch.has_views(i) == lies_together);
    has_views = has_views && lies_together;
  }
  if (has_views) RC_ASSERT(to_plain(minibatch, data.streams) == data);
}

RC_GTEST_PROP(PackerLaws, SamplesOfAMinibatchEqualThePackedSamples, ()) {
  const Packing packing = random_packing();
  const PlainData data = random_data_for(packing.layout);
  const Chunk chunk = to_chunk(data);
  TestMemory memory;
  const Minibatch minibatch = packing.packer()->pack(to_list(data, chunk), memory);
  RC_ASSERT(to_plain_by_sample(minibatch, data.streams) == data);
}

RC_GTEST_PROP(PackerLaws, EachSampleHasItsOwnRowInTheMask, ()) {
  const Packing packing = random_packing();
  const PlainData data = random_data_for(packing.layout);
  const Chunk chunk = to_chunk(data);
  TestMemory memory;
  const Minibatch minibatch = packing.packer()->pack(to_list(data, chunk), memory);
  for (std::int64_t i = 0; i < std::ssize(minibatch.streams()); ++i) {
    const StreamBatch& batch = minibatch.batch(i);
    std::vector<std::uint8_t> taken(static_cast<std::size_t>(batch.row_count()));
    for (std::int64_t n = 0; n < batch.sequence_count; ++n) {
      const std::int64_t length = batch.lengths.as<std::int64_t>()[static_cast<std::size_t>(n)];
      for (std::int64_t t = 0; t < length; ++t) {
        const std::int64_t row = batch.row(n, t);
        RC_ASSERT(0 <= row && row < batch.row_count());
        RC_ASSERT(++taken[static_cast<std::size_t>(row)] == 1);
      }
    }
    if (packing.layout == Layout::padded || packing.layout == Layout::packed) {
      RC_ASSERT(to_vector<std::uint8_t>(batch.mask) == taken);
    } else {
      RC_ASSERT(batch.mask.empty());
      RC_ASSERT(batch.row_count() ==
                (packing.layout == Layout::frames ? batch.sequence_count : batch.sample_count));
    }
    const Stream& stream = minibatch.streams()[static_cast<std::size_t>(i)];
    const std::int64_t size = batch.row_shape.size() * element_size(stream.element_type);
    const auto rank = static_cast<std::size_t>(stream.sample_shape.rank());
    for (std::size_t row = 0; row < taken.size(); ++row) {
      if (taken[row] != 0) continue;
      if (!batch.extents.empty()) {
        const auto extents = batch.extents.as<std::int64_t>().subspan(row * rank, rank);
        RC_ASSERT(std::ranges::count(extents, 0) == std::ssize(extents));
      }
      if (!batch.row_offsets.empty()) {
        const auto offsets = batch.row_offsets.as<std::int64_t>();
        RC_ASSERT(offsets[row] == offsets[row + 1]);
        continue;
      }
      const std::byte* const begin = batch.values.data() + static_cast<std::int64_t>(row) * size;
      RC_ASSERT(std::count(begin, begin + size, std::byte{0}) == size);
    }
  }
}

RC_GTEST_PROP(PackerLaws, PlannedRowsEqualPackedRows, ()) {
  const Packing packing = random_packing();
  const PlainData data = random_data_for(packing.layout);
  const Chunk chunk = to_chunk(data);
  const std::unique_ptr<Packer> packer = packing.packer();
  const Minibatch minibatch = packer->pack(to_list(data, chunk));
  for (std::int64_t i = 0; i < std::ssize(minibatch.streams()); ++i) {
    const StreamBatch& batch = minibatch.batch(i);
    RC_ASSERT(packer->row_count(batch.lengths.as<std::int64_t>()) == batch.row_count());
  }
}

TEST(Packer, OnlyRaggedAcceptsSparseStreamsOfVariableShape) {
  const std::vector<Stream> streams = {
      {.name = "image", .sample_shape = {Shape::kVariable, 3}},
      {.name = "words", .sample_shape = {Shape::kVariable}, .storage = Storage::sparse}};
  for (const Layout layout : kLayouts) {
    const std::unique_ptr<Packer> packer = make_packer(layout);
    EXPECT_NO_THROW(packer->check(std::span(streams).first(1)));
    if (layout == Layout::ragged) {
      EXPECT_NO_THROW(packer->check(streams));
      continue;
    }
    try {
      packer->check(streams);
      ADD_FAILURE() << to_string(layout);
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(),
                "packing: stream \"words\" is sparse and has samples of variable shape [*]: `" +
                    std::string(to_string(layout)) +
                    "` takes sparse streams of fixed shape only, `ragged` takes it");
    }
    const auto shared = std::make_shared<std::vector<Stream>>(streams);
    EXPECT_THROW(static_cast<void>(packer->pack(SequenceList(shared))), ConfigError);
  }
}

TEST(Packer, KeyTextsAreDelivered) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  std::vector<Column> columns(1);
  columns[0].values = testing::to_buffer<float>({1, 2, 3});
  Chunk chunk(*streams, 3, std::move(columns));
  chunk.set_key_texts({"one", "two", "three"});
  for (const Layout layout : kLayouts) {
    SequenceList list(streams);
    list.add({3, 30}, chunk, 2);
    list.add({1, 10}, chunk, 0, {0, 1});
    const Minibatch minibatch = make_packer(layout)->pack(list);
    EXPECT_EQ(std::vector(minibatch.key_texts().begin(), minibatch.key_texts().end()),
              (std::vector<std::string_view>{"three", "one"}));
  }
}

RC_GTEST_PROP(PackerLaws, OldMemoryContentIsNeverVisible, ()) {
  const Packing packing = random_packing();
  const PlainData data = random_data_for(packing.layout);
  const Chunk chunk = to_chunk(data);
  const SequenceList list = to_list(data, chunk);
  TestMemory dirty;
  class : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      void* memory = std::pmr::new_delete_resource()->allocate(bytes, alignment);
      return std::memset(memory, 0, bytes);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
      std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }
  } zeroed;
  const std::unique_ptr<Packer> packer = packing.packer();
  RC_ASSERT(to_arrays(packer->pack(list, dirty)) == to_arrays(packer->pack(list, zeroed)));
}

RC_GTEST_PROP(PackerLaws, CountsAndOffsetsAgree, ()) {
  const Packing packing = random_packing();
  const PlainData data = random_data_for(packing.layout);
  const Chunk chunk = to_chunk(data);
  const Minibatch minibatch = packing.packer()->pack(to_list(data, chunk));
  for (std::size_t stream = 0; stream < data.streams->size(); ++stream) {
    const StreamBatch& batch = minibatch.batch(static_cast<std::int64_t>(stream));
    std::vector<std::int64_t> lengths;
    std::vector<std::uint8_t> presence;
    std::int64_t longest = 0;
    std::int64_t samples = 0;
    bool is_absent_somewhere = false;
    for (const auto& sequence : data.sequences[stream]) {
      lengths.push_back(sequence ? std::ssize(*sequence) : 0);
      presence.push_back(sequence ? 1 : 0);
      longest = std::max(longest, lengths.back());
      samples += lengths.back();
      is_absent_somewhere |= !sequence;
    }
    if (!is_absent_somewhere) presence.clear();
    RC_ASSERT(batch.layout == packing.layout);
    RC_ASSERT(batch.sequence_count == std::ssize(lengths));
    RC_ASSERT(batch.sample_count == samples);
    RC_ASSERT(batch.sample_count_max == (packing.row_samples > 0 ? packing.row_samples : longest));
    RC_ASSERT(to_vector<std::int64_t>(batch.lengths) == lengths);
    RC_ASSERT(to_vector<std::uint8_t>(batch.presence) == presence);

    const Stream& description = (*data.streams)[stream];
    const bool is_flat = description.storage == Storage::sparse ||
                         description.element_type == ElementType::bytes ||
                         (packing.layout == Layout::ragged && !description.sample_shape.is_fixed());
    if (is_flat) {
      const auto row_offsets = to_vector<std::int64_t>(batch.row_offsets);
      RC_ASSERT(std::ssize(row_offsets) == batch.row_count() + 1);
      RC_ASSERT(std::is_sorted(row_offsets.begin(), row_offsets.end()));
      RC_ASSERT(row_offsets.front() == 0);
      RC_ASSERT(row_offsets.back() * element_size(description.element_type) ==
                batch.values.size_bytes());
    } else {
      RC_ASSERT(batch.row_offsets.empty());
      RC_ASSERT(batch.values.size_bytes() == batch.row_count() * batch.row_shape.size() *
                                                 element_size(description.element_type));
    }
    if (is_flat || description.sample_shape.is_fixed()) {
      RC_ASSERT(batch.row_shape == description.sample_shape);
    } else {
      RC_ASSERT(batch.extents.size_bytes() == batch.row_count() * description.sample_shape.rank() *
                                                  static_cast<std::int64_t>(sizeof(std::int64_t)));
    }
  }
}

TEST(RunCopier, CopiesExactlyTheRequestedBytes) {
  std::vector<std::byte> source(200);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i);
  for (std::int64_t size = 0; size <= 40; ++size) {
    for (const std::int64_t between : {0, 1, 3}) {  // 0 makes the pieces neighbours
      std::vector<std::byte> out(100, std::byte{255});
      const std::byte* const first = source.data() + 1;
      const std::byte* const second = first + size + between;
      {
        internal::RunCopier copier(out.data() + 1);
        copier.append(first, size);
        copier.append(second, size);
      }
      std::vector<std::byte> expected(100, std::byte{255});
      std::copy_n(first, size, expected.begin() + 1);
      std::copy_n(second, size, expected.begin() + 1 + size);
      EXPECT_EQ(out, expected) << size << ", " << between;
    }
  }
}

}  // namespace
}  // namespace sheaf
