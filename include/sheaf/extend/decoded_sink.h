/// \file
/// Who takes sequences that are decoded while an index is built.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"

namespace sheaf {

/// Takes the sequences that a deserializer decodes while the deserializer builds its index.
class DecodedSink {
 public:
  /// A decoded chunk in the form in which the sink keeps the chunk. The sink alone knows the form.
  using Kept = std::shared_ptr<const void>;

  virtual ~DecodedSink() = default;

  /// Returns the largest number of chunks of a data set whose sequences the sink takes. A
  /// deserializer of more chunks decodes nothing.
  [[nodiscard]] virtual std::int64_t chunk_count_max() const noexcept = 0;

  /// Turns sequences that were just decoded into the form that the sink keeps. The deserializer
  /// holds the result until it calls add(). By default the sink keeps the chunk itself.
  ///
  /// Threads: called from any number of threads.
  [[nodiscard]] virtual Kept keep(Chunk decoded) {
    return std::make_shared<const Chunk>(std::move(decoded));
  }

  /// Takes sequences of one chunk: sequence i of the range is sequence first + i of what keep()
  /// returned. Where `kept` is null, the sequences of the range were not decoded.
  ///
  /// Order: by chunk, and by sequence. The ranges of a chunk are all its sequences, or there is no
  ///        range of the chunk. The index has the chunk.
  virtual void add(const ChunkRange& range, Kept kept, std::int64_t first) = 0;

  /// Tells that a chunk of the data was found, so that somebody can show how far the index is. A
  /// deserializer calls this function for each chunk at most once. A build that fails may tell
  /// chunks that the next build tells again.
  ///
  /// Threads: called from any number of threads.
  virtual void found(const ChunkInfo& /*chunk*/) {}
};

}  // namespace sheaf
