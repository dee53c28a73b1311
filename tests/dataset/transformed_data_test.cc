#include "dataset/transformed_data.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/format.h"

#include "support/fake_deserializer.h"
#include "support/test_transforms.h"

namespace sheaf::internal {
namespace {

using testing::FakeData;
using testing::FakeDeserializer;

std::shared_ptr<const FakeDeserializer> source(std::vector<std::vector<std::int64_t>> lengths) {
  FakeData data;
  data.lengths = std::move(lengths);
  return std::make_shared<const FakeDeserializer>(std::move(data));
}

TransformedData transformed(const std::shared_ptr<const FakeDeserializer>& data,
                            const std::string& text) {
  const std::vector<TransformSpec> specs = {parse_transform(text)};
  return {data, TransformChain(data->streams(), specs, {.functions = &testing::test_functions()})};
}

TEST(TransformedData, ReadAppliesTheTransforms) {
  const auto data = source({{3, 1, 4}, {2}});
  const TransformedData halved = transformed(data, "function:name=halve");
  Diagnostics diagnostics;
  const Chunk raw = data->read({ChunkIndex{0}, 0, 3}, diagnostics);
  const Chunk made = halved.read({ChunkIndex{0}, 0, 3}, diagnostics);
  ASSERT_EQ(made.sequence_count(), 3);
  const std::int64_t size =
      data->streams()[0].sample_shape.size() * element_size(data->streams()[0].element_type);
  for (std::int64_t i = 0; i < 3; ++i) {
    const SequenceView from = raw.view(0, i);
    const SequenceView view = made.view(0, i);
    ASSERT_EQ(view.sample_count, (from.sample_count + 1) / 2);
    for (std::int64_t t = 0; t < view.sample_count; ++t) {
      EXPECT_EQ(std::memcmp(view.values + t * size, from.values + 2 * t * size,
                            static_cast<std::size_t>(size)),
                0);
    }
  }
}

TEST(TransformedData, CountsSamplesAfterTheTransforms) {
  const auto data = source({{3, 1, 4}, {2}});
  const TransformedData halved = transformed(data, "function:name=halve");
  const Index& index = halved.index();
  ASSERT_TRUE(index.chunk(ChunkIndex{0}));
  EXPECT_EQ(index.chunk(ChunkIndex{0})->sample_count, 2 + 1 + 2);
  EXPECT_EQ(index.chunk(ChunkIndex{0})->sample_count, 2 + 1 + 2);  // a second call gives the same
                                                                   // result
  EXPECT_EQ(index.chunk(ChunkIndex{0})->sequence_count, 3);
  EXPECT_EQ(index.chunk(ChunkIndex{1})->sample_count, 1);
  EXPECT_FALSE(index.chunk(ChunkIndex{2}));
  const auto table = index.sequences(ChunkIndex{0});
  EXPECT_EQ(table->sample_count(2), 2);
  EXPECT_EQ(table->key(2), data->index().sequences(ChunkIndex{0})->key(2));
  EXPECT_GT(index.memory_bytes(), data->index().memory_bytes());
}

TEST(TransformedData, SharesTheTablesWhenCountsDoNotChange) {
  const auto data = source({{3, 1, 4}});
  const TransformedData turned = transformed(data, "reverse");
  EXPECT_EQ(turned.index().sequences(ChunkIndex{0}), data->index().sequences(ChunkIndex{0}));
  EXPECT_EQ(turned.index().chunk(ChunkIndex{0})->sample_count, 8);
}

TEST(TransformedData, CountsTheBytesThatTransformsMake) {
  const auto data = source({{3, 1, 4}});
  const TransformedData widened = transformed(data, "context:x:left=9,right=10");
  const std::int64_t sample_bytes =
      20 * data->streams()[0].sample_shape.size() * element_size(data->streams()[0].element_type);
  EXPECT_EQ(widened.index().chunk(ChunkIndex{0})->decoded_size_bytes,
            data->index().chunk(ChunkIndex{0})->decoded_size_bytes + 2 * 8 * sample_bytes);
  EXPECT_EQ(widened.index().chunk_counts(ChunkIndex{0}), data->index().chunk_counts(ChunkIndex{0}));
}

TEST(TransformedData, HasAFingerprintOfDataAndTransforms) {
  const auto data = source({{3}});
  EXPECT_EQ(transformed(data, "reverse:x").fingerprint(),
            data->fingerprint() + "; transforms: reverse:x");
}

}  // namespace
}  // namespace sheaf::internal
