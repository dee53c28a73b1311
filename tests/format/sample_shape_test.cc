#include "format/sample_shape.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

std::string refusal(const Shape& shape, Storage storage = Storage::dense,
                    ElementType index_type = ElementType::i32) {
  try {
    check_sample_shape("x", shape, storage, index_type);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(SampleShape, HasALimitedNumberOfValues) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  EXPECT_EQ(refusal({}), "none");
  EXPECT_EQ(refusal({kMany}), "none");
  EXPECT_EQ(refusal({kMany, 2}),
            "stream \"x\": sample_shape [1099511627776, 2] has more than 2^40 values");
  EXPECT_EQ(refusal({kMany, kMany}),
            "stream \"x\": sample_shape [1099511627776, 1099511627776] has more than 2^40 values");
}

TEST(SampleShape, OfASparseStreamIsOneExtentWithinTheIndexType) {
  constexpr std::int64_t kMax32 = std::int64_t{1} << 31;
  EXPECT_EQ(refusal({kMax32}, Storage::sparse), "none");
  EXPECT_EQ(refusal({kMax32 + 1}, Storage::sparse),
            "stream \"x\": dim 2147483649 needs index_dtype i64: an i32 reaches 2147483647");
  EXPECT_EQ(refusal({kMax32 + 1}, Storage::sparse, ElementType::i64), "none");
  EXPECT_EQ(refusal({2, 3}, Storage::sparse),
            "stream \"x\": a sparse stream has one extent, got [2, 3]");
  EXPECT_EQ(refusal({2}, Storage::sparse, ElementType::f32),
            "stream \"x\": index_dtype: i32 or i64, got f32");
  EXPECT_EQ(refusal({2}, Storage::dense, ElementType::f32), "none");
}

}  // namespace
}  // namespace sheaf::internal
