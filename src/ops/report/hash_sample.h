// Samples entries by their hashes in bounded memory. A sample has either all copies of an entry or
// none.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace sheaf::internal {

/// Keeps entries whose hash is at most a threshold, and counts equal entries. Halves the threshold
/// when there are too many entries.
///
/// An `Entry` has the functions sampling_hash() and is_same(). Its function add() takes a later
/// equal entry. The operator `<` compares sampling_hash() first, so that sorting brings equal
/// entries together.
///
/// Determinism: the sample depends only on the entries and their order.
template <typename Entry>
class HashSample {
 public:
  /// Keeps at most `count_max` entries.
  ///
  /// Pre: count_max > 1.
  explicit HashSample(std::size_t count_max) : count_max_(count_max) {}

  void add(const Entry& entry) {
    if (entry.sampling_hash() > threshold_) return;
    // A large sample grows to its full size: the last steps of growing would copy most entries.
    if (entries_.size() == kGrowMax) entries_.reserve(count_max_);
    entries_.push_back(entry);
    if (entries_.size() >= count_max_) shrink();
  }

  /// Returns the largest hash that the sample accepts.
  [[nodiscard]] std::uint64_t threshold() const noexcept { return threshold_; }

  /// Returns the distinct entries with a hash of at most `threshold`, sorted.
  [[nodiscard]] std::vector<Entry> take(
      std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max()) {
    compact();
    std::erase_if(entries_, [&](const Entry& each) { return each.sampling_hash() > threshold; });
    dealt_ = {};
    return std::move(entries_);
  }

 private:
  static constexpr std::size_t kProbeMin = 1024;

  // Returns whether about a tenth of the entries or more repeat others. Looks at one entry of 16.
  // Returns true if these entries are too few.
  [[nodiscard]] bool may_have_repeats() const {
    std::vector<Entry> probe;
    std::ranges::copy_if(entries_, std::back_inserter(probe), [&](const Entry& each) {
      return each.sampling_hash() <= threshold_ / 16;
    });
    if (probe.size() < kProbeMin) return true;
    std::ranges::sort(probe);
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < probe.size(); ++i) {
      if (!probe[i].is_same(probe[i - 1])) ++distinct;
    }
    return 10 * distinct < 9 * probe.size();
  }

  static constexpr std::size_t kGrowMax = std::size_t{1} << 14;

  // Hashes are spread evenly below the threshold. Therefore entries first go to buckets by their
  // hash. Each bucket fits into the cache when it is sorted. The memory for the buckets is kept,
  // since the system would have to clear fresh memory for each sort.
  void sort() {
    constexpr std::size_t kBuckets = 4096;
    const std::uint64_t width = threshold_ / kBuckets + 1;
    std::vector<std::size_t> ends(kBuckets + 1);
    for (const Entry& each : entries_) ++ends[each.sampling_hash() / width + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    dealt_.resize(entries_.size());
    for (const Entry& each : entries_) dealt_[ends[each.sampling_hash() / width]++] = each;
    auto begin = dealt_.begin();  // ends[i] is now the end of bucket i
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      const auto end = dealt_.begin() + static_cast<std::ptrdiff_t>(ends[bucket]);
      std::sort(begin, end);
      begin = end;
    }
    entries_.swap(dealt_);
  }

  void compact() {
    sort();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (kept > 0 && entries_[kept - 1].is_same(entries_[i])) {
        entries_[kept - 1].add(entries_[i]);
      } else {
        entries_[kept++] = entries_[i];
      }
    }
    entries_.resize(kept);
  }

  // Halving alone is right if few entries repeat others, and takes less time than to find them.
  void shrink() {
    if (may_have_repeats()) compact();
    while (entries_.size() > count_max_ / 2) {
      if (threshold_ == 0) return entries_.clear();  // all entries have the hash 0
      threshold_ /= 2;
      std::erase_if(entries_, [&](const Entry& each) { return each.sampling_hash() > threshold_; });
    }
  }

  std::size_t count_max_;
  std::uint64_t threshold_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<Entry> entries_;
  std::vector<Entry> dealt_;  // memory for sort(), as large as entries_
};

}  // namespace sheaf::internal
