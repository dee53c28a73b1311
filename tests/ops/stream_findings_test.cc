#include "ops/stream_findings.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

template <typename T>
Buffer buffer_of(const std::vector<T>& values) {
  Buffer buffer;
  const auto size = static_cast<std::int64_t>(values.size() * sizeof(T));
  buffer.resize(size);
  if (size > 0) std::memcpy(buffer.mutable_data(), values.data(), static_cast<std::size_t>(size));
  return buffer;
}

Stream dense(const std::string& name, ElementType type, std::int64_t dim) {
  return {.name = name, .element_type = type, .sample_shape = Shape{dim}};
}

using Offsets = std::vector<std::int64_t>;

// Returns a dense stream. The offsets give the number of samples in each sequence.
template <typename T>
Column column_of(const std::vector<T>& values, const Offsets& offsets) {
  Column column;
  column.values = buffer_of(values);
  column.sequence_offsets = buffer_of(offsets);
  return column;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Returns one sequence of single values.
template <typename T>
StreamFindings findings_of_values(ElementType type, const std::vector<T>& values) {
  const std::vector<Stream> streams = {dense("x", type, 1)};
  std::vector<Column> columns;
  columns.push_back(column_of(values, {0, std::ssize(values)}));
  return findings_of(streams, Chunk(streams, 1, std::move(columns)), ChunkIndex{}, 0).front();
}

TEST(StreamFindingsTest, TheFirstValueIsFoundByItsSample) {
  const std::vector<Stream> streams = {dense("x", ElementType::f32, 2)};
  std::vector<Column> columns;
  columns.push_back(column_of<float>({1, 2, 3, 4, 5, 6, 7, -kInf, kNan, 0}, {0, 2, 4, 5}));
  const Chunk chunk(streams, 3, std::move(columns));
  const StreamFindings found = findings_of(streams, chunk, ChunkIndex{4}, 10).front();
  EXPECT_EQ(found.non_finite, 2);
  EXPECT_EQ(found.non_finite_sequences, 2);
  ASSERT_TRUE(found.first_non_finite);
  EXPECT_EQ(found.first_non_finite->chunk, ChunkIndex{4});
  EXPECT_EQ(found.first_non_finite->sequence, 11);
  EXPECT_EQ(found.first_non_finite->sample, 1);
  EXPECT_EQ(found.first_non_finite->value, "-inf");
}

TEST(StreamFindingsTest, SparseValuesBelongToTheSamplesOfTheirOffsets) {
  const std::vector<Stream> streams = {{.name = "x",
                                        .element_type = ElementType::f64,
                                        .sample_shape = Shape{9},
                                        .storage = Storage::sparse}};
  Column column;
  column.values = buffer_of<double>({1, 2, std::numeric_limits<double>::infinity(), 3});
  column.indices = buffer_of<std::int32_t>({0, 1, 2, 3});
  column.sample_offsets = buffer_of<std::int64_t>({0, 1, 1, 2, 4});
  column.sequence_offsets = buffer_of<std::int64_t>({0, 1, 4});
  std::vector<Column> columns;
  columns.push_back(std::move(column));
  const Chunk chunk(streams, 2, std::move(columns));
  const StreamFindings found = findings_of(streams, chunk, ChunkIndex{}, 0).front();
  ASSERT_TRUE(found.first_non_finite);
  EXPECT_EQ(found.first_non_finite->sequence, 1);
  EXPECT_EQ(found.first_non_finite->sample, 2);  // after an empty sample
  EXPECT_EQ(found.first_non_finite->value, "inf");
}

TEST(StreamFindingsTest, EveryFloatingPointTypeIsChecked) {
  const std::uint64_t nan = 0x7FF8'0000'0000'0000;
  EXPECT_EQ(findings_of_values<std::uint64_t>(ElementType::f64, {nan, 0, ~nan}).non_finite, 1);
  EXPECT_EQ(findings_of_values<std::uint16_t>(ElementType::f16, {0xFC00, 0x7BFF}).non_finite, 1);
  EXPECT_EQ(findings_of_values<std::uint16_t>(ElementType::bf16, {0x7F80, 0x7F7F}).non_finite, 1);
  EXPECT_EQ(findings_of_values<std::int32_t>(ElementType::i32, {0x7F80'0000, -1}).non_finite, 0);
  EXPECT_EQ(findings_of_values<float>(ElementType::f32, {3.4e38F, -1e-45F}).non_finite, 0);
}

TEST(StreamFindingsTest, AllValuesAreCountedAroundTheSizeOfABlock) {
  for (const std::size_t size : {1U, 255U, 256U, 257U, 512U, 70'000U}) {
    SCOPED_TRACE(size);
    std::vector<float> values(size, 1);
    values.back() = kNan;
    EXPECT_EQ(findings_of_values(ElementType::f32, values).non_finite, 1);
    EXPECT_EQ(findings_of_values(ElementType::f32, std::vector<float>(size, kInf)).non_finite,
              static_cast<std::int64_t>(size));
    EXPECT_EQ(
        findings_of_values(ElementType::f16, std::vector<std::uint16_t>(size, 0x7C00)).non_finite,
        static_cast<std::int64_t>(size));
  }
}

// Finds the lengths of x and y in sequences that are decoded together. -1 means absent; -1 in both
// streams means a hole.
std::vector<StreamFindings> findings_of_lengths(const Offsets& x, const Offsets& y) {
  const std::vector<Stream> streams = {dense("x", ElementType::i32, 1),
                                       dense("y", ElementType::i32, 1)};
  std::vector<std::int64_t> holes;
  std::vector<Column> columns;
  for (const Offsets& lengths : {x, y}) {
    Offsets offsets = {0};
    std::vector<std::uint8_t> presence;
    for (const std::int64_t each : lengths) {
      presence.push_back(each < 0 ? 0 : 1);
      offsets.push_back(offsets.back() + std::max<std::int64_t>(0, each));
    }
    Column column =
        column_of(std::vector<std::int32_t>(static_cast<std::size_t>(offsets.back())), offsets);
    if (std::ranges::find(presence, 0) != presence.end()) column.presence = buffer_of(presence);
    columns.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < 0 && y[i] < 0) holes.push_back(static_cast<std::int64_t>(i));
  }
  const Chunk chunk(streams, std::ssize(x), std::move(columns), std::move(holes));
  return findings_of(streams, chunk, ChunkIndex{}, 0);
}

TEST(StreamFindingsTest, ShorterStreamsAreCountedByDifference) {
  const auto found = findings_of_lengths({10, 10, 10, 10, 10, 0}, {10, 9, 8, 7, 12, 1});
  EXPECT_EQ(found[1].shorter, 3);
  EXPECT_EQ(found[1].missing_max, 3);
  EXPECT_EQ(found[1].shorter_by, (std::map<std::int64_t, std::int64_t>{{1, 1}, {2, 1}, {4, 1}}));
  EXPECT_EQ(found[0].shorter, 2);
  EXPECT_EQ(found[0].shorter_by, (std::map<std::int64_t, std::int64_t>{{1, 1}, {2, 1}}));
  EXPECT_EQ(found[0].samples_max, 2);
}

TEST(StreamFindingsTest, HolesAndAbsentStreamsAreIgnored) {
  const auto found = findings_of_lengths({5, -1, -1, 5}, {5, 5, -1, -1});
  EXPECT_EQ(found[0].shorter, 0);
  EXPECT_EQ(found[1].shorter, 0);
}

TEST(StreamFindingsTest, EqualLengthsRecordTheLongestSequence) {
  EXPECT_EQ(findings_of_lengths({1, 1}, {1, 1})[1].samples_max, 1);
  EXPECT_EQ(findings_of_lengths({0, 0}, {0, 0})[1].samples_max, 0);
  EXPECT_EQ(findings_of_lengths({1, 3}, {1, 3})[1].samples_max, 2);
  EXPECT_EQ(findings_of_lengths({5}, {1})[1].samples_max, 1);
}

TEST(StreamFindingsTest, FindingsAreCombined) {
  StreamFindings all = findings_of_lengths({4}, {3})[1];
  all.add(findings_of_lengths({4, 4}, {3, 1})[1]);
  EXPECT_EQ(all.shorter, 3);
  EXPECT_EQ(all.missing_max, 3);
  EXPECT_EQ(all.shorter_by, (std::map<std::int64_t, std::int64_t>{{1, 2}, {4, 1}}));
  all.add(findings_of_values<float>(ElementType::f32, {kNan}));
  all.add(findings_of_values<float>(ElementType::f32, {kInf}));
  EXPECT_EQ(all.non_finite, 2);
  EXPECT_EQ(all.first_non_finite->value, "nan");
}

TEST(StreamFindingsTest, DifferencesAreGroupedByPowersOfTwo) {
  const std::pair<std::int64_t, std::int64_t> cases[] = {
      {1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {1 << 20, 1 << 20}, {(1 << 20) + 1, 1 << 21}};
  for (const auto& [difference, last] : cases) EXPECT_EQ(difference_class(difference), last);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(difference_class(std::int64_t{1} << 62), std::int64_t{1} << 62);
  EXPECT_EQ(difference_class((std::int64_t{1} << 62) + 1), kMax);
  EXPECT_EQ(difference_class(kMax), kMax);
}

}  // namespace
}  // namespace sheaf::internal
