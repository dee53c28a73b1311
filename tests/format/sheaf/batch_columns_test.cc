#include "format/sheaf/batch_columns.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::container {
namespace {

template <typename T>
std::vector<T> values_in(const Buffer& buffer) {
  const std::span<const T> values = buffer.as<T>();
  return {values.begin(), values.end()};
}

using Numbers = std::vector<std::int64_t>;

TEST(BatchColumns, SamplesOfAFixedShapeHaveLengthsAndValues) {
  const Stream stream{.name = "a", .sample_shape = {2}};
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  const SequenceView views[] = {{.values = bytes + 8, .sample_count = 2, .value_count = 4},
                                {.values = bytes, .sample_count = 0, .value_count = 0},
                                {.values = bytes, .sample_count = 1, .value_count = 2}};
  Numbers contents = {100, 0, 7};
  const BatchColumn column = gather_stream(stream, views, contents);
  EXPECT_EQ(column.lengths, (Numbers{2, 0, 1}));
  EXPECT_EQ(column.samples_before, (Numbers{0, 2, 2, 3}));
  EXPECT_EQ(column.values_before, (Numbers{0, 4, 4, 6}));
  EXPECT_EQ(values_in<float>(column.values), (std::vector<float>{3, 4, 5, 6, 1, 2}));
  EXPECT_TRUE(column.presence.empty());
  EXPECT_TRUE(column.counts.empty());
  EXPECT_TRUE(column.indices.empty());
  EXPECT_EQ(contents, (Numbers{100 + 8 + 16, 8, 7 + 8 + 8})) << "contents are added to";
}

TEST(BatchColumns, PresenceIsStoredIfASequenceLacksTheStream) {
  const Stream stream{.name = "a"};
  const float value = 1;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
  const SequenceView views[] = {{.values = bytes, .sample_count = 1, .value_count = 1},
                                {.is_present = false}};
  Numbers contents(2);
  const BatchColumn column = gather_stream(stream, views, contents);
  EXPECT_EQ(column.presence, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(column.lengths, (Numbers{1, 0}));
  EXPECT_EQ(contents, (Numbers{12, 8}));
}

TEST(BatchColumns, SparseSamplesHaveEntriesAndIndices) {
  const Stream stream{.name = "b", .sample_shape = {9}, .storage = Storage::sparse};
  const std::vector<float> values = {1, 2, 3};
  const std::vector<std::int32_t> indices = {7, 0, 8};
  const Numbers offsets = {5, 6, 6, 8};  // only differences matter
  const SequenceView views[] = {{.values = reinterpret_cast<const std::byte*>(values.data()),
                                 .indices = reinterpret_cast<const std::byte*>(indices.data()),
                                 .sample_offsets = offsets.data(),
                                 .sample_count = 3,
                                 .value_count = 3}};
  Numbers contents(1);
  const BatchColumn column = gather_stream(stream, views, contents);
  EXPECT_EQ(column.lengths, (Numbers{3}));
  EXPECT_EQ(column.counts, (Numbers{1, 0, 2}));
  EXPECT_EQ(values_in<std::int32_t>(column.indices), indices);
  EXPECT_EQ(values_in<float>(column.values), values);
  EXPECT_EQ(contents, (Numbers{8 + 3 * 8 + 3 * 8}));
}

TEST(BatchColumns, SamplesOfVariableShapeHaveExtents) {
  const Stream stream{.name = "c", .element_type = ElementType::u8, .sample_shape = {-1, 2}};
  const std::vector<std::uint8_t> values = {1, 2, 3, 4};
  const Numbers offsets = {0, 0, 4};
  const Numbers extents = {0, 2, 2, 2};
  const SequenceView views[] = {{.values = reinterpret_cast<const std::byte*>(values.data()),
                                 .sample_offsets = offsets.data(),
                                 .extents = extents.data(),
                                 .sample_count = 2,
                                 .value_count = 4}};
  Numbers contents(1);
  const BatchColumn column = gather_stream(stream, views, contents);
  EXPECT_EQ(column.counts, extents);
  EXPECT_EQ(contents, (Numbers{8 + 2 * 2 * 8 + 4}));
}

TEST(BatchColumns, SizesOfOpaqueBytesAreTheirExtents) {
  const Stream stream{.name = "c", .element_type = ElementType::bytes, .sample_shape = {-1}};
  const std::string text = "abcd";
  const Numbers offsets = {0, 1, 4};
  const SequenceView views[] = {{.values = reinterpret_cast<const std::byte*>(text.data()),
                                 .sample_offsets = offsets.data(),
                                 .sample_count = 2,
                                 .value_count = 4}};
  Numbers contents(1);
  EXPECT_EQ(gather_stream(stream, views, contents).counts, (Numbers{1, 3}));
}

TEST(BatchColumns, KeysAreStoredAsSizesAndText) {
  const std::vector<std::string> texts = {"ab", "", "cde"};
  Numbers contents = {1, 2, 3};
  const BatchColumn column = gather_keys(texts, contents);
  EXPECT_EQ(column.lengths, (Numbers{2, 0, 3}));
  EXPECT_EQ(column.samples_before, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(column.values_before, (Numbers{0, 2, 2, 5}));
  EXPECT_EQ(values_in<char>(column.values), (std::vector<char>{'a', 'b', 'c', 'd', 'e'}));
  EXPECT_EQ(contents, (Numbers{1 + 10, 2 + 8, 3 + 11}));
}

TEST(BatchColumns, MemoryCountsValuesIndicesAndNumbers) {
  EncodedBatch batch;
  const std::int64_t empty = batch.memory_bytes();
  BatchColumn column;
  column.values.resize(1000);
  column.indices.resize(500);
  column.lengths.resize(100);
  const std::int64_t size = column.memory_bytes();
  EXPECT_GE(size, 1000 + 500 + 800);
  batch.columns.push_back(std::move(column));
  EXPECT_EQ(batch.memory_bytes(), empty + size);
}

}  // namespace
}  // namespace sheaf::container
