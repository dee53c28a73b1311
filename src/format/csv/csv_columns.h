// Builds columns of values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "format/csv/csv_cells.h"
#include "format/csv/csv_schema.h"

namespace sheaf::csv {

/// Upper bounds for the memory of decoded sequences.
class DecodedSizes {
 public:
  explicit DecodedSizes(const Schema& schema);

  /// Returns the bytes of a sequence, without its rows.
  [[nodiscard]] std::int64_t of_sequence() const noexcept { return of_sequence_; }

  /// Returns the bytes of a row with this size in the file. Each byte of the row belongs to at most
  /// one text.
  [[nodiscard]] std::int64_t of_row(std::int64_t size_bytes) const noexcept {
    return of_row_ + (has_texts_ ? size_bytes : 0);
  }

 private:
  std::int64_t of_sequence_ = 0;
  std::int64_t of_row_ = 0;
  bool has_texts_ = false;
};

/// The values of one stream. A sample is either written as a whole, or is a text.
class StreamValues {
 public:
  explicit StreamValues(const Stream& stream);

  [[nodiscard]] bool is_text() const noexcept { return is_text_; }

  /// Makes room for `sample_count` samples in total.
  void reserve(std::int64_t sample_count);

  /// Returns where to write the next sample.
  ///
  /// Pre:      there is room.
  /// Lifetime: valid until reserve() is called.
  [[nodiscard]] std::byte* sample() noexcept { return next_; }

  /// Counts the sample just written.
  void end_sample() noexcept {
    ++sample_count_;
    next_ += sample_bytes_;
  }

  /// Appends a sample that is the text of a cell.
  void add_text(const Cell& cell);

  [[nodiscard]] std::int64_t sample_count() const noexcept { return sample_count_; }

  void begin_sequence() noexcept {
    sample_mark_ = sample_count_;
    text_mark_ = text_size_;
    presence_ = Presence::open;
  }

  /// Drops the samples of the current sequence.
  void cut_back() noexcept;

  /// Whether the current sequence has the stream; `open` before the first cell.
  enum class Presence : std::uint8_t { open, present, absent };
  [[nodiscard]] Presence presence() const noexcept { return presence_; }
  void set_presence(Presence presence) noexcept { presence_ = presence; }

  /// Ends sequence number `sequence` of `sequence_count`.
  void end_sequence(std::int64_t sequence, std::int64_t sequence_count);

  /// Returns the column. Streams without absent sequences share `offsets`.
  [[nodiscard]] sheaf::Column finish(std::span<const std::int64_t> row_counts,
                                     const std::shared_ptr<const Buffer>& offsets);

 private:
  bool is_text_;
  std::int64_t sample_bytes_;
  sheaf::Column column_;
  std::byte* next_ = nullptr;
  std::int64_t sample_count_ = 0;
  std::int64_t sample_mark_ = 0;  // samples before the current sequence
  std::int64_t text_size_ = 0;
  std::int64_t text_mark_ = 0;
  Presence presence_ = Presence::open;
};

/// Joins the values of all streams.
///
/// `row_counts` has the number of rows of each sequence, and 0 for a hole.
[[nodiscard]] std::vector<sheaf::Column> finish_columns(std::span<StreamValues> streams,
                                                        std::span<const std::int64_t> row_counts);

}  // namespace sheaf::csv
