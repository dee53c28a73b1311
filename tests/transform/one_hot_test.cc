#include <cmath>
#include <cstdint>
#include <limits>
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

constexpr ElementType kIdTypes[] = {ElementType::u8,  ElementType::u16, ElementType::i32,
                                    ElementType::i64, ElementType::f32, ElementType::f64};

TestSequence ids_of(ElementType type, const std::vector<double>& ids, const Shape& shape = {}) {
  TestSequence sequence{.stream = {.name = "ids", .element_type = type, .sample_shape = shape}};
  for (const double id : ids) sequence.samples.push_back({id});
  return sequence;
}

std::string one_hot_error(const TestSequence& input,
                          const std::map<std::string, std::string>& options,
                          SampleRange range = {0, 1}) {
  return testing::error_of<ConfigError>(
      [&] { static_cast<void>(run_transform(*make_type("one_hot", options), {input}, range)); });
}

TEST(OneHot, MakesASingleOneASample) {
  for (const ElementType type : kIdTypes) {
    for (const Shape& shape : {Shape{}, Shape{1}}) {
      const TestSequence input = ids_of(type, {2, 0, 9, 2}, shape);
      const TestSequence made = run_transform(*make_type("one_hot", {{"dim", "10"}}), {input})[0];
      EXPECT_EQ(made.stream, (Stream{.name = "ids",
                                     .element_type = ElementType::f32,
                                     .sample_shape = Shape{10},
                                     .storage = Storage::sparse}));
      EXPECT_EQ(made.samples, (std::vector<std::vector<double>>{{1}, {1}, {1}, {1}}));
      EXPECT_EQ(made.indices, (std::vector<std::vector<std::int64_t>>{{2}, {0}, {9}, {2}}));
    }
  }
}

TEST(OneHot, TheIgnoredIdGivesAnEmptySample) {
  const auto transform = make_type("one_hot", {{"dim", "4"}, {"dtype", "f64"}, {"ignore", "-1"}});
  const TestSequence made = run_transform(*transform, {ids_of(ElementType::i64, {-1, 3, -1})})[0];
  EXPECT_EQ(made.stream.element_type, ElementType::f64);
  EXPECT_EQ(made.samples, (std::vector<std::vector<double>>{{}, {1}, {}}));
  EXPECT_EQ(made.indices, (std::vector<std::vector<std::int64_t>>{{}, {3}, {}}));

  const auto blank = make_type("one_hot", {{"dim", "4"}, {"ignore", "0"}});
  EXPECT_EQ(run_transform(*blank, {ids_of(ElementType::f32, {0, 1})})[0].indices,
            (std::vector<std::vector<std::int64_t>>{{}, {1}}));
}

TEST(OneHot, UsesWideIndicesForALargeDim) {
  const auto made = [](const std::string& dim, const TestSequence& input) {
    return run_transform(*make_type("one_hot", {{"dim", dim}}), {input})[0];
  };
  // The largest dim whose indices fit an i32, and the next one.
  const TestSequence narrow = made("2147483648", ids_of(ElementType::i64, {2147483647}));
  EXPECT_EQ(narrow.stream.index_type, ElementType::i32);
  EXPECT_EQ(narrow.indices[0][0], 2147483647);
  const TestSequence wide = made("2147483649", ids_of(ElementType::f64, {2147483648}));
  EXPECT_EQ(wide.stream.index_type, ElementType::i64);
  EXPECT_EQ(wide.indices[0][0], 2147483648);
}

TEST(OneHot, IsTheRowOfAUnitMatrix) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const auto dim = static_cast<std::int64_t>(random() % 20 + 1);
    std::vector<double> ids;
    for (int i = 0; i < 12; ++i)
      ids.push_back(static_cast<double>(static_cast<std::int64_t>(random()) % dim));
    const auto transform =
        make_type("one_hot", {{"dim", std::to_string(dim)}, {"ignore", "5"}, {"dtype", "f64"}});
    const TestSequence input = ids_of(kIdTypes[round % 5], ids);
    const TestSequence made = run_transform(*transform, {input})[0];
    for (std::size_t t = 0; t < ids.size(); ++t) {
      std::vector<double> row(static_cast<std::size_t>(dim), 0.0);
      for (std::size_t v = 0; v < made.samples[t].size(); ++v) {
        row[static_cast<std::size_t>(made.indices[t][v])] += made.samples[t][v];
      }
      for (std::int64_t column = 0; column < dim; ++column) {
        const bool is_one = static_cast<double>(column) == ids[t] && ids[t] != 5;
        EXPECT_EQ(row[static_cast<std::size_t>(column)], is_one ? 1 : 0);
      }
    }
  }
}

TEST(OneHot, SlicesEqualPartsOfTheWhole) {
  for (const ElementType type : kIdTypes) {
    const TestSequence input = ids_of(type, {2, 0, 3, 1, 3, 3});
    expect_slices(*make_type("one_hot", {{"dim", "4"}}), {input});
    expect_slices(*make_type("one_hot", {{"dim", "4"}, {"ignore", "3"}}), {input});
    expect_slices(*make_type("one_hot", {{"dim", "9999999999"}, {"dtype", "f64"}}), {input});
  }
}

TEST(OneHot, AcceptsViewsOfLargerArrays) {
  const Stream stream = {.name = "ids", .element_type = ElementType::i64};
  const std::vector<std::int64_t> ids = {3, 1, 2, 0};
  std::pmr::monotonic_buffer_resource memory;
  const SequenceView made = run_on_view(*make_type("one_hot", {{"dim", "4"}}), stream,
                                        {.values = reinterpret_cast<const std::byte*>(ids.data()),
                                         .sample_count = 4,
                                         .value_count = 4},
                                        10, {11, 2}, memory);
  ASSERT_EQ(made.value_count, 2);
  const auto* const indices = reinterpret_cast<const std::int32_t*>(made.indices);
  EXPECT_EQ(std::vector<std::int32_t>(indices, indices + 2), (std::vector<std::int32_t>{1, 2}));
}

