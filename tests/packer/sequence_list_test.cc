#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"

namespace sheaf {
namespace {

using testing::PlainData;
using testing::PlainSequence;
using testing::random_data;
using testing::random_streams;
using testing::small_minibatch;
using testing::to_chunk;
using testing::to_plain;

TEST(SequenceList, KeepsKeysAndViewsInOrder) {
  const Minibatch minibatch = small_minibatch(Layout::ragged);
  SequenceList list(std::make_shared<std::vector<Stream>>(minibatch.streams().begin(),
                                                          minibatch.streams().end()));
  EXPECT_EQ(list.size(), 0);
  list.add(minibatch, 2);
  list.add(minibatch, 0);
  list.add(minibatch, 2);
  EXPECT_EQ(list.size(), 3);
  EXPECT_EQ(list.keys()[0], (SequenceKey{12, 0}));
  EXPECT_EQ(list.keys()[1], (SequenceKey{10, 0}));
  ASSERT_EQ(list.views(0).size(), 3U);
  EXPECT_EQ(list.views(0)[0].values, minibatch.view(0, 2).values);
  EXPECT_EQ(list.views(0)[1].values, minibatch.view(0, 0).values);
  EXPECT_EQ(list.views(0)[2].values, minibatch.view(0, 2).values);
}

// Three sequences with one dense sample and one or two sparse values each.
Chunk chunk_of_arrays(const std::vector<Stream>& streams) {
  std::vector<Column> columns(2);
  for (const float value : {1.F, 2.F, 3.F, 4.F, 5.F, 6.F}) columns[0].values.push_back(value);
  for (const float value : {7.F, 8.F, 9.F, 10.F}) columns[1].values.push_back(value);
  for (const std::int32_t index : {5, 6, 7, 8}) columns[1].indices.push_back(index);
  for (const std::int64_t offset : {0, 1, 3, 4}) columns[1].sample_offsets.push_back(offset);
  return {streams, 3, std::move(columns)};
}

TEST(SequenceList, PackersMoveOfferedArrays) {
  const auto streams = std::make_shared<const std::vector<Stream>>(
      std::vector<Stream>{{.name = "x", .sample_shape = {2}},
                          {.name = "y", .sample_shape = {10}, .storage = Storage::sparse}});
  const std::vector<SequenceKey> keys = {{1, 0}, {2, 0}, {3, 0}};
  for (const Layout layout : {Layout::padded, Layout::ragged, Layout::frames, Layout::packed}) {
    const std::unique_ptr<Packer> packer = make_packer(layout);
    SequenceList list(streams);
    for (const bool is_offered : {true, false}) {  // clear() ends an offer
      Chunk chunk = chunk_of_arrays(*streams);
      list.clear();
      list.add(keys, chunk, 0);
      std::vector<Column> columns = chunk.take_columns();
      const std::byte* const values = columns[0].values.data();
      const std::byte* const indices = columns[1].indices.data();
      if (is_offered) {
        list.offer(0, {.values = &columns[0].values});
        list.offer(1, {.values = &columns[1].values, .indices = &columns[1].indices});
      }
      const Minibatch minibatch = packer->pack(list);
      EXPECT_EQ(minibatch.batch(0).values.data() == values, is_offered) << to_string(layout);
      EXPECT_EQ(minibatch.batch(1).indices.data() == indices, is_offered) << to_string(layout);
      EXPECT_EQ(columns[0].values.empty(), is_offered);
      EXPECT_EQ(minibatch.batch(0).values.size_bytes(), 24);
      EXPECT_EQ(minibatch.batch(0).values.as<float>()[5], 6.F);
      EXPECT_EQ(minibatch.batch(1).values.as<float>()[3], 10.F);
      EXPECT_EQ(minibatch.batch(1).indices.as<std::int32_t>()[1], 6);
      EXPECT_EQ(minibatch.batch(1).row_offsets.as<std::int64_t>()[2], 3);
    }
    EXPECT_EQ(packer->takes_arrays(), layout != Layout::packed) << "packed ones may have gaps";
  }
}

// Rows of padding lie between the samples, so the offered values do not fit.
TEST(SequenceList, APaddedStreamWithPaddingCopiesOfferedValues) {
  const auto streams = std::make_shared<const std::vector<Stream>>(
      std::vector<Stream>{{.name = "x", .sample_shape = {1}}});
  std::vector<Column> columns(1);
  for (const float value : {1.F, 2.F, 3.F}) columns[0].values.push_back(value);
  for (const std::int64_t offset : {0, 1, 3}) columns[0].sequence_offsets.push_back(offset);
  Chunk chunk(*streams, 2, std::move(columns));
  SequenceList list(streams);
  list.add(std::vector<SequenceKey>{{1, 0}, {2, 0}}, chunk, 0);
  columns = chunk.take_columns();
  list.offer(0, {.values = &columns[0].values});
  const Minibatch minibatch = padded_packer()->pack(list);
  EXPECT_FALSE(columns[0].values.empty());
  EXPECT_EQ(minibatch.batch(0).values.as<float>()[1], 0.F);
  EXPECT_EQ(minibatch.batch(0).values.as<float>()[3], 3.F);
}

TEST(SequenceList, RefusesMinibatchesOfOtherStreams) {
  const Minibatch minibatch = small_minibatch(Layout::ragged);
  std::vector<Stream> other(minibatch.streams().begin(), minibatch.streams().end());
  other[1].index_type = ElementType::i64;
  other[0].name = "z";
  SequenceList list(std::make_shared<std::vector<Stream>>(other));
  try {
    list.add(minibatch, 0);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), "the minibatch's streams are not those of the list: " +
                                to_string(minibatch.streams()[0]) + ", " +
                                to_string(minibatch.streams()[1]) + "; the list takes " +
                                to_string(other[0]) + ", " + to_string(other[1]));
  }
  EXPECT_EQ(list.size(), 0);
  EXPECT_TRUE(list.views(0).empty());

