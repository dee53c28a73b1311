#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_transform.h"
#include "transform/test_chain.h"

namespace sheaf {
namespace {

using internal::TransformChain;
using testing::error_of;

TEST(Context, JoinsEachSampleWithItsNeighbours) {
  const auto context = make_type("context", {{"left", "1"}, {"right", "2"}});
  const std::vector<TestSequence> made = run_transform(*context, {counting(3, 2)});
  EXPECT_EQ(made[0].stream.sample_shape, Shape{8});
  EXPECT_EQ(made[0].samples,
            (std::vector<std::vector<double>>{
                {0, 1, 0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 4, 5}, {2, 3, 4, 5, 4, 5, 4, 5}}));
  EXPECT_EQ(context->options(), "left=1,right=2");
}

TEST(Context, ChangesNothingByDefault) {
  const auto context = make_type("context");
  EXPECT_EQ(run_transform(*context, {counting(4, 3)})[0], counting(4, 3));
  EXPECT_EQ(context->options(), "left=0,right=0");
}

// Value i of sample t of the result comes from sample clamp(t - left + i / dim).
TEST(Context, TakesEachValueFromItsNeighbour) {
  for (const std::int64_t count : {1, 2, 7}) {
    for (const std::int64_t left : {0, 1, 3, 9}) {
      for (const std::int64_t right : {0, 2, 8}) {
        const TestSequence from = random_values(count, 3);
        const auto context = make_type(
            "context", {{"left", std::to_string(left)}, {"right", std::to_string(right)}});
        const TestSequence made = run_transform(*context, {from})[0];
        ASSERT_EQ(std::ssize(made.samples), count);
        for (std::int64_t t = 0; t < count; ++t) {
          const std::vector<double>& sample = made.samples[static_cast<std::size_t>(t)];
          ASSERT_EQ(std::ssize(sample), 3 * (left + 1 + right));
          for (std::int64_t i = 0; i < std::ssize(sample); ++i) {
            const std::int64_t source = std::clamp<std::int64_t>(t - left + i / 3, 0, count - 1);
            EXPECT_EQ(
                sample[static_cast<std::size_t>(i)],
                from.samples[static_cast<std::size_t>(source)][static_cast<std::size_t>(i % 3)]);
          }
        }
      }
    }
  }
}

TEST(Context, SlicesEqualPartsOfTheWhole) {
  expect_slices(*make_type("context", {{"left", "2"}, {"right", "1"}}), {counting(6, 2)});
  expect_slices(*make_type("context", {{"left", "9"}, {"right", "9"}}), {counting(4, 1)});
}

TEST(Context, FlattensSamplesOfAnyRankAndType) {
  const auto context = make_type("context", {{"left", "1"}});
  TestSequence images = counting(2, 6);
  images.stream.sample_shape = Shape{2, 3};
  images.stream.element_type = ElementType::u8;
  const TestSequence made = run_transform(*context, {images})[0];
  EXPECT_EQ(to_string(made.stream), "x: dense u8 [12]");
  EXPECT_EQ(made.samples[1], (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));

  TestSequence labels = counting(3, 1);
  labels.stream.sample_shape = Shape{};
  labels.stream.element_type = ElementType::i64;
  EXPECT_EQ(run_transform(*context, {labels})[0].samples,
            (std::vector<std::vector<double>>{{0, 0}, {0, 1}, {1, 2}}));
}

TEST(Context, RefusesStreamsWithoutAFixedSize) {
  const auto context = make_type("context", {{"left", "1"}, {"right", "1"}});
  const auto refusal = [&](const Stream& stream) {
    return error_of<ConfigError>([&] { static_cast<void>(context->outputs({&stream, 1})); });
  };
  EXPECT_EQ(refusal({.name = "s", .sample_shape = Shape{9}, .storage = Storage::sparse}),
            "stream \"s\" must be dense, with samples of a fixed shape: got sparse f32 [9]");
  EXPECT_EQ(refusal({.name = "v", .sample_shape = Shape{Shape::kVariable, 2}}),
            "stream \"v\" must be dense, with samples of a fixed shape: got dense f32 [*, 2]");
  constexpr std::int64_t kThird = std::int64_t{0x7FFFFFFF} / 3;
  EXPECT_EQ(refusal({.name = "x", .sample_shape = Shape{kThird}}), "");
  EXPECT_EQ(
      refusal({.name = "x", .sample_shape = Shape{kThird + 1}}),
      "stream \"x\": 3 times 715827883 values are too many for a sample; it holds 2147483647");
  EXPECT_EQ(refusal({.name = "x", .sample_shape = Shape{1LL << 40, 1LL << 40}}),
            "stream \"x\": 3 times 9223372036854775807 values are too many for a sample; it holds "
            "2147483647");
}

// Returns samples of six values made from five samples of two values, in the form that a packer
// gets.
SequenceView applied(const TransformChain& chain, const std::vector<float>& values,
                     bool takes_strides, const std::optional<SampleRange>& slice,
                     std::pmr::memory_resource& memory) {
  const std::vector<SequenceView> views = {
      {.values = reinterpret_cast<const std::byte*>(values.data()),
       .sample_count = 5,
       .value_count = 10}};
  std::vector<SequenceView> results(1);
  TransformChain::Scratch scratch;
  chain.apply({.takes_strides = takes_strides}, views, slice, results, memory, scratch);
  return results[0];
}

std::vector<float> values_of(const SequenceView& view, std::int64_t size) {
  const std::int64_t stride =
      view.sample_stride != 0 ? view.sample_stride : size * std::int64_t{sizeof(float)};
  std::vector<float> all(static_cast<std::size_t>(view.sample_count * size));
  for (std::int64_t t = 0; t < view.sample_count; ++t) {
    std::memcpy(all.data() + t * size, view.values + t * stride,
                static_cast<std::size_t>(size) * sizeof(float));
  }
  return all;
}

TEST(Context, DeliversOverlappingSamplesWithoutCopying) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto* const first = reinterpret_cast<const std::byte*>(values.data());
  const auto* const end = first + values.size() * sizeof(float);
  const TransformChain chain =
      internal::chain_of({{.name = "x", .sample_shape = Shape{2}}}, {"context:x:left=1,right=1"});
  for (std::int64_t begin = 0; begin < 5; ++begin) {
    for (std::int64_t count = 1; begin + count <= 5; ++count) {
      std::pmr::monotonic_buffer_resource memory;
      const SampleRange range{begin, count};
      const SequenceView copied = applied(chain, values, false, range, memory);
      const SequenceView strided = applied(chain, values, true, range, memory);
      SCOPED_TRACE(std::to_string(begin) + ", " + std::to_string(count));
      EXPECT_EQ(copied.sample_stride, 0);
      EXPECT_EQ(strided.sample_stride, count == 1 ? 0 : 8);
      EXPECT_EQ(strided.value_count, 6 * count);
      EXPECT_EQ(values_of(strided, 6), values_of(copied, 6));
      const bool has_all = begin > 0 && begin + count < 5;  // whether all neighbours exist
      EXPECT_EQ(first <= strided.values && strided.values < end, has_all);
      EXPECT_EQ(first <= copied.values && copied.values < end, has_all && count == 1);
    }
  }
}

TEST(Context, CopiesSamplesForAnotherTransform) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const TransformChain chain =
      internal::chain_of({{.name = "x", .sample_shape = Shape{2}}},
                         {"context:x:left=1", "reverse:x", "context:x:right=1"});
  std::pmr::monotonic_buffer_resource memory;
  const SequenceView copied = applied(chain, values, false, {}, memory);
  const SequenceView strided = applied(chain, values, true, {}, memory);
  EXPECT_EQ(strided.sample_stride, 16);
  EXPECT_EQ(values_of(strided, 8), values_of(copied, 8));
  EXPECT_EQ(values_of(strided, 8)[0], 6);
}

