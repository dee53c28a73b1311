#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

using testing::error_of;

TestSequence values_of(ElementType type, const std::vector<double>& values) {
  TestSequence sequence = scalars(values);
  sequence.stream.element_type = type;
  return sequence;
}

// Returns the cast of one value, or NaN if the cast is refused.
double cast_of(double value, ElementType from, std::string_view to) {
  const auto cast = make_type("cast", {{"dtype", std::string(to)}});
  double result = std::numeric_limits<double>::quiet_NaN();
  const std::string error = error_of<ConfigError>(
      [&] { result = run_transform(*cast, {values_of(from, {value})})[0].samples[0][0]; });
  EXPECT_EQ(error.empty(), !std::isnan(result)) << error;
  return result;
}

TEST(Cast, KeepsNumbersThatTheTypeHolds) {
  constexpr ElementType kTypes[] = {ElementType::f32, ElementType::f64, ElementType::i32,
                                    ElementType::i64, ElementType::u8,  ElementType::u16,
                                    ElementType::f16, ElementType::bf16};
  for (const ElementType from : kTypes) {
    for (const ElementType to : kTypes) {
      const auto cast = make_type("cast", {{"dtype", std::string(to_string(to))}});
      const TestSequence made = run_transform(*cast, {values_of(from, {0, 1, 7, 255})})[0];
      EXPECT_EQ(made, values_of(to, {0, 1, 7, 255})) << to_string(from) << to_string(to);
      expect_slices(*cast, {values_of(from, {0, 1, 7, 255})});
    }
  }
}

