// The code that takes most of the time of reading, for each instruction set. All instruction sets
// give the same bits.

#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf::container {

/// The number of bytes after the bits of a vector that a kernel may read.
inline constexpr std::int64_t kReadBehind = 64;

/// Packed numbers of one vector.
struct PackedBits {
  const std::byte* bits = nullptr;  // kReadBehind more bytes may be read
  std::int64_t count = 0;
  unsigned width = 0;  // 1 .. 57, so that a number lies within eight bytes
  std::uint64_t base = 0;
};

struct PackingKernel {
  /// Writes the numbers. Their count is rounded up to a multiple of eight.
  void (*unpack)(const PackedBits& packed, std::uint64_t* into) noexcept = nullptr;

  /// Writes integers divided by a power of ten.
  ///
  /// Pre: the integers are signed, and below 2^51.
  void (*divide_f32)(const std::uint64_t* integers, std::int64_t count, double power,
                     float* into) noexcept = nullptr;
  void (*divide_f64)(const std::uint64_t* integers, std::int64_t count, double power,
                     double* into) noexcept = nullptr;

  /// Writes the integers nearest to values times a power of ten. Flags each value that differs from
  /// its integer divided by the power (1), or equals it bit by bit (0). Returns how many differ. A
  /// product of 2^51 or more counts as different, and its integer is arbitrary.
  std::int64_t (*multiply_f32)(const float* values, std::int64_t count, double power,
                               std::uint64_t* integers,
                               std::uint8_t* are_others) noexcept = nullptr;
  std::int64_t (*multiply_f64)(const double* values, std::int64_t count, double power,
                               std::uint64_t* integers,
                               std::uint8_t* are_others) noexcept = nullptr;

  /// Returns the XXH3 of bytes.
  std::uint64_t (*hash)(const void* bytes, std::size_t size) noexcept = nullptr;
};

/// Returns the kernel for the instruction set in use.
[[nodiscard]] const PackingKernel& packing_kernel() noexcept;

// These kernels crash on machines without the instructions.
[[nodiscard]] const PackingKernel& packing_kernel_avx2() noexcept;
[[nodiscard]] const PackingKernel& packing_kernel_avx512() noexcept;

/// Adding this number to a double below 2^51 leaves the nearest integer in the low bits.
inline constexpr double kRounder = 6755399441055744.0;     // 1.5 * 2^52
inline constexpr double kIntegerMax = 2251799813685248.0;  // 2^51

}  // namespace sheaf::container
