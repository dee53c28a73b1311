// Pieces of several files, read together.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Bytes between two pieces that are read with the pieces rather than passed over, where the caller
/// does not say another number.
inline constexpr std::int64_t kPieceGapMax = std::int64_t{64} << 10;

/// Some bytes of a file.
struct FilePiece {
  const ByteSource* source = nullptr;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;

  /// Where the bytes belong, for bytes that are wanted as they are; else null. Pieces that follow
  /// each other both in the file and in memory are read straight to their place.
  std::byte* place = nullptr;
};

/// Reads pieces, and calls `take` with the number of each piece and with its bytes, which end with
/// the call. The bytes may be those of the piece's place already. The calls come by files, in the
/// order in which `pieces` names the files, and then by offsets.
///
/// Pieces of a file with gaps of at most `gap_max_bytes` between them are read together, up to 8
/// MiB at a time. Reads of 16 MiB are in flight together.
///
/// Pre:    pieces lie inside their files.
/// Throws: IoError of the first file that has one; what `take` throws.
void read_pieces(std::span<const FilePiece> pieces, std::int64_t read_size_bytes,
                 const std::function<void(std::size_t piece, const std::byte* bytes)>& take,
                 std::int64_t gap_max_bytes = kPieceGapMax);

}  // namespace sheaf::internal
