// Turns the sequences of a block into the bytes of its columns.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

#include "format/sheaf/array_codec.h"
#include "format/sheaf/batch_columns.h"
#include "format/sheaf/container_layout.h"
#include "format/sheaf/container_note.h"

namespace sheaf::container {

/// A column for the file.
struct MadeColumn {
  Buffer bytes = {};  // padded
  StoredColumn stored = {};
  std::int64_t content = 0;       // bytes
  std::int64_t sample_count = 0;  // for the column of the keys, its sequences
  StorageSummary sizes = {};      // of this column alone
};

/// Makes one column of a block. Makes the column of the keys if `stream` is null. The result
/// depends only on the sequences.
///
/// Pre: the pieces have the column, and at least one sequence.
[[nodiscard]] MadeColumn make_column(std::int64_t number, const Stream* stream,
                                     std::span<const BatchPiece> pieces, Compression compression);

}  // namespace sheaf::container
