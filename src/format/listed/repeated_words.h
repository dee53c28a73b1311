// Finds out whether a word occurs twice among many.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace sheaf::internal {

/// Collects words that are hashes. They are divided by their highest bits, so that the words that
/// may be equal are few enough for the caches.
///
/// Cost: 8 to 16 bytes for each word.
class RepeatedWords {
 public:
  void add(std::uint64_t word) { parts_[word >> (64 - kPartBits)].push_back(word); }

  /// Returns whether a word was added twice.
  [[nodiscard]] bool has_repeated() const {
    std::vector<std::uint64_t> entries;  // 0 means free
    return std::ranges::any_of(parts_,
                               [&](const auto& part) { return has_repeated(part, entries); });
  }

 private:
  static constexpr int kPartBits = 8;

  static bool has_repeated(const std::deque<std::uint64_t>& words,
                           std::vector<std::uint64_t>& entries) {
    entries.assign(std::bit_ceil(2 * words.size() + 1), 0);
    const std::size_t mask = entries.size() - 1;
    bool has_zero = false;
    for (const std::uint64_t word : words) {
      if (word == 0) {
        if (has_zero) return true;
        has_zero = true;
        continue;
      }
      auto entry = static_cast<std::size_t>(word) & mask;
      for (; entries[entry] != 0; entry = (entry + 1) & mask) {
        if (entries[entry] == word) return true;
      }
      entries[entry] = word;
    }
    return false;
  }

  std::array<std::deque<std::uint64_t>, std::size_t{1} << kPartBits> parts_;
};

}  // namespace sheaf::internal
