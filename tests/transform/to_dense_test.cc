#include <cstdint>
#include <limits>
#include <map>
#include <memory_resource>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/every_kind.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

TestSequence sparse_sequence(std::int64_t dim, ElementType type = ElementType::f32,
                             ElementType index_type = ElementType::i32) {
  return {.stream = {.name = "words",
                     .element_type = type,
                     .sample_shape = Shape{dim},
                     .storage = Storage::sparse,
                     .index_type = index_type}};
}

TEST(ToDense, FillsMissingValuesWithZeros) {
  for (const ElementType index_type : {ElementType::i32, ElementType::i64}) {
    TestSequence input = sparse_sequence(5, ElementType::f32, index_type);
    input.samples = {{7, -2}, {}, {0.5}};
    input.indices = {{4, 1}, {}, {0}};
    const TestSequence made = run_transform(*make_type("to_dense"), {input})[0];
    EXPECT_EQ(made.stream, (Stream{.name = "words", .sample_shape = Shape{5}}));
    EXPECT_EQ(made.samples, (std::vector<std::vector<double>>{
                                {0, -2, 0, 0, 7}, {0, 0, 0, 0, 0}, {0.5, 0, 0, 0, 0}}));
  }
}

TEST(ToDense, AddsUpTheValuesOfARepeatedIndex) {
  TestSequence input = sparse_sequence(3);
  input.samples = {{1, 2, 4}};
  input.indices = {{1, 0, 1}};
  EXPECT_EQ(run_transform(*make_type("to_dense"), {input})[0].samples[0],
            (std::vector<double>{2, 5, 0}));
}

TEST(ToDense, SupportsAllNumberTypes) {
  std::mt19937 random(8);
  for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::i32,
                                 ElementType::i64, ElementType::f32, ElementType::f64}) {
    for (const ElementType index_type : {ElementType::i32, ElementType::i64}) {
      for (const std::int64_t dim : {1, 2, 17}) {
        TestSequence input = sparse_sequence(dim, type, index_type);
        std::vector<std::map<std::int64_t, double>> sums(9);
        for (std::map<std::int64_t, double>& sum : sums) {
          input.samples.emplace_back();
          input.indices.emplace_back();
          for (auto left = random() % 12; left > 0; --left) {
            input.samples.back().push_back(static_cast<double>(random() % 20));
            input.indices.back().push_back(static_cast<std::int64_t>(random()) % dim);
            sum[input.indices.back().back()] += input.samples.back().back();
          }
        }
        const TestSequence made = run_transform(*make_type("to_dense"), {input})[0];
        EXPECT_EQ(made.stream.element_type, type);
        for (std::size_t t = 0; t < sums.size(); ++t) {
          ASSERT_EQ(std::ssize(made.samples[t]), dim);
          for (std::int64_t i = 0; i < dim; ++i) {
            EXPECT_EQ(made.samples[t][static_cast<std::size_t>(i)], sums[t][i]);
          }
        }
        expect_slices(*make_type("to_dense"), {input});
      }
    }
  }
}

TEST(ToDense, AcceptsViewsOfLargerArrays) {
  const SparseInside inside;
  std::pmr::monotonic_buffer_resource memory;
  const SequenceView made =
      run_on_view(*make_type("to_dense"), inside.stream, inside.view(), 10, {11, 3}, memory);
  ASSERT_EQ(made.value_count, 9);
  const auto* const values = reinterpret_cast<const float*>(made.values);
  EXPECT_EQ(std::vector<float>(values, values + 9),
            (std::vector<float>{0, 1, 2, 0, 0, 0, 3, 0, 0}));
}

TEST(ToDense, UndoesOneHot) {
  TestSequence ids{.stream = {.name = "ids", .element_type = ElementType::i64}};
  ids.samples = {{2}, {-1}, {0}};
  const auto one_hot = make_type("one_hot", {{"dim", "3"}, {"ignore", "-1"}});
  EXPECT_EQ(run_transform(*make_type("to_dense"), run_transform(*one_hot, {ids}))[0].samples,
            (std::vector<std::vector<double>>{{0, 0, 1}, {0, 0, 0}, {1, 0, 0}}));
}

TEST(ToDense, RefusesSumsThatTheTypeCannotHold) {
  const auto error = [](ElementType type, double first, double second) {
    TestSequence input = sparse_sequence(4, type);
    input.samples = {{}, {first, second}};
    input.indices = {{}, {3, 3}};
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(run_transform(*make_type("to_dense"), {input})); });
  };
  EXPECT_EQ(error(ElementType::u8, 200, 55), "");
  EXPECT_EQ(
      error(ElementType::u8, 200, 56),
      "stream \"words\": sample 1: the sum of the values of index 3 is beyond the range of u8");
  EXPECT_EQ(error(ElementType::i32, 2147483647, 0), "");
  EXPECT_EQ(
      error(ElementType::i32, 2147483647, 1),
      "stream \"words\": sample 1: the sum of the values of index 3 is beyond the range of i32");
}

TEST(ToDense, RefusesIndicesThatAreNotBelowTheDim) {
  const auto error = [](std::int64_t index, SampleRange range) {
    TestSequence input = sparse_sequence(4);
    input.samples = {{1}, {1}, {1}};
    input.indices = {{3}, {3}, {index}};
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(run_transform(*make_type("to_dense"), {input}, range)); });
  };
  EXPECT_EQ(error(4, {0, 3}), "stream \"words\": sample 2: an index must be from 0 to 3: got 4");
  EXPECT_EQ(error(-1, {2, 1}), "stream \"words\": sample 2: an index must be from 0 to 3: got -1");
  EXPECT_EQ(error(4, {0, 2}), "");
}

TEST(ToDense, RefusesSamplesAboveOneGibibyte) {
  const auto error = [](std::int64_t dim, ElementType type) {
    const std::vector<Stream> inputs = {sparse_sequence(dim, type, ElementType::i64).stream};
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(make_type("to_dense")->outputs(inputs)); });
  };
  constexpr std::int64_t kBytes = std::int64_t{1} << 30;
  EXPECT_EQ(error(kBytes / 4, ElementType::f32), "");
  EXPECT_EQ(error(kBytes / 4 + 1, ElementType::f32),
            "stream \"words\": a dense sample may have at most 1073741824 bytes (1 GiB): got "
            "268435457 values of 4 bytes");
  EXPECT_EQ(error(kBytes / 8, ElementType::f64), "");
  EXPECT_NE(error(kBytes / 8 + 1, ElementType::f64), "");
  EXPECT_EQ(error(kBytes, ElementType::u8), "");
  EXPECT_NE(error(INT64_MAX, ElementType::f64), "");
}

TEST(ToDense, RefusesOtherStreams) {
  const auto error = [](const Stream& stream) {
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(make_type("to_dense")->outputs(std::vector{stream})); });
  };
  EXPECT_EQ(error({.name = "words", .sample_shape = Shape{3}}),
            "stream \"words\" must be sparse u8, u16, i32, i64, f32 or f64: got dense f32 [3]");
  EXPECT_EQ(error(sparse_sequence(3, ElementType::f16).stream),
            "stream \"words\" must be sparse u8, u16, i32, i64, f32 or f64: got sparse f16 [3]");
}

TEST(ToDense, HasNoOptions) {
  EXPECT_EQ(make_type("to_dense")->options(), "");
  EXPECT_FALSE(make_type("to_dense")->is_random());
  EXPECT_EQ(make_type("to_dense")->sample_count(7), 7);
}

}  // namespace
}  // namespace sheaf
