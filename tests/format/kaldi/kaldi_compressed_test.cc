#include "format/kaldi/kaldi_compressed.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "format/kaldi/kaldi_test_objects.h"
#include "reference/kaldi_reference.h"

namespace sheaf::internal {
namespace {

using testing::good_head;
using testing::put;

/// Returns a compressed matrix with random bytes, as in a damaged file.
std::string random_object(std::string_view token, std::int32_t rows, std::int32_t cols,
                          std::mt19937& random) {
  std::string object = testing::begin_object(token);
  std::uniform_real_distribution<float> value(-100, 100);
  put(object, value(random));
  put(object, std::fabs(value(random)));
  put(object, rows);
  put(object, cols);
  const KaldiHead head =
      std::get<KaldiHead>(parse_kaldi_head(testing::bytes_of(object), KaldiKind::integers));
  while (std::ssize(object) < head.size_bytes) object += static_cast<char>(random());
  return object;
}

template <typename T>
std::vector<T> decoded(const std::string& object, const KaldiRange& rows, const KaldiRange& cols) {
  const KaldiHead head = good_head(object);
  std::vector<T> to(static_cast<std::size_t>(rows.count * cols.count));
  decode_compressed(head, testing::data_of(object, head), rows, cols, std::span(to));
  return to;
}

template <typename T>
std::vector<T> decoded(const std::string& object) {
  const KaldiHead head = good_head(object);
  return decoded<T>(object, {0, head.rows}, {0, head.cols});
}

/// Returns how many values differ from the reference in any bit.
std::int64_t differences(const std::string& object) {
  const auto expected = kaldi_reference::decode_matrix(object);
  const auto found = decoded<float>(object);
  std::int64_t count = std::ssize(found) == std::ssize(expected.values) ? 0 : 1;
  for (std::size_t i = 0; i < found.size() && count == 0; ++i) {
    const auto value = static_cast<float>(expected.values[i]);
    count += std::bit_cast<std::uint32_t>(value) != std::bit_cast<std::uint32_t>(found[i]) ? 1 : 0;
  }
  return count;
}

TEST(KaldiCompressed, ValuesMatchTheReferenceAtEverySimdLevel) {
  for (const SimdLevel level : simd_levels()) {
    set_simd_level(level);
    std::mt19937 random(1);
    // Around the numbers of rows and columns at which the kernels change their method.
    for (const std::int32_t rows : {1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 127, 128, 129, 300}) {
      for (const std::int32_t cols : {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 40}) {
        for (const char* const token : {"CM ", "CM2 ", "CM3 "}) {
          ASSERT_EQ(differences(random_object(token, rows, cols, random)), 0)
              << to_string(level) << ' ' << token << rows << 'x' << cols;
        }
      }
    }
  }
  set_simd_level(simd_levels().back());
}

// A column of 256 rows has each byte once, so all values of a column are compared.
TEST(KaldiCompressed, HeadersOfAnySizeGiveTheSameValuesAtEverySimdLevel) {
  std::mt19937 random(9);
  std::uniform_int_distribution<int> exponent(-149, 127);
  std::uniform_real_distribution<float> mantissa(-2, 2);
  for (int i = 0; i < 2000; ++i) {
    const int scale = exponent(random);
    const int other = i % 2 == 0 ? scale : exponent(random);  // close to each other, or far apart
    std::string object = testing::begin_object("CM ");
    put(object, std::ldexp(mantissa(random), scale));
    put(object, std::ldexp(std::fabs(mantissa(random)), other));
    put(object, std::int32_t{256});
    put(object, std::int32_t{3});
    for (int k = 0; k < 12; ++k) put(object, static_cast<std::uint16_t>(random() >> (k % 17)));
    for (int k = 0; k < 768; ++k) object += static_cast<char>(k * 5);
    set_simd_level(SimdLevel::baseline);
    const auto expected = decoded<float>(object);
    for (const SimdLevel level : simd_levels()) {
      set_simd_level(level);
      const auto found = decoded<float>(object);
      for (std::size_t k = 0; k < found.size(); ++k) {
        if (std::isnan(expected[k]) && std::isnan(found[k])) continue;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(found[k]), std::bit_cast<std::uint32_t>(expected[k]))
            << to_string(level) << ' ' << i << ' ' << k;
      }
    }
  }
  set_simd_level(simd_levels().back());
}

TEST(KaldiCompressed, WritesNothingAfterTheValues) {
  std::mt19937 random(6);
  for (const SimdLevel level : simd_levels()) {
    set_simd_level(level);
    for (const std::int64_t rows : {8, 9, 24, 33}) {
      for (const std::int64_t cols : {1, 7, 8, 9, 15, 17}) {
        const std::string object = random_object("CM ", static_cast<std::int32_t>(rows),
                                                 static_cast<std::int32_t>(cols), random);
        const KaldiHead head = good_head(object);
        std::vector<float> to(static_cast<std::size_t>(rows * cols) + 8, 0.125F);
        decode_compressed(head, testing::data_of(object, head), {0, rows}, {0, cols},
                          std::span(to).first(to.size() - 8));
        for (std::size_t i = to.size() - 8; i < to.size(); ++i) ASSERT_EQ(to[i], 0.125F);
      }
    }
  }
  set_simd_level(simd_levels().back());
}

TEST(KaldiCompressed, DoublesEqualTheFloats) {
  std::mt19937 random(2);
  for (const char* const token : {"CM ", "CM2 ", "CM3 "}) {
    const std::string object = random_object(token, 130, 9, random);
    const auto floats = decoded<float>(object);
    EXPECT_EQ(decoded<double>(object), std::vector<double>(floats.begin(), floats.end()));
  }
}

TEST(KaldiCompressed, ARangeEqualsThatPartOfTheWhole) {
  std::mt19937 random(3);
  for (const char* const token : {"CM ", "CM2 ", "CM3 "}) {
    const std::string object = random_object(token, 140, 19, random);
    const auto whole = decoded<float>(object);
    for (const KaldiRange rows : {KaldiRange{0, 140}, {3, 127}, {3, 128}, {139, 1}, {5, 0}}) {
      for (const KaldiRange cols : {KaldiRange{0, 19}, {1, 8}, {11, 8}, {2, 17}, {18, 1}, {4, 0}}) {
        const auto part = decoded<float>(object, rows, cols);
        for (std::int64_t i = 0; i < std::ssize(part); ++i) {
          const std::int64_t row = rows.first + i / cols.count;
          const std::int64_t col = cols.first + i % cols.count;
          ASSERT_EQ(part[static_cast<std::size_t>(i)],
                    whole[static_cast<std::size_t>(row * 19 + col)])
              << token << row << ' ' << col;
        }
      }
    }
  }
}

std::vector<float> random_values(std::size_t count, float scale, std::mt19937& random) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

TEST(KaldiCompressed, ValuesRoundTripWithinOneStep) {
  std::mt19937 random(4);
  const struct {
    KaldiMethod method;
    double step;  // as a fraction of the range
  } cases[] = {{KaldiMethod::two_byte, 1 / 65535.0}, {KaldiMethod::one_byte, 1 / 255.0}};
  for (const auto& c : cases) {
    for (const std::int64_t rows : {1, 8, 9, 100}) {
      const auto values = random_values(static_cast<std::size_t>(rows * 5), 3, random);
      const auto [min, max] = std::minmax_element(values.begin(), values.end());
      std::string object;
      ASSERT_TRUE(encode_compressed(values, rows, 5, c.method, object));
      const auto found = decoded<float>(object);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(found[i], values[i], c.step * static_cast<double>(*max - *min) * 0.51);
      }
    }
  }
}

