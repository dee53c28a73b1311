#include "ops/report/stream_sums.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/value_bins.h"

namespace sheaf::internal {
namespace {

template <typename T>
void add(StreamSums& sums, const std::vector<T>& values) {
  sums.add(reinterpret_cast<const std::byte*>(values.data()), std::ssize(values));
}

Stream stream_of(ElementType type, Shape shape) {
  return {.name = "x", .element_type = type, .sample_shape = shape};
}

TEST(StreamSums, APartHasTheValuesSinceTheLastPart) {
  StreamSums sums(stream_of(ElementType::f32, {}));
  add<float>(sums, {1, 2});
  EXPECT_EQ(sums.take_part().stat.count, 2);
  add<float>(sums, {7});
  const ValuePart part = sums.take_part();
  EXPECT_EQ(part.stat.count, 1);
  EXPECT_EQ(part.stat.mean, 7);
  EXPECT_EQ(part.bins.total(), 1);
  EXPECT_EQ(sums.take_part().stat.count, 0);
  EXPECT_EQ(sums.bins()[float_bin(7)], 1);
  EXPECT_EQ(sums.bins()[float_bin(1)], 1);
}

TEST(StreamSums, HasRangesOfDims) {
  // The first dim is constant, the second is always 0, and the third varies.
  for (const std::int64_t samples : {1, 2, 700, 5000}) {
    StreamSums sums(stream_of(ElementType::f32, {3}));
    std::vector<float> values;
    for (std::int64_t i = 0; i < samples; ++i) {
      values.insert(values.end(), {4, 0, static_cast<float>(i)});
    }
    add(sums, values);
    const DimRanges dims = sums.dims();
    EXPECT_EQ(dims.low, (std::vector<double>{4, 0, 0}));
    EXPECT_EQ(dims.high, (std::vector<double>{4, 0, static_cast<double>(samples - 1)}));
  }
}

TEST(StreamSums, LargeSamplesContinueInTheNextBlock) {
  constexpr std::int64_t kDims = kBlockValues + 700;
  StreamSums sums(stream_of(ElementType::i64, {kDims}));
  std::vector<std::int64_t> values(2 * kDims);
  std::iota(values.begin(), values.end(), 0);
  add(sums, values);
  const DimRanges dims = sums.dims();
  ASSERT_EQ(std::ssize(dims.low), kDims);
  for (std::int64_t i = 0; i < kDims; ++i) {
    ASSERT_EQ(dims.low[static_cast<std::size_t>(i)], i);
    ASSERT_EQ(dims.high[static_cast<std::size_t>(i)], i + kDims);
  }
}

TEST(StreamSums, SomeStreamsHaveNoRangesOfDims) {
  EXPECT_TRUE(StreamSums(stream_of(ElementType::f32, {2})).dims().low.empty());  // no samples
  for (const Shape& shape : {Shape{1}, Shape{Shape::kVariable}, Shape{StreamSums::kDimsMax + 1}}) {
    StreamSums sums(stream_of(ElementType::f32, shape));
    add<float>(sums, {1});
    EXPECT_TRUE(sums.dims().low.empty());
  }
}

TEST(StreamSums, TheTotalsDoNotDependOnTheObjects) {
  const Stream stream = stream_of(ElementType::f64, {2});
  StreamSums one(stream);
  StreamSums a(stream);
  StreamSums b(stream);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> sample = {i * 0.25, -1e300 * i};
    add(one, sample);
    add(i % 3 == 0 ? a : b, sample);
  }
  static_cast<void>(one.take_part());
  static_cast<void>(a.take_part());
  static_cast<void>(b.take_part());
  StreamSums all(stream);
  all.add(b);
  all.add(a);
  EXPECT_EQ(all.bins(), one.bins());
  EXPECT_EQ(all.dims().low, one.dims().low);
  EXPECT_EQ(all.dims().high, one.dims().high);
}

TEST(StreamSums, CountsWholeNumbersInBins) {
  StreamSums bytes(stream_of(ElementType::u8, {}));
  add<std::uint8_t>(bytes, {0, 255, 255});
  static_cast<void>(bytes.take_part());
  EXPECT_EQ(bytes.bins()[255], 2);
  StreamSums words(stream_of(ElementType::u16, {}));
  add<std::uint16_t>(words, {0, 15, 16, 65'535});
  static_cast<void>(words.take_part());
  EXPECT_EQ(words.bins()[0], 2);
  EXPECT_EQ(words.bins()[1], 1);
  EXPECT_EQ(words.bins()[4095], 1);
}

}  // namespace
}  // namespace sheaf::internal
