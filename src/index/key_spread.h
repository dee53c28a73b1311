// Puts keys aside on disk, sorted roughly.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sheaf/types.h"

#include "io/temporary_file.h"

namespace sheaf::internal {

/// Takes keys with a number each and spreads them by their hash over parts: equal keys come into
/// one part, in the order they were put in. All parts share one temporary file, as chains of
/// extents.
class KeySpread {
 public:
  static constexpr int kPartCount = 64;

  /// Beyond this level, all keys of a part of a part of a part ... are equal.
  static constexpr int kLevelCount = 22;

  struct Entry {
    SequenceKey key;
    std::int64_t number = 0;
  };

  /// `memory_bytes`, or little more where that is too small, are used until close().
  /// `level` chooses the hash: keys that come into one part are spread by that of the next level.
  ///
  /// Pre:    0 <= level < kLevelCount.
  /// Throws: IoError, as all calls.
  KeySpread(std::int64_t memory_bytes, int level);

  /// Pre: numbers do not fall, and are not negative.
  void put(const Entry& entry);

  /// All was put in; gives the memory back.
  void close();

  /// Call `visit` with each entry of a part in the order of put(), until it returns false.
  ///
  /// Pre:  close() was called.
  /// Cost: memory of one extent.
  void read(int part, const std::function<bool(const Entry&)>& visit) const;

  /// Memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  /// A chain of extents: where it begins and goes on, and what is not written yet.
  struct Part {
    std::int64_t first_extent = 0;
    std::int64_t extent = 0;  // that of `pending`
    std::string pending;
    std::int64_t number = 0;  // of the entry before
  };

  void write_extent(Part& part, std::int64_t next_extent);

  int level_;
  std::size_t extent_size_;
  std::int64_t extent_count_ = 0;
  TemporaryFile file_;
  std::vector<Part> parts_;
};

}  // namespace sheaf::internal
