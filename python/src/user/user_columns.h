/// \file
/// From the arrays of a user's code to columns.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "user/user_calls.h"

namespace sheaf::python {

/// Sequences of a chunk that were read, and what is wrong with them.
struct UserChunk {
  struct Place {
    std::int64_t sequence = 0;  // number within what was read
    Diagnostic diagnostic;
  };

  std::int64_t first = 0;     // number of its first sequence within the chunk
  Chunk chunk;                // without key texts
  std::vector<Place> places;  // in the order of the sequences
};

/// Check what was answered, sequence by sequence, and make columns of it. Arrays of the right type
/// are borrowed; those of a chunk with holes are copied.
///
/// Pre: the call is answered, without an error.
[[nodiscard]] UserChunk user_chunk(const UserCall& call, std::span<const Stream> streams,
                                   const std::string& name);

/// The same sequences, or some of them, and what is wrong with those. The columns borrow from the
/// chunk, or are copies of it.
[[nodiscard]] Chunk part_of(const std::shared_ptr<const UserChunk>& whole,
                            std::span<const Stream> streams, const UserTable& table,
                            const ChunkRange& range, bool copies, Diagnostics& diagnostics);

}  // namespace sheaf::python
