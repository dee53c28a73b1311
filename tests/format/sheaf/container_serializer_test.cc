#include "format/sheaf/container_serializer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "base/unit_size.h"
#include "format/sheaf/container_data.h"
#include "support/error_of.h"
#include "support/text_data.h"

namespace sheaf::container {
namespace {

using ::sheaf::testing::chunk_sizes;
using ::sheaf::testing::container_of;
using ::sheaf::testing::ContainerWriting;
using ::sheaf::testing::error_of;
using ::sheaf::testing::jsonl_of_every_form;
using ::sheaf::testing::open_container_bytes;
using ::sheaf::testing::sequences_of;
using ::sheaf::testing::text_data_of;

TEST(ContainerSerializer, TheBytesDoNotDependOnBatches) {
  const auto data = text_data_of("jsonl", jsonl_of_every_form(100));
  for (const std::int64_t chunk_size : {1, 500, 1 << 20}) {
    ContainerWriting writing{.chunk_size_bytes = chunk_size};
    const std::string expected = container_of(*data, writing);
    for (const std::int64_t batch_size : {1, 2, 7, 99, 100}) {
      writing.batch_size = batch_size;
      EXPECT_EQ(container_of(*data, writing), expected) << batch_size;
    }
  }
}

TEST(ContainerSerializer, AllSequencesHaveACostOrNone) {
  std::string bytes;
  ContainerSerializer serializer({.sink = memory_sink(bytes, "t.sheaf"),
                                  .streams = {{.name = "x"}},
                                  .options = {.cost_name = "pixels"}});
  const std::vector<SequenceKey> keys(2);
  const std::vector<SequenceView> views(2);
  const std::span<const SequenceView> of_stream = views;
  const std::vector<std::int64_t> costs = {7};
  const SequenceBatch batch{.keys = keys, .costs = costs, .views = {&of_stream, 1}};
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(serializer.encode(batch)); }),
            "t.sheaf: the file keeps costs in \"pixels\", and 2 sequences have 1 costs");
}

