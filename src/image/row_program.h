/// \file
/// How vector instructions collect the sources of a resized row.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::internal {

/// The bytes of a row that are the first two sources of one value.
using SourcePair = std::array<std::int32_t, 2>;

/// A list of groups. A group makes eight values, in two halves of four slots: one load of 16 bytes
/// has the sources of a half, and a shuffle puts the two sources of each value side by side. Where
/// sources lie far apart, the last slots of each half stay empty. There are as many groups as make
/// whole blocks of two.
struct RowProgram {
  static constexpr std::int64_t kWindowBytes = 16;
  static constexpr std::int64_t kHalfSlots = 4;
  static constexpr std::int64_t kGroupSlots = 2 * kHalfSlots;
  static constexpr std::uint8_t kNoByte = 0x80;  // a shuffle makes it 0

  struct Group {
    std::array<std::int32_t, 2> bases = {};  // where the loads of the halves begin
    std::array<std::uint8_t, kWindowBytes> first_shuffle = {};
    std::array<std::uint8_t, kWindowBytes> second_shuffle = {};
  };

  std::int64_t value_count = 0;
  std::int64_t half_values = kHalfSlots;  // the values that a half makes
  bool has_one_window = true;  // whether the first load of each group has all of its sources
  std::vector<Group> groups;

  // A load must not pass the end of a row. The groups from `tail_group` on read a copy of the row's
  // end, with zeros behind, and their bases count from the beginning of the copy.
  std::int64_t tail_group = 0;
  std::int64_t tail_first = 0;  // the first byte of the row that is copied
  std::int64_t tail_bytes = 0;  // of the row that are copied
  std::int64_t tail_room = 0;   // bytes of the copy, zeros included

  /// Returns which value a slot of a group makes; kNone for an empty slot.
  static constexpr std::int64_t kNone = -1;
  [[nodiscard]] std::int64_t value_at(std::int64_t group, std::int64_t slot) const noexcept {
    const std::int64_t in_half = slot % kHalfSlots;
    const std::int64_t half = 2 * group + slot / kHalfSlots;
    const std::int64_t value = half * half_values + in_half;
    return in_half < half_values && value < value_count ? value : kNone;
  }
};

/// Makes the program of a row with `row_bytes` bytes. `reach` says how many bytes behind its base a
/// load may begin, where values have more than two sources.
///
/// Pre: no value; or the two sources of each value are less than 16 bytes apart.
void make_row_program(std::span<const SourcePair> sources, std::int64_t row_bytes,
                      std::int64_t reach, RowProgram& program);

}  // namespace sheaf::internal
