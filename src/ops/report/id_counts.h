// How often each id of a stream occurs: classes, tokens, indices of sparse samples.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/report/slot_counts.h"

namespace sheaf::internal {

/// Returns the bits of a number, spread.
[[nodiscard]] constexpr std::uint64_t spread_bits(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// Counts ids in fixed memory. The order of the calls does not matter.
class IdCounts {
 public:
  /// Ids from 0 below this number are counted one by one. Other ids share as many slots: an id goes
  /// to the slot that its hash says.
  static constexpr std::int64_t kOwn = 65'536;

  void add(std::int64_t id) {
    const auto i = static_cast<std::uint64_t>(id);
    if (i < own_.size()) {
      ++own_[i];
    } else {
      add_far(i);
    }
  }
  void add(const IdCounts& other);

  /// Returns how many ids were counted in all.
  [[nodiscard]] std::int64_t total() const noexcept;

  /// Returns the counts of the ids 0, 1, ...: as many as have a count, and perhaps some zeros.
  [[nodiscard]] const std::vector<std::int64_t>& own() const noexcept { return own_; }

  /// Returns the counts of the slots that all other ids share; nothing where there is no such id.
  [[nodiscard]] const std::vector<std::int64_t>& shared() const noexcept { return shared_; }

  /// Returns the sum of shared().
  [[nodiscard]] std::int64_t shared_total() const noexcept;

  /// Returns how many different ids were seen. The number is exact where shared_total() is 0. Else
  /// it is an estimate, which is too small above some 100,000 ids.
  [[nodiscard]] std::int64_t seen() const;

  /// Returns the counts as a histogram for distance().
  [[nodiscard]] SlotCounts slots() const;

 private:
  void add_far(std::uint64_t id);

  std::vector<std::int64_t> own_;
  std::vector<std::int64_t> shared_;
};

/// Counts ids in few slots, for slices of data. Ids below kOwn have a slot of their own.
class IdSlots {
 public:
  static constexpr std::uint32_t kOwn = 512;
  static constexpr std::uint32_t kSlots = 1024;

  [[nodiscard]] static std::uint32_t slot_of(std::int64_t id) noexcept {
    const auto i = static_cast<std::uint64_t>(id);
    return static_cast<std::uint32_t>(i < kOwn ? i : kOwn + spread_bits(i) % (kSlots - kOwn));
  }

  IdSlots() : counts_(kSlots) {}

  void add(std::int64_t id) { ++counts_[slot_of(id)]; }

  /// Returns the counts, and begins anew.
  [[nodiscard]] SlotCounts take();

 private:
  std::vector<std::int64_t> counts_;
};

}  // namespace sheaf::internal
