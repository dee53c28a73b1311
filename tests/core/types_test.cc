#include "sheaf/types.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf {
namespace {

TEST(Shape, KnowsItsExtents) {
  const Shape scalar;
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.size(), 1);
  EXPECT_EQ(to_string(scalar), "[]");

  const Shape image{3, 8, 4};
  EXPECT_EQ(image.rank(), 3);
  EXPECT_EQ(image.size(), 96);
  const Shape huge = {std::int64_t{1} << 62, 4, 3};
  EXPECT_EQ(huge.size(), std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(image.is_fixed());
  EXPECT_EQ(to_string(image), "[3, 8, 4]");

  const Shape variable{3, Shape::kVariable, Shape::kVariable};
  EXPECT_FALSE(variable.is_fixed());
  EXPECT_EQ(to_string(variable), "[3, *, *]");
  EXPECT_NE(image, variable);
}

TEST(Shape, RefusesInvalidExtents) {
  EXPECT_THROW(Shape({0}), ConfigError);
  EXPECT_THROW(Shape({2, -2}), ConfigError);
  EXPECT_THROW(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), ConfigError);
}

TEST(Types, HaveNamesAndSizes) {
  struct Case {
    ElementType type;
    std::string name;
    std::int64_t size;
  };
  const Case cases[] = {{ElementType::u8, "u8", 1},       {ElementType::i32, "i32", 4},
                        {ElementType::i64, "i64", 8},     {ElementType::f16, "f16", 2},
                        {ElementType::f32, "f32", 4},     {ElementType::f64, "f64", 8},
                        {ElementType::bytes, "bytes", 1}, {ElementType::u16, "u16", 2},
                        {ElementType::bf16, "bf16", 2}};
  for (const Case& c : cases) {
    EXPECT_EQ(to_string(c.type), c.name);
    EXPECT_EQ(element_size(c.type), c.size);
  }
  static_assert(element_type_of<float> == ElementType::f32);
  static_assert(element_type_of<BFloat16> == ElementType::bf16);
  EXPECT_EQ(static_cast<int>(ElementType::f64), 5) << "pickled minibatches have the numbers";
  EXPECT_EQ(static_cast<int>(ElementType::bytes), 6);
  EXPECT_EQ(static_cast<int>(ElementType::bf16), 8);
}

TEST(Types, AreWholeOrFloatingOrBytes) {
  const struct {
    ElementType type;
    bool is_whole;
    bool is_floating;
  } cases[] = {
      {ElementType::u8, true, false},      // the smallest
      {ElementType::u16, true, false},     // later than the other types
      {ElementType::i32, true, false},     // signed
      {ElementType::i64, true, false},     // the widest
      {ElementType::f16, false, true},     // of 16 bits
      {ElementType::bf16, false, true},    // 16 bits, too
      {ElementType::f32, false, true},     // the usual
      {ElementType::f64, false, true},     // the widest
      {ElementType::bytes, false, false},  // not numbers
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_whole(c.type), c.is_whole) << to_string(c.type);
    EXPECT_EQ(is_floating(c.type), c.is_floating) << to_string(c.type);
  }
}

TEST(Stream, IsPrintedWithNameStorageTypeAndShape) {
  EXPECT_EQ(to_string(Stream{.name = "labels", .sample_shape = {10}, .storage = Storage::sparse}),
            "labels: sparse f32 [10]");
}

TEST(Stream, EqualityIgnoresClassNames) {
  const Stream plain{.name = "label", .element_type = ElementType::i32, .sample_shape = {1}};
  Stream named = plain;
  named.class_names = std::make_shared<const std::vector<std::string>>(2, "cat");
  EXPECT_EQ(named, plain);
  EXPECT_EQ(to_string(named), to_string(plain));
}

TEST(Stream, EqualityComparesEverythingElse) {
  const Stream plain{.name = "a", .sample_shape = {2}};
  std::vector<Stream> others(8, plain);
  others[0].name = "b";
  others[1].element_type = ElementType::f64;
  others[2].sample_shape = {3};
  others[3].storage = Storage::sparse;
  others[4].index_type = ElementType::i64;
  others[5].defines_minibatch_size = true;
  others[6].keeps_together = true;
  others[7].describes_others = true;
  for (const Stream& other : others) EXPECT_NE(other, plain);
}

TEST(SequenceKey, IsANumberOrAHash) {
  EXPECT_EQ(to_string(SequenceKey{.low = 18446744073709551615U}), "18446744073709551615");
  EXPECT_EQ(to_string(SequenceKey{.low = 1, .high = 0xab}), "00000000000000ab0000000000000001");
  EXPECT_LT((SequenceKey{.low = 1}), (SequenceKey{.low = 2}));
}

TEST(SequenceKey, OfATextIsTheHashThatIndexFilesRelyOn) {
  EXPECT_EQ(to_string(key_of_text("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(key_of_text("utterance-10"), key_of_text("utterance-11"));
}

}  // namespace
}  // namespace sheaf
