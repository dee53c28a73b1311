#include "format/sheaf/range_decoder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/unit_size.h"
#include "format/sheaf/container_data.h"

namespace sheaf::container {
namespace {

using ::sheaf::testing::container_of;
using ::sheaf::testing::jsonl_of_every_form;
using ::sheaf::testing::open_container_bytes;
using ::sheaf::testing::text_data_of;

// Returns the values of one sequence in one stream as bytes.
std::string values_of(const Deserializer& data, const Chunk& chunk, std::int64_t stream,
                      std::int64_t sequence) {
  const SequenceView view = chunk.view(stream, sequence);
  const Stream& described = data.streams()[static_cast<std::size_t>(stream)];
  const auto size =
      static_cast<std::size_t>(view.value_count * element_size(described.element_type));
  std::string text(reinterpret_cast<const char*>(view.values), size);
  if (view.indices != nullptr) {
    text.append(reinterpret_cast<const char*>(view.indices),
                static_cast<std::size_t>(view.value_count * element_size(described.index_type)));
  }
  for (std::int64_t i = 0; view.sample_offsets != nullptr && i < view.sample_count; ++i) {
    text += " " + std::to_string(view.sample_offsets[i + 1] - view.sample_offsets[i]);
  }
  return text + ";" + std::to_string(view.sample_count);
}

std::vector<std::string> sequences_in(const Deserializer& data, std::int64_t first,
                                      std::int64_t count) {
  Diagnostics diagnostics;
  const Chunk chunk = data.read({ChunkIndex{}, first, count}, diagnostics);
  std::vector<std::string> sequences;
  for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
    std::string text;
    for (std::int64_t s = 0; s < chunk.stream_count(); ++s) text += values_of(data, chunk, s, i);
    sequences.push_back(text);
  }
  return sequences;
}

// Tests one block, blocks of several sequences, and a block for each sequence. Whole chunks are
// joined, or borrowed in one piece or in several.
TEST(RangeDecoder, ARangeEqualsThatPartOfTheChunk) {
  const auto text = text_data_of("jsonl", jsonl_of_every_form(40));
  for (const char* compression : {"none", "fast", "small"}) {
    for (const std::int64_t unit : {1, 200, 700, 1 << 20}) {
      internal::set_unit_size_bytes(unit);
      const auto data = open_container_bytes(
          container_of(*text, {.extra = {{"sheaf.compression", compression}}}));
      const std::vector<std::string> all = sequences_in(*data, 0, 40);
      for (std::int64_t first = 0; first < 40; ++first) {
        for (const std::int64_t count : {1, 2, 7, 39, 40}) {
          const std::int64_t end = std::min<std::int64_t>(40, first + count);
          ASSERT_EQ(sequences_in(*data, first, end - first),
                    std::vector<std::string>(all.begin() + first, all.begin() + end));
        }
      }
    }
  }
  internal::set_unit_size_bytes(internal::kUnitSizeBytes);
}

TEST(RangeDecoder, RawColumnsAreBorrowed) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "|x";
    for (int k = 0; k < 100; ++k)
      text += " " + std::to_string((i * 7919 + k * 104729) % 99991) + ".5";
    text += "\n";
  }
  const auto data = open_container_bytes(
      container_of(*text_data_of("ctf", text), {.extra = {{"sheaf.compression", "none"}}}));
  Diagnostics diagnostics;
  const Chunk whole = data->read({ChunkIndex{}, 0, 300}, diagnostics);
  EXPECT_EQ(whole.columns()[0].values.capacity_bytes(), 0);
  EXPECT_EQ(whole.columns()[0].values.size_bytes(), 300 * 400);
  // A part would keep the whole block in memory.
  const Chunk part = data->read({ChunkIndex{}, 5, 3}, diagnostics);
  EXPECT_GE(part.columns()[0].values.capacity_bytes(), 3 * 400);
  // Blocks read in one go lie apart, so each sequence has its own offset.
  internal::set_unit_size_bytes(20'000);
  const auto blocks = open_container_bytes(
      container_of(*text_data_of("ctf", text), {.extra = {{"sheaf.compression", "none"}}}));
  const Chunk borrowed = blocks->read({ChunkIndex{}, 0, 300}, diagnostics);
  internal::set_unit_size_bytes(internal::kUnitSizeBytes);
  EXPECT_FALSE(borrowed.columns()[0].value_byte_offsets.empty());
  EXPECT_EQ(borrowed.columns()[0].values.capacity_bytes(), 0);
  for (std::int64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(values_of(*blocks, borrowed, 0, i), values_of(*data, whole, 0, i));
  }
}

