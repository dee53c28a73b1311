// Each loop is written once and compiled twice: for every machine, and for AVX2. The compiler
// vectorises the loops. A conversion, and a product with a power of two, give the same bits in both
// versions.

#include "format/audio/pcm.h"

#include <array>
#include <bit>
#include <cstring>

#include "sheaf/extend/simd.h"

#include "base/unaligned.h"

namespace sheaf::internal {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr float kInt16Scale = 32768;

using ByteValues = std::array<float, 256>;  // the value of each byte, at the scale int16

constexpr int a_law_number(unsigned byte) {
  const unsigned bits = byte ^ 0x55U;
  const unsigned exponent = bits >> 4U & 7U;
  int number = static_cast<int>((bits & 15U) << 4U) + 8;
  if (exponent > 0) number = (number + 0x100) << (exponent - 1);
  return (bits & 0x80U) != 0 ? number : -number;
}

constexpr int mu_law_number(unsigned byte) {
  constexpr int kBias = 0x84;
  const unsigned bits = ~byte;
  const unsigned exponent = bits >> 4U & 7U;
  const int number = ((static_cast<int>((bits & 15U) << 3U) + kBias) << exponent) - kBias;
  return (bits & 0x80U) != 0 ? -number : number;
}

template <typename Number>
constexpr ByteValues byte_values(const Number& number) {
  ByteValues values{};
  for (unsigned byte = 0; byte < values.size(); ++byte) {
    values[byte] = static_cast<float>(number(byte));
  }
  return values;
}

constexpr ByteValues kALaw = byte_values(a_law_number);
constexpr ByteValues kMuLaw = byte_values(mu_law_number);

template <typename T>
T swapped(T word) noexcept {
  if constexpr (sizeof word == 2) {
    return __builtin_bswap16(word);
  } else if constexpr (sizeof word == 4) {
    return __builtin_bswap32(word);
  } else {
    return __builtin_bswap64(word);
  }
}

// Reads sample i as a number. Word is the unsigned type of the stored bytes, and Number the type
// that they represent.
template <typename Word, typename Number, bool kIsBigEndian>
struct WordSamples {
  static constexpr bool kIsTable = false;

  [[gnu::always_inline]] static float at(const std::byte* from, std::int64_t i) noexcept {
    auto word = load<Word>(from, i);
    if constexpr (kIsBigEndian) word = swapped(word);
    return static_cast<float>(std::bit_cast<Number>(word));
  }
};

// The three bytes become the upper bytes of a 32-bit number, which a float represents exactly.
template <bool kIsBigEndian>
struct ThreeByteSamples {
  [[gnu::always_inline]] static float at(const std::byte* from, std::int64_t i) noexcept {
    const std::byte* const bytes = from + 3 * i;
    const auto low = std::to_integer<std::uint32_t>(bytes[kIsBigEndian ? 2 : 0]);
    const auto middle = std::to_integer<std::uint32_t>(bytes[1]);
    const auto high = std::to_integer<std::uint32_t>(bytes[kIsBigEndian ? 0 : 2]);
    return static_cast<float>(std::bit_cast<std::int32_t>(high << 24U | middle << 16U | low << 8U));
  }
};

struct ByteSamples {
  [[gnu::always_inline]] static float at(const std::byte* from, std::int64_t i) noexcept {
    return static_cast<float>(std::to_integer<int>(from[i]) - 128);
  }
};

template <typename Samples>
[[gnu::always_inline]] inline void convert_all(const std::byte* from, std::int64_t count,
                                               float factor, float* __restrict to) noexcept {
  for (std::int64_t i = 0; i < count; ++i) to[i] = Samples::at(from, i) * factor;
}

template <typename Samples>
void convert_anywhere(const std::byte* from, std::int64_t count, float factor, float* to) noexcept {
  convert_all<Samples>(from, count, factor, to);
}

#if defined(__x86_64__)
template <typename Samples>
__attribute__((target("avx2"))) void convert_avx2(const std::byte* from, std::int64_t count,
                                                  float factor, float* to) noexcept {
  convert_all<Samples>(from, count, factor, to);
}
#endif

// `full_scale` is the number that is converted to full scale.
template <typename Samples>
void convert(const std::byte* from, std::int64_t count, const SampleRules& rules, float full_scale,
             float* to) noexcept {
  const float factor = (rules.scale == SampleScale::int16 ? kInt16Scale : 1) / full_scale;
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::avx2) return convert_avx2<Samples>(from, count, factor, to);
#endif
  convert_anywhere<Samples>(from, count, factor, to);
}

template <typename Word, typename Number>
void convert_words(const std::byte* from, std::int64_t count, const SampleRules& rules,
                   float full_scale, float* to) noexcept {
  if (rules.is_big_endian) {
    convert<WordSamples<Word, Number, true>>(from, count, rules, full_scale, to);
  } else {
    convert<WordSamples<Word, Number, false>>(from, count, rules, full_scale, to);
  }
}

void look_up(const std::byte* from, std::int64_t count, const ByteValues& values, SampleScale scale,
             float* to) noexcept {
  const float factor = scale == SampleScale::int16 ? 1 : 1 / kInt16Scale;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = values[std::to_integer<std::size_t>(from[i])] * factor;
  }
}

}  // namespace

std::int64_t sample_bytes(SampleEncoding encoding) noexcept {
  switch (encoding) {
    case SampleEncoding::s16:
      return 2;
    case SampleEncoding::s24:
      return 3;
    case SampleEncoding::s32:
    case SampleEncoding::f32:
      return 4;
    case SampleEncoding::f64:
      return 8;
    case SampleEncoding::u8:
    case SampleEncoding::a_law:
    case SampleEncoding::mu_law:
      break;
  }
  return 1;
}

bool is_stored_as_values(const SampleRules& rules) noexcept {
  return rules.encoding == SampleEncoding::f32 && !rules.is_big_endian &&
         rules.scale == SampleScale::unit;
}

void convert_samples(const std::byte* from, std::int64_t count, const SampleRules& rules,
                     float* to) noexcept {
  constexpr float k31Bits = 0x1p31F;
  if (is_stored_as_values(rules)) {
    if (static_cast<const void*>(from) == to || count == 0) return;
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  switch (rules.encoding) {
    case SampleEncoding::u8:
      return convert<ByteSamples>(from, count, rules, 128, to);
    case SampleEncoding::s16:
      return convert_words<std::uint16_t, std::int16_t>(from, count, rules, kInt16Scale, to);
    case SampleEncoding::s24:
      return rules.is_big_endian
                 ? convert<ThreeByteSamples<true>>(from, count, rules, k31Bits, to)
                 : convert<ThreeByteSamples<false>>(from, count, rules, k31Bits, to);
    case SampleEncoding::s32:
      return convert_words<std::uint32_t, std::int32_t>(from, count, rules, k31Bits, to);
    case SampleEncoding::f32:
      return convert_words<std::uint32_t, float>(from, count, rules, 1, to);
    case SampleEncoding::f64:
      return convert_words<std::uint64_t, double>(from, count, rules, 1, to);
    case SampleEncoding::a_law:
      return look_up(from, count, kALaw, rules.scale, to);
    case SampleEncoding::mu_law:
      return look_up(from, count, kMuLaw, rules.scale, to);
  }
}

}  // namespace sheaf::internal
