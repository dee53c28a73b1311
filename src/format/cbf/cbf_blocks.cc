// A dense block is a count and the values. A sparse block is two counts, the values, their indices,
// and the number of entries of each sample. Both have the layout that a column needs. So this code
// only makes offsets: of sequences and, for sparse streams, of samples.

#include "format/cbf/cbf_blocks.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/common_values.h"
#include "core/element_cast.h"
#include "format/cbf/cbf_bytes.h"

namespace sheaf::cbf {
namespace {

Block measure_dense(const FileStream& stream, const std::byte* bytes, std::int64_t room) noexcept {
  Block block;
  if (room < kCountSize) {
    block.wrong = {&kBlockCut, 0, -1, room};
    return block;
  }
  block.sample_count = load<std::uint32_t>(bytes);
  if (__builtin_mul_overflow(block.sample_count, stream.sample_size(), &block.size_bytes) ||
      block.size_bytes > room - kCountSize) {
    block.wrong = {&kBlockCut, 0, block.sample_count, room};
    return block;
  }
  block.size_bytes += kCountSize;
  block.value_count = block.sample_count * stream.dim;
  return block;
}

/// Returns the bytes of a sparse block. Counts of 32 bits cannot make the result overflow.
std::int64_t sparse_size(const FileStream& stream, std::int64_t samples,
                         std::int64_t entries) noexcept {
  return 2 * kCountSize + entries * (stream.value_size() + kIndexSize) + samples * kCountSize;
}

Block measure_sparse(const FileStream& stream, const std::byte* bytes, std::int64_t room) noexcept {
  Block block;
  if (room < 2 * kCountSize) {
    block.wrong = {&kBlockCut, 0, -1, room};
    return block;
  }
  block.sample_count = load<std::uint32_t>(bytes);
  block.value_count = load<std::int32_t>(bytes + kCountSize);
  if (block.value_count < 0) {
    block.wrong = {&kEntryCount, kCountSize, block.value_count, 0};
    return block;
  }
  block.size_bytes = sparse_size(stream, block.sample_count, block.value_count);
  if (block.size_bytes > room) {
    block.wrong = {&kBlockCut, 0, block.sample_count, room, block.value_count};
  }
  return block;
}

template <typename Measure>
Blocks walk(const Measure& measure, const FileStream& stream, const std::byte* begin,
            const std::byte* limit, std::int64_t count) noexcept {
  Blocks blocks;
  blocks.end = begin;
  for (std::int64_t i = 0; i < count; ++i) {
    const Block block = measure(stream, blocks.end, limit - blocks.end);
    if (block.wrong) {
      blocks.wrong = block.wrong;
      blocks.wrong_block = i;
      break;
    }
    blocks.end += block.size_bytes;
    blocks.sample_count += block.sample_count;
    blocks.value_count += block.value_count;
  }
  return blocks;
}

/// Returns whether each of `count` samples has one entry.
bool are_ones(const std::byte* counts, std::int64_t count) noexcept {
  std::uint32_t other_bits = 0;  // no branch, so that the loop is vectorised
  for (std::int64_t i = 0; i < count; ++i) {
    other_bits |= load<std::uint32_t>(counts + i * kCountSize) ^ 1U;
  }
  return other_bits == 0;
}

/// Allocates a buffer of exactly this size.
void allocate(Buffer& buffer, std::int64_t size_bytes) {
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
}

/// Returns the first of `count` indices that is not in [0, dim), or `count` if there is none.
std::int64_t find_wrong_index(const std::byte* indices, std::int64_t count,
                              std::uint32_t dim) noexcept {
  std::uint32_t wrong = 0;  // no branch, so that the loop is vectorised
  for (std::int64_t i = 0; i < count; ++i) {
    wrong |= load<std::uint32_t>(indices + i * kIndexSize) >= dim ? 1U : 0U;
  }
  if (wrong == 0) return count;
  std::int64_t i = 0;
  while (load<std::uint32_t>(indices + i * kIndexSize) < dim) ++i;
  return i;
}

}  // namespace

Block measure_block(const FileStream& stream, const std::byte* bytes, std::int64_t room) noexcept {
  return stream.storage == Storage::dense ? measure_dense(stream, bytes, room)
                                          : measure_sparse(stream, bytes, room);
}

Blocks walk_blocks(const FileStream& stream, const std::byte* begin, const std::byte* limit,
                   std::int64_t count) noexcept {
  return stream.storage == Storage::dense ? walk(measure_dense, stream, begin, limit, count)
                                          : walk(measure_sparse, stream, begin, limit, count);
}

ColumnBuilder::ColumnBuilder(const FileStream& file, const Stream& stream, bool allows_missing,
                             std::span<const std::byte> bytes, const Totals& totals)
    : file_(file),
      stream_(stream),
      allows_missing_(allows_missing),
      converts_values_(stream.element_type != file.element_type),
      converts_indices_(stream.storage == Storage::sparse && stream.index_type == ElementType::i64),
      bytes_(bytes),
      sample_count_max_(totals.sample_count) {
  constexpr std::int64_t kNumber = sizeof(std::int64_t);
  allocate(column_.value_byte_offsets, totals.sequence_count * kNumber);
  allocate(column_.sequence_offsets, (totals.sequence_count + 1) * kNumber);
  column_.sequence_offsets.as_mutable<std::int64_t>()[0] = 0;
  if (stream.storage == Storage::sparse) {
    allocate(column_.index_byte_offsets, totals.sequence_count * kNumber);
  }
  if (allows_missing) allocate(column_.presence, totals.sequence_count);
  if (converts_values_) {
    column_.values.reserve(totals.value_count * element_size(stream.element_type));
  }
  if (converts_indices_) column_.indices.reserve(totals.value_count * kNumber);
}

const std::byte* ColumnBuilder::append(const std::byte* begin, std::int64_t count) {
  return file_.storage == Storage::dense ? append_dense(begin, count) : append_sparse(begin, count);
}

void ColumnBuilder::append_nothing(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto n = static_cast<std::size_t>(sequence_);
    column_.value_byte_offsets.as_mutable<std::int64_t>()[n] = 0;
    if (!column_.index_byte_offsets.empty())
      column_.index_byte_offsets.as_mutable<std::int64_t>()[n] = 0;
    end_sequence(0, true);
  }
}

