#include "format/csv/csv_columns.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace sheaf::csv {
namespace {

constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);

std::int64_t sample_bytes_of(const Stream& stream) {
  if (stream.element_type == ElementType::bytes) return 0;
  return stream.sample_shape.size() * element_size(stream.element_type);
}

// Returns the offsets of sequences, in samples, or nothing if each has one sample.
template <typename Count>
Buffer offsets_of(std::int64_t sequence_count, const Count& count) {
  Buffer buffer;
  bool has_one_each = true;
  for (std::int64_t i = 0; i < sequence_count; ++i) has_one_each = has_one_each && count(i) == 1;
  if (has_one_each) return buffer;
  buffer.reserve((sequence_count + 1) * kOffsetSize);
  buffer.resize((sequence_count + 1) * kOffsetSize);
  std::int64_t* to = buffer.as_mutable<std::int64_t>().data();
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < sequence_count; ++i) {
    *to++ = sum;
    sum += count(i);
  }
  *to = sum;
  return buffer;
}

// Releases the memory that a buffer does not use.
void shrink(Buffer& buffer) {
  if (buffer.capacity_bytes() <= std::max<std::int64_t>(buffer.size_bytes(), Buffer::kAlignment)) {
    return;
  }
  Buffer small;
  if (!buffer.empty()) {
    small.reserve(buffer.size_bytes());
    small.resize(buffer.size_bytes());
    std::memcpy(small.mutable_data(), buffer.data(), static_cast<std::size_t>(buffer.size_bytes()));
  }
  buffer = std::move(small);
}

}  // namespace

DecodedSizes::DecodedSizes(const Schema& schema) {
  const bool may_be_absent = schema.read.missing == ReadOptions::Missing::absent;
  of_sequence_ = kOffsetSize;
  for (const Stream& stream : schema.streams) {
    // There is one offset more than sequences, or samples.
    if (may_be_absent) of_sequence_ += 2 * kOffsetSize + 1;
    if (stream.element_type == ElementType::bytes) {
      has_texts_ = true;
      of_sequence_ += kOffsetSize;
      of_row_ += 2 * kOffsetSize;
    }
    of_row_ += sample_bytes_of(stream);
  }
}

StreamValues::StreamValues(const Stream& stream)
    : is_text_(stream.element_type == ElementType::bytes), sample_bytes_(sample_bytes_of(stream)) {
  if (is_text_) column_.sample_offsets.push_back(std::int64_t{0});
}

void StreamValues::reserve(std::int64_t sample_count) {
  if (is_text_) {
    column_.sample_offsets.reserve((sample_count + 1) * kOffsetSize);
    column_.extents.reserve(sample_count * kOffsetSize);
    return;
  }
  column_.values.resize(sample_count_ * sample_bytes_);  // reserve() keeps only the bytes in use
  column_.values.reserve(sample_count * sample_bytes_);
  next_ = column_.values.mutable_data() + sample_count_ * sample_bytes_;
}

void StreamValues::add_text(const Cell& cell) {
  const std::int64_t size = text_size(cell);
  column_.values.resize(text_size_ + size);
  if (size > 0) {
    write_text(cell, reinterpret_cast<char*>(column_.values.mutable_data()) + text_size_);
  }
  text_size_ += size;
  column_.sample_offsets.push_back(text_size_);
  column_.extents.push_back(size);
  ++sample_count_;
}

void StreamValues::cut_back() noexcept {
  next_ -= (sample_count_ - sample_mark_) * sample_bytes_;
  sample_count_ = sample_mark_;
  text_size_ = text_mark_;
  if (!is_text_) return;
  column_.sample_offsets.resize((sample_count_ + 1) * kOffsetSize);
  column_.extents.resize(sample_count_ * kOffsetSize);
}

void StreamValues::end_sequence(std::int64_t sequence, std::int64_t sequence_count) {
  if (presence_ != Presence::absent) return;
  Buffer& presence = column_.presence;
  if (presence.empty()) {
    presence.reserve(sequence_count);
    presence.resize(sequence_count);
    std::memset(presence.mutable_data(), 1, static_cast<std::size_t>(sequence_count));
  }
  presence.mutable_data()[sequence] = std::byte{0};
}

sheaf::Column StreamValues::finish(std::span<const std::int64_t> row_counts,
                                   const std::shared_ptr<const Buffer>& offsets) {
  column_.values.resize(is_text_ ? text_size_ : sample_count_ * sample_bytes_);
  if (is_text_) {
    shrink(column_.values);
    shrink(column_.sample_offsets);
    shrink(column_.extents);
  }
  if (column_.presence.empty()) {
    if (!offsets->empty()) {
      column_.sequence_offsets = Buffer::borrow(offsets->as<std::byte>(), offsets);
    }
  } else {
    const auto presence = column_.presence.as<std::uint8_t>();
    column_.sequence_offsets = offsets_of(std::ssize(row_counts), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      return presence[k] != 0 ? row_counts[k] : 0;
    });
  }
  return std::move(column_);
}

std::vector<sheaf::Column> finish_columns(std::span<StreamValues> streams,
                                          std::span<const std::int64_t> row_counts) {
  const auto offsets =
      std::make_shared<const Buffer>(offsets_of(std::ssize(row_counts), [&](std::int64_t i) {
        return row_counts[static_cast<std::size_t>(i)];
      }));
  std::vector<sheaf::Column> columns;
  columns.reserve(streams.size());
  for (StreamValues& stream : streams) columns.push_back(stream.finish(row_counts, offsets));
  return columns;
}

}  // namespace sheaf::csv