  SequenceList of_none(std::make_shared<std::vector<Stream>>());
  EXPECT_THROW(of_none.add(minibatch, 0), ConfigError);
}

TEST(SequenceList, RefusesPackedMinibatches) {
  const Minibatch minibatch = small_minibatch(Layout::packed);
  SequenceList list(std::make_shared<std::vector<Stream>>(minibatch.streams().begin(),
                                                          minibatch.streams().end()));
  try {
    list.add(minibatch, 0);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "a `packed` minibatch cannot be packed again: samples of a sequence do not lie "
                 "together there; deliver `ragged` ones to pack them later");
  }
  EXPECT_EQ(list.size(), 0);
}

TEST(SequenceList, HasKeyTextsOnlyIfAnyChunkHasThem) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  const auto chunk_of = [&](std::vector<std::string> texts) {
    std::vector<Column> columns(1);
    columns[0].values = testing::to_buffer<float>({1, 2});
    Chunk chunk(*streams, 2, std::move(columns));
    if (!texts.empty()) chunk.set_key_texts(std::move(texts));
    return chunk;
  };
  const Chunk numbered = chunk_of({});
  const Chunk named = chunk_of({"a", "b"});
  SequenceList list(streams);
  list.add({1, 0}, numbered, 0);
  EXPECT_TRUE(list.key_texts().empty());
  list.add({2, 9}, named, 1);
  list.add({3, 0}, numbered, 1);
  EXPECT_EQ(std::vector(list.key_texts().begin(), list.key_texts().end()),
            (std::vector<std::string_view>{"", "b", ""}));

  const Minibatch minibatch = ragged_packer()->pack(list);
  SequenceList again(streams);
  again.add(minibatch, 1);
  EXPECT_EQ(std::vector(again.key_texts().begin(), again.key_texts().end()),
            (std::vector<std::string_view>{"b"}));
}

