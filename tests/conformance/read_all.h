/// \file
/// Converts results of the fast path to the form of the reference.

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

/// Returns one stream of one sequence.
[[nodiscard]] ReferenceStream to_reference(const Stream& stream, const SequenceView& view);

/// Returns the sequences of a minibatch in its order, without line numbers.
[[nodiscard]] std::vector<ReferenceSequence> to_reference(const Minibatch& minibatch);

/// The sequences and the diagnostics of a chunk or of a range in a chunk.
struct RangeResult {
  std::vector<ReferenceSequence> sequences;
  std::vector<ReferenceDiagnostic> diagnostics;  // in the order reported; sequences are numbered in
                                                 // the chunk

  friend bool operator==(const RangeResult&, const RangeResult&) = default;
};
[[nodiscard]] RangeResult read_range(const Deserializer& deserializer, const ChunkRange& range);

/// A range of sequences decoded while an index was built. In `chunk`, they begin at number `first`.
struct DecodedRange {
  ChunkRange range;
  std::shared_ptr<const Chunk> chunk;  // null if the range was not decoded
  std::int64_t first = 0;
};

/// Builds the index. Returns the ranges given to a sink that takes `chunk_count_max` chunks.
std::vector<DecodedRange> build_index(const Deserializer& deserializer, Executor& executor,
                                      std::int64_t chunk_count_max);

/// Returns the same result as read_range(), from the decoded sequences.
///
/// Pre: range.chunk is not null.
[[nodiscard]] RangeResult decoded_range(const Deserializer& deserializer,
                                        const DecodedRange& range);

/// Reads every chunk of a data set.
[[nodiscard]] ReferenceResult read_all(const Deserializer& deserializer);

/// Opens bytes and reads every chunk. If opening or indexing throws a DataError, the error becomes
/// `fatal`.
///
/// Throws: every other exception of opening and reading.
[[nodiscard]] ReferenceResult read_all(const Format& format,
                                       std::shared_ptr<const ByteSource> source,
                                       const FormatOptions& options);

[[nodiscard]] ReferenceResult read_all(const Format& format, const OpenRequest& request);

/// The path in diagnostics about bytes in memory.
inline constexpr std::string_view kMemoryName = "memory";

[[nodiscard]] ReferenceResult read_all(const Format& format, std::string bytes,
                                       const FormatOptions& options);

}  // namespace sheaf::conformance