TransformChain chain_of_dim(std::int64_t size, std::string_view text) {
  return internal::chain_of({{.name = "x", .sample_shape = Shape{size}}}, {text});
}

TEST(Context, DerivesTheNeighboursFromADim) {
  const TransformChain chain = chain_of_dim(33, "context:x:dim=363");
  EXPECT_EQ(chain.streams()[0].sample_shape, Shape{363});
  EXPECT_EQ(chain.text(), "context:x:left=5,right=5");
  EXPECT_EQ(chain_of_dim(33, "context:x:dim=33").text(), "context:x:left=0,right=0");
  EXPECT_EQ(chain_of_dim(1, "context:x:dim=2000001").streams()[0].sample_shape, Shape{2000001});
}

TEST(Context, RefusesADimWithoutAMiddle) {
  const auto refusal = [](std::int64_t size, std::string_view text) {
    return error_of<ConfigError>([&] { static_cast<void>(chain_of_dim(size, text)); });
  };
  EXPECT_EQ(refusal(3, "context:x:dim=6"),
            "transform \"context:x:dim=6\": dim must be an odd multiple of 3, the values of a "
            "sample of stream \"x\": got 6");
  EXPECT_EQ(refusal(3, "context:x:dim=7"),
            "transform \"context:x:dim=7\": dim must be an odd multiple of 3, the values of a "
            "sample of stream \"x\": got 7");
  EXPECT_EQ(refusal(3, "context:x:dim=2"),
            "transform \"context:x:dim=2\": dim must be an odd multiple of 3, the values of a "
            "sample of stream \"x\": got 2");
  EXPECT_EQ(refusal(3, "context:x:dim=9,left=1"),
            "transform \"context:x:dim=9,left=1\": dim stands in place of left and right: leave it "
            "out, or leave them out");
  EXPECT_EQ(refusal(1, "context:x:dim=2000003"),
            "transform \"context:x:dim=2000003\": dim would take 1000001 samples before and after "
            "each sample; at most 1000000 are possible");
  EXPECT_EQ(error_of<ConfigError>([] {
              make_type("context", {{"dim", "9"}});
            }),
            "dim needs a stream whose samples are widened");
}

TEST(Context, RefusesOptionsOutOfRange) {
  EXPECT_EQ(error_of<ConfigError>([] {
              make_type("context", {{"left", "-1"}});
            }),
            "left must be a whole number from 0 to 1000000: got \"-1\"");
  EXPECT_EQ(error_of<ConfigError>([] {
              make_type("context", {{"right", "1000001"}});
            }),
            "right must be a whole number from 0 to 1000000: got \"1000001\"");
}

}  // namespace
}  // namespace sheaf
