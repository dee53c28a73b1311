// A set of 64-bit numbers in little memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sheaf {

/// Open addressing, linear probing, at most half full: 16 to 32 bytes a key.
class KeySet {
 public:
  /// Add a key. Returns whether it is new.
  bool insert(std::uint64_t key) {
    if (key == kFree) return !std::exchange(has_free_key_, true);
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::uint64_t& slot = slot_of(key);
    if (slot == key) return false;
    slot = key;
    ++count_;
    return true;
  }

  /// Memory held.
  [[nodiscard]] std::int64_t size_bytes() const noexcept {
    return static_cast<std::int64_t>(slots_.capacity() * sizeof(std::uint64_t));
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // marks a free slot

  /// The slot that has the key, or the free one where it belongs.
  std::uint64_t& slot_of(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = key * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32;
    auto i = static_cast<std::size_t>(hash) & mask;
    while (slots_[i] != kFree && slots_[i] != key) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    std::vector<std::uint64_t> old(slots_.empty() ? 64 : slots_.size() * 2, kFree);
    old.swap(slots_);
    for (const std::uint64_t key : old) {
      if (key != kFree) slot_of(key) = key;
    }
  }

  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
  bool has_free_key_ = false;
};

}  // namespace sheaf
