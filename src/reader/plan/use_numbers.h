/// \file
/// Finds the numbers of units in a plan.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reader/plan/range_cut.h"

namespace sheaf::internal {

/// Maps cut and unit to the number of the unit in the current plan. The table stays from plan to
/// plan, so that a plan allocates nothing.
///
/// Cost: constant, and usually one comparison.
class UseNumbers {
 public:
  /// Drops all units, because their numbers belong to the previous plan. Makes room for a plan of
  /// `expected_units`.
  void begin_plan(std::size_t expected_units) {
    ++plan_;
    size_ = 0;
    const std::size_t size = std::bit_ceil(2 * (expected_units + 1));
    if (size > entries_.size()) entries_ = std::vector<Entry>(std::max(kSizeMin, size));
  }

  /// A unit in the current plan.
  struct Use {
    std::int64_t number = -1;  // of the unit within the plan; negative: the caller must set it
    std::int64_t end = 0;      // of the unit's sequences
  };

  /// Returns the entry of a unit, given by its number within the cut. Adds an entry if there is
  /// none.
  ///
  /// Lifetime: until the next call.
  [[nodiscard]] Use& find_or_add(const RangeCut& cut, std::int64_t unit) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    Entry& entry = place_of(&cut, unit);
    if (entry.plan != plan_) {
      entry = {&cut, unit, plan_, {}};
      ++size_;
    }
    return entry.use;
  }

  /// Returns how much memory the table takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept {
    return static_cast<std::int64_t>(entries_.capacity() * sizeof(Entry));
  }

 private:
  struct Entry {
    const RangeCut* cut = nullptr;
    std::int64_t unit = 0;
    std::int64_t plan = 0;  // the entry is free in any other plan
    Use use{};
  };

  static constexpr std::size_t kSizeMin = 64;  // a power of two, as each size

  // Returns the entry of a unit, or the free entry that the unit would take.
  //
  // Pre: an entry is free.
  [[nodiscard]] Entry& place_of(const RangeCut* cut, std::int64_t unit) noexcept {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(cut));
    const std::uint64_t mixed =
        (address / alignof(RangeCut) + (static_cast<std::uint64_t>(unit) << 32)) *
        0x9E37'79B9'7F4A'7C15U;
    std::size_t place = static_cast<std::size_t>(mixed >> 32) & (entries_.size() - 1);
    while (entries_[place].plan == plan_ &&
           (entries_[place].cut != cut || entries_[place].unit != unit)) {
      place = (place + 1) & (entries_.size() - 1);
    }
    return entries_[place];
  }

  void grow() {
    std::vector<Entry> before(entries_.empty() ? kSizeMin : 2 * entries_.size());
    before.swap(entries_);
    for (const Entry& entry : before) {
      if (entry.plan == plan_) place_of(entry.cut, entry.unit) = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;  // the entries of the current plan
  std::int64_t plan_ = 1;
};

}  // namespace sheaf::internal
