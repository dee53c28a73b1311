#include "sheaf/minibatch.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "packer/made_up_data.h"
#include "support/test_memory.h"

namespace sheaf {
namespace {

using testing::small_minibatch;
using testing::TestMemory;

template <typename Error, typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Minibatch, CountsTheSamplesOfTheLongestStream) {
  for (const Layout layout : {Layout::padded, Layout::ragged}) {
    const Minibatch minibatch = small_minibatch(layout);
    EXPECT_EQ(minibatch.sequence_count(), 3);
    EXPECT_EQ(minibatch.sample_count(), 3);
    EXPECT_EQ(minibatch.batch("x").sample_count, 3);
    EXPECT_EQ(minibatch.batch("x").sample_count_max, 2);
    EXPECT_EQ(minibatch.batch("x").row_count(), layout == Layout::padded ? 6 : 3);
  }
  EXPECT_EQ(Minibatch(std::make_shared<std::vector<Stream>>(), {}, {}).sample_count(), 0);
}

TEST(Minibatch, CountsTheRowsOfTheStreamWithMostSamples) {
  EXPECT_EQ(small_minibatch(Layout::padded).row_count(), 6);
  EXPECT_EQ(small_minibatch(Layout::ragged).row_count(), 3);
  EXPECT_EQ(small_minibatch(Layout::packed).row_count(), 4);
  // 5 samples in 6 array rows, 5 in 8, and 2 in 20: a few labels in long slots.
  const auto streams = std::make_shared<std::vector<Stream>>(
      std::vector<Stream>{{.name = "x"}, {.name = "y"}, {.name = "z"}});
  std::vector<StreamBatch> batches(3);
  batches[0] = {.sequence_count = 2, .sample_count = 5, .sample_count_max = 3};
  batches[1] = {.sequence_count = 2, .sample_count = 5, .sample_count_max = 4};
  batches[2] = {.layout = Layout::packed,
                .sequence_count = 2,
                .sample_count = 2,
                .sample_count_max = 20,
                .slot_count = 1};
  EXPECT_EQ(Minibatch(streams, std::move(batches), {{0, 0}, {1, 0}}).row_count(), 8);
  EXPECT_EQ(Minibatch(std::make_shared<std::vector<Stream>>(), {}, {}).row_count(), 0);
}

TEST(Minibatch, FindsAStreamByItsName) {
  const Minibatch minibatch = small_minibatch(Layout::padded);
  EXPECT_EQ(minibatch.stream_index("x"), 0);
  EXPECT_EQ(minibatch.stream_index("y"), 1);
  EXPECT_EQ(&minibatch.batch("y"), &minibatch.batch(1));
}

TEST(Minibatch, NamesAllStreamsIfOneIsUnknown) {
  const Minibatch minibatch = small_minibatch(Layout::padded);
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(minibatch.batch("z")); }),
            "no stream is named \"z\": the minibatch has \"x\", \"y\"");
  const Minibatch none(std::make_shared<std::vector<Stream>>(), {}, {});
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(none.stream_index("")); }),
            "no stream is named \"\": the minibatch has none");
}

TEST(Minibatch, ViewsShowEachSequenceInBothLayouts) {
  for (const Layout layout : {Layout::padded, Layout::ragged}) {
    SCOPED_TRACE(to_string(layout));
    const Minibatch minibatch = small_minibatch(layout);

    const SequenceView first = minibatch.view(0, 0);
    EXPECT_TRUE(first.is_present);
    EXPECT_EQ(first.sample_count, 2);
    EXPECT_EQ(first.value_count, 4);
    EXPECT_EQ(reinterpret_cast<const float*>(first.values)[3], 4);
    EXPECT_EQ(first.indices, nullptr);
    EXPECT_EQ(first.sample_offsets, nullptr);
    EXPECT_EQ(first.extents, nullptr);

    const SequenceView absent = minibatch.view(0, 1);
    EXPECT_FALSE(absent.is_present);
    EXPECT_EQ(absent.sample_count, 0);
    EXPECT_EQ(absent.value_count, 0);

    EXPECT_EQ(reinterpret_cast<const float*>(minibatch.view(0, 2).values)[1], 6);

    const SequenceView sparse = minibatch.view(1, 1);
    EXPECT_EQ(sparse.sample_count, 2);
    EXPECT_EQ(sparse.value_count, 2);
    EXPECT_EQ(reinterpret_cast<const double*>(sparse.values)[1], .4);
    EXPECT_EQ(reinterpret_cast<const std::int32_t*>(sparse.indices)[1], 8);
    EXPECT_EQ(sparse.sample_offsets[1] - sparse.sample_offsets[0], 0);
    EXPECT_EQ(sparse.sample_offsets[2] - sparse.sample_offsets[0], 2);

    const SequenceView empty = minibatch.view(1, 2);
    EXPECT_TRUE(empty.is_present);
    EXPECT_EQ(empty.sample_count, 0);
    EXPECT_EQ(empty.value_count, 0);
  }
}