TEST(SequenceList, ANumberHasNoText) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  const SequenceView view = {.sample_count = 0, .value_count = 0};
  const SequenceKey empty = key_of_text("");
  for (const SequenceKey& key : {SequenceKey{.low = 7}, empty}) {
    SequenceList one(streams);
    one.add(key, "", std::span(&view, 1), {}, {});
    EXPECT_EQ(one.key_texts().size(), key == empty ? 1U : 0U);
    SequenceList several(streams);
    const std::string_view text;
    several.add(std::span(&key, 1), std::span(&text, 1), std::span(&view, 1), {}, {});
    EXPECT_EQ(several.key_texts().size(), key == empty ? 1U : 0U);
  }
}

TEST(SequenceList, AnEmptyTextIsAText) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  std::vector<Column> columns(1);
  columns[0].values = testing::to_buffer<float>({1, 2});
  Chunk chunk(*streams, 2, std::move(columns));
  chunk.set_key_texts({"", "b"});
  const std::vector<SequenceKey> keys = {{1, 9}, {2, 9}};
  SequenceList run(streams);
  run.add(keys, chunk, 0);
  EXPECT_EQ(std::vector(run.key_texts().begin(), run.key_texts().end()),
            (std::vector<std::string_view>{"", "b"}));
  SequenceList alone(streams);
  alone.add(keys[0], chunk, 0);
  EXPECT_EQ(std::vector(alone.key_texts().begin(), alone.key_texts().end()),
            (std::vector<std::string_view>{""}));
}

TEST(SequenceList, AcceptsRunsOfSeveralChunks) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  const auto chunk_of = [&](const std::vector<float>& values, const char* text) {
    std::vector<Column> columns(1);
    columns[0].values = testing::to_buffer<float>(values);
    Chunk chunk(*streams, std::ssize(values), std::move(columns));
    if (text != nullptr) chunk.set_key_texts(std::vector<std::string>(values.size(), text));
    return chunk;
  };
  const Chunk numbered = chunk_of({1, 2, 3, 4, 5, 6}, nullptr);
  const Chunk named = chunk_of({7, 8}, "n");
  const std::vector<ChunkRun> runs = {
      {&numbered, 5, 1}, {&numbered, 0, 5}, {&named, 1, 1}, {&numbered, 2, 0}, {&numbered, 2, 1}};
  std::vector<SequenceKey> keys;
  for (std::uint64_t i = 0; i < 8; ++i) keys.push_back({i, 0});
  SequenceList list(streams);
  list.add({100, 0}, numbered, 3);
  for (int round = 0; round < 2; ++round) {  // the second round reuses the memory of the first
    list.add(keys, runs);
    std::vector<float> values;
    for (const SequenceView& view : list.views(0)) {
      EXPECT_EQ(view.value_count, 1);
      values.push_back(*reinterpret_cast<const float*>(view.values));
    }
    std::vector<float> expected = {4, 6, 1, 2, 3, 4, 5, 8, 3};
    std::vector<std::string_view> texts = {"", "", "", "", "", "", "", "n", ""};
    if (round == 1) expected.erase(expected.begin());
    if (round == 1) texts.erase(texts.begin());
    EXPECT_EQ(values, expected);
    EXPECT_EQ(std::vector(list.key_texts().begin(), list.key_texts().end()), texts);
    EXPECT_EQ(list.keys().back(), keys.back());
    list.clear();
    EXPECT_EQ(list.size(), 0);
    EXPECT_TRUE(list.key_texts().empty());
    EXPECT_TRUE(list.views(0).empty());
  }
}

RC_GTEST_PROP(SequenceListLaws, AddingARunEqualsAddingEachSequence, ()) {
  const PlainData data = random_data(random_streams(true));
  RC_PRE(!data.keys.empty());
  Chunk chunk = to_chunk(data);
  const bool has_texts = *rc::gen::arbitrary<bool>();
  if (has_texts) chunk.set_key_texts(std::vector<std::string>(data.keys.size(), "key"));
  const std::int64_t count = std::ssize(data.keys);
  const auto first = *testing::any_of<std::int64_t>(0, count);
  const auto more = *testing::any_of<std::int64_t>(1, count - first + 1);
  SequenceList all(data.streams);
  SequenceList each(data.streams);
  for (SequenceList* const list : {&all, &each}) list->add(data.keys[0], chunk, 0);
  all.add(
      std::span(data.keys).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(more)),
      chunk, first);
  for (std::int64_t i = first; i < first + more; ++i) {
    each.add(data.keys[static_cast<std::size_t>(i)], chunk, i);
  }
  RC_ASSERT(to_plain(all) == to_plain(each));
  RC_ASSERT(std::ranges::equal(all.key_texts(), each.key_texts()));
  RC_ASSERT(all.key_texts().empty() != has_texts);
}

