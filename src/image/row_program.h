/// \file
/// The plan by which vector instructions collect the sources of a resized row of pixels.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::internal {

/// The bytes of a row that are the first two sources of a value.
using SourcePair = std::array<std::int32_t, 2>;

/// A list of groups. A group makes eight values, in two halves of four lanes. One load of 16 bytes
/// gets the sources of a half, and a shuffle puts the two sources of each value side by side. If
/// sources are far apart, the last lanes of each half stay empty. The number of groups is even,
/// since a block has two groups.
struct RowProgram {
  static constexpr std::int64_t kWindowBytes = 16;
  static constexpr std::int64_t kHalfLanes = 4;
  static constexpr std::int64_t kGroupLanes = 2 * kHalfLanes;
  static constexpr std::uint8_t kNoByte = 0x80;  // makes a shuffle write 0

  struct Group {
    std::array<std::int32_t, 2> bases = {};  // offsets of the loads of the halves
    std::array<std::uint8_t, kWindowBytes> first_shuffle = {};
    std::array<std::uint8_t, kWindowBytes> second_shuffle = {};
  };

  std::int64_t value_count = 0;
  std::int64_t half_values = kHalfLanes;  // values that a half makes
  bool has_one_window = true;  // whether the first load of each group gets all its sources
  std::vector<Group> groups;

  // A load must not pass the end of a row. The groups from `tail_group` on read a copy of the row's
  // end, with zeros behind it. Their bases count from the beginning of the copy.
  std::int64_t tail_group = 0;
  std::int64_t tail_first = 0;  // first byte of the row that is copied
  std::int64_t tail_bytes = 0;  // number of bytes copied
  std::int64_t tail_room = 0;   // bytes of the copy, including zeros

  /// Returns the value that a lane of a group makes, or kNone for an empty lane.
  static constexpr std::int64_t kNone = -1;
  [[nodiscard]] std::int64_t value_at(std::int64_t group, std::int64_t lane) const noexcept {
    const std::int64_t in_half = lane % kHalfLanes;
    const std::int64_t half = 2 * group + lane / kHalfLanes;
    const std::int64_t value = half * half_values + in_half;
    return in_half < half_values && value < value_count ? value : kNone;
  }
};

/// Makes the program of a row of `row_bytes` bytes. If values have more than two sources, `reach`
/// says how many bytes behind its base a load may begin.
///
/// Pre: the two sources of each value are less than 16 bytes apart.
void make_row_program(std::span<const SourcePair> sources, std::int64_t row_bytes,
                      std::int64_t reach, RowProgram& program);

}  // namespace sheaf::internal
