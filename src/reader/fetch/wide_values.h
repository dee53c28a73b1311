/// \file
/// Sequences of narrow columns, as packers and transforms take them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "reader/fetch/held_chunk.h"

namespace sheaf::internal {

/// Widens sequences of many narrow chunks, to one chunk with their values as they were read. First
/// add() each sequence, then take().
///
/// Threads: one call at a time.
class WideValues {
 public:
  /// Takes sequences of these streams.
  ///
  /// Lifetime: `streams` must outlive the values.
  explicit WideValues(std::span<const Stream> streams);

  /// Returns the number of sequences added since the last take().
  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(chunks_); }

  /// Forgets the sequences added since the last take().
  void clear() noexcept;

  /// Adds consecutive sequences, whole.
  ///
  /// Pre:      the chunk is narrow, and has the streams and the sequences.
  /// Lifetime: the chunk must live until take().
  void add(const HeldChunk& chunk, std::int64_t first, std::int64_t count);

  /// Adds the samples of a range of a sequence. Returns where the samples of each stream lie.
  ///
  /// Pre:      as above.
  /// Lifetime: of what is returned: until the next call. The chunk must live until take().
  std::span<const HeldChunk::Place> add(const HeldChunk& chunk, std::int64_t sequence,
                                        const SampleRange& range);

  /// Returns a chunk of the sequences that were added, in the order of the calls, with the texts of
  /// their keys.
  [[nodiscard]] Chunk take();

 private:
  struct OfStream {
    std::int64_t value_size = 0;  // in bytes
    std::int64_t index_size = 0;  // likewise; 0: dense
    std::int64_t sample_count = 0;
    std::int64_t value_count = 0;
    bool all_have_one = true;  // sample
    bool all_are_present = true;
    std::vector<HeldChunk::Place> places;  // [sequence]
  };

  [[nodiscard]] std::vector<std::string> key_texts() const;
  [[nodiscard]] Column widened(std::int64_t number, const OfStream& stream) const;
  void add_place(const HeldChunk& chunk, std::int64_t number, const HeldChunk::Place& place);

  const std::span<const Stream> streams_;
  std::vector<const HeldChunk*> chunks_;  // [sequence]
  std::vector<std::int64_t> sequences_;   // the same: number within its chunk
  std::vector<OfStream> of_streams_;
  std::vector<HeldChunk::Place> last_;  // [stream]: of the last sequence
};

}  // namespace sheaf::internal
