// Files of many small chunks, read in larger pieces.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"

#include "base/unit_size.h"

namespace sheaf::cbf {

/// Bytes with what keeps them alive.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const Buffer> owner;
};

/// Reads ranges of a source. Small ones that are asked for about in the order of the file come from
/// pieces of a unit, so that each is no read of its own; others are read as they are. What is
/// delivered does not depend on it.
///
/// Threads: all calls are safe from any number of threads.
class ReadAhead {
 public:
  /// Bytes of a piece.
  [[nodiscard]] static std::int64_t piece_size() noexcept { return internal::unit_size_bytes(); }

  /// Nothing is read from `end_offset` on.
  ///
  /// Lifetime: the source must outlive it.
  ReadAhead(const ByteSource& source, std::int64_t end_offset)
      : source_(source), end_offset_(end_offset) {}

  /// Throws: IoError.
  [[nodiscard]] SharedBytes read(std::int64_t offset, std::int64_t size_bytes) const;

  /// Pieces read so far, for tests.
  [[nodiscard]] std::int64_t piece_count() const;

 private:
  struct Piece {
    std::int64_t offset;
    std::shared_ptr<const Buffer> bytes;
  };

  static constexpr std::size_t kPiecesMax = 4;

  const ByteSource& source_;
  const std::int64_t end_offset_;
  mutable std::mutex mutex_;
  mutable std::deque<Piece> pieces_;
  mutable std::int64_t last_end_ = -1;  // of the furthest small read of those in order
  mutable std::int64_t piece_count_ = 0;
};

}  // namespace sheaf::cbf