TEST(OneHot, RefusesIdsThatAreNotBelowTheDim) {
  const std::map<std::string, std::string> options = {{"dim", "10"}, {"ignore", "-1"}};
  const TestSequence above = ids_of(ElementType::i32, {1, -1, 10});
  EXPECT_EQ(one_hot_error(above, options, {0, 3}),
            "stream \"ids\": the id of sample 2 must be a whole number from 0 to 9: got 10");
  EXPECT_EQ(one_hot_error(above, options, {2, 1}),
            "stream \"ids\": the id of sample 2 must be a whole number from 0 to 9: got 10");
  EXPECT_EQ(one_hot_error(above, options, {0, 2}), "");
  EXPECT_EQ(one_hot_error(ids_of(ElementType::i64, {-2}), options),
            "stream \"ids\": the id of sample 0 must be a whole number from 0 to 9: got -2");
  EXPECT_EQ(one_hot_error(ids_of(ElementType::u8, {255}), options),
            "stream \"ids\": the id of sample 0 must be a whole number from 0 to 9: got 255");
  EXPECT_EQ(one_hot_error(ids_of(ElementType::i32, {-1}), {{"dim", "10"}}),
            "stream \"ids\": the id of sample 0 must be a whole number from 0 to 9: got -1");
}

TEST(OneHot, RefusesIdsThatAreNotWhole) {
  const auto error = [](ElementType type, double id) {
    return one_hot_error(ids_of(type, {id}), {{"dim", "10"}, {"ignore", "-1"}});
  };
  const std::string start = "stream \"ids\": the id of sample 0 must be a whole number from 0 to 9";
  EXPECT_EQ(error(ElementType::f32, 2.5), start + ": got 2.5");
  EXPECT_EQ(error(ElementType::f64, -0.1), start + ": got -0.1");
  EXPECT_EQ(error(ElementType::f64, std::nan("")), start + ": got nan");
  EXPECT_EQ(error(ElementType::f32, 0x1p63), start + ": got 9.223372e+18");
  EXPECT_EQ(error(ElementType::f64, 0x1p63), start + ": got 9.223372036854776e+18");
  EXPECT_EQ(error(ElementType::f64, -0x1.0000000000001p63), start + ": got -9.223372036854778e+18");
  // 2^63 is not a 64-bit id, nor the ignored id that a cast of 2^63 would give.
  EXPECT_EQ(one_hot_error(ids_of(ElementType::f64, {0x1p63}),
                          {{"dim", "10"}, {"ignore", "-9223372036854775808"}}),
            start + ": got 9.223372036854776e+18");
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    EXPECT_EQ(error(type, std::numeric_limits<double>::infinity()), start + ": got inf");
    EXPECT_EQ(error(type, -std::numeric_limits<double>::infinity()), start + ": got -inf");
    EXPECT_EQ(error(type, -0.0), "");
    EXPECT_EQ(error(type, 9), "");
  }
}

TEST(OneHot, RefusesOtherStreams) {
  const std::string needed =
      "stream \"ids\" must be dense u8, u16, i32, i64, f32 or f64 with one value a sample: got ";
  const auto error = [](const Stream& stream) {
    return testing::error_of<ConfigError>([&] {
      static_cast<void>(make_type("one_hot", {{"dim", "3"}})->outputs(std::vector{stream}));
    });
  };
  EXPECT_EQ(error({.name = "ids", .sample_shape = Shape{2}}), needed + "dense f32 [2]");
  EXPECT_EQ(error({.name = "ids", .sample_shape = Shape{1, 1}}), needed + "dense f32 [1, 1]");
  EXPECT_EQ(error({.name = "ids", .sample_shape = Shape{-1}}), needed + "dense f32 [*]");
  EXPECT_EQ(error({.name = "ids", .element_type = ElementType::f16}), needed + "dense f16 []");
  EXPECT_EQ(error({.name = "ids", .element_type = ElementType::bytes}), needed + "dense bytes []");
  EXPECT_EQ(error({.name = "ids", .sample_shape = Shape{1}, .storage = Storage::sparse}),
            needed + "sparse f32 [1]");
}

TEST(OneHot, ListsAllItsOptions) {
  EXPECT_EQ(make_type("one_hot", {{"dim", "3"}})->options(), "dim=3,dtype=f32");
  EXPECT_EQ(make_type("one_hot", {{"dim", "3"}, {"dtype", "f64"}, {"ignore", "-1"}})->options(),
            "dim=3,dtype=f64,ignore=-1");
  EXPECT_FALSE(make_type("one_hot", {{"dim", "3"}})->is_random());
}

TEST(OneHot, RefusesInvalidOptions) {
  const auto error = [](const std::map<std::string, std::string>& options) {
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(make_type("one_hot", options)); });
  };
  EXPECT_EQ(error({}), "dim is needed");
  EXPECT_EQ(error({{"dim", "0"}}), "dim must be a whole number from 1 to 1099511627776: got \"0\"");
  EXPECT_EQ(error({{"dim", "3"}, {"dtype", "i32"}}), "dtype must be one of f32, f64: got \"i32\"");
  EXPECT_EQ(error({{"dim", "3"}, {"ignore", "x"}}),
            "ignore must be a whole number from -9223372036854775808 to 9223372036854775807: got "
            "\"x\"");
}

}  // namespace
}  // namespace sheaf
