/// \file
/// Decoded sequences, in columns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

namespace sheaf {

/// All samples of one stream of a chunk, in the order of the sequences.
///
/// N is the number of sequences of the chunk, S the number of samples of this stream in the chunk,
/// and V the number of stored values. Arrays implied by the stream description are empty:
///
/// | Buffer               | Holds                         | Left empty if                         |
/// |----------------------|-------------------------------|---------------------------------------|
/// | `values`             | V values                      | never                                 |
/// | `indices`            | V of the stream's index_type  | the stream is dense                   |
/// | `sample_offsets`     | S+1 int64, in values          | dense with a fixed shape              |
/// | `extents`            | S x rank int64                | the shape is fixed                    |
/// | `sequence_offsets`   | N+1 int64, in samples         | every sequence has exactly one sample |
/// | `presence`           | N uint8, 0 if absent          | the stream is in every sequence       |
/// | `value_byte_offsets` | N int64, bytes into `values`  | sequences lie back to back there      |
/// | `index_byte_offsets` | N int64, bytes into `indices` | likewise, or the stream is dense      |
///
/// Offsets start at 0. Buffers may borrow the bytes that were read: a format whose bytes already
/// are the values copies nothing. If other bytes lie between the values of two sequences,
/// `value_byte_offsets` and `index_byte_offsets` say where the values and indices of each sequence
/// begin. `values` and `indices` may then have any size, and may be the same bytes. Opaque `bytes`
/// are a stream of shape [*].
struct Column {
  Buffer values = {};
  Buffer indices = {};
  Buffer sample_offsets = {};
  Buffer extents = {};
  Buffer sequence_offsets = {};
  Buffer presence = {};
  Buffer value_byte_offsets = {};
  Buffer index_byte_offsets = {};

  /// Returns how much memory the buffers take, without borrowed memory.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Points to the samples of one sequence in one stream. A view is cheap to copy. Values and indices
/// may be unaligned for their type, so copy them before use.
///
/// Lifetime: as long as the chunk or minibatch of the view.
struct SequenceView {
  const std::byte* values = nullptr;             // the first value
  const std::byte* indices = nullptr;            // the first index; null if dense
  const std::int64_t* sample_offsets = nullptr;  // [sample_count + 1], or null; only the
                                                 // differences have a meaning
  const std::int64_t* extents = nullptr;  // [sample_count, rank]; null if the shape is fixed, and
                                          // for opaque bytes in layouts other than `ragged`
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;  // number of stored values of all samples
  bool is_present = true;        // false if the stream is absent from the sequence

  /// The distance in bytes between the beginnings of two neighbouring samples, if samples overlap
  /// or lie apart. Usually 0, which means that samples lie back to back. Only a packer with
  /// Packer::takes_strides() gets other views, and only of dense streams of fixed shape.
  std::int32_t sample_stride = 0;
};

/// Returns the samples [range.first, range.first + range.count) of a view, counted from its first
/// sample, and cut at the end of the view. A result without samples is still present.
///
/// Pre:      the view belongs to `stream`; the range has no negative number.
/// Lifetime: as for `view`.
[[nodiscard]] SequenceView part_of_view(const SequenceView& view, const Stream& stream,
                                        const SampleRange& range) noexcept;

/// Consecutive sequences, decoded together and released together.
///
/// A chunk is move-only. Moving a chunk keeps its views valid.
class Chunk {
 public:
  /// Pre:    `columns` are in the order of `streams`, and their sizes are as Column says; `holes`
  ///         are ascending sequence numbers in this chunk. A hole has no samples.
  /// Throws: InternalError if a size is wrong.
  Chunk(std::span<const Stream> streams, std::int64_t sequence_count, std::vector<Column> columns,
        std::vector<std::int64_t> holes = {});

  [[nodiscard]] std::int64_t sequence_count() const noexcept { return sequence_count_; }
  [[nodiscard]] std::int64_t stream_count() const noexcept {
    return static_cast<std::int64_t>(columns_.size());
  }

  /// Returns one stream of one sequence.
  ///
  /// Pre:      0 <= stream < stream_count() and 0 <= sequence < sequence_count().
  /// Lifetime: until the chunk is destroyed or assigned to.
  [[nodiscard]] SequenceView view(std::int64_t stream, std::int64_t sequence) const noexcept;

  /// Appends the views of one stream of consecutive sequences. This is faster than calling view()
  /// for each.
  ///
  /// Pre: as view(), for all of [first, first + count).
  void append_views(std::int64_t stream, std::int64_t first, std::int64_t count,
                    std::vector<SequenceView>& views) const;

