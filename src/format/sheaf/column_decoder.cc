#include "format/sheaf/column_decoder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/saturated.h"
#include "base/unaligned.h"

namespace sheaf::container {
namespace {

using internal::load;
using internal::saturated_product;
using internal::saturated_sum;

template <typename T>
std::uint64_t hash_of_vector(const std::vector<T>& values) noexcept {
  return hash_of(std::as_bytes(std::span(values)));
}

// Computes the sums of counts, starting from 0. Returns false if a count is negative or a sum
// exceeds `sum_max`.
bool add_up(std::span<const std::int64_t> counts, std::int64_t sum_max,
            std::vector<std::int64_t>& sums) {
  sums.reserve(counts.size() + 1);
  sums.push_back(0);
  for (const std::int64_t count : counts) {
    if (count < 0 || count > sum_max - sums.back()) return false;
    sums.push_back(sums.back() + count);
  }
  return true;
}

}  // namespace

std::optional<BlockColumn> BlockColumn::open(std::span<const std::byte> bytes, const Stream* stream,
                                             std::int64_t sequence_count,
                                             std::int64_t content_max) {
  BlockColumn column;
  column.stream_ = stream;
  column.kinds_ = arrays_of(stream);
  if (!column.take_arrays(bytes)) return std::nullopt;
  const bool is_taken = stream == nullptr ? column.take_keys(sequence_count, content_max)
                                          : column.take_lengths(sequence_count, content_max) &&
                                                column.take_values(content_max);
  if (!is_taken) return std::nullopt;
  return column;
}

// Finds the arrays, which follow each other up to the end of the column.
bool BlockColumn::take_arrays(std::span<const std::byte> bytes) {
  const std::int64_t heads_size = std::ssize(kinds_) * kArrayHeadSize;
  std::int64_t at = heads_size + padding_of(heads_size);
  // Check the padding at the end, so that no array begins after the column.
  if (std::ssize(bytes) % kAlignment != 0 || at > std::ssize(bytes)) return false;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const std::byte* head = bytes.data() + static_cast<std::int64_t>(i) * kArrayHeadSize;
    const auto count = load<std::uint64_t>(head, 0);
    const auto size = load<std::uint64_t>(head, 1);
    const auto codec = load<std::uint64_t>(head, 2);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (count > kMost || codec >= kCodecCount) return false;
    if (size > static_cast<std::uint64_t>(std::ssize(bytes) - at)) return false;
    arrays_[i] = {
        .type = type_of(kinds_[i], stream_),
        .count = static_cast<std::int64_t>(count),
        .codec = Codec{codec},
        .bytes = bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size))};
    at += static_cast<std::int64_t>(size);
    at += padding_of(at);
  }
  return at == std::ssize(bytes);
}

StoredArray BlockColumn::array(ArrayKind kind) const noexcept {
  const auto found = std::ranges::find(kinds_, kind);
  return arrays_[static_cast<std::size_t>(found - kinds_.begin())];
}

bool BlockColumn::take_counts(ArrayKind kind, std::int64_t count,
                              std::vector<std::int64_t>& into) const {
  const StoredArray stored = array(kind);
  if (stored.count != count) return false;
  into.resize(static_cast<std::size_t>(count));
  return decode_array(stored, reinterpret_cast<std::byte*>(into.data()));
}

bool BlockColumn::take_keys(std::int64_t sequence_count, std::int64_t content_max) {
  if (!take_counts(ArrayKind::key_sizes, sequence_count, lengths_)) return false;
  if (!add_up(lengths_, content_max, samples_before_)) return false;
  value_count_ = samples_before_.back();
  return array(ArrayKind::key_text).count == value_count_;
}

bool BlockColumn::take_lengths(std::int64_t sequence_count, std::int64_t content_max) {
  const StoredArray presence = array(ArrayKind::presence);
  if (presence.count != 0 && presence.count != sequence_count) return false;
  presence_.resize(static_cast<std::size_t>(presence.count));
  if (!decode_array(presence, reinterpret_cast<std::byte*>(presence_.data()))) return false;
  if (std::ranges::any_of(presence_, [](std::uint8_t value) { return value > 1; })) return false;
  if (!take_counts(ArrayKind::lengths, sequence_count, lengths_)) return false;
  if (!add_up(lengths_, content_max, samples_before_)) return false;
  for (std::size_t i = 0; i < presence_.size(); ++i) {
    if (presence_[i] == 0 && lengths_[i] != 0) return false;
  }
  return true;
}

