// Stores values in fewer bytes than their type has.

#pragma once

#include <cstdint>
#include <memory_resource>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

#include "core/narrow_kernel.h"

namespace sheaf::internal {

/// Returns the form for the values.
[[nodiscard]] NarrowForm narrow_form(const Buffer& values, ElementType type) noexcept;

/// A lossless copy of an array of values.
class NarrowValues {
 public:
  /// Makes an empty array.
  NarrowValues() = default;

  /// Copies `values` to `memory`.
  ///
  /// Pre: `form` is the result of narrow_form() for the values.
  NarrowValues(const Buffer& values, const NarrowForm& form,
               std::pmr::memory_resource& memory = default_memory());

  /// Returns how much memory the copy takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return codes_.capacity_bytes(); }

  /// Writes the original values [first, first + count).
  ///
  /// Pre: the values exist; `to` has room for them, and is aligned for their type.
  void widen(std::int64_t first, std::int64_t count, std::byte* to) const noexcept;

  /// Prefetches the values [first, first + count).
  void prefetch(std::int64_t first, std::int64_t count) const noexcept;

 private:
  NarrowForm form_;
  Buffer codes_;
};

/// Ascending offsets from 0, in fewer bytes.
class NarrowOffsets {
 public:
  /// Makes an empty list.
  NarrowOffsets() = default;

  /// Returns how much memory a copy of `offsets`, which are int64, takes.
  [[nodiscard]] static std::int64_t size_bytes(const Buffer& offsets) noexcept;

  /// Copies `offsets` to `memory`.
  explicit NarrowOffsets(const Buffer& offsets,
                         std::pmr::memory_resource& memory = default_memory());

  /// Pre: the offset exists.
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

  /// Writes the `count` offsets from number `first` on, each plus `shift`.
  ///
  /// Pre: the offsets exist.
  void write(std::int64_t first, std::int64_t count, std::int64_t shift,
             std::int64_t* to) const noexcept;

  /// Prefetches an offset and the next one.
  void prefetch(std::int64_t i) const noexcept;

 private:
  bool is_empty_ = true;
  std::int64_t code_size_ = 0;  // 4 or 8 bytes; 0: offset i is i * step_
  std::int64_t step_ = 0;
  Buffer codes_;
};

}  // namespace sheaf::internal
