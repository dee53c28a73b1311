// How often each id of a stream occurs: classes, tokens, indices of sparse samples.

#pragma once

#include <cstdint>
#include <span>
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

  void add(std::span<const std::int64_t> ids);
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
  static constexpr int kSharedBits = 9;  // of the number of a slot that ids share
  static constexpr std::uint32_t kSlots = kOwn + (1U << kSharedBits);

  [[nodiscard]] static std::uint32_t slot_of(std::int64_t id) noexcept {
    const auto i = static_cast<std::uint64_t>(id);
    const auto folded = static_cast<std::uint32_t>(i ^ (i >> 32));
    const std::uint32_t shared = kOwn + (folded * 0x9e3779b1U >> (32 - kSharedBits));
    return i < kOwn ? static_cast<std::uint32_t>(i) : shared;
  }

  IdSlots() : counts_(kSlots) {}

  void add(std::span<const std::int64_t> ids) {
    std::uint32_t* const counts = counts_.data();
    for (const std::int64_t id : ids) ++counts[slot_of(id)];
  }

  /// Returns the counts, and begins anew.
  [[nodiscard]] SlotCounts take();

 private:
  std::vector<std::uint32_t> counts_;  // a slice has far fewer ids than 2^32
};

}  // namespace sheaf::internal