bool BlockColumn::take_extents(std::int64_t sample_count) {
  const Shape& shape = stream_->sample_shape;
  const std::int64_t rank = shape.rank();
  if (!take_counts(ArrayKind::extents, sample_count * rank, extents_)) return false;
  const std::span<const std::int64_t> fixed = shape.extents();
  entries_.reserve(static_cast<std::size_t>(sample_count));
  for (std::int64_t i = 0; i < sample_count; ++i) {
    std::int64_t size = 1;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      const std::int64_t extent = extents_[static_cast<std::size_t>(i * rank + axis)];
      const std::int64_t wanted = fixed[static_cast<std::size_t>(axis)];
      if (extent < 0 || (wanted != Shape::kVariable && extent != wanted)) return false;
      size = saturated_product(size, extent);
    }
    entries_.push_back(size);
  }
  return true;
}

bool BlockColumn::take_values(std::int64_t content_max) {
  const std::int64_t sample_count = samples_before_.back();
  // Check a bound before allocating, because the numbers of a damaged file may be arbitrarily
  // large.
  if (content_size(*stream_, sample_count, 0) > saturated_sum(content_max, kLengthSize)) {
    return false;
  }
  if (stream_->storage == Storage::sparse) {
    if (!take_counts(ArrayKind::entries, sample_count, entries_)) return false;
  } else if (!stream_->sample_shape.is_fixed()) {
    if (!take_extents(sample_count)) return false;
  }
  if (stream_->storage == Storage::sparse || !stream_->sample_shape.is_fixed()) {
    if (!add_up(entries_, content_max, values_before_samples_)) return false;
    value_count_ = values_before_samples_.back();
  } else {
    sample_size_ = stream_->sample_shape.size();
    value_count_ = saturated_product(sample_count, sample_size_);
  }
  if (content_size(*stream_, sample_count, value_count_) >
      saturated_sum(content_max, kLengthSize)) {
    return false;
  }
  if (array(ArrayKind::values).count != value_count_) return false;
  return stream_->storage == Storage::dense || array(ArrayKind::indices).count == value_count_;
}

std::int64_t BlockColumn::values_before(std::int64_t sequence) const noexcept {
  const std::int64_t samples = samples_before_[static_cast<std::size_t>(sequence)];
  if (stream_ == nullptr) return samples;
  return values_before_samples_.empty() ? samples * sample_size_
                                        : values_before_samples_[static_cast<std::size_t>(samples)];
}

std::optional<std::span<const std::byte>> BlockColumn::raw(ArrayKind kind) const noexcept {
  const StoredArray stored = array(kind);
  const std::int64_t size = stored.count * element_size(stored.type);
  if (stored.codec != Codec::raw || std::ssize(stored.bytes) != size) return std::nullopt;
  return stored.bytes;
}

bool BlockColumn::decode(ArrayKind kind, std::byte* into) const {
  StoredArray stored = array(kind);
  if (kind == ArrayKind::indices) {
    stored.runs = values_before_samples_;
  } else if (kind == ArrayKind::values && values_before_samples_.empty() && sample_size_ == 1) {
    stored.runs = samples_before_;
  }
  return decode_array(stored, into);
}

bool BlockColumn::is_plain() const noexcept {
  return std::ranges::all_of(std::span(arrays_).first(kinds_.size()), [](const StoredArray& each) {
    return each.codec == Codec::raw || each.codec == Codec::constant;
  });
}

std::uint64_t BlockColumn::content_hash(std::span<const std::byte> values,
                                        std::span<const std::byte> indices) const {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    words.push_back(static_cast<std::uint64_t>(arrays_[i].count));
    switch (kinds_[i]) {
      case ArrayKind::presence:
        words.push_back(hash_of_vector(presence_));
        break;
      case ArrayKind::key_sizes:
      case ArrayKind::lengths:
        words.push_back(hash_of_vector(lengths_));
        break;
      case ArrayKind::extents:
        words.push_back(hash_of_vector(extents_));
        break;
      case ArrayKind::entries:
        words.push_back(hash_of_vector(entries_));
        break;
      case ArrayKind::indices:
        words.push_back(hash_of(indices));
        break;
      case ArrayKind::key_text:
      case ArrayKind::values:
        words.push_back(hash_of(values));
        break;
    }
  }
  return hash_of(words);
}

}  // namespace sheaf::container