void ColumnBuilder::end_sequence(std::int64_t samples, bool is_present) {
  samples_ += samples;
  has_one_sample_each_ &= samples == 1;
  if (allows_missing_) {
    has_absent_ |= !is_present;
    column_.presence.mutable_data()[sequence_] = is_present ? std::byte{1} : std::byte{0};
  }
  ++sequence_;
  column_.sequence_offsets.as_mutable<std::int64_t>()[static_cast<std::size_t>(sequence_)] =
      samples_;
}

void ColumnBuilder::note(const ErrorKind& kind, const std::byte* at, std::int64_t found,
                         std::int64_t limit) {
  wrong_.push_back({{&kind, at - bytes_.data(), found, limit}, sequence_});
}

void ColumnBuilder::location_values(const std::byte* values, std::int64_t count) {
  std::int64_t location = values - bytes_.data();
  if (converts_values_) {
    location = column_.values.size_bytes();
    column_.values.resize(location + count * element_size(stream_.element_type));
    internal::cast_elements(file_.element_type, values, stream_.element_type,
                            column_.values.mutable_data() + location, count);
  }
  column_.value_byte_offsets.as_mutable<std::int64_t>()[static_cast<std::size_t>(sequence_)] =
      location;
}

void ColumnBuilder::location_indices(const std::byte* indices, std::int64_t count) {
  std::int64_t location = indices - bytes_.data();
  if (converts_indices_) {
    location = column_.indices.size_bytes();
    column_.indices.resize(location + count * std::int64_t{sizeof(std::int64_t)});
    auto* to = reinterpret_cast<std::int64_t*>(column_.indices.mutable_data() + location);
    for (std::int64_t i = 0; i < count; ++i) to[i] = load<std::int32_t>(indices + i * kIndexSize);
  }
  column_.index_byte_offsets.as_mutable<std::int64_t>()[static_cast<std::size_t>(sequence_)] =
      location;
}

const std::byte* ColumnBuilder::append_dense(const std::byte* at, std::int64_t count) {
  const std::int64_t sample_size = file_.sample_size();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t samples = load<std::uint32_t>(at);
    if (samples == 0 && !allows_missing_) {
      note(kMissingStream, at, 0, 0);
    }
    location_values(at + kCountSize, samples * file_.dim);
    end_sequence(samples, samples > 0);
    at += kCountSize + samples * sample_size;
  }
  return at;
}

const std::byte* ColumnBuilder::append_sparse(const std::byte* at, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t samples = load<std::uint32_t>(at);
    const std::int64_t entries = load<std::int32_t>(at + kCountSize);
    if (append_entries(at, samples, entries)) {
      end_sequence(samples, samples > 0);
    } else {
      append_nothing(1);
    }
    at += sparse_size(file_, samples, entries);
  }
  return at;
}

// Starts to write sample offsets. The offsets so far count up from 0.
void ColumnBuilder::write_sample_offsets() {
  has_one_entry_each_ = false;
  allocate(column_.sample_offsets, (sample_count_max_ + 1) * std::int64_t{sizeof(std::int64_t)});
  std::int64_t* offsets = column_.sample_offsets.as_mutable<std::int64_t>().data();
  std::iota(offsets, offsets + samples_ + 1, std::int64_t{0});
}

