// The names of states.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::mlf {

/// The number of ids: one more than the largest id.
inline constexpr std::int64_t kIdCount = 65'536;

/// A state list: the id of a name is the number of its line among the lines that are not empty.
class States {
 public:
  /// Throws: IoError; DataError that names the line.
  explicit States(const ByteSource& source);

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(names_.size());
  }

  /// Returns the id of a name, or -1 if the list does not have the name.
  [[nodiscard]] std::int64_t find(std::string_view name) const noexcept;

  /// Pre: 0 <= id < size().
  [[nodiscard]] const std::string& name(std::int64_t id) const noexcept {
    return names_[static_cast<std::size_t>(id)];
  }

  /// The largest size of a short name, in words of eight bytes.
  static constexpr std::size_t kWords = 2;

  /// Returns the id of a short name, or -1 if the list does not have the name. The name has no
  /// control bytes and blanks. It is given as words whose bytes after the name are 0.
  [[nodiscard]] std::int64_t find_short(std::uint64_t front, std::uint64_t back) const noexcept {
    for (std::size_t entry = short_entry(front, back);; entry = (entry + 1) & short_mask_) {
      const Short& found = shorts_[entry];
      if (found.id < 0 || (found.front == front && found.back == back)) return found.id;
    }
  }

  /// Returns a text that differs for lists with other names or another order.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }

 private:
  [[nodiscard]] std::size_t entry_of(std::string_view name) const noexcept;

  /// A short name and its id, an entry of a hash table. An id of -1 means that the entry is free.
  struct Short {
    std::uint64_t front = 0;
    std::uint64_t back = 0;
    std::int64_t id = -1;
  };

  [[nodiscard]] std::size_t short_entry(std::uint64_t front, std::uint64_t back) const noexcept {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
    const std::uint64_t hash = (front ^ (back << 29 | back >> 35)) * kOdd;
    return static_cast<std::size_t>((hash ^ hash >> 32) & short_mask_);
  }
  void make_shorts();

  std::vector<std::string> names_;
  std::vector<std::int32_t> entries_;  // hash table of ids, at most half full; -1: free
  std::vector<Short> shorts_;          // hash table, at most half full; its size is a power of two
  std::size_t short_mask_ = 0;
  std::string fingerprint_;
};

}  // namespace sheaf::mlf
