/// \file
/// Receives sequences that are decoded while an index is built.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"

namespace sheaf {

/// Receives the sequences that a deserializer decodes while building its index.
class DecodedSink {
 public:
  /// A decoded chunk in the form in which the sink keeps the chunk. Only the sink knows the form.
  using Kept = std::shared_ptr<const void>;

  virtual ~DecodedSink() = default;

  /// Returns the largest number of chunks for which the sink takes sequences. A deserializer with
  /// more chunks decodes nothing.
  [[nodiscard]] virtual std::int64_t chunk_count_max() const noexcept = 0;

  /// Converts decoded sequences to the form that the sink keeps. The deserializer holds the result
  /// until it calls add(). By default, the sink keeps the chunk itself.
  ///
  /// Threads: called from any number of threads.
  [[nodiscard]] virtual Kept keep(Chunk decoded) {
    return std::make_shared<const Chunk>(std::move(decoded));
  }

  /// Takes sequences of one chunk. Sequence i of the range is sequence first + i of `kept`, a
  /// result of keep(). Null means that the sequences of the range were not decoded.
  ///
  /// Order: by chunk, then by sequence. The ranges of a chunk cover all its sequences, or the chunk
  ///        has no ranges. The index already has the chunk.
  virtual void add(const ChunkRange& range, Kept kept, std::int64_t first) = 0;

  /// Reports that a chunk of the data was found, for example to show progress. The size of the
  /// chunk counts bytes of the files, as Index::stored_size_bytes(). A deserializer calls this
  /// function at most once for each chunk. After a failed build, the next build may report the
  /// same chunks again.
  ///
  /// Threads: called from any number of threads.
  virtual void found(const ChunkInfo& /*chunk*/) {}
};

}  // namespace sheaf
