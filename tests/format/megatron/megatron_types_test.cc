#include "format/megatron/megatron_types.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::megatron {
namespace {

template <typename From, typename To>
std::vector<To> converted(std::uint8_t code, ElementType to, const std::vector<From>& values) {
  std::vector<To> made(values.size());
  convert_tokens(*token_type_of_code(code), std::as_bytes(std::span(values)).data(),
                 std::ssize(values), to, std::as_writable_bytes(std::span(made)).data());
  return made;
}

template <typename From, typename To>
void check_ends(std::uint8_t code, ElementType to) {
  const std::vector<From> values = {std::numeric_limits<From>::lowest(), 0, 1,
                                    std::numeric_limits<From>::max()};
  ASSERT_TRUE(can_become(*token_type_of_code(code), to));
  EXPECT_EQ((converted<From, To>(code, to, values)),
            (std::vector<To>(values.begin(), values.end())))
      << static_cast<int>(code);
}

TEST(MegatronTypes, ExtremeValuesAreConvertedExactly) {
  check_ends<std::uint8_t, std::uint16_t>(1, ElementType::u16);
  check_ends<std::uint8_t, std::int32_t>(1, ElementType::i32);
  check_ends<std::uint8_t, std::int64_t>(1, ElementType::i64);
  check_ends<std::int8_t, std::int32_t>(2, ElementType::i32);
  check_ends<std::int8_t, std::int64_t>(2, ElementType::i64);
  check_ends<std::int16_t, std::int32_t>(3, ElementType::i32);
  check_ends<std::int16_t, std::int64_t>(3, ElementType::i64);
  check_ends<std::int32_t, std::int64_t>(4, ElementType::i64);
  check_ends<float, double>(7, ElementType::f64);
  check_ends<std::uint16_t, std::int32_t>(8, ElementType::i32);
  check_ends<std::uint16_t, std::int64_t>(8, ElementType::i64);
}

TEST(MegatronTypes, OnlyTypesThatHoldAllValuesAreAccepted) {
  const auto holders = [](std::uint8_t code) {
    std::string names;
    for (const ElementType to :
         {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64, ElementType::f16,
          ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::bytes}) {
      if (can_become(*token_type_of_code(code), to)) names += std::string(to_string(to)) + ' ';
    }
    return names;
  };
  EXPECT_EQ(holders(1), "u8 u16 i32 i64 ");
  EXPECT_EQ(holders(2), "i32 i64 ");
  EXPECT_EQ(holders(3), "i32 i64 ");
  EXPECT_EQ(holders(4), "i32 i64 ");
  EXPECT_EQ(holders(5), "i64 ");
  EXPECT_EQ(holders(6), "f64 ");
  EXPECT_EQ(holders(7), "f32 f64 ");
  EXPECT_EQ(holders(8), "u16 i32 i64 ");
}

TEST(MegatronTypes, CodesMatchMegatron) {
  EXPECT_FALSE(token_type_of_code(0));
  EXPECT_FALSE(token_type_of_code(9));
  EXPECT_EQ(token_type_of_code(6)->name, "float64");
  EXPECT_EQ(token_type_of(ElementType::u16)->code, 8);
  EXPECT_EQ(token_type_of(ElementType::i32)->code, 4);
  EXPECT_FALSE(token_type_of(ElementType::bytes));
  EXPECT_FALSE(token_type_of(ElementType::f16));
}

}  // namespace
}  // namespace sheaf::megatron