RC_GTEST_PROP(SequenceListLaws, AddingViewsTogetherEqualsAddingEachView, ()) {
  const PlainData data = random_data(random_streams(true));
  RC_PRE(!data.keys.empty());
  const Chunk chunk = to_chunk(data);
  const bool has_texts = *rc::gen::arbitrary<bool>();
  const bool has_slices = *rc::gen::arbitrary<bool>();
  const bool has_slots = has_slices && *rc::gen::arbitrary<bool>();
  const bool begins_whole = !has_slots && *rc::gen::arbitrary<bool>();
  std::vector<SequenceView> views;
  std::vector<std::string_view> texts;
  std::vector<SequenceSlice> slices;
  std::vector<std::int64_t> slots;
  SequenceList all(data.streams);
  SequenceList each(data.streams);
  for (SequenceList* const list : {&all, &each}) {
    if (begins_whole) list->add(data.keys[0], chunk, 0);
  }
  for (std::int64_t i = 0; i < std::ssize(data.keys); ++i) {
    std::vector<SequenceView> own;
    for (std::int64_t s = 0; s < chunk.stream_count(); ++s) own.push_back(chunk.view(s, i));
    views.insert(views.end(), own.begin(), own.end());
    texts.emplace_back(has_texts && i % 2 == 1 ? "odd" : "");
    std::optional<SequenceSlice> slice;
    std::optional<std::int64_t> slot;
    if (has_slices) slice = slices.emplace_back(SequenceSlice{i, i + 1, 3 * i});
    if (has_slots) slot = slots.emplace_back(7 - i);
    each.add(data.keys[static_cast<std::size_t>(i)], texts.back(), own, slice, slot);
  }
  all.add(data.keys, texts, views, slices, slots);
  RC_ASSERT(to_plain(all) == to_plain(each));
  RC_ASSERT(std::ranges::equal(all.key_texts(), each.key_texts()));
  RC_ASSERT(std::ranges::equal(all.slices(), each.slices()));
  RC_ASSERT(std::ranges::equal(all.slots(), each.slots()));
  all.add(std::span<const SequenceKey>(), std::span<const std::string_view>(), {});  // adds nothing
  RC_ASSERT(to_plain(all) == to_plain(each));
}

RC_GTEST_PROP(SequenceListLaws, ASliceHasTheSamplesInItsRange, ()) {
  const PlainData data = random_data(random_streams(true));
  RC_PRE(!data.keys.empty());
  const Chunk chunk = to_chunk(data);
  const auto sequence = *testing::any_of<std::size_t>(0, data.keys.size());
  const SampleRange slice = {
      .first = *testing::any_of<std::int64_t>(0, 6),
      .count = *rc::gen::oneOf(testing::any_of<std::int64_t>(0, 6),
                               rc::gen::just(std::numeric_limits<std::int64_t>::max()))};
  SequenceList list(data.streams);
  list.add(data.keys[sequence], chunk, static_cast<std::int64_t>(sequence), slice);

  PlainData expected = {.streams = data.streams, .keys = {data.keys[sequence]}, .sequences = {}};
  for (const std::vector<PlainSequence>& of_stream : data.sequences) {
    PlainSequence cut = of_stream[sequence];
    if (cut) {
      const auto first = cut->begin() + std::min(slice.first, std::ssize(*cut));
      const auto last = first + std::min(slice.count, cut->end() - first);
      cut = std::vector(first, last);
    }
    expected.sequences.push_back({cut});
  }
  RC_ASSERT(to_plain(list) == expected);
  const Minibatch minibatch = ragged_packer()->pack(list);
  RC_ASSERT(to_plain(minibatch, data.streams) == expected);
}

}  // namespace
}  // namespace sheaf
