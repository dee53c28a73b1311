// Tests the peculiarities of these kernels. field_kernels_test.cc tests the contract of all levels.

#include "format/text/field_kernels.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

namespace sheaf::internal {
namespace {

bool has_avx512() { return std::ranges::count(simd_levels(), SimdLevel::avx512) > 0; }

/// Returns the values that a kernel takes from tokens with a blank before each.
std::vector<float> taken(const std::vector<std::string>& tokens) {
  std::string text(kKernelPadding, '5');
  for (const std::string& token : tokens) text += " " + token;
  text += "\n" + std::string(kKernelPadding, '5');
  std::vector<float> values(tokens.size());
  ValueField<float> field{values.data(), static_cast<std::int64_t>(tokens.size())};
  field_kernels_avx512().values_f32(text.data() + kKernelPadding, field);
  values.resize(static_cast<std::size_t>(field.count));
  return values;
}

std::vector<float> by_strtof(const std::vector<std::string>& tokens) {
  std::vector<float> values;
  for (const std::string& token : tokens) values.push_back(std::strtof(token.c_str(), nullptr));
  return values;
}

// Tests blocks of 64 bytes with tokens across their ends.
TEST(FieldKernelsAvx512, SmallNumbersContinueAcrossBlocks) {
  if (!has_avx512()) GTEST_SKIP() << "this machine has no such instructions";
  for (std::size_t shift = 0; shift < 9; ++shift) {
    std::vector<std::string> tokens(shift, "1");
    for (int i = 0; i < 700; ++i)
      tokens.push_back(std::to_string(i * 37 % (i % 7 < 3 ? 10 : 1000)));
    EXPECT_EQ(taken(tokens), by_strtof(tokens)) << shift;
    tokens[300 + shift] = "1234";  // the first long number
    tokens[400 + shift] = "-2.5";
    EXPECT_EQ(taken(tokens), by_strtof(tokens)) << shift;
  }
}

// Products with an inverse are slightly off. Quotients are exact.
TEST(FieldKernelsAvx512, ProductsNearHalfwayAreRoundedExactly) {
  if (!has_avx512()) GTEST_SKIP() << "this machine has no such instructions";
  std::vector<std::string> tokens;
  for (int i = 0; i < 4000; ++i) {
    // In 16 digits, 2^24 + 1, 3, 5, ... divided by powers of ten and two lie halfway between
    // floats.
    const std::string digits = std::to_string(16'777'217 + 2 * i);
    tokens.push_back(digits + ".0");
    tokens.push_back(std::to_string((16'777'217 + 2 * i) / 2) + ".5");
    tokens.push_back(std::to_string((16'777'217 + 2 * i) / 4) + ".25");
    tokens.push_back(digits.substr(0, 4) + "." + digits.substr(4) + "5");
  }
  EXPECT_EQ(taken(tokens), by_strtof(tokens));
}

}  // namespace
}  // namespace sheaf::internal

#endif
