// Builds columns in place, without copying values.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Builds the column of one stream. Values are written through pointers. end_sample() then ends the
/// sample; values without end_sample() are dropped. end_sequence() ends a sequence, and cut_back()
/// drops its samples.
class ColumnWriter {
 public:
  explicit ColumnWriter(const Stream& stream);

  /// Reserves memory for `samples` samples and `values` stored values.
  void reserve(std::int64_t samples, std::int64_t values);

  /// Reserves memory for `factor` times the current content.
  void reserve_times(double factor);

  [[nodiscard]] bool has_room(std::int64_t count) const noexcept {
    return value_count_ + count <= value_capacity_;
  }

  /// Returns how many more values fit.
  [[nodiscard]] std::int64_t room() const noexcept { return value_capacity_ - value_count_; }

  /// Makes room for at least `count` more values (and indices).
  ///
  /// Lifetime: results of values() and indices() are valid until the next call.
  void make_room(std::int64_t count) {
    if (!has_room(count)) grow(value_count_ + count);
  }

  /// Return the addresses of the next value and the next index.
  template <typename T>
  [[nodiscard]] T* values() const noexcept {
    return reinterpret_cast<T*>(values_) + value_count_;
  }
  template <typename Index>
  [[nodiscard]] Index* indices() const noexcept {
    return reinterpret_cast<Index*>(indices_) + value_count_;
  }

  /// Ends a sample that has the `value_count` values written last.
  void end_sample(std::int64_t value_count) {
    value_count_ += value_count;
    ++sample_count_;
    if (has_offsets_) {
      column_.sample_offsets.push_back(value_count_);
    } else if (value_count != 1 && needs_offsets_) {
      write_offsets();
    }
  }

  /// Ends `count` samples of one value each.
  ///
  /// Pre: the stream is sparse, or its samples have exactly one value.
  void end_samples_of_one(std::int64_t count);

  /// Returns the number of samples of the current sequence.
  [[nodiscard]] std::int64_t samples_of_sequence() const noexcept {
    return sample_count_ - sample_mark_;
  }

  /// Returns the number of values of the current sequence.
  [[nodiscard]] std::int64_t values_of_sequence() const noexcept {
    return value_count_ - value_mark_;
  }

  void begin_sequence() noexcept {
    sample_mark_ = sample_count_;
    value_mark_ = value_count_;
  }

  /// Drops the samples of the current sequence.
  void cut_back();

  /// Ends sequence number `sequence` of the chunk, which will have `sequence_count` sequences.
  void end_sequence(std::int64_t sequence, std::int64_t sequence_count, bool is_present);

  /// Returns the column. The writer cannot be used afterwards.
  [[nodiscard]] Column finish();

 private:
  void grow(std::int64_t needed);
  void set_sizes();
  void write_offsets();
  void set_extents();
  void bind();

  Column column_;
  ElementType element_type_;
  std::int64_t element_size_;
  std::int64_t index_size_;  // 0 if dense
  bool is_sparse_;
  bool is_variable_;  // samples have different extents
  bool needs_offsets_;
  bool has_offsets_ = false;         // whether sample_offsets are stored; not as long as each
                                     // sample has one value
  std::int64_t offsets_wanted_ = 1;  // how many offsets to reserve
  std::byte* values_ = nullptr;
  std::byte* indices_ = nullptr;
  std::int64_t value_capacity_ = 0;
  std::int64_t value_count_ = 0;
  std::int64_t sample_count_ = 0;
  std::int64_t sample_mark_ = 0;  // the beginning of the current sequence
  std::int64_t value_mark_ = 0;
};

[[nodiscard]] std::vector<ColumnWriter> column_writers(std::span<const Stream> streams);

/// Finishes all writers.
[[nodiscard]] std::vector<Column> finished(std::span<ColumnWriter> writers);

}  // namespace sheaf::internal
