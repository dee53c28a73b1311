/// \file
/// Copies scattered samples into a column.

#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "sheaf/extend/chunk.h"

namespace sheaf::internal {

/// Builds the column of one stream from views. First count() every view, then reserve(), then add()
/// every view.
class ColumnGatherer {
 public:
  explicit ColumnGatherer(const Stream& stream)
      : element_size_(element_size(stream.element_type)),
        index_size_(stream.storage == Storage::sparse ? element_size(stream.index_type) : 0),
        rank_(stream.sample_shape.is_fixed() ? 0 : stream.sample_shape.rank()),
        has_sample_offsets_(index_size_ > 0 || !stream.sample_shape.is_fixed()) {}

  void count(const SequenceView& view) noexcept {
    samples_ += view.sample_count;
    values_ += view.value_count;
    all_have_one_ = all_have_one_ && view.sample_count == 1;
    all_are_present_ = all_are_present_ && view.is_present;
  }

  void reserve(std::int64_t row_count) {
    column_.values.reserve(values_ * element_size_);
    column_.indices.reserve(values_ * index_size_);
    column_.extents.reserve(samples_ * rank_ * kOffsetSize);
    if (!all_are_present_) column_.presence.reserve(row_count);
    if (has_sample_offsets_) {
      column_.sample_offsets.reserve((samples_ + 1) * kOffsetSize);
      column_.sample_offsets.push_back(std::int64_t{0});
    }
    if (!all_have_one_) {
      column_.sequence_offsets.reserve((row_count + 1) * kOffsetSize);
      column_.sequence_offsets.push_back(std::int64_t{0});
    }
    samples_ = values_ = 0;
  }

  void add(const SequenceView& view) {
    append(column_.values, view.values, view.value_count * element_size_);
    append(column_.indices, view.indices, view.value_count * index_size_);
    append(column_.extents, view.extents, view.sample_count * rank_ * kOffsetSize);
    for (std::int64_t i = 0; has_sample_offsets_ && i < view.sample_count; ++i) {
      column_.sample_offsets.push_back(values_ + view.sample_offsets[i + 1] -
                                       view.sample_offsets[0]);
    }
    samples_ += view.sample_count;
    values_ += view.value_count;
    if (!all_are_present_) column_.presence.push_back(std::uint8_t{view.is_present});
    if (!all_have_one_) column_.sequence_offsets.push_back(samples_);
  }

  [[nodiscard]] Column finish() { return std::move(column_); }

 private:
  static constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);

  static void append(Buffer& into, const void* from, std::int64_t size_bytes) {
    if (size_bytes == 0) return;
    const std::int64_t end = into.size_bytes();
    into.resize(end + size_bytes);
    std::memcpy(into.mutable_data() + end, from, static_cast<std::size_t>(size_bytes));
  }

  std::int64_t element_size_;
  std::int64_t index_size_;  // 0 if dense
  std::int64_t rank_;        // 0 if the shape is fixed
  bool has_sample_offsets_;
  std::int64_t samples_ = 0;  // counted by count(), and then by add()
  std::int64_t values_ = 0;
  bool all_have_one_ = true;
  bool all_are_present_ = true;
  Column column_;
};

}  // namespace sheaf::internal