TEST(Cast, RefusesNumbersThatTheTypeCannotHold) {
  const double inf = std::numeric_limits<double>::infinity();
  const struct {
    double value;
    ElementType from;
    std::string_view to;
    bool fits;
  } kCases[] = {
      {-1, ElementType::i32, "uint8", false},
      {256, ElementType::i64, "uint8", false},
      {255, ElementType::f32, "uint8", true},
      {256, ElementType::f32, "uint8", false},
      {0.5, ElementType::f32, "int32", false},
      {-0x1p31, ElementType::f32, "int32", true},
      {0x1p31, ElementType::f32, "int32", false},
      {0x1p31 - 128, ElementType::f32, "int32", true},  // the largest f32 below 2^31
      {0x1p31 - 1, ElementType::f64, "int32", true},
      {-0x1p31 - 1, ElementType::f64, "int32", false},
      {-0x1p63, ElementType::f64, "int64", true},
      {0x1p63, ElementType::f64, "int64", false},
      {inf, ElementType::f64, "int64", false},
      {-inf, ElementType::f32, "uint8", false},
      {std::nan(""), ElementType::f64, "int32", false},
      {0x1p31, ElementType::i64, "int32", false},
      {-0x1p31, ElementType::i64, "int32", true},
      {0x1p24, ElementType::i32, "float32", true},
      {0x1p24 + 1, ElementType::i32, "float32", false},
      {0x1p31 - 1, ElementType::i32, "float32", false},  // becomes 2^31, more than an i32
      {0x1p31 - 1, ElementType::i32, "float64", true},
      {0x1p53, ElementType::i64, "float64", true},
      {0x1p60, ElementType::i64, "float32", true},
      {1e39, ElementType::f64, "float32", false},
      {inf, ElementType::f64, "float32", true},
      {0x1.ffffffp127, ElementType::f64, "float32", false},  // rounds up to infinity
      {65'535, ElementType::i32, "uint16", true},
      {65'536, ElementType::i32, "uint16", false},
      {-1, ElementType::f16, "uint16", false},
      {65'504, ElementType::i32, "float16", true},
      {65'505, ElementType::u16, "float16", false},
      {2049, ElementType::u16, "float16", false},  // above 2048, only even numbers
      {65'520, ElementType::f32, "float16", false},
      {0x1p16, ElementType::bf16, "float16", false},
      {inf, ElementType::f32, "float16", true},
      {257, ElementType::i64, "bfloat16", false},
      {0x1p62, ElementType::i64, "bfloat16", true},
      {0x1p62, ElementType::bf16, "int64", true},
      {0x1p63, ElementType::bf16, "int64", false},
      {0.5, ElementType::f16, "uint8", false},
  };
  for (const auto& each : kCases) {
    const double found = cast_of(each.value, each.from, each.to);
    EXPECT_EQ(!std::isnan(found), each.fits) << each.value << " to " << each.to;
    if (each.fits) {
      EXPECT_EQ(found, each.value);
    }
  }
}

TEST(Cast, RefusesTheLargestWholeNumbersAsFloatingPoint) {
  // The test's numbers are doubles, which cannot hold these values.
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::max(),
                                   (std::int64_t{1} << 53) + 1, -(std::int64_t{1} << 53) - 1}) {
    const Stream stream{.name = "n", .element_type = ElementType::i64, .sample_shape = Shape{1}};
    const SequenceView view{
        .values = reinterpret_cast<const std::byte*>(&value), .sample_count = 1, .value_count = 1};
    const auto cast = make_type("cast", {{"dtype", "f64"}});
    const std::vector<Stream> made = cast->outputs({&stream, 1});
    std::vector<SequenceView> results(1);
    std::pmr::monotonic_buffer_resource memory;
    TransformOutput output(made, results, memory);
    const std::int64_t first = 0;
    const TransformedSequence sequence;
    EXPECT_EQ(error_of<ConfigError>([&] {
                cast->apply({sequence, {&stream, 1}, {&view, 1}, {&first, 1}, {0, 1}}, output);
              }),
              "stream \"n\": value 0 of sample 0 is " + std::to_string(value) +
                  ", which float64 does not hold");
  }
}

TEST(Cast, RoundsFractionsToTheNearestFloat32) {
  EXPECT_EQ(cast_of(0.1, ElementType::f64, "float32"), static_cast<double>(0.1F));
  EXPECT_EQ(cast_of(1 + 0x1p-24, ElementType::f64, "float32"), 1);  // a tie goes to even
  EXPECT_EQ(cast_of(1e-60, ElementType::f64, "float32"), 0);
  EXPECT_EQ(cast_of(1 + 0x1p-11, ElementType::f32, "float16"), 1);
  EXPECT_EQ(cast_of(1 + 0x1p-11 + 0x1p-40, ElementType::f64, "float16"), 1 + 0x1p-10);
  EXPECT_EQ(cast_of(1 + 0x3p-8, ElementType::f32, "bfloat16"), 1 + 0x1p-6);
  EXPECT_EQ(cast_of(0x1p-25, ElementType::f32, "float16"), 0);
  const TestSequence nan = values_of(ElementType::f64, {std::nan("")});
  const auto cast = make_type("cast", {{"dtype", "float32"}});
  EXPECT_TRUE(std::isnan(run_transform(*cast, {nan})[0].samples[0][0]));
}

TEST(Cast, SupportsSparseStreamsAndVariableShapes) {
  const auto cast = make_type("cast", {{"dtype", "float64"}});
  const TestSequence sparse{
      .stream = {.name = "s", .sample_shape = Shape{9}, .storage = Storage::sparse},
      .samples = {{1, 2}, {}, {0.5}},
      .indices = {{0, 8}, {}, {4}}};
  TestSequence expected = sparse;
  expected.stream.element_type = ElementType::f64;
  EXPECT_EQ(run_transform(*cast, {sparse})[0], expected);
  expect_slices(*cast, {sparse});

  const TestSequence variable{.stream = {.name = "v", .sample_shape = Shape{Shape::kVariable}},
                              .samples = {{}, {7, 8.5, 9}, {1}}};
  expected = variable;
  expected.stream.element_type = ElementType::f64;
  EXPECT_EQ(run_transform(*cast, {variable})[0], expected);
  expect_slices(*cast, {variable});
}

TEST(Cast, NamesTheValueAndTheSample) {
  const auto cast = make_type("cast", {{"dtype", "int32"}});
  TestSequence dense = counting(4, 3);
  dense.samples[2][1] = 0.5;
  EXPECT_EQ(error_of<ConfigError>([&] { run_transform(*cast, {dense}); }),
            "stream \"x\": value 1 of sample 2 is 0.5, which int32 does not hold");
  EXPECT_EQ(error_of<ConfigError>([&] {
              run_transform(*cast, {dense}, SampleRange{1, 2});
            }),
            "stream \"x\": value 1 of sample 2 is 0.5, which int32 does not hold");
  const TestSequence variable{.stream = {.name = "v", .sample_shape = Shape{Shape::kVariable}},
                              .samples = {{1}, {}, {7, 8, std::nan("")}}};
  EXPECT_EQ(error_of<ConfigError>([&] {
              run_transform(*cast, {variable}, SampleRange{1, 2});
            }),
            "stream \"v\": value 2 of sample 2 is nan, which int32 does not hold");
  const auto narrow = make_type("cast", {{"dtype", "float32"}});
  EXPECT_EQ(error_of<ConfigError>([&] {
              run_transform(*narrow, {values_of(ElementType::f64, {HUGE_VAL, 1e300})});
            }),
            "stream \"x\": value 0 of sample 1 is 1e+300, which float32 does not hold");
}

TEST(Cast, RefusesOtherTypes) {
  const auto cast = make_type("cast", {{"dtype", "i64"}});
  EXPECT_EQ(cast->options(), "dtype=int64");
  const Stream stream{
      .name = "b", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};
  EXPECT_EQ(error_of<ConfigError>([&] {
              static_cast<void>(cast->outputs({&stream, 1}));
            }),
            "stream \"b\" must have numbers: got dense bytes [*]");
  EXPECT_EQ(
      error_of<ConfigError>([] {
        make_type("cast", {{"dtype", "int16"}});
      }),
      "dtype must be one of float32, float64, float16, bfloat16, int32, int64, uint8, uint16, "
      "f32, f64, f16, bf16, i32, i64, u8, u16: got \"int16\"");
  EXPECT_EQ(error_of<ConfigError>([] { make_type("cast"); }), "dtype is needed");
}

}  // namespace
}  // namespace sheaf