// Appends the numbers of entries of each sample. Returns false if they are wrong.
bool ColumnBuilder::append_counts(const std::byte* counts, std::int64_t samples,
                                  std::int64_t entries) {
  if (has_one_entry_each_) {
    if (samples == entries && are_ones(counts, samples)) return true;
    write_sample_offsets();
  }
  std::int64_t* offsets = column_.sample_offsets.as_mutable<std::int64_t>().data() + samples_;
  std::int64_t sum = 0;
  std::int32_t signs = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto each = load<std::int32_t>(counts + i * kCountSize);
    signs |= each;
    sum += each;
    offsets[i + 1] = entries_ + sum;
  }
  if (signs < 0) {
    std::int64_t i = 0;
    while (load<std::int32_t>(counts + i * kCountSize) >= 0) ++i;
    const std::byte* at = counts + i * kCountSize;
    note(kSampleEntries, at, load<std::int32_t>(at), 0);
    return false;
  }
  if (sum != entries) {
    note(kSampleEntries, counts, sum, entries);
    return false;
  }
  return true;
}

// Appends a sparse block. Returns false, and appends nothing, if the block is wrong.
bool ColumnBuilder::append_entries(const std::byte* block, std::int64_t samples,
                                   std::int64_t entries) {
  const std::byte* values = block + 2 * kCountSize;
  const std::byte* indices = values + entries * file_.value_size();
  const std::byte* counts = indices + entries * kIndexSize;

  if (!append_counts(counts, samples, entries)) return false;
  const std::int64_t wrong =
      find_wrong_index(indices, entries, static_cast<std::uint32_t>(file_.dim));
  if (wrong < entries) {
    const std::byte* at = indices + wrong * kIndexSize;
    note(kIndexRange, at, load<std::int32_t>(at), file_.dim);
    return false;
  }
  if (samples == 0 && !allows_missing_) {
    note(kMissingStream, block, 0, 0);
    return false;
  }
  location_values(values, entries);
  location_indices(indices, entries);
  entries_ += entries;
  return true;
}

// Removes the samples of holes from the offsets. Their values stay in the buffer, unused.
void ColumnBuilder::remove_samples(std::span<const std::int64_t> holes) {
  const std::span<std::int64_t> sequence_offsets =
      column_.sequence_offsets.as_mutable<std::int64_t>();
  // If all samples have one entry each, so do the remaining samples.
  const bool has_offsets = file_.storage == Storage::sparse && !has_one_entry_each_;
  const std::span<std::int64_t> sample_offsets = column_.sample_offsets.as_mutable<std::int64_t>();
  std::int64_t sample = 0;
  std::int64_t entry = 0;
  std::int64_t begin = 0;
  auto hole = holes.begin();
  for (std::int64_t i = 0; i < sequence_; ++i) {
    const std::int64_t end = sequence_offsets[static_cast<std::size_t>(i + 1)];
    const bool is_hole = hole != holes.end() && *hole == i;
    if (is_hole) ++hole;
    for (std::int64_t k = begin; k < end && !is_hole; ++k) {
      if (has_offsets) {
        const auto from = static_cast<std::size_t>(k);
        const std::int64_t size = sample_offsets[from + 1] - sample_offsets[from];
        sample_offsets[static_cast<std::size_t>(sample)] = entry;
        entry += size;
      }
      ++sample;
    }
    if (is_hole && allows_missing_) column_.presence.mutable_data()[i] = std::byte{1};
    sequence_offsets[static_cast<std::size_t>(i + 1)] = sample;
    begin = end;
  }
  samples_ = sample;
  if (has_offsets) {
    entries_ = entry;
    sample_offsets[static_cast<std::size_t>(sample)] = entry;
  }
}

Column ColumnBuilder::finish(const std::shared_ptr<const void>& owner,
                             std::span<const std::int64_t> holes) {
  if (!holes.empty()) {
    remove_samples(holes);
    has_one_sample_each_ = false;
  }
  if (file_.storage == Storage::sparse && has_one_entry_each_) {
    column_.sample_offsets = internal::counting_numbers(samples_ + 1);
  } else if (file_.storage == Storage::sparse) {
    column_.sample_offsets.resize((samples_ + 1) * std::int64_t{sizeof(std::int64_t)});
  }
  if (has_one_sample_each_) column_.sequence_offsets = Buffer();
  if (!has_absent_) column_.presence = Buffer();
  if (!converts_values_) column_.values = Buffer::borrow(bytes_, owner);
  if (file_.storage == Storage::sparse && !converts_indices_) {
    column_.indices = Buffer::borrow(bytes_, owner);
  }
  return std::move(column_);
}

}  // namespace sheaf::cbf
