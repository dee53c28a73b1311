// Keeps keys on disk, divided into parts by hash.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sheaf/types.h"

#include "io/temporary_file.h"

namespace sheaf::internal {

/// Takes keys, each with a number, and spreads them over parts by their hash. Equal keys go to the
/// same part, in the order of put(). All parts share one temporary file, in which each is a chain
/// of extents.
class KeySpread {
 public:
  static constexpr int kPartCount = 64;

  /// All keys in a part of the last level are equal, if each level spread a part of the level
  /// before.
  static constexpr int kLevelCount = 22;

  struct Entry {
    SequenceKey key;
    std::int64_t number = 0;
  };

  /// Uses about `memory_bytes` until close(), or a little more if that is too small. `level`
  /// selects the hash. A part of one level is spread by the hash of the next level.
  ///
  /// Pre:    0 <= level < kLevelCount.
  /// Throws: all calls throw IoError.
  KeySpread(std::int64_t memory_bytes, int level);

  /// Pre: numbers are not negative and never fall.
  void put(const Entry& entry);

  /// Ends the calls of put(), and frees the memory.
  void close();

  /// Calls `visit` with each entry of a part in the order of put(), until `visit` returns false.
  ///
  /// Pre:  close() was called.
  /// Cost: memory of one extent.
  void read(int part, const std::function<bool(const Entry&)>& visit) const;

  /// Returns how much memory the object takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  /// A chain of extents: its first and its current extent, and the bytes not yet written.
  struct Part {
    std::int64_t first_extent = 0;
    std::int64_t extent = 0;  // extent of `pending`
    std::string pending;
    std::int64_t number = 0;  // number of the previous entry
  };

  void write_extent(Part& part, std::int64_t next_extent);

  int level_;
  std::size_t extent_size_;
  std::int64_t extent_count_ = 0;
  TemporaryFile file_;
  std::vector<Part> parts_;
};

}  // namespace sheaf::internal