// Several threads encode at the same time, and one thread appends in order.
TEST(ContainerSerializer, TheBytesDoNotDependOnThreads) {
  const auto data = text_data_of("jsonl", jsonl_of_every_form(4000));
  const ContainerWriting writing{.chunk_size_bytes = 20'000, .batch_size = 50};
  const std::string expected = container_of(*data, writing);
  const auto info = data->index().chunk(ChunkIndex{});
  Diagnostics diagnostics;
  const Chunk chunk = data->read({ChunkIndex{}, 0, info->sequence_count}, diagnostics);
  for (const int thread_count : {1, 2, 5}) {
    std::string bytes;
    ContainerSerializer serializer({.sink = memory_sink(bytes, "t.sheaf"),
                                    .streams = {data->streams().begin(), data->streams().end()},
                                    .options = {.chunk_size_bytes = 20'000}});
    std::mutex mutex;
    std::vector<std::unique_ptr<Serializer::Block>> blocks(80);
    std::size_t next = 0;      // the next batch to encode
    std::size_t appended = 0;  // guarded by the mutex, as is `next`
    const auto work = [&] {
      while (true) {
        std::size_t number = 0;
        {
          const std::lock_guard lock(mutex);
          if (next == blocks.size()) return;
          number = next++;
        }
        std::vector<SequenceKey> keys;
        std::vector<std::vector<SequenceView>> views(data->streams().size());
        const auto first = static_cast<std::int64_t>(number * 50);
        for (std::int64_t i = first; i < first + 50; ++i) {
          keys.push_back(data->index().sequences(ChunkIndex{})->key(i));
        }
        for (std::size_t s = 0; s < views.size(); ++s) {
          chunk.append_views(static_cast<std::int64_t>(s), first, 50, views[s]);
        }
        const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
        auto block = serializer.encode({.keys = keys, .views = spans});
        const std::lock_guard lock(mutex);
        blocks[number] = std::move(block);
        for (; appended < blocks.size() && blocks[appended]; ++appended) {
          serializer.append(std::move(blocks[appended]));
        }
      }
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(thread_count));
    for (int i = 0; i < thread_count; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    serializer.finish();
    EXPECT_EQ(bytes, expected) << thread_count;
  }
}

// 100 sequences of 4 f32 values. Each has 8 + 16 bytes of content.
TEST(ContainerSerializer, AChunkEndsWithTheSequenceThatFillsIt) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "|x 1 2 3 " + std::to_string(i) + "\n";
  const auto data = text_data_of("ctf", text);
  const auto sizes = [&](std::int64_t chunk_size, std::set<std::int64_t> ends = {}) {
    return chunk_sizes(*open_container_bytes(container_of(
        *data, {.chunk_size_bytes = chunk_size, .batch_size = 33, .chunk_ends = std::move(ends)})));
  };
  constexpr std::int64_t kHalf = 24 * 50;
  EXPECT_EQ(sizes(kHalf - 1), (std::vector<std::int64_t>{50, 50}));
  EXPECT_EQ(sizes(kHalf), (std::vector<std::int64_t>{50, 50}));
  EXPECT_EQ(sizes(kHalf + 1), (std::vector<std::int64_t>{51, 49}));
  EXPECT_EQ(sizes(2 * kHalf), (std::vector<std::int64_t>{100}));
  EXPECT_EQ(sizes(1), std::vector<std::int64_t>(100, 1));
  // Chunks also end where chunks of the input end.
  EXPECT_EQ(sizes(1 << 20, {9, 10, 99}), (std::vector<std::int64_t>{10, 1, 89}));
  EXPECT_EQ(sizes(kHalf, {9, 59}), (std::vector<std::int64_t>{10, 50, 40}));
}

// A small unit gives blocks of a few sequences.
TEST(ContainerSerializer, AChunkHasABlockForEachUnit) {
  const auto data = text_data_of("jsonl", jsonl_of_every_form(1000));
  const auto expected = sequences_of(*data);
  for (const std::int64_t unit : {1, 100, 1000, 1 << 20}) {
    internal::set_unit_size_bytes(unit);
    const auto back = open_container_bytes(container_of(*data, {.chunk_size_bytes = 20'000}));
    const auto counts = back->index().chunk_counts(ChunkIndex{});
    const std::int64_t count = back->index().chunk(ChunkIndex{})->sequence_count;
    const std::int64_t content = back->index().chunk(ChunkIndex{})->size_bytes;
    EXPECT_EQ(counts->unit_count, std::min(count, (content + unit - 1) / unit));
    EXPECT_EQ(sequences_of(*back), expected) << unit;
  }
  internal::set_unit_size_bytes(internal::kUnitSizeBytes);
}

// 100 sequences have 2,400 bytes of content.
TEST(ContainerSerializer, AFullUnitDoesNotStartAnEmptyOne) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "|x 1 2 3 " + std::to_string(i) + "\n";
  const auto data = text_data_of("ctf", text);
  const auto block_count = [&](std::int64_t unit) {
    internal::set_unit_size_bytes(unit);
    const auto back = open_container_bytes(container_of(*data));
    const std::int64_t count = back->index().chunk_counts(ChunkIndex{})->unit_count;
    EXPECT_EQ(sequences_of(*back), sequences_of(*open_container_bytes(container_of(*data))));
    internal::set_unit_size_bytes(internal::kUnitSizeBytes);
    return count;
  };
  EXPECT_EQ(block_count(2399), 2);
  EXPECT_EQ(block_count(2400), 1);
  EXPECT_EQ(block_count(2401), 1);
  EXPECT_EQ(block_count(1199), 3);
  EXPECT_EQ(block_count(1200), 2);
  EXPECT_EQ(block_count(1201), 2);
  EXPECT_EQ(block_count(24), 100);
  EXPECT_EQ(block_count(23), 100);  // at most one block for each sequence
}

TEST(ContainerSerializer, CompressionChangesOnlyBytes) {
  const auto data = text_data_of("jsonl", jsonl_of_every_form(3000));
  const std::string fast = container_of(*data);
  const std::string small = container_of(*data, {.extra = {{"sheaf.compression", "small"}}});
  const std::string none = container_of(*data, {.extra = {{"sheaf.compression", "none"}}});
  EXPECT_LT(small.size(), fast.size());
  EXPECT_LT(fast.size(), none.size());
  const auto expected = open_container_bytes(fast);
  for (const std::string& bytes : {small, none}) {
    const auto other = open_container_bytes(bytes);
    EXPECT_EQ(sequences_of(*other), sequences_of(*expected));
    EXPECT_EQ(other->fingerprint(), expected->fingerprint());
    EXPECT_EQ(*other->index().chunk(ChunkIndex{}), *expected->index().chunk(ChunkIndex{}));
  }
}

TEST(ContainerSerializer, AFileMayHaveNoSequences) {
  std::string bytes;
  ContainerSerializer serializer(
      {.sink = memory_sink(bytes, "t.sheaf"), .streams = {{.name = "x"}}});
  serializer.finish();
  const auto data = open_container_bytes(bytes);
  EXPECT_EQ(data->streams().size(), 1U);
  EXPECT_FALSE(data->index().chunk(ChunkIndex{}).has_value());
}

std::string creation_error(std::vector<Stream> streams, SerializerOptions options = {}) {
  return error_of([&] {
    std::string bytes;
    ContainerSerializer serializer({.sink = memory_sink(bytes, "t.sheaf"),
                                    .streams = std::move(streams),
                                    .options = std::move(options)});
  });
}

TEST(ContainerSerializer, UnreadableStreamsAreRefused) {
  EXPECT_EQ(creation_error({}), "streams: sheaf needs at least one");
  EXPECT_EQ(creation_error({{.name = "x"}, {.name = "x"}}), "streams: two have the name \"x\"");
  EXPECT_EQ(creation_error({{.name = ""}}),
            "stream \"\": sheaf has names that are UTF-8, and not empty");
  EXPECT_EQ(creation_error({{.name = "\xFF"}}),
            "stream \"\\xff\": sheaf has names that are UTF-8, and not empty");
  EXPECT_EQ(
      creation_error({{.name = "s", .sample_shape = Shape{2, 3}, .storage = Storage::sparse}}),
      "stream \"s\": sparse samples of the shape [2, 3]; sheaf has those of one fixed extent");
  EXPECT_EQ(creation_error({{.name = "s",
                             .sample_shape = Shape{3},
                             .storage = Storage::sparse,
                             .index_type = ElementType::u8}}),
            "stream \"s\": indices are of the type int32 or int64");
  EXPECT_EQ(creation_error({{.name = "b", .element_type = ElementType::bytes}}),
            "stream \"b\": opaque bytes have the shape [*]");
  EXPECT_EQ(creation_error({{.name = "x"}}, {.chunk_size_bytes = 0}),
            "chunk_size_bytes must be positive");
}

struct OneSequence {
  std::vector<SequenceKey> keys = {{.low = 1}};
  std::vector<std::string_view> texts = {};
  std::int32_t index = 0;
};

std::string write_error(const std::vector<OneSequence>& sequences) {
  return error_of([&] {
    std::string bytes;
    ContainerSerializer serializer(
        {.sink = memory_sink(bytes, "t.sheaf"),
         .streams = {{.name = "s", .sample_shape = Shape{3}, .storage = Storage::sparse}}});
    const float value = 1;
    const std::int64_t offsets[] = {0, 1};
    for (const OneSequence& each : sequences) {
      const SequenceView view{.values = reinterpret_cast<const std::byte*>(&value),
                              .indices = reinterpret_cast<const std::byte*>(&each.index),
                              .sample_offsets = offsets,
                              .sample_count = 1,
                              .value_count = 1};
      const std::span<const SequenceView> views(&view, 1);
      serializer.append(
          serializer.encode({.keys = each.keys, .key_texts = each.texts, .views = {&views, 1}}));
    }
    serializer.finish();
  });
}

TEST(ContainerSerializer, UnreadableSequencesAreRefused) {
  EXPECT_EQ(write_error({{.index = 0}, {.index = 2}}), "none");
  EXPECT_EQ(write_error({{.index = 3}}),
            "t.sheaf: sequence 1: error: stream \"s\": expected an index from 0 to the dim less 1, "
            "found 3 where the dim is 3 [sheaf-written-index]");
  EXPECT_EQ(write_error({{.index = -1}}),
            "t.sheaf: sequence 1: error: stream \"s\": expected an index from 0 to the dim less 1, "
            "found -1 where the dim is 3 [sheaf-written-index]");
  const OneSequence text{.keys = {key_of_text("a")}, .texts = {"a"}};
  const std::string in_text = "t.sheaf: sequence " + to_string(key_of_text("a")) + ": error: ";
  EXPECT_EQ(write_error({text, text}), "none");
  EXPECT_EQ(write_error({{}, text}),
            in_text +
                "expected keys of one kind, numbers or texts, found a text behind numbers "
                "[sheaf-written-key]");
  EXPECT_EQ(write_error({text, {}}),
            "t.sheaf: sequence 1: error: expected keys of one kind, numbers or texts, found a "
            "number behind texts [sheaf-written-key]");
  EXPECT_EQ(write_error({{.keys = {key_of_text("a")}}}),
            in_text + "expected the text of the key, found its hash alone [sheaf-written-key]");
}

}  // namespace
}  // namespace sheaf::container
