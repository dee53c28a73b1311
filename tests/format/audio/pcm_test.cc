#include "format/audio/pcm.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "base/each_simd_level.h"

namespace sheaf::internal {
namespace {

constexpr SampleEncoding kEncodings[] = {
    SampleEncoding::u8,  SampleEncoding::s16, SampleEncoding::s24,   SampleEncoding::s32,
    SampleEncoding::f32, SampleEncoding::f64, SampleEncoding::a_law, SampleEncoding::mu_law};

/// Returns bytes that look random.
std::string some_bytes(std::int64_t size) {
  std::string bytes;
  std::uint32_t state = 12345;
  for (std::int64_t i = 0; i < size; ++i) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24U);
  }
  return bytes;
}

double g711_number(SampleEncoding encoding, unsigned byte) {
  if (encoding == SampleEncoding::a_law) {
    byte ^= 0x55U;
    const auto segment = static_cast<int>(byte / 16 % 8);
    const double step = byte % 16;
    const double size = segment == 0 ? 2 * step + 1 : std::ldexp(2 * step + 33, segment - 1);
    return 8 * (byte >= 128 ? size : -size);
  }
  byte = 255 - byte;
  const double size = std::ldexp(2.0 * (byte % 16) + 33, static_cast<int>(byte / 16 % 8)) - 33;
  return 4 * (byte >= 128 ? -size : size);
}

/// Returns sample i as a fraction of full scale, computed the slow way.
double number_at(const std::string& bytes, std::int64_t i, const SampleRules& rules) {
  const std::int64_t size = sample_bytes(rules.encoding);
  std::uint64_t word = 0;
  for (std::int64_t k = 0; k < size; ++k) {
    const std::int64_t at = i * size + (rules.is_big_endian ? size - 1 - k : k);
    const auto byte = static_cast<unsigned char>(bytes[static_cast<std::size_t>(at)]);
    word += std::uint64_t{byte} << 8U * static_cast<unsigned>(k);
  }
  const auto whole = [&](int bits) {
    const double number = static_cast<double>(word);
    const double end = std::ldexp(1, bits);
    return (2 * number >= end ? number - end : number) / (end / 2);
  };
  switch (rules.encoding) {
    case SampleEncoding::u8:
      return (static_cast<double>(word) - 128) / 128;
    case SampleEncoding::s16:
      return whole(16);
    case SampleEncoding::s24:
      return whole(24);
    case SampleEncoding::s32:
      return whole(32);
    case SampleEncoding::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(word));
    case SampleEncoding::f64:
      return std::bit_cast<double>(word);
    case SampleEncoding::a_law:
    case SampleEncoding::mu_law:
      break;
  }
  return g711_number(rules.encoding, static_cast<unsigned>(word)) / 32768;
}

using Pcm = EachSimdLevel;

TEST_P(Pcm, EveryEncodingMatchesTheReference) {
  for (const SampleEncoding encoding : kEncodings) {
    for (const bool is_big_endian : {false, true}) {
      for (const SampleScale scale : {SampleScale::unit, SampleScale::int16}) {
        const SampleRules rules = {encoding, is_big_endian, scale};
        const double factor = scale == SampleScale::unit ? 1 : 32768;
        for (std::int64_t count = 0; count <= 70; ++count) {
          // Tests bytes at any address.
          const std::string bytes = some_bytes(count * sample_bytes(encoding));
          const std::string shifted = std::string(static_cast<std::size_t>(count % 5), 'x') + bytes;
          std::vector<float> values(static_cast<std::size_t>(count) + 1, 7);
          convert_samples(std::as_bytes(std::span(shifted)).data() + count % 5, count, rules,
                          values.data());
          for (std::int64_t i = 0; i < count; ++i) {
            const float value = values[static_cast<std::size_t>(i)];
            const double number = number_at(bytes, i, rules);
            if (std::isnan(number)) {
              EXPECT_TRUE(std::isnan(value));
            } else {
              const float expected = static_cast<float>(number) * static_cast<float>(factor);
              EXPECT_EQ(value, expected) << "encoding " << static_cast<int>(encoding);
            }
          }
          EXPECT_EQ(values.back(), 7) << "nothing is written behind the last value";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Pcm, ::testing::ValuesIn(simd_levels()));

TEST(PcmValues, AllNumbersOf16BitsAreExact) {
  std::vector<std::int16_t> numbers;
  for (int n = -32768; n < 32768; ++n) numbers.push_back(static_cast<std::int16_t>(n));
  const auto count = std::ssize(numbers);
  std::vector<float> unit(numbers.size());
  std::vector<float> whole(numbers.size());
  const std::byte* const bytes = std::as_bytes(std::span(numbers)).data();
  convert_samples(bytes, count, {.scale = SampleScale::unit}, unit.data());
  convert_samples(bytes, count, {.scale = SampleScale::int16}, whole.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(whole[i], numbers[i]);
    ASSERT_EQ(double{unit[i]}, numbers[i] / 32768.0);
  }
}

TEST(PcmValues, G711BytesMatchTheStandard) {
  struct Case {
    SampleEncoding encoding;
    unsigned char byte;
    float number;
  };
  const Case cases[] = {
      {SampleEncoding::a_law, 0xD5, 8},        // the smallest positive number
      {SampleEncoding::a_law, 0x55, -8},       // the smallest negative number
      {SampleEncoding::a_law, 0xAA, 32256},    // the largest
      {SampleEncoding::a_law, 0x2A, -32256},   //
      {SampleEncoding::mu_law, 0xFF, 0},       // silence
      {SampleEncoding::mu_law, 0x7F, 0},       //
      {SampleEncoding::mu_law, 0x80, 32124},   // the largest
      {SampleEncoding::mu_law, 0x00, -32124},  //
  };
  for (const Case& each : cases) {
    float value = 7;
    const auto byte = static_cast<std::byte>(each.byte);
    convert_samples(&byte, 1, {.encoding = each.encoding, .scale = SampleScale::int16}, &value);
    EXPECT_EQ(value, each.number) << int{each.byte};
  }
}

TEST(PcmValues, StoredFloatsKeepTheirBits) {
  const std::uint32_t signalling = 0x7F800001;  // a NaN that arithmetic would change
  float value = 0;
  const SampleRules rules = {.encoding = SampleEncoding::f32};
  EXPECT_TRUE(is_stored_as_values(rules));
  convert_samples(std::as_bytes(std::span(&signalling, 1)).data(), 1, rules, &value);
  EXPECT_EQ(std::memcmp(&value, &signalling, sizeof value), 0);
  convert_samples(std::as_bytes(std::span(&value, 1)).data(), 1, rules, &value);
  EXPECT_EQ(std::memcmp(&value, &signalling, sizeof value), 0) << "in place";
}

}  // namespace
}  // namespace sheaf::internal
