// Converts samples of recordings to floats.

#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf::internal {

/// The encoding of a sample. Whole numbers of 8 bits are unsigned. A-law and mu-law are those of
/// ITU-T G.711, with one byte a sample.
enum class SampleEncoding : std::uint8_t { u8, s16, s24, s32, f32, f64, a_law, mu_law };

/// The range of delivered values.
///
/// unit:  full scale is 1: a 16-bit number is divided by 32768.
/// int16: full scale is 32768, as in Kaldi: a 16-bit number stays the number.
enum class SampleScale : std::uint8_t { unit, int16 };

/// The rules for converting samples to values.
struct SampleRules {
  SampleEncoding encoding = SampleEncoding::s16;
  bool is_big_endian = false;
  SampleScale scale = SampleScale::unit;

  friend bool operator==(const SampleRules&, const SampleRules&) = default;
};

/// Returns the number of bytes in a sample of one channel, from 1 to 8.
[[nodiscard]] std::int64_t sample_bytes(SampleEncoding encoding) noexcept;

/// Returns whether the stored bytes are the values already.
[[nodiscard]] bool is_stored_as_values(const SampleRules& rules) noexcept;

/// Converts samples. Channels are interleaved in `from` and in `to`.
///
/// A value is the stored number times a power of two. This is exact, except that 32-bit whole
/// numbers and 64-bit floats are first rounded to the nearest float.
///
/// Determinism: values do not depend on the instruction set.
/// Pre:         `from` has count * sample_bytes(rules.encoding) bytes, aligned or not; `from` and
///              `to` do not overlap, unless is_stored_as_values(rules) and both are the same
///              address.
/// Cost:        one pass, without branches on values.
/// Source:      docs/formats/wav.md; ITU-T G.711 for A-law and mu-law.
void convert_samples(const std::byte* from, std::int64_t count, const SampleRules& rules,
                     float* to) noexcept;

}  // namespace sheaf::internal
