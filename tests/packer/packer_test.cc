#include "sheaf/packer.h"

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

#include "packer/gather.h"
#include "packer/made_up_data.h"

namespace sheaf {
namespace {

using testing::PlainData;
using testing::random_data;
using testing::random_streams;
using testing::small_minibatch;
using testing::to_arrays;
using testing::to_chunk;
using testing::to_list;
using testing::to_plain;
using testing::to_vector;
using testing::WatchedMemory;

constexpr Layout kLayouts[] = {Layout::padded, Layout::ragged};

TEST(Packer, IsMadeByItsLayout) {
  for (const Layout layout : kLayouts) EXPECT_EQ(make_packer(layout)->name(), to_string(layout));
  EXPECT_THROW(static_cast<void>(make_packer(Layout{99})), ConfigError);
}

TEST(Packer, NoSequenceGivesAMinibatchOfNone) {
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
  for (const Layout layout : kLayouts) {
    SCOPED_TRACE(to_string(layout));
    WatchedMemory memory;
    {
      const Minibatch minibatch = small_minibatch(layout, memory);
      // x: values, lengths, presence; y: values, indices, row_offsets, lengths; and for each
      // the mask or the sequence_offsets.
      EXPECT_EQ(memory.allocation_count, 9);
    }
    EXPECT_EQ(memory.live_bytes, 0);
  }
}

TEST(Packer, NothingIsLeakedWhereverTheMemoryEnds) {
  for (const Layout layout : kLayouts) {
    SCOPED_TRACE(to_string(layout));
    std::int64_t failures = 0;
    for (;; ++failures) {
      WatchedMemory memory;
      memory.allocation_count_max = failures;
      try {
        static_cast<void>(small_minibatch(layout, memory));
        break;
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(memory.allocation_count, failures);
        EXPECT_EQ(memory.live_bytes, 0);
      }
    }
    EXPECT_EQ(failures, 9);
  }
}

TEST(Packer, ARectangleTooLargeForAnyMemoryIsABadAlloc) {
  // The sequence is never read: there is no room to copy it to.
  const std::int64_t sample_count = std::int64_t{1} << 61;
  EXPECT_THROW(static_cast<void>(internal::product(sample_count, 4)), std::bad_alloc);
  EXPECT_EQ(internal::product(sample_count, 3), 3 * sample_count);
  EXPECT_EQ(internal::product(0, sample_count), 0);
}

TEST(Packer, NeighboursAreCopiedAsOneRunAndOthersInTheirOrder) {
  const char source[] = "abcdefgh";
  const auto* from = reinterpret_cast<const std::byte*>(source);
  char out[12] = "...........";
  {
    internal::RunCopier copier(reinterpret_cast<std::byte*>(out));
    copier.append(from, 2);      // ab
    copier.append(from + 2, 1);  // c follows
    copier.append(nullptr, 0);   // nothing
    copier.append(from + 6, 2);  // gh does not follow
    copier.append_zeros(2);
    copier.append(from + 5, 1);  // f
    copier.append_zeros(0);
    copier.append(from + 6, 1);  // g follows
  }
  EXPECT_EQ(std::string(out, sizeof(out) - 1), std::string("abcgh\0\0fg..", 11));
}

RC_GTEST_PROP(PackerLaws, TheViewsOfAMinibatchShowWhatWasPacked, ()) {
  const Layout layout = *rc::gen::elementOf(std::vector<Layout>{Layout::padded, Layout::ragged});
  const PlainData data = random_data(random_streams(layout == Layout::ragged));
  const Chunk chunk = to_chunk(data);
  const SequenceList list = to_list(data, chunk);
  RC_ASSERT(to_plain(list) == data);
  WatchedMemory memory;
  const Minibatch minibatch = make_packer(layout)->pack(list, memory);
  RC_ASSERT(to_plain(minibatch, data.streams) == data);
}

RC_GTEST_PROP(PackerLaws, WhatTheMemoryHeldBeforeDoesNotShow, ()) {
  const Layout layout = *rc::gen::elementOf(std::vector<Layout>{Layout::padded, Layout::ragged});
  const PlainData data = random_data(random_streams(layout == Layout::ragged));
  const Chunk chunk = to_chunk(data);
  const SequenceList list = to_list(data, chunk);
  WatchedMemory dirty;
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
  const std::unique_ptr<Packer> packer = make_packer(layout);
  RC_ASSERT(to_arrays(packer->pack(list, dirty)) == to_arrays(packer->pack(list, zeroed)));
}

RC_GTEST_PROP(PackerLaws, TheNumbersAndOffsetsAgreeWithEachOther, ()) {
  const Layout layout = *rc::gen::elementOf(std::vector<Layout>{Layout::padded, Layout::ragged});
  const PlainData data = random_data(random_streams(layout == Layout::ragged));
  const Chunk chunk = to_chunk(data);
  const Minibatch minibatch = make_packer(layout)->pack(to_list(data, chunk));
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
    RC_ASSERT(batch.layout == layout);
    RC_ASSERT(batch.sequence_count == std::ssize(lengths));
    RC_ASSERT(batch.sample_count == samples);
    RC_ASSERT(batch.sample_count_max == longest);
    RC_ASSERT(to_vector<std::int64_t>(batch.lengths) == lengths);
    RC_ASSERT(to_vector<std::uint8_t>(batch.presence) == presence);

    const Stream& description = (*data.streams)[stream];
    if (description.storage == Storage::sparse || !description.sample_shape.is_fixed()) {
      const auto row_offsets = to_vector<std::int64_t>(batch.row_offsets);
      RC_ASSERT(std::ssize(row_offsets) == batch.row_count() + 1);
      RC_ASSERT(std::is_sorted(row_offsets.begin(), row_offsets.end()));
      RC_ASSERT(row_offsets.front() == 0);
      RC_ASSERT(row_offsets.back() * element_size(description.element_type) ==
                batch.values.size_bytes());
    } else {
      RC_ASSERT(batch.row_offsets.empty());
      RC_ASSERT(batch.values.size_bytes() == batch.row_count() * description.sample_shape.size() *
                                                 element_size(description.element_type));
    }
  }
}

}  // namespace
}  // namespace sheaf