TEST(RangeDecoder, ValuesThatATypeCannotHoldMakeHoles) {
  const auto text = text_data_of("jsonl",
                                 "{\"a\": 1, \"b\": 300}\n{\"a\": 1.5, \"b\": 255}\n"
                                 "{\"a\": -1, \"b\": 256}\n{\"a\": 7, \"b\": 0}\n");
  FormatOptions options;
  options.dtype = ElementType::u8;
  for (const std::int64_t unit : {1, 1 << 20}) {
    internal::set_unit_size_bytes(unit);
    const auto data = open_container_bytes(container_of(*text), options);
    Diagnostics diagnostics;
    const Chunk chunk = data->read({ChunkIndex{}, 0, 4}, diagnostics);
    EXPECT_EQ(std::vector<std::int64_t>(chunk.holes().begin(), chunk.holes().end()),
              (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(values_of(*data, chunk, 0, 3), "\7;1");
    EXPECT_EQ(values_of(*data, chunk, 0, 1), ";0");
    std::vector<std::string> found;
    for (const Diagnostic& each : diagnostics.described()) {
      found.push_back(each.sequence_key + each.stream + " " + each.found + " " + each.code);
    }
    EXPECT_EQ(found,
              (std::vector<std::string>{"0b another one, as value 0 of the sequence sheaf-value",
                                        "1a another one, as value 0 of the sequence sheaf-value",
                                        "2a another one, as value 0 of the sequence sheaf-value",
                                        "2b another one, as value 0 of the sequence sheaf-value"}));
  }
  internal::set_unit_size_bytes(internal::kUnitSizeBytes);
}

TEST(RangeDecoder, AnErrorHasTheEmptyTextAsItsKey) {
  const auto text = text_data_of("jsonl", "{\"b\": 300}\n{\"b\": 301}\n");
  Diagnostics diagnostics;
  const Chunk chunk = text->read({ChunkIndex{}, 0, 2}, diagnostics);
  std::vector<SequenceView> views;
  chunk.append_views(0, 0, 2, views);
  const std::vector<std::span<const SequenceView>> spans = {views};
  const std::vector<std::string_view> texts = {"", "k"};
  const std::vector<SequenceKey> keys = {key_of_text(""), key_of_text("k")};
  std::string bytes;
  ContainerSerializer serializer({.sink = memory_sink(bytes, "t.sheaf"),
                                  .streams = {text->streams().begin(), text->streams().end()},
                                  .options = {}});
  serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
  serializer.finish();
  const auto data = open_container_bytes(bytes, {.dtype = ElementType::u8});
  static_cast<void>(data->read({ChunkIndex{}, 0, 2}, diagnostics));
  std::vector<std::string> found;
  for (const Diagnostic& each : diagnostics.described()) found.push_back(each.sequence_key);
  EXPECT_EQ(found, (std::vector<std::string>{"", "k"}));
}

TEST(RangeDecoder, ADamagedBlockIsDroppedCompletely) {
  const auto text = text_data_of("jsonl", jsonl_of_every_form(20));
  internal::set_unit_size_bytes(300);
  std::string bytes = container_of(*text);
  const auto whole = open_container_bytes(bytes);
  const std::vector<std::string> all = sequences_in(*whole, 0, 20);
  const auto entry = whole->location_of(ChunkIndex{}, 7, 1);
  bytes[static_cast<std::size_t>(entry.byte_offset) + 1] ^= 1;
  const auto data = open_container_bytes(bytes);
  Diagnostics diagnostics;
  const Chunk chunk = data->read({ChunkIndex{}, 0, 20}, diagnostics);
  internal::set_unit_size_bytes(internal::kUnitSizeBytes);
  ASSERT_FALSE(chunk.holes().empty());
  ASSERT_LT(chunk.holes().size(), 15U);
  EXPECT_TRUE(chunk.is_hole(7));
  for (std::int64_t i = 0; i < 20; ++i) {
    if (chunk.is_hole(i)) continue;
    std::string here;
    for (std::int64_t s = 0; s < chunk.stream_count(); ++s) here += values_of(*data, chunk, s, i);
    EXPECT_EQ(here, all[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(diagnostics.entries().size(), chunk.holes().size());
  EXPECT_EQ(diagnostics.entries().front().byte_offset, entry.byte_offset);
  EXPECT_EQ(diagnostics.described().front().code, "sheaf-hash");
  EXPECT_EQ(diagnostics.described().front().stream, data->streams()[1].name);
}

}  // namespace
}  // namespace sheaf::container
