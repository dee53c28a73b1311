// How many samples the value of a field is, before anything is known to be right about it.

#pragma once

#include "sheaf/types.h"

#include "format/jsonl/jsonl_line.h"
#include "index/chunk_notes.h"

namespace sheaf::jsonl {

/// Returns what a line has of a stream, by the form of the value alone: reading finds as much where
/// the value is right. `pair_count` is that of the pairs, and of the bytes of texts.
[[nodiscard]] internal::StreamCounts counts_of(const Field& field, const Stream& stream);

}  // namespace sheaf::jsonl
