// Counts the samples in the value of a field before the value is checked.

#pragma once

#include "sheaf/types.h"

#include "format/jsonl/jsonl_line.h"
#include "index/chunk_notes.h"

namespace sheaf::jsonl {

/// Returns a line's counts in a stream, judged by the form of the value alone. Reading finds the
/// same counts if the value is right. `pair_count` counts pairs, or the bytes of texts.
[[nodiscard]] internal::StreamCounts counts_of(const Field& field, const Stream& stream);

}  // namespace sheaf::jsonl
