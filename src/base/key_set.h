// Sets of keys in little memory.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sheaf {

/// A key of 128 bits.
struct WideKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const WideKey&, const WideKey&) = default;
};

/// A set with open addressing and linear probing, at most half full. It takes 2 to 4 times the size
/// of a key for each key.
template <typename Key>
class BasicKeySet {
 public:
  /// Adds a key. Returns whether it is new.
  bool insert(const Key& key) {
    if (key == kFree) return !std::exchange(has_free_key_, true);
    if (is_full()) {
      if (contains(key)) return false;
      grow();
    }
    Key& entry = entries_[entry_of(key)];
    if (entry == key) return false;
    entry = key;
    ++count_;
    return true;
  }

  [[nodiscard]] bool contains(const Key& key) const {
    if (key == kFree) return has_free_key_;
    return !entries_.empty() && entries_[entry_of(key)] == key;
  }

  /// Calls `visit` with each key, in arbitrary order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Key& key : entries_) {
      if (key != kFree) visit(key);
    }
    if (has_free_key_) visit(kFree);
  }

  /// Returns whether the next new key makes the set grow.
  [[nodiscard]] bool is_full() const noexcept { return 2 * (count_ + 1) > entries_.size(); }

  /// Returns how much memory the set takes.
  [[nodiscard]] std::int64_t size_bytes() const noexcept {
    return static_cast<std::int64_t>(entries_.capacity() * sizeof(Key));
  }

  /// Returns how much memory the set takes while it grows: the old and the new table together.
  [[nodiscard]] std::int64_t growing_size_bytes() const noexcept {
    return static_cast<std::int64_t>((entries_.size() + grown_size()) * sizeof(Key));
  }

  /// Returns the most memory that an empty set takes while `count` keys are added.
  [[nodiscard]] static std::int64_t size_bytes_max(std::int64_t count) noexcept {
    std::size_t size = kSizeMin;
    while (size < 2 * static_cast<std::size_t>(count)) size *= 2;
    return static_cast<std::int64_t>((size + size / 2) * sizeof(Key));
  }

 private:
  static constexpr std::size_t kSizeMin = 64;

  static constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  static constexpr Key free_key(std::uint64_t) { return kOnes; }
  static constexpr Key free_key(const WideKey&) { return {.low = kOnes, .high = kOnes}; }
  static constexpr Key kFree = free_key(Key{});  // marks a free entry

  static std::uint64_t hash_of(std::uint64_t key) { return key * 0x9E3779B97F4A7C15U; }
  static std::uint64_t hash_of(const WideKey& key) {
    return key.low * 0x9E3779B97F4A7C15U ^ key.high * 0xC2B2AE3D27D4EB4FU;
  }

  /// Returns the entry that has the key, or the free entry for it.
  [[nodiscard]] std::size_t entry_of(const Key& key) const {
    const std::size_t mask = entries_.size() - 1;
    std::uint64_t hash = hash_of(key);
    hash ^= hash >> 32;
    auto i = static_cast<std::size_t>(hash) & mask;
    while (entries_[i] != kFree && entries_[i] != key) i = (i + 1) & mask;
    return i;
  }

  [[nodiscard]] std::size_t grown_size() const noexcept {
    return std::max(kSizeMin, entries_.size() * 2);
  }

  void grow() {
    std::vector<Key> old(grown_size(), kFree);
    old.swap(entries_);
    for (const Key& key : old) {
      if (key != kFree) entries_[entry_of(key)] = key;
    }
  }

  std::vector<Key> entries_;
  std::size_t count_ = 0;
  bool has_free_key_ = false;
};

using KeySet = BasicKeySet<std::uint64_t>;
using WideKeySet = BasicKeySet<WideKey>;

}  // namespace sheaf
