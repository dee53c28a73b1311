/// \file
/// Widens sequences of narrow columns for packers and transforms.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "reader/fetch/held_chunk.h"

namespace sheaf::internal {

/// Widens sequences of many narrow chunks into one chunk with the original values. First add() each
/// sequence, then take() the chunk.
///
/// Threads: one call at a time.
class WideValues {
 public:
  /// Makes an empty collection for these streams.
  ///
  /// Lifetime: `streams` must outlive the values.
  explicit WideValues(std::span<const Stream> streams);

  /// Returns the number of sequences added since the last take().
  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(chunks_); }

  /// Drops the sequences added since the last take().
  void clear() noexcept;

  /// Adds consecutive whole sequences.
  ///
  /// Pre:      the chunk is narrow, and has the streams and the sequences.
  /// Lifetime: the chunk must live until take().
  void add(const HeldChunk& chunk, std::int64_t first, std::int64_t count);

  /// Adds a range of samples of a sequence. Returns the location of the samples in each stream.
  ///
  /// Pre:      as above.
  /// Lifetime: the result is valid until the next call. The chunk must live until take().
  std::span<const HeldChunk::StoredSequence> add(const HeldChunk& chunk, std::int64_t sequence,
                                                 const SampleRange& range);

  /// Returns whether packers usually need the values of a stream back to back: a sparse stream, or
  /// a dense one whose added sequences have the same number of samples.
  [[nodiscard]] bool is_even(std::int64_t stream) const noexcept {
    const OfStream& of_stream = of_streams_[static_cast<std::size_t>(stream)];
    return of_stream.index_size > 0 || of_stream.all_have_equal;
  }

  /// Returns a chunk of the sequences that were added, in the order of the calls, with the texts of
  /// their keys. Values and indices of even streams come from `memory`.
  [[nodiscard]] Chunk take(std::pmr::memory_resource& memory = default_memory());

 private:
  struct OfStream {
    std::int64_t value_size = 0;  // in bytes
    std::int64_t index_size = 0;  // in bytes; 0 if dense
    std::int64_t sample_count = 0;
    std::int64_t value_count = 0;
    bool all_have_one = true;    // whether every sequence has one sample
    bool all_have_equal = true;  // whether every sequence has as many samples as the first
    bool all_are_present = true;
    std::vector<HeldChunk::StoredSequence> stored;  // [sequence]
  };

  [[nodiscard]] std::vector<std::string> key_texts() const;
  [[nodiscard]] Column widened(std::int64_t number, const OfStream& stream,
                               std::pmr::memory_resource& memory) const;
  void add_stored(const HeldChunk& chunk, std::int64_t number,
                  const HeldChunk::StoredSequence& stored);

  const std::span<const Stream> streams_;
  std::vector<const HeldChunk*> chunks_;  // [sequence]
  std::vector<std::int64_t> sequences_;   // [sequence]: the number within its chunk
  std::vector<OfStream> of_streams_;
  std::vector<HeldChunk::StoredSequence> last_;  // [stream]: the locations of the last sequence
};

}  // namespace sheaf::internal