  /// Writes the views of one stream of consecutive sequences over existing views.
  ///
  /// Pre: as view(), for all of [first, first + count); `views` has `count` default-constructed
  ///      views.
  void write_views(std::int64_t stream, std::int64_t first, std::int64_t count,
                   SequenceView* views) const noexcept;

  /// Prefetches the memory that view() of a sequence reads. Without `samples`, prefetches the
  /// offsets of sequences; with `samples`, prefetches the offsets of samples. A caller with
  /// scattered sequences first calls this for all of them without `samples`, and then for all of
  /// them with `samples`.
  ///
  /// Pre: as view().
  void prefetch(std::int64_t sequence, bool samples) const noexcept {
    if (samples ? has_sample_offsets_ : has_sequence_numbers_) prefetch_offsets(sequence, samples);
  }

  /// Returns whether the sequence is left out because its data are wrong.
  [[nodiscard]] bool is_hole(std::int64_t sequence) const noexcept;
  [[nodiscard]] std::span<const std::int64_t> holes() const noexcept { return holes_; }

  /// Sets the texts of the keys, one for each sequence, if keys are texts.
  ///
  /// Throws: InternalError if there is not one text for each sequence.
  void set_key_texts(std::vector<std::string> texts);

  /// Sets, for each sequence, how many samples the streams of other data sets have, as stated by a
  /// stream with Stream::describes_others. A negative number means unknown.
  ///
  /// Throws: InternalError if there is not one number for each sequence.
  void set_described_counts(std::vector<std::int64_t> counts);

  /// Returns the number that set_described_counts() set for a sequence. Returns nothing if no
  /// numbers were set, or if the number is unknown.
  [[nodiscard]] std::optional<std::int64_t> described_count(std::int64_t sequence) const noexcept {
    if (described_counts_.empty()) return std::nullopt;
    const std::int64_t count = described_counts_[static_cast<std::size_t>(sequence)];
    return count < 0 ? std::nullopt : std::optional(count);
  }

  /// Drops the texts of the keys. Keys are numbers from now on.
  void drop_key_texts() noexcept { key_texts_.clear(); }

  /// Returns whether keys are texts. A text may be empty.
  [[nodiscard]] bool has_key_texts() const noexcept { return !key_texts_.empty(); }

  /// Returns the text of a sequence's key. Returns an empty text if keys are numbers.
  ///
  /// Lifetime: as view().
  [[nodiscard]] std::string_view key_text(std::int64_t sequence) const noexcept {
    return key_texts_.empty() ? std::string_view{}
                              : std::string_view(key_texts_[static_cast<std::size_t>(sequence)]);
  }

  [[nodiscard]] std::span<const Column> columns() const noexcept { return columns_; }

  /// Moves the columns out of the chunk. Keys and holes stay; the chunk then has no streams.
  [[nodiscard]] std::vector<Column> take_columns() noexcept {
    layouts_.clear();
    has_sequence_numbers_ = has_sample_offsets_ = false;
    return std::exchange(columns_, {});
  }

  /// Moves each owned array with less memory than `size_max_bytes` to `memory`, without spare
  /// capacity. Views into a moved array become invalid.
  ///
  /// Lifetime: `memory` must outlive the chunk.
  /// Throws:   what `memory` throws. The chunk then has the same content, but some arrays may have
  ///           moved.
  void move_arrays(std::pmr::memory_resource& memory, std::int64_t size_max_bytes);

  /// Returns how much memory the buffers take, without borrowed memory.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  struct Layout {
    std::int64_t element_size;
    std::int64_t index_size;   // 0 if dense
    std::int64_t sample_size;  // values of a sample; 0 if sample_offsets gives the size
    std::int64_t rank;
    bool is_plain;  // whether offsets alone define a view, without value_byte_offsets,
                    // index_byte_offsets, presence and extents
    const std::byte* values;
    const std::byte* indices;
    const std::int64_t* sequence_offsets;  // null if every sequence has one sample
    const std::int64_t* sample_offsets;
    const std::int64_t* value_byte_offsets;  // may be null, here and below
    const std::int64_t* index_byte_offsets;
  };

  void prefetch_offsets(std::int64_t sequence, bool samples) const noexcept;
  void bind(std::size_t column) noexcept;
  void check_sizes(const Stream& stream, std::size_t number) const;

  std::int64_t sequence_count_;
  bool has_sequence_numbers_ = false;  // whether a column has sequence_offsets, value_byte_offsets
                                       // or index_byte_offsets
  bool has_sample_offsets_ = false;    // whether a column has sample offsets
  std::vector<Column> columns_;
  std::vector<Layout> layouts_;
  std::vector<std::int64_t> holes_;
  std::vector<std::string> key_texts_;          // empty if keys are numbers
  std::vector<std::int64_t> described_counts_;  // may be empty
};

}  // namespace sheaf
