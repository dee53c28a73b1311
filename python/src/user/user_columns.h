/// \file
/// Converts the arrays of a user's code to columns.

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

/// The sequences that were read of a chunk, and their errors.
struct UserChunk {
  struct Error {
    std::int64_t sequence = 0;  // number among the sequences read
    Diagnostic diagnostic;
  };

  std::int64_t first = 0;     // number of the first sequence in the chunk of the data
  Chunk chunk;                // without key texts
  std::vector<Error> errors;  // the errors, in the order of the sequences
};

/// Checks an answer by sequence and makes columns of it. Borrows arrays of the right type. Copies
/// all arrays if there are holes.
///
/// Pre: the call is answered without an error.
[[nodiscard]] UserChunk user_chunk(const UserCall& call, std::span<const Stream> streams,
                                   const std::string& name);

/// Returns a chunk with all sequences of `whole`, or some of them, and adds their errors to
/// `diagnostics`. The columns borrow from `whole`, or copy if `copies` is true.
[[nodiscard]] Chunk part_of(const std::shared_ptr<const UserChunk>& whole,
                            std::span<const Stream> streams, const UserTable& table,
                            const ChunkRange& range, bool copies, Diagnostics& diagnostics);

}  // namespace sheaf::python
