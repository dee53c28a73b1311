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

bool has_avx2() { return std::ranges::count(simd_levels(), SimdLevel::avx2) > 0; }

/// Returns the values that a kernel takes from tokens with a blank before each.
std::vector<float> taken(const std::vector<std::string>& tokens) {
  std::string text(kKernelPadding, '5');
  for (const std::string& token : tokens) text += " " + token;
  text += "\n" + std::string(kKernelPadding, '5');
  std::vector<float> values(tokens.size());
  ValueField<float> field{values.data(), static_cast<std::int64_t>(tokens.size())};
  field_kernels_avx2().values_f32(text.data() + kKernelPadding, field);
  values.resize(static_cast<std::size_t>(field.count));
  return values;
}

std::vector<float> by_strtof(const std::vector<std::string>& tokens) {
  std::vector<float> values;
  for (const std::string& token : tokens) values.push_back(std::strtof(token.c_str(), nullptr));
  return values;
}

// Tokens of up to four, eight and sixteen bytes are handled differently, eight tokens at a time. A
// longer token determines the handling of the other seven.
TEST(FieldKernelsAvx2, TokensOfAllSizesAreParsedTogether) {
  if (!has_avx2()) GTEST_SKIP() << "this machine has no such instructions";
  const std::vector<std::string> longest = {"1234", "-1234.25", "-123456789.12345",
                                            "-1234567890.123456789"};
  for (std::size_t sizes = 0; sizes < longest.size(); ++sizes) {
    for (std::size_t index = 0; index < 8; ++index) {
      std::vector<std::string> tokens(27, "7");
      tokens[8 + index] = longest[sizes];
      EXPECT_EQ(taken(tokens), by_strtof(tokens)) << longest[sizes] << " at " << index;
    }
  }
}

// The two halves of a register are summed separately.
TEST(FieldKernelsAvx2, ThePointMayLieInEitherHalf) {
  if (!has_avx2()) GTEST_SKIP() << "this machine has no such instructions";
  std::vector<std::string> tokens;
  for (std::size_t size = 2; size <= 15; ++size) {
    for (std::size_t point = 0; point <= size; ++point) {
      std::string digits = std::string("987654321987654").substr(0, size);
      tokens.push_back(digits.insert(point, 1, '.'));
      if (size < 15) tokens.push_back("-" + tokens.back());
    }
  }
  EXPECT_EQ(taken(tokens), by_strtof(tokens));
}

}  // namespace
}  // namespace sheaf::internal

#endif
