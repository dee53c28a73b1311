// Columns under construction: values go straight to where they stay.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The column of one stream. A sample is begun, filled through pointers and ended, or begun and
/// forgotten; a sequence is ended, or cut back to where it began.
class ColumnWriter {
 public:
  explicit ColumnWriter(const Stream& stream);

  /// Ask for memory ahead: for so many samples, and stored values.
  void reserve(std::int64_t samples, std::int64_t values);

  /// Ask for memory ahead: for so many times what there is.
  void reserve_times(double factor);

  [[nodiscard]] bool has_room(std::int64_t count) const noexcept {
    return value_count_ + count <= value_capacity_;
  }

  /// How many more values there is room for.
  [[nodiscard]] std::int64_t room() const noexcept { return value_capacity_ - value_count_; }

  /// Room for at least `count` more values (and indices), behind those that count.
  ///
  /// Lifetime: of what values() and indices() return: until the next call.
  void make_room(std::int64_t count) {
    if (!has_room(count)) grow(value_count_ + count);
  }

  /// Where the next value goes.
  template <typename T>
  [[nodiscard]] T* values() const noexcept {
    return reinterpret_cast<T*>(values_) + value_count_;
  }
  template <typename Index>
  [[nodiscard]] Index* indices() const noexcept {
    return reinterpret_cast<Index*>(indices_) + value_count_;
  }

  /// Count the `value_count` values written as a sample.
  void end_sample(std::int64_t value_count) {
    value_count_ += value_count;
    ++sample_count_;
    if (has_offsets_) {
      column_.sample_offsets.push_back(value_count_);
    } else if (value_count != 1 && needs_offsets_) {
      write_offsets();
    }
  }

  /// Count the `count` values written as so many samples.
  ///
  /// Pre: the stream is sparse, or its samples have one value.
  void end_samples_of_one(std::int64_t count);

  /// Samples of the sequence under way.
  [[nodiscard]] std::int64_t samples_of_sequence() const noexcept {
    return sample_count_ - sample_mark_;
  }

  void begin_sequence() noexcept {
    sample_mark_ = sample_count_;
    value_mark_ = value_count_;
  }

  /// Forget the samples of the sequence under way.
  void cut_back();

  /// End sequence number `sequence` of `sequence_count`, both counted within the chunk made.
  void end_sequence(std::int64_t sequence, std::int64_t sequence_count, bool is_present);

  /// The column; the writer is done.
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
  std::int64_t index_size_;  // 0: dense
  bool is_sparse_;
  bool is_variable_;  // samples have different extents
  bool needs_offsets_;
  bool has_offsets_ = false;         // of samples: not written as long as each has one value
  std::int64_t offsets_wanted_ = 1;  // there will be so many
  std::byte* values_ = nullptr;
  std::byte* indices_ = nullptr;
  std::int64_t value_capacity_ = 0;
  std::int64_t value_count_ = 0;
  std::int64_t sample_count_ = 0;
  std::int64_t sample_mark_ = 0;  // where the sequence under way began
  std::int64_t value_mark_ = 0;
};

[[nodiscard]] std::vector<ColumnWriter> column_writers(std::span<const Stream> streams);

/// Finish each.
[[nodiscard]] std::vector<Column> finished(std::span<ColumnWriter> writers);

}  // namespace sheaf::internal
