// Columns of values under construction.

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

/// How much memory decoded sequences take, at most.
class DecodedSizes {
 public:
  explicit DecodedSizes(const Schema& schema);

  /// Of a sequence, without its rows.
  [[nodiscard]] std::int64_t of_sequence() const noexcept { return of_sequence_; }

  /// Of a row that has so many bytes in the file. Each of them is in one text at most.
  [[nodiscard]] std::int64_t of_row(std::int64_t size_bytes) const noexcept {
    return of_row_ + (has_texts_ ? size_bytes : 0);
  }

 private:
  std::int64_t of_sequence_ = 0;
  std::int64_t of_row_ = 0;
  bool has_texts_ = false;
};

/// The values of one stream. A sample takes all of its bytes at once, or is a text.
class StreamValues {
 public:
  explicit StreamValues(const Stream& stream);

  [[nodiscard]] bool is_text() const noexcept { return is_text_; }

  /// Room for so many samples, in all.
  void reserve(std::int64_t sample_count);

  /// Where the next sample goes.
  ///
  /// Pre:      there is room.
  /// Lifetime: until reserve() is called.
  [[nodiscard]] std::byte* sample() noexcept { return next_; }

  /// Counts the sample that was written.
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

  /// Forgets the samples of the sequence under way.
  void cut_back() noexcept;

  /// Whether the stream is in the sequence under way: open before the first cell.
  enum class Presence : std::uint8_t { open, present, absent };
  [[nodiscard]] Presence presence() const noexcept { return presence_; }
  void set_presence(Presence presence) noexcept { presence_ = presence; }

  /// Ends sequence number `sequence` of `sequence_count`.
  void end_sequence(std::int64_t sequence, std::int64_t sequence_count);

  /// Returns the column. The streams that are in every sequence share `offsets`.
  [[nodiscard]] sheaf::Column finish(std::span<const std::int64_t> row_counts,
                                     const std::shared_ptr<const Buffer>& offsets);

 private:
  bool is_text_;
  std::int64_t sample_bytes_;
  sheaf::Column column_;
  std::byte* next_ = nullptr;
  std::int64_t sample_count_ = 0;
  std::int64_t sample_mark_ = 0;  // where the sequence under way began
  std::int64_t text_size_ = 0;
  std::int64_t text_mark_ = 0;
  Presence presence_ = Presence::open;
};

/// Puts the values of all streams together.
///
/// `row_counts` says how many rows each sequence has, 0 of one that is a hole.
[[nodiscard]] std::vector<sheaf::Column> finish_columns(std::span<StreamValues> streams,
                                                        std::span<const std::int64_t> row_counts);

}  // namespace sheaf::csv
