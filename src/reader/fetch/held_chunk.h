/// \file
/// Sequences as the window holds them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "core/narrow_values.h"

namespace sheaf::internal {

/// The form in which a unit is held, chosen by the plan. The form changes memory and time, but not
/// what is delivered.
enum class UnitForm : std::uint8_t {
  as_read,  // the chunk that the deserializer returned
  narrow,   // values in fewer bytes, which are widened when a step needs them
};

/// A chunk as it was read, or with narrow columns.
///
/// Threads: any number of threads may read a chunk.
class HeldChunk {
 public:
  /// The location of samples of a sequence in one narrow stream.
  struct StoredSequence {
    std::int64_t first_sample = 0;  // number within the chunk
    std::int64_t sample_count = 0;
    std::int64_t first_value = 0;  // number within the chunk
    std::int64_t value_count = 0;
    std::int64_t whole_count = 0;  // samples of the whole sequence
    bool is_present = true;
  };

  /// Holds a chunk as it was read.
  explicit HeldChunk(Chunk chunk) noexcept : rows_(std::move(chunk)) { note_offsets(); }

  /// Holds a chunk with narrow columns. The chunk stays as it was read if narrow columns would save
  /// less than a quarter of its memory, or if a stream has samples of variable shape, has
  /// value_byte_offsets or index_byte_offsets, or borrows its values. Copies go to `memory`. With
  /// `moves`, the arrays of a chunk that stays as it was read also go to `memory`, unless they are
  /// large.
  ///
  /// Pre: the chunk has the streams `streams`.
  HeldChunk(Chunk chunk, std::span<const Stream> streams, std::pmr::memory_resource& memory,
            bool moves);

  /// Returns the most memory that narrow columns may take in place of `size_bytes`.
  [[nodiscard]] static constexpr std::int64_t narrow_bytes_max(std::int64_t size_bytes) noexcept {
    return size_bytes / 4 * kMostQuarters;
  }

  [[nodiscard]] bool is_narrow() const noexcept { return !columns_.empty(); }

  /// Returns the sequences with their keys and holes. The result has streams only if the chunk is
  /// as it was read.
  [[nodiscard]] const Chunk& rows() const noexcept { return rows_; }

  [[nodiscard]] std::int64_t stream_count() const noexcept {
    return is_narrow() ? std::ssize(columns_) : rows_.stream_count();
  }

  /// Returns the number of samples of a sequence in a stream; nothing if the stream is absent.
  [[nodiscard]] std::optional<std::int64_t> sample_count(std::int64_t stream,
                                                         std::int64_t sequence) const noexcept;

  /// Does the same as Chunk::prefetch(), also for narrow columns.
  void prefetch(std::int64_t sequence, bool samples) const noexcept {
    if (!is_narrow()) {
      rows_.prefetch(sequence, samples);
    } else if (samples ? has_sample_offsets_ : has_sequence_numbers_) {
      prefetch_narrow(sequence, samples);
    }
  }

  /// Returns whether prefetch() without `samples` has an effect.
  [[nodiscard]] bool has_sequence_numbers() const noexcept { return has_sequence_numbers_; }

  /// Returns the location of samples of a sequence. Clips the range to the sequence.
  ///
  /// Pre: columns are narrow, here and below; the chunk has the stream and the sequence.
  [[nodiscard]] StoredSequence stored_sequence(std::int64_t stream, std::int64_t sequence,
                                               const SampleRange& range) const noexcept;

  /// Prefetches the values at a location.
  void prefetch_values(std::int64_t stream, const StoredSequence& stored) const noexcept;

  /// Writes the values and indices at a location in their original types. Also writes the end of
  /// each sample, counted in values from `begin` on. A dense stream needs no `indices` and no
  /// `sample_ends`.
  void widen(std::int64_t stream, const StoredSequence& stored, std::byte* values,
             std::byte* indices, std::int64_t* sample_ends, std::int64_t begin) const noexcept;

  /// Returns how much memory is held, including borrowed bytes.
  [[nodiscard]] std::int64_t held_bytes() const noexcept;

  /// Returns the share of that memory for `sequence_count` sequences.
  [[nodiscard]] std::int64_t held_bytes(std::int64_t sequence_count) const noexcept;

 private:
  /// Narrow columns may take at most this many quarters of the memory. Otherwise, they are not
  /// worth the time for widening.
  static constexpr std::int64_t kMostQuarters = 3;

  struct NarrowColumn {
    NarrowValues values;
    NarrowValues indices;
    NarrowOffsets sample_offsets;    // empty if dense
    NarrowOffsets sequence_offsets;  // empty if each sequence has one sample
    Buffer presence;                 // empty if the stream is in every sequence
    std::int64_t sample_size = 0;    // values of a sample; 0 if sample_offsets gives the size

    [[nodiscard]] std::int64_t memory_bytes() const noexcept;
  };

  void note_offsets() noexcept;
  void prefetch_narrow(std::int64_t sequence, bool samples) const noexcept;

  bool has_sequence_numbers_ = false;  // whether a stream has them, here and below
  bool has_sample_offsets_ = false;
  Chunk rows_;
  std::vector<NarrowColumn> columns_;  // empty if `rows_` has the streams
};

}  // namespace sheaf::internal
