// Counts how often each id of a stream occurs: classes, tokens, indices of sparse samples.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/report/bin_counts.h"

namespace sheaf::internal {

/// Mixes the bits of a number, as a hash does.
[[nodiscard]] constexpr std::uint64_t spread_bits(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// Counts ids in fixed memory. The order of the calls does not change the counts.
class IdCounts {
 public:
  /// Each id from 0 to kOwn - 1 has its own counter. All other ids share another kOwn counters, by
  /// their hash.
  static constexpr std::int64_t kOwn = 65'536;

  void add(std::span<const std::int64_t> ids);
  void add(const IdCounts& other);

  /// Returns the total number of counted ids.
  [[nodiscard]] std::int64_t total() const noexcept;

  /// Returns the counts of the ids 0, 1, ..., up to at least the largest counted id below kOwn.
  /// Zeros may follow.
  [[nodiscard]] const std::vector<std::int64_t>& own() const noexcept { return own_; }

  /// Returns the counters that all ids from kOwn up share. Empty if there is no such id.
  [[nodiscard]] const std::vector<std::int64_t>& shared() const noexcept { return shared_; }

  /// Returns the sum of shared().
  [[nodiscard]] std::int64_t shared_total() const noexcept;

  /// Returns the number of distinct ids. The number is exact if shared_total() is 0. Otherwise it
  /// is an estimate, which is too small above about 100,000 ids.
  [[nodiscard]] std::int64_t seen() const;

  /// Returns the counts as a histogram for distance().
  [[nodiscard]] BinCounts bins() const;

 private:
  void add_far(std::uint64_t id);

  std::vector<std::int64_t> own_;
  std::vector<std::int64_t> shared_;
};

/// Counts the ids of a slice in few counters. Ids below kOwn have their own counter.
class IdBins {
 public:
  static constexpr std::uint32_t kOwn = 512;
  static constexpr int kSharedBits = 9;  // number of bits in the number of a shared counter
  static constexpr std::uint32_t kBins = kOwn + (1U << kSharedBits);

  [[nodiscard]] static std::uint32_t bin_of(std::int64_t id) noexcept {
    const auto i = static_cast<std::uint64_t>(id);
    const auto folded = static_cast<std::uint32_t>(i ^ (i >> 32));
    const std::uint32_t shared = kOwn + (folded * 0x9e3779b1U >> (32 - kSharedBits));
    return i < kOwn ? static_cast<std::uint32_t>(i) : shared;
  }

  IdBins() : counts_(kBins) {}

  void add(std::span<const std::int64_t> ids) {
    std::uint32_t* const counts = counts_.data();
    for (const std::int64_t id : ids) ++counts[bin_of(id)];
  }

  /// Returns the counts and resets the counters.
  [[nodiscard]] BinCounts take();

 private:
  std::vector<std::uint32_t> counts_;  // 32 bits suffice, since a slice has far fewer than 2^32 ids
};

}  // namespace sheaf::internal
