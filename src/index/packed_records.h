// A list of byte strings in little memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::internal {

/// Records of any size, appended one by one.
///
/// Cost: about 6 bytes for each record besides its own bytes. A record is found in constant time.
class PackedRecords {
 public:
  /// Number of records in a block.
  static constexpr std::int64_t kBlockSize = 16;

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// If memory runs out, leaves the list unchanged.
  void push_back(std::string_view record);

  /// Pre:      0 <= i < size().
  /// Lifetime: until the list changes.
  [[nodiscard]] std::span<const std::byte> operator[](std::int64_t i) const noexcept;

  /// Drops all records but the first `count`.
  ///
  /// Pre: 0 <= count <= size().
  void truncate(std::int64_t count);

  /// Returns how much memory the list takes besides the object itself.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  std::vector<std::string> blocks_;  // size (varint) and bytes of each record
  std::int64_t size_ = 0;
  std::int64_t bytes_ = 0;  // of the blocks
};

}  // namespace sheaf::internal
