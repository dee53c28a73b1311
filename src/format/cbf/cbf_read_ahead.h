// Reads files of many small chunks in larger pieces.

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

/// Bytes, and the object that keeps them alive.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const Buffer> owner;
};

/// Reads ranges of a source. Takes small ranges that are requested roughly in file order from
/// pieces of the size of a unit, so that not every range is a read. Reads other ranges directly.
/// The bytes returned are the same either way.
///
/// Threads: all calls are safe from any number of threads.
class ReadAhead {
 public:
  /// Returns the bytes of a piece.
  [[nodiscard]] static std::int64_t piece_size() noexcept { return internal::unit_size_bytes(); }

  /// Reads no bytes from `end_offset` on.
  ///
  /// Lifetime: the source must outlive the ReadAhead.
  ReadAhead(const ByteSource& source, std::int64_t end_offset)
      : source_(source), end_offset_(end_offset) {}

  /// Throws: IoError.
  [[nodiscard]] SharedBytes read(std::int64_t offset, std::int64_t size_bytes) const;

  /// Returns the number of pieces read so far, for tests.
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
  mutable std::int64_t last_end_ = -1;  // end of the furthest small read in order
  mutable std::int64_t piece_count_ = 0;
};

}  // namespace sheaf::cbf
