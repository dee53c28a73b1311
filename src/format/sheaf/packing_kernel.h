// What takes most of the time of reading, for each set of instructions. All sets give the same
// bits.

#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf::container {

/// Bytes behind the bits of a vector that a kernel may read.
inline constexpr std::int64_t kReadBehind = 64;

/// Packed numbers of one vector.
struct PackedBits {
  const std::byte* bits = nullptr;  // kReadBehind more bytes can be read
  std::int64_t count = 0;
  unsigned width = 0;  // 1 .. 57: a number lies within eight bytes
  std::uint64_t base = 0;
};

struct PackingKernel {
  /// Writes the numbers, rounded up to a multiple of eight.
  void (*unpack)(const PackedBits& packed, std::uint64_t* into) noexcept = nullptr;

  /// Writes integers divided by a power of ten.
  ///
  /// Pre: the integers are signed, and below 2^51.
  void (*divide_f32)(const std::uint64_t* integers, std::int64_t count, double power,
                     float* into) noexcept = nullptr;
  void (*divide_f64)(const std::uint64_t* integers, std::int64_t count, double power,
                     double* into) noexcept = nullptr;

  /// Writes the integers nearest to values times a power of ten, and for each value whether it is
  /// another than that integer divided by the power (1), or equal bit by bit (0). Returns how many
  /// are others. A product of 2^51 or more is another; its integer is any number.
  std::int64_t (*multiply_f32)(const float* values, std::int64_t count, double power,
                               std::uint64_t* integers,
                               std::uint8_t* are_others) noexcept = nullptr;
  std::int64_t (*multiply_f64)(const double* values, std::int64_t count, double power,
                               std::uint64_t* integers,
                               std::uint8_t* are_others) noexcept = nullptr;

  /// Returns the XXH3 of bytes.
  std::uint64_t (*hash)(const void* bytes, std::size_t size) noexcept = nullptr;
};

/// Returns the kernel for the set of instructions in use.
[[nodiscard]] const PackingKernel& packing_kernel() noexcept;

// Sets of instructions that the machine does not have crash.
[[nodiscard]] const PackingKernel& packing_kernel_avx2() noexcept;
[[nodiscard]] const PackingKernel& packing_kernel_avx512() noexcept;

/// Adding this number to a double below 2^51 leaves the nearest integer in the low bits.
inline constexpr double kRounder = 6755399441055744.0;     // 1.5 * 2^52
inline constexpr double kIntegerMax = 2251799813685248.0;  // 2^51

}  // namespace sheaf::container
