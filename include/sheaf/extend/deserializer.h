/// \file
/// From the bytes of one format to chunks.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf {

/// Reads one data set of one format. Once made, nothing about it changes.
///
/// This is the interface to implement for data of one's own: pass the object to a Reader, or add a
/// format to the library (docs/adding-a-format.md).
///
/// Threads: all calls are safe from any number of threads.
class Deserializer {
 public:
  virtual ~Deserializer() = default;

  /// The streams that every sequence has, in the order they were asked for.
  ///
  /// Lifetime: as long as the deserializer.
  [[nodiscard]] virtual std::span<const Stream> streams() const noexcept = 0;

  /// Lifetime: as long as the deserializer.
  [[nodiscard]] virtual const Index& index() const noexcept = 0;

  /// What a position remembers the data by: equal for equal content read with equal options, and
  /// different otherwise. Short, printable.
  [[nodiscard]] virtual std::string fingerprint() const = 0;

  /// Read and decode sequences of a chunk. A sequence that is not as its format's page says is a
  /// hole of the result, and each wrong place of it is added to `diagnostics`.
  ///
  /// Each hole has at least one wrong place. A sequence that is no hole may have some too: places
  /// that count, though the sequence is delivered (as CNTK does). A place of severity `warning`
  /// counts for nothing and makes no hole.
  ///
  /// Order:  sequence i of the result is number range.first + i of the index's chunk; `diagnostics`
  ///         go by the latter number.
  /// The result must be as the index and streams() say: as many sequences as the range has, each of
  /// the indexed length unless it is a hole, and each sparse index below the dim. The reader does
  /// not check this; a class that reads data from outside has to.
  ///
  /// Pre:    the chunk exists; 0 <= range.first < its sequence_count; range.count > 0, and no more
  ///         than the chunk has: the reader has replaced ChunkRange::kAll.
  /// Throws: IoError. Never DataError: the reader decides how much bad data is too much.
  [[nodiscard]] virtual Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const = 0;

  /// Make the whole index at once, with threads of `executor`, for a caller that needs all of it
  /// before it reads; and decode what is looked at anyway, if the data turn out to have no more
  /// than `decoded_chunks_max` chunks. Nothing is done where the index is there (one that was begun
  /// is made to its end, and keeps its chunks), or where this is of no use to a format.
  ///
  /// Returns: what was decoded: all sequences, in order, each range within one chunk; or nothing.
  ///          What is in it is not kept here.
  /// Throws:  what index() throws.
  [[nodiscard]] virtual std::vector<DecodedRange> index_all(
      Executor& /*executor*/, std::int64_t /*decoded_chunks_max*/) const {
    return {};
  }

  /// What is worth knowing of the data as a whole though nothing is wrong, as far as it is known by
  /// now: streams in the file that nobody asked for, sequences dropped, an index file that could
  /// not be used. Each with severity `warning`, once, in the order of the file. Warnings about a
  /// single sequence come with read().
  [[nodiscard]] virtual std::vector<Diagnostic> warnings() const { return {}; }
};

}  // namespace sheaf
