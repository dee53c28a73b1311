#include "format/sheaf/column_arrays.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::container {
namespace {

constexpr std::int64_t kArraysLargest = std::numeric_limits<std::int64_t>::max();

Stream dense_of(ElementType type, Shape shape) {
  return {.name = "x", .element_type = type, .sample_shape = shape};
}

Stream sparse_of(ElementType type, ElementType index_type) {
  return {.name = "x",
          .element_type = type,
          .sample_shape = {9},
          .storage = Storage::sparse,
          .index_type = index_type};
}

std::string names_of_arrays(const Stream* stream) {
  std::string names;
  for (const ArrayKind kind : arrays_of(stream)) names += std::string(to_string(kind)) + " ";
  return names;
}

TEST(ColumnArrays, AColumnHasTheArraysOfItsStorageAndShape) {
  EXPECT_EQ(names_of_arrays(nullptr), "sizes text ");
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{2, 3}}) {
    const Stream stream = dense_of(ElementType::f32, shape);
    EXPECT_EQ(names_of_arrays(&stream), "presence lengths values ");
  }
  for (const Shape& shape : {Shape{-1}, Shape{2, -1}, Shape{-1, 3}}) {
    const Stream stream = dense_of(ElementType::f32, shape);
    EXPECT_EQ(names_of_arrays(&stream), "presence lengths extents values ");
  }
  const Stream stream = sparse_of(ElementType::f32, ElementType::i32);
  EXPECT_EQ(names_of_arrays(&stream), "presence lengths entries indices values ");
}

TEST(ColumnArrays, ValuesAndIndicesHaveTheTypesOfTheStream) {
  const Stream stream = sparse_of(ElementType::bf16, ElementType::i32);
  EXPECT_EQ(type_of(ArrayKind::presence, &stream), ElementType::u8);
  EXPECT_EQ(type_of(ArrayKind::lengths, &stream), ElementType::i64);
  EXPECT_EQ(type_of(ArrayKind::entries, &stream), ElementType::i64);
  EXPECT_EQ(type_of(ArrayKind::extents, &stream), ElementType::i64);
  EXPECT_EQ(type_of(ArrayKind::indices, &stream), ElementType::i32);
  EXPECT_EQ(type_of(ArrayKind::values, &stream), ElementType::bf16);
  EXPECT_EQ(type_of(ArrayKind::key_sizes, nullptr), ElementType::i64);
  EXPECT_EQ(type_of(ArrayKind::key_text, nullptr), ElementType::bytes);
}

TEST(ColumnArrays, TheContentSizeIsTheSumOfItsParts) {
  struct Case {
    Stream stream;
    std::int64_t samples = 0;
    std::int64_t values = 0;
    std::int64_t size = 0;
  };
  const Case cases[] = {
      {dense_of(ElementType::f32, {}), 0, 0, 8},
      {dense_of(ElementType::f32, {3}), 2, 6, 8 + 24},
      {dense_of(ElementType::f64, {-1}), 2, 5, 8 + 2 * 8 + 40},            // an extent each
      {dense_of(ElementType::u8, {-1, 2, -1}), 2, 5, 8 + 2 * 3 * 8 + 5},   // three extents each
      {dense_of(ElementType::bytes, {-1}), 1, 7, 8 + 8 + 7},               // opaque bytes
      {sparse_of(ElementType::f32, ElementType::i32), 2, 5, 8 + 16 + 40},  // values and indices
      {sparse_of(ElementType::u16, ElementType::i64), 1, 2, 8 + 8 + 20},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(content_size(each.stream, each.samples, each.values), each.size)
        << to_string(each.stream);
  }
}

TEST(ColumnArrays, AnOverflowingContentSizeIsTheLargestNumber) {
  const Stream dense = dense_of(ElementType::u8, {});
  EXPECT_EQ(content_size(dense, 0, kArraysLargest - 9), kArraysLargest - 1);
  EXPECT_EQ(content_size(dense, 0, kArraysLargest - 8), kArraysLargest);
  EXPECT_EQ(content_size(dense, 0, kArraysLargest - 7), kArraysLargest);
  const Stream sparse = sparse_of(ElementType::f64, ElementType::i64);
  EXPECT_EQ(content_size(sparse, kArraysLargest / 8 + 1, 0), kArraysLargest);
  EXPECT_EQ(content_size(sparse, 0, kArraysLargest / 16 + 1), kArraysLargest);
}

}  // namespace
}  // namespace sheaf::container