TEST(Minibatch, ViewsStayValidAfterAMove) {
  Minibatch minibatch = small_minibatch(Layout::ragged);
  const SequenceView view = minibatch.view(1, 1);
  const Minibatch moved = std::move(minibatch);
  EXPECT_EQ(moved.view(1, 1).values, view.values);
  EXPECT_EQ(reinterpret_cast<const double*>(view.values)[0], .3);
}

TEST(Minibatch, ShowsASampleInAnyLayout) {
  for (const Layout layout : {Layout::padded, Layout::ragged, Layout::packed}) {
    SCOPED_TRACE(to_string(layout));
    const Minibatch minibatch = small_minibatch(layout);
    const SampleView dense = minibatch.sample(0, 2, 0);
    EXPECT_EQ(dense.value_count, 2);
    EXPECT_EQ(reinterpret_cast<const float*>(dense.values)[1], 6);
    EXPECT_EQ(dense.indices, nullptr);
    const SampleView sparse = minibatch.sample(1, 1, 1);
    EXPECT_EQ(sparse.value_count, 2);
    EXPECT_EQ(reinterpret_cast<const double*>(sparse.values)[0], .3);
    EXPECT_EQ(reinterpret_cast<const std::int32_t*>(sparse.indices)[1], 8);
    EXPECT_EQ(minibatch.sample(1, 1, 0).value_count, 0);
  }
}

TEST(Minibatch, MemoryCountsArraysAndKeys) {
  TestMemory memory;
  const Minibatch minibatch = small_minibatch(Layout::padded, memory);
  const auto keys = static_cast<std::int64_t>(3 * sizeof(SequenceKey));
  EXPECT_EQ(minibatch.memory_bytes(), memory.held_bytes() + keys);
}

TEST(Minibatch, OwnsItsKeyTexts) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  std::vector<std::string> given = {"one", "", "a key that is too long for a small string", "four"};
  const std::vector<std::string> expected = given;
  const std::vector<std::string_view> views(given.begin(), given.end());
  const auto batches = [] {
    std::vector<StreamBatch> of_streams(1);
    of_streams[0].sequence_count = 4;
    return of_streams;
  };
  const std::vector<SequenceKey> keys(4);
  Minibatch from_views(streams, batches(), keys, views);
  const Minibatch from_strings(streams, batches(), keys, given);
  for (std::string& text : given) std::ranges::fill(text, '?');
  const std::span<const std::string_view> texts = from_views.key_texts();
  EXPECT_GE(from_views.memory_bytes(), 4 * std::int64_t{sizeof(std::string_view)} + 3 + 41 + 4);
  const Minibatch moved = std::move(from_views);
  EXPECT_EQ(moved.key_texts().data(), texts.data());
  EXPECT_TRUE(std::ranges::equal(texts, expected));
  EXPECT_TRUE(std::ranges::equal(from_strings.key_texts(), expected));
  EXPECT_TRUE(Minibatch(streams, batches(), keys).key_texts().empty());
}

TEST(Minibatch, RefusesInconsistentArrays) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  EXPECT_EQ(error_of<InternalError>([&] { const Minibatch minibatch(streams, {}, {}); }),
            "a minibatch of 1 streams has arrays for 0");
  EXPECT_EQ(error_of<InternalError>([&] {
              std::vector<StreamBatch> batches(1);
              batches[0].sequence_count = 2;
              const Minibatch minibatch(streams, std::move(batches), {{7, 0}});
            }),
            "a minibatch of 1 keys has 2 sequences of stream \"x\"");
  EXPECT_EQ(error_of<InternalError>([&] {
              std::vector<StreamBatch> batches(1);
              batches[0].sequence_count = 1;
              const Minibatch minibatch(streams, std::move(batches), {{7, 0}}, {"a", "b"});
            }),
            "a minibatch of 1 keys has 2 key texts");
}

TEST(Minibatch, HasAMemberForEachSequenceOrNone) {
  Minibatch minibatch = small_minibatch(Layout::ragged);
  EXPECT_TRUE(minibatch.members().empty());
  const std::int64_t before = minibatch.memory_bytes();
  minibatch.set_members({2, 0, 1});
  EXPECT_EQ(minibatch.members()[0], 2);
  EXPECT_GE(minibatch.memory_bytes(), before + std::int64_t{3 * sizeof(std::int64_t)});
  EXPECT_EQ(error_of<InternalError>([&] {
              minibatch.set_members({1, 2});
            }),
            "a minibatch of 3 keys has 2 members");
  minibatch.set_members({});
  EXPECT_TRUE(minibatch.members().empty());
}

TEST(Layout, HasTheNamesOfTheOptions) {
  EXPECT_EQ(to_string(Layout::padded), "padded");
  EXPECT_EQ(to_string(Layout::ragged), "ragged");
  EXPECT_EQ(to_string(Layout::packed), "packed");
  EXPECT_EQ(to_string(Layout::frames), "frames");
}

}  // namespace
}  // namespace sheaf
