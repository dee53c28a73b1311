#include "format/sheaf/container_index.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/deserializer.h"

#include "format/sheaf/container_data.h"
#include "support/error_of.h"

namespace sheaf::container {
namespace {

using ::sheaf::testing::container_of;
using ::sheaf::testing::error_of;
using ::sheaf::testing::jsonl_of_every_form;
using ::sheaf::testing::open_container_bytes;
using ::sheaf::testing::text_data_of;

std::string rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(3 * i) + " |x 1\n";
  return text;
}

TEST(ContainerIndex, ChunksAreConsecutiveInTheContent) {
  const auto data = open_container_bytes(
      container_of(*text_data_of("jsonl", jsonl_of_every_form(500)), {.chunk_size_bytes = 5000}));
  std::int64_t offset = 0;
  std::int64_t sequences = 0;
  for (ChunkIndex c{}; const auto info = data->index().chunk(c); c = next(c)) {
    EXPECT_EQ(info->offset_bytes, offset);
    const auto table = data->index().sequences(c);
    EXPECT_EQ(table->size(), info->sequence_count);
    std::int64_t samples = 0;
    std::int64_t before = -1;
    for (std::int64_t i = 0; i < table->size(); ++i) {
      EXPECT_GT(table->offset_bytes(i), before);
      before = table->offset_bytes(i);
      samples += table->sample_count(i);
    }
    EXPECT_LT(before, info->size_bytes);
    EXPECT_EQ(samples, info->sample_count);
    offset += info->size_bytes;
    sequences += info->sequence_count;
  }
  EXPECT_EQ(sequences, 500);
}

TEST(ContainerIndex, TheStoredSizesOfAllChunksAreTheSizeOfTheFile) {
  for (const std::int64_t chunk_size : {1, 5000, 1 << 20}) {
    const std::string bytes = container_of(*text_data_of("jsonl", jsonl_of_every_form(500)),
                                           {.chunk_size_bytes = chunk_size});
    const auto data = open_container_bytes(bytes);
    std::int64_t sum = 0;
    for (ChunkIndex c{}; data->index().chunk(c); c = next(c)) {
      EXPECT_GT(data->index().stored_size_bytes(c), 0);
      sum += data->index().stored_size_bytes(c);
    }
    EXPECT_EQ(sum, std::ssize(bytes));
  }
}

TEST(ContainerIndex, AChunkTakesNoMoreMemoryThanTheIndexStates) {
  const auto text = text_data_of("jsonl", jsonl_of_every_form(500));
  for (const char* compression : {"none", "fast", "small"}) {
    for (const std::int64_t chunk_size : {1, 300, 1 << 20}) {
      const std::string bytes = container_of(
          *text, {.extra = {{"sheaf.compression", compression}}, .chunk_size_bytes = chunk_size});
      FormatOptions wide;
      wide.dtype = ElementType::f64;
      wide.keys = KeyType::text;
      for (const FormatOptions& options : {FormatOptions{}, wide}) {
        const auto data = open_container_bytes(bytes, options);
        const auto info = data->index().chunk(ChunkIndex{});
        Diagnostics diagnostics;
        const Chunk chunk = data->read({ChunkIndex{}, 0, info->sequence_count}, diagnostics);
        EXPECT_LE(chunk.memory_bytes(), info->decoded_size_bytes);
      }
    }
  }
}

TEST(ContainerIndex, TablesBeyondTheLimitAreReread) {
  const std::string bytes = container_of(*text_data_of("ctf", rows(400)), {.chunk_size_bytes = 48});
  FormatOptions options;
  options.index.memory_limit_bytes = 2000;
  const auto data = open_container_bytes(bytes, options);
  const std::int64_t before = data->index().memory_bytes();
  for (int round = 0; round < 2; ++round) {
    std::int64_t key = 0;
    for (ChunkIndex c{}; data->index().chunk(c); c = next(c)) {
      const auto table = data->index().sequences(c);
      for (std::int64_t i = 0; i < table->size(); ++i, key += 3) {
        ASSERT_EQ(table->key(i).low, static_cast<std::uint64_t>(key));
      }
      ASSERT_LE(data->index().memory_bytes(), before + 2000 + 500);
    }
    EXPECT_EQ(key, 1200);
  }
}

TEST(ContainerIndex, NumbersCanBeReadAsTexts) {
  FormatOptions options;
  options.keys = KeyType::text;
  const std::string bytes = container_of(*text_data_of("ctf", rows(5)));
  const auto data = open_container_bytes(bytes, options);
  EXPECT_EQ(data->index().sequences(ChunkIndex{})->key(4), key_of_text("12"));
  Diagnostics diagnostics;
  EXPECT_EQ(data->read({ChunkIndex{}, 3, 2}, diagnostics).key_text(1), "12");
  EXPECT_NE(data->fingerprint(), open_container_bytes(bytes)->fingerprint());
}

TEST(ContainerIndex, ADamagedTableIsAnError) {
  std::string bytes = container_of(*text_data_of("ctf", rows(50)));
  const std::size_t directory = bytes.rfind("{\"keys\"") - 8;
  bytes[directory - 64] ^= 1;
  const auto data = open_container_bytes(bytes);
  EXPECT_TRUE(data->index().chunk(ChunkIndex{}).has_value());
  const std::string error =
      error_of<DataError>([&] { static_cast<void>(data->index().sequences(ChunkIndex{})); });
  EXPECT_NE(error.find("expected the table that was written, found another hash"),
            std::string::npos)
      << error;
}

TEST(ContainerIndex, AFileMayKeepNoCosts) {
  const auto data = open_container_bytes(container_of(*text_data_of("ctf", rows(2))));
  EXPECT_EQ(data->index().cost_measure().name, "");
  EXPECT_EQ(data->index().cost_measure().reason, "t.sheaf: the file keeps no costs");
  EXPECT_FALSE(data->index().costs(ChunkIndex{}));
}

TEST(ContainerIndex, CostsAreThoseOfTheSource) {
  const auto text = text_data_of("ctf", "1 |x 1\n12 |x 2\n12 |x 3\n");
  const std::string bytes = container_of(*text, {.cost_name = "bytes"});
  FormatOptions texts;
  texts.keys = KeyType::text;
  for (const FormatOptions& options : {FormatOptions{}, texts}) {
    const auto data = open_container_bytes(bytes, options);
    EXPECT_EQ(data->index().cost_measure().name, "bytes");
    const std::optional<SampleCounts> costs = data->index().costs(ChunkIndex{});
    ASSERT_TRUE(costs);
    ASSERT_EQ(costs->size(), 2);
    EXPECT_EQ((*costs)[0], 7);
    EXPECT_EQ((*costs)[1], 16);
    EXPECT_EQ(data->index().chunk_cost(ChunkIndex{}), 23);
  }
  EXPECT_NE(open_container_bytes(bytes)->fingerprint(),
            open_container_bytes(container_of(*text))->fingerprint());
}

}  // namespace
}  // namespace sheaf::container
