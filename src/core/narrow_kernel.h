// The loops over narrow values, for each instruction set. All sets give the same bytes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "sheaf/types.h"

namespace sheaf::internal {

/// How to store an array of values in fewer bytes. Values that are all equal take no memory. Whole
/// numbers that lie close together take as many bytes as their distance from the smallest number
/// needs: 1, 2 or 4. Other values stay as they are.
struct NarrowForm {
  ElementType type = ElementType::f32;
  std::int64_t count = 0;
  std::int64_t code_size = 0;  // bytes for each value; 0: all values are `base`
  std::int64_t base = 0;       // is added to each code; for equal values, their bytes

  [[nodiscard]] std::int64_t size_bytes() const noexcept { return count * code_size; }
};

/// The smallest and the largest of some whole numbers.
struct NarrowRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
};

/// Returns the bytes for each distance from the smallest number. The result is 8 if 4 bytes are not
/// enough.
///
/// Pre: the range has a number.
[[nodiscard]] constexpr std::int64_t code_size_for(const NarrowRange& range) noexcept {
  const std::uint64_t width =
      static_cast<std::uint64_t>(range.greatest) - static_cast<std::uint64_t>(range.least);
  if (width <= std::numeric_limits<std::uint8_t>::max()) return 1;
  if (width <= std::numeric_limits<std::uint16_t>::max()) return 2;
  return width <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

struct NarrowKernel {
  /// Extends `range` by the values. Returns false, with any range, if a value is not a whole number
  /// or is -0, or if codes would take as many bytes as the values.
  bool (*find_range)(const std::byte* values, std::int64_t count, ElementType type,
                     NarrowRange& range) noexcept = nullptr;

  /// Writes the codes of all values of a form.
  ///
  /// Pre: codes are narrower than values, here and below; the form is the form of the values.
  void (*encode)(const std::byte* values, const NarrowForm& form, std::byte* to) noexcept = nullptr;

  /// Writes the values of `count` codes.
  void (*decode)(const std::byte* codes, std::int64_t count, const NarrowForm& form,
                 std::byte* to) noexcept = nullptr;
};

/// Returns the kernel for the instruction set in use.
[[nodiscard]] const NarrowKernel& narrow_kernel() noexcept;

// These kernels crash on machines without the instructions.
[[nodiscard]] const NarrowKernel& narrow_kernel_avx2() noexcept;
[[nodiscard]] const NarrowKernel& narrow_kernel_avx512() noexcept;

}  // namespace sheaf::internal
