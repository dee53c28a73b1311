// Values in fewer bytes than their type has.

#pragma once

#include <cstdint>
#include <memory_resource>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// How an array of values is written in few bytes. Values that are all equal take no memory. Whole
/// numbers that lie close together take as many bytes as their distance from the least one needs:
/// 1, 2 or 4. Other values stay as they are.
struct NarrowForm {
  ElementType type = ElementType::f32;
  std::int64_t count = 0;
  std::int64_t code_size = 0;  // bytes of a value; 0: all values are `base`
  std::int64_t base = 0;       // a whole number that is added; of equal values, their bytes

  [[nodiscard]] std::int64_t size_bytes() const noexcept { return count * code_size; }
};

/// Returns the form of values of this type.
[[nodiscard]] NarrowForm narrow_form(const Buffer& values, ElementType type) noexcept;

/// A copy of an array of values that gives back every bit.
class NarrowValues {
 public:
  /// Makes an empty array.
  NarrowValues() = default;

  /// Copies `values` to `memory`.
  ///
  /// Pre: `form` is what narrow_form() returned for the values.
  NarrowValues(const Buffer& values, const NarrowForm& form,
               std::pmr::memory_resource& memory = default_memory());

  /// Returns how much memory the copy holds.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return codes_.capacity_bytes(); }

  /// Writes the values [first, first + count) as they were.
  ///
  /// Pre: there are so many values; `to` has room for them, aligned for their type.
  void widen(std::int64_t first, std::int64_t count, std::byte* to) const noexcept;

  /// Prefetches these values.
  void prefetch(std::int64_t first, std::int64_t count) const noexcept;

 private:
  NarrowForm form_;
  Buffer codes_;
};

/// Offsets that rise from 0, in few bytes.
class NarrowOffsets {
 public:
  /// Makes an empty list.
  NarrowOffsets() = default;

  /// Returns how much memory a copy of `offsets` takes, which are int64.
  [[nodiscard]] static std::int64_t size_bytes(const Buffer& offsets) noexcept;

  /// Copies `offsets` to `memory`.
  explicit NarrowOffsets(const Buffer& offsets,
                         std::pmr::memory_resource& memory = default_memory());

  /// Pre: there is such an offset.
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const noexcept {
    switch (code_size_) {
      case 0:
        return i * step_;
      case 4:
        return reinterpret_cast<const std::uint32_t*>(codes_.data())[i];
      default:
        return reinterpret_cast<const std::int64_t*>(codes_.data())[i];
    }
  }

  [[nodiscard]] bool empty() const noexcept { return is_empty_; }
  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return codes_.capacity_bytes(); }

  /// Prefetches an offset and the next one.
  void prefetch(std::int64_t i) const noexcept;

 private:
  bool is_empty_ = true;
  std::int64_t code_size_ = 0;  // bytes: 4 or 8; 0: offset i is i * step_
  std::int64_t step_ = 0;
  Buffer codes_;
};

}  // namespace sheaf::internal
