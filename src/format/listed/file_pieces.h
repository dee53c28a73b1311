// Reads pieces of several files together.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// The largest gap between two pieces that is read with the pieces instead of skipped, unless the
/// caller sets another.
inline constexpr std::int64_t kPieceGapMax = std::int64_t{64} << 10;

/// A piece of a file.
struct FilePiece {
  const ByteSource* source = nullptr;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;

  /// The destination of bytes that need no conversion; otherwise null. Pieces that are contiguous
  /// both in the file and in memory are read directly to their destination.
  std::byte* location = nullptr;
};

/// Reads pieces. Calls `take` with the number and the bytes of each piece. The bytes are valid
/// during the call, and may be those at the piece's destination already. The calls are ordered by
/// file, in the order in which `pieces` first names the files, and then by offset.
///
/// Pieces of a file with gaps of at most `gap_max_bytes` between them are read together, up to 8
/// MiB at a time. Up to 16 MiB are read at the same time.
///
/// Pre:    pieces lie inside their files.
/// Throws: the IoError of the first file that has one; the exceptions of `take`.
void read_pieces(std::span<const FilePiece> pieces, std::int64_t read_size_bytes,
                 const std::function<void(std::size_t piece, const std::byte* bytes)>& take,
                 std::int64_t gap_max_bytes = kPieceGapMax);

}  // namespace sheaf::internal
