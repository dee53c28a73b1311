#include "core/column_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "core/common_values.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);

}  // namespace

ColumnWriter::ColumnWriter(const Stream& stream)
    : element_type_(stream.element_type),
      element_size_(element_size(stream.element_type)),
      index_size_(stream.storage == Storage::sparse ? element_size(stream.index_type) : 0),
      is_sparse_(stream.storage == Storage::sparse),
      is_variable_(!stream.sample_shape.is_fixed()),
      needs_offsets_(is_sparse_ || is_variable_) {}

void ColumnWriter::reserve(std::int64_t samples, std::int64_t values) {
  offsets_wanted_ = std::max(offsets_wanted_, samples + 1);
  if (has_offsets_) column_.sample_offsets.reserve(offsets_wanted_ * kOffsetSize);
  if (values > value_capacity_) {
    column_.values.reserve(values * element_size_);
    column_.indices.reserve(values * index_size_);
    bind();
  }
}

void ColumnWriter::reserve_times(double factor) {
  set_sizes();  // reserve() only keeps bytes within the size
  const auto times = [factor](std::int64_t count) {
    return static_cast<std::int64_t>(std::ceil(factor * static_cast<double>(count)));
  };
  reserve(times(sample_count_), times(value_count_));
  if (!column_.sequence_offsets.empty()) {
    column_.sequence_offsets.reserve(times(column_.sequence_offsets.size_bytes()));
  }
}

void ColumnWriter::bind() {
  values_ = column_.values.mutable_data();
  indices_ = column_.indices.mutable_data();
  value_capacity_ = column_.values.capacity_bytes() / element_size_;
  if (is_sparse_) {
    value_capacity_ = std::min(value_capacity_, column_.indices.capacity_bytes() / index_size_);
  }
}

void ColumnWriter::grow(std::int64_t needed) {
  set_sizes();  // reserve() only keeps bytes within the size
  const std::int64_t capacity = std::max(needed, value_count_ + value_count_ / 2 + 16);
  column_.values.reserve(capacity * element_size_);
  column_.indices.reserve(capacity * index_size_);
  bind();
}

void ColumnWriter::set_sizes() {
  column_.values.resize(value_count_ * element_size_);
  column_.indices.resize(value_count_ * index_size_);
}

// Called when the last sample is the first sample without exactly one value.
void ColumnWriter::write_offsets() {
  const std::int64_t count = sample_count_ + 1;
  column_.sample_offsets.reserve(std::max(offsets_wanted_, count) * kOffsetSize);
  column_.sample_offsets.resize(count * kOffsetSize);
  const auto written = column_.sample_offsets.as_mutable<std::int64_t>();
  std::iota(written.begin(), written.end(), std::int64_t{0});
  written.back() = value_count_;
  has_offsets_ = true;
}

void ColumnWriter::end_samples_of_one(std::int64_t count) {
  if (has_offsets_) {
    const auto written = column_.sample_offsets.size_bytes() / kOffsetSize;
    column_.sample_offsets.resize((written + count) * kOffsetSize);
    const auto offsets = column_.sample_offsets.as_mutable<std::int64_t>();
    std::iota(offsets.end() - count, offsets.end(), value_count_ + 1);
  }
  value_count_ += count;
  sample_count_ += count;
}

void ColumnWriter::cut_back() {
  sample_count_ = sample_mark_;
  value_count_ = value_mark_;
  if (has_offsets_) column_.sample_offsets.resize((sample_count_ + 1) * kOffsetSize);
}

void ColumnWriter::end_sequence(std::int64_t sequence, std::int64_t sequence_count,
                                bool is_present) {
  Buffer& presence = column_.presence;
  if (!is_present && presence.empty()) {
    presence.resize(sequence_count);
    std::memset(presence.mutable_data(), 1, static_cast<std::size_t>(sequence_count));
  }
  if (!is_present) presence.mutable_data()[sequence] = std::byte{0};

  Buffer& offsets = column_.sequence_offsets;
  if (offsets.empty()) {
    // Not stored as long as every sequence has one sample.
    if (sample_count_ == sequence + 1) return;
    offsets.reserve((sequence_count + 1) * kOffsetSize);
    offsets.resize((sequence + 1) * kOffsetSize);
    const auto written = offsets.as_mutable<std::int64_t>();
    std::iota(written.begin(), written.end(), std::int64_t{0});
  }
  offsets.push_back(sample_count_);
}

// The extent of a sample is its number of values.
void ColumnWriter::set_extents() {
  column_.extents.resize(sample_count_ * kOffsetSize);
  const auto extents = column_.extents.as_mutable<std::int64_t>();
  const auto offsets = column_.sample_offsets.as<std::int64_t>();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    extents[i] = has_offsets_ ? offsets[i + 1] - offsets[i] : 1;
  }
}

Column ColumnWriter::finish() {
  set_sizes();
  if (needs_offsets_) {
    if (is_variable_) set_extents();
    if (has_offsets_) {
      share_if_counting(column_.sample_offsets);
    } else {
      column_.sample_offsets = counting_numbers(sample_count_ + 1);
    }
    if (is_sparse_) share_if_ones(column_.values, element_type_);
  }
  return std::move(column_);
}

std::vector<ColumnWriter> column_writers(std::span<const Stream> streams) {
  std::vector<ColumnWriter> writers;
  writers.reserve(streams.size());
  for (const Stream& stream : streams) writers.emplace_back(stream);
  return writers;
}

std::vector<Column> finished(std::span<ColumnWriter> writers) {
  std::vector<Column> columns;
  columns.reserve(writers.size());
  for (ColumnWriter& writer : writers) columns.push_back(writer.finish());
  return columns;
}

}  // namespace sheaf::internal
