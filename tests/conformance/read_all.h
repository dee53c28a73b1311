/// \file
/// The fast path, brought into the form of the reference.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"
#include "sheaf/minibatch.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// One sequence in one stream.
[[nodiscard]] ReferenceStream to_reference(const Stream& stream, const SequenceView& view);

/// The sequences of a minibatch, in its order; without lines.
[[nodiscard]] std::vector<ReferenceSequence> to_reference(const Minibatch& minibatch);

/// What a chunk, or a range of it, holds and what is wrong with it.
struct RangeResult {
  std::vector<ReferenceSequence> sequences;
  std::vector<ReferenceDiagnostic> diagnostics;  // in the order given; sequences are of the chunk

  friend bool operator==(const RangeResult&, const RangeResult&) = default;
};
[[nodiscard]] RangeResult read_range(const Deserializer& deserializer, const ChunkRange& range);

/// Sequences that were decoded while an index was built: those of `chunk` from number `first` on.
struct DecodedRange {
  ChunkRange range;
  std::shared_ptr<const Chunk> chunk;  // null: they were not decoded
  std::int64_t first = 0;
};

/// Builds the index. Returns what a sink got that takes so many chunks.
std::vector<DecodedRange> build_index(const Deserializer& deserializer, Executor& executor,
                                      std::int64_t chunk_count_max);

/// The same as read_range() of what was decoded.
///
/// Pre: range.chunk is not null.
[[nodiscard]] RangeResult decoded_range(const Deserializer& deserializer,
                                        const DecodedRange& range);

/// Every chunk of a data set.
[[nodiscard]] ReferenceResult read_all(const Deserializer& deserializer);

/// Open bytes and read every chunk of them. What opening or indexing refuses becomes `fatal`.
///
/// Throws: what opening and reading throw, DataError apart.
[[nodiscard]] ReferenceResult read_all(const Format& format,
                                       std::shared_ptr<const ByteSource> source,
                                       const FormatOptions& options);

[[nodiscard]] ReferenceResult read_all(const Format& format, const OpenRequest& request);

/// The path that diagnostics of bytes in memory have.
inline constexpr std::string_view kMemoryName = "memory";

[[nodiscard]] ReferenceResult read_all(const Format& format, std::string bytes,
                                       const FormatOptions& options);

}  // namespace sheaf::conformance
