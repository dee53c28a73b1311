/// \file
/// Decodes a window with all sequences before the first step.

#pragma once

#include <cstdint>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"

#include "base/ledger.h"
#include "reader/fetch/decoded_ranges.h"

namespace sheaf::internal {

/// Decodes the sequences of all chunks with the threads of `executor`, and adds them to `decoded`
/// with narrow columns, unit by unit. Units with diagnostics, and units that cannot be read, are
/// added without sequences. Returns false and adds nothing if the ledger's limit has no room for
/// all units, `other_bytes`, and the largest unit while it is read.
///
/// The result does not depend on the number of threads.
///
/// Pre:    the ledger has a limit; the data have chunks 0 .. chunk_count - 1.
/// Throws: what the index and an interruption throw.
[[nodiscard]] bool decode_window(const Deserializer& deserializer, Executor& executor,
                                 std::int64_t chunk_count, Ledger& ledger, std::int64_t other_bytes,
                                 DecodedRanges& decoded);

}  // namespace sheaf::internal
