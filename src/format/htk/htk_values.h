// Converts frames of HTK files to numbers of the machine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sheaf::htk {

/// Copies 4-byte numbers and reverses the bytes of each. `from` and `to` may be the same address,
/// but must not overlap otherwise.
void swap_words(const std::byte* from, std::byte* to, std::int64_t count) noexcept;

/// The scales that turn 16-bit numbers into values: value = (number + offset) / scale, in 32 bits.
struct Scales {
  std::span<const float> scales;   // A of the file, one for each value of a frame
  std::span<const float> offsets;  // B
};

/// Decodes frames of 16-bit numbers.
void expand_frames(const std::byte* from, std::int64_t frame_count, bool is_big_endian,
                   const Scales& scales, float* to) noexcept;

/// Computes HTK's checksum, of 16-bit words in the byte order of the file.
class Checksum {
 public:
  explicit Checksum(bool is_big_endian) : is_big_endian_(is_big_endian) {}

  /// Adds bytes to the checksum.
  ///
  /// Pre: the number of bytes is even.
  void add(std::span<const std::byte> bytes) noexcept;

  [[nodiscard]] std::uint16_t value() const noexcept { return static_cast<std::uint16_t>(sum_); }

 private:
  bool is_big_endian_;
  std::uint64_t sum_ = 0;
};

}  // namespace sheaf::htk
