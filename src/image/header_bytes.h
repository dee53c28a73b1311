/// \file
/// Reads the first bytes of an image with bounds checks.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace sheaf::internal {

/// Bytes with bounds. Offsets may lie behind the end, where there are no bytes.
class HeaderBytes {
 public:
  explicit HeaderBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

  /// Returns whether there are `count` bytes at offset `at`.
  [[nodiscard]] bool has(std::size_t at, std::uint64_t count) const noexcept {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }

  [[nodiscard]] bool starts_with(std::size_t at, std::string_view text) const noexcept {
    return has(at, text.size()) && std::memcmp(bytes_.data() + at, text.data(), text.size()) == 0;
  }

  /// Returns whether the bytes are a proper prefix of `text`.
  [[nodiscard]] bool begins(std::string_view text) const noexcept {
    return size() < text.size() && (size() == 0 || starts_with(0, text.substr(0, size())));
  }

  /// Returns the offset of the first byte `value` at or behind `at`, or size() if there is none.
  [[nodiscard]] std::size_t find(std::size_t at, unsigned value) const noexcept {
    if (at >= bytes_.size()) return bytes_.size();
    const auto rest = bytes_.subspan(at);
    const auto found = std::find(rest.begin(), rest.end(), static_cast<std::byte>(value));
    return at + static_cast<std::size_t>(found - rest.begin());
  }

  /// Returns the big-endian number of `count` bytes at `at`.
  ///
  /// Pre: has(at, count); count <= 8.
  [[nodiscard]] std::uint64_t big(std::size_t at, std::size_t count) const noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at + i]);
    }
    return value;
  }

  /// Returns the little-endian number of `count` bytes at `at`.
  ///
  /// Pre: as big().
  [[nodiscard]] std::uint64_t little(std::size_t at, std::size_t count) const noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = count; i > 0; --i) {
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at + i - 1]);
    }
    return value;
  }

  /// Pre: has(at, count).
  [[nodiscard]] HeaderBytes part(std::size_t at, std::uint64_t count) const noexcept {
    return HeaderBytes(bytes_.subspan(at, static_cast<std::size_t>(count)));
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace sheaf::internal