TEST(KaldiCompressed, UpToEightRowsUseTwoBytes) {
  const std::vector<float> values(9, 1.0F);
  for (const std::int64_t rows : {7, 8, 9}) {
    std::string object;
    ASSERT_TRUE(encode_compressed(std::span(values).first(static_cast<std::size_t>(rows)), rows, 1,
                                  KaldiMethod::automatic, object));
    EXPECT_EQ(good_head(object).compression,
              rows == 9 ? KaldiCompression::columns : KaldiCompression::two_byte);
  }
}

TEST(KaldiCompressed, ReencodingGivesTheSameBytesForExactSteps) {
  std::vector<float> values;
  for (int i = 0; i < 256; ++i) values.push_back(static_cast<float>(i));
  std::string object;
  ASSERT_TRUE(encode_compressed(values, 16, 16, KaldiMethod::one_byte_unsigned_integer, object));
  EXPECT_EQ(decoded<float>(object), values);
  for (float& value : values) value = value * 257 - 32768;
  std::string wide;
  ASSERT_TRUE(encode_compressed(values, 16, 16, KaldiMethod::two_byte_signed_integer, wide));
  EXPECT_EQ(decoded<float>(wide), values);
}

TEST(KaldiCompressed, ConstantColumnsHaveRisingPercentiles) {
  for (const float value : {0.0F, -4.0F, 1e30F}) {
    const std::vector<float> values(60, value);
    std::string object;
    ASSERT_TRUE(encode_compressed(values, 20, 3, KaldiMethod::speech_feature, object));
    for (const float found : decoded<float>(object)) EXPECT_EQ(found, value);
  }
  // If a whole column has the largest value, no number lies above it.
  std::vector<float> values(40, 1);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = 0;
  std::string object;
  ASSERT_TRUE(encode_compressed(values, 20, 2, KaldiMethod::speech_feature, object));
  const auto found = decoded<float>(object);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], values[i], 1e-4);
}

TEST(KaldiCompressed, EmptyMatricesHaveOnlyAHeader) {
  std::string object;
  ASSERT_TRUE(encode_compressed({}, 0, 0, KaldiMethod::automatic, object));
  EXPECT_EQ(object, testing::begin_object("CM ") + std::string(16, '\0'));
  EXPECT_EQ(good_head(object).size_bytes, std::ssize(object));
}

TEST(KaldiCompressed, ValuesWithoutAFiniteRangeAreRefused) {
  const float kMax = std::numeric_limits<float>::max();
  for (const float value :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), kMax}) {
    const std::vector<float> values = {-kMax, value};
    std::string object = "before";
    EXPECT_FALSE(encode_compressed(values, 2, 1, KaldiMethod::automatic, object));
    EXPECT_EQ(object, "before");
  }
}

}  // namespace
}  // namespace sheaf::internal
