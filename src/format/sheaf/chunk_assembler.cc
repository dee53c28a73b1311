#include "format/sheaf/chunk_assembler.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sheaf::container {
namespace {

// The size of values from which storing an offset for each sequence pays off.
constexpr std::int64_t kBorrowedSizeMin = 64;

struct ValueRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// Makes the column of one stream.
class ColumnAssembler {
 public:
  ColumnAssembler(const AssemblyPlan& plan, const AssembledStream& assembled)
      : plan_(plan),
        column_(assembled.column),
        stream_(*assembled.stream),
        keeps_values_(assembled.keeps_values),
        keeps_indices_(assembled.keeps_indices) {
    for (const BlockSlice& slice : plan.slices) {
      const BlockColumn& block = block_column(slice);
      ranges_.push_back(
          {block.values_before(slice.first), block.values_before(slice.first + slice.count)});
      value_count_ += ranges_.back().end - ranges_.back().first;
    }
  }

  Column make() {
    add_sequences();
    if (stream_.storage == Storage::sparse || !stream_.sample_shape.is_fixed()) add_samples();
    result_.values = values_of(&DecodedColumn::values, keeps_values_,
                               element_size(stream_.element_type), result_.value_byte_offsets);
    if (stream_.storage == Storage::sparse) {
      result_.indices = values_of(&DecodedColumn::indices, keeps_indices_,
                                  element_size(stream_.index_type), result_.index_byte_offsets);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const BlockColumn& block_column(const BlockSlice& slice) const {
    return slice.block->columns[column_];
  }
  [[nodiscard]] DecodedColumn& decoded(const BlockSlice& slice) const {
    return (*slice.decoded)[column_];
  }

  // Adds the offsets and the presence of the sequences. Adds nothing if all are present and have
  // one sample.
  void add_sequences() {
    Buffer offsets;
    offsets.resize((plan_.sequence_count + 1) * std::int64_t{sizeof(std::int64_t)});
    const std::span<std::int64_t> into = offsets.as_mutable<std::int64_t>();
    std::int64_t number = 0;
    into[0] = 0;
    bool has_absent = false;
    bool is_even = true;  // one sample for each sequence
    const auto add = [&](std::int64_t length) {
      into[static_cast<std::size_t>(number) + 1] = into[static_cast<std::size_t>(number)] + length;
      is_even = is_even && length == 1;
      ++number;
    };
    for (const BlockSlice& slice : plan_.slices) {
      while (number < slice.number) add(0);
      const BlockColumn& block = block_column(slice);
      const std::span<const std::int64_t> before =
          block.samples_before().subspan(static_cast<std::size_t>(slice.first));
      for (std::int64_t i = 0; i < slice.count; ++i) {
        const auto n = static_cast<std::size_t>(i);
        add(before[n + 1] - before[n]);
        has_absent = has_absent || !block.is_present(slice.first + i);
      }
    }
    while (number < plan_.sequence_count) add(0);
    if (has_absent) add_presence();
    if (!is_even) result_.sequence_offsets = std::move(offsets);
  }

  void add_presence() {
    result_.presence.resize(plan_.sequence_count);
    std::memset(result_.presence.mutable_data(), 1, static_cast<std::size_t>(plan_.sequence_count));
    for (const BlockSlice& slice : plan_.slices) {
      for (std::int64_t i = 0; i < slice.count; ++i) {
        if (block_column(slice).is_present(slice.first + i)) continue;
        result_.presence.mutable_data()[slice.number + i] = std::byte{0};
      }
    }
  }

  void add_samples() {
    std::int64_t sample_count = 0;
    for (const BlockSlice& slice : plan_.slices) {
      const auto& [first, end] = samples_of(slice);
      sample_count += end - first;
    }
    const bool is_sparse = stream_.storage == Storage::sparse;
    const std::int64_t rank = is_sparse ? 0 : stream_.sample_shape.rank();
    result_.sample_offsets.resize((sample_count + 1) * std::int64_t{sizeof(std::int64_t)});
    result_.extents.resize(sample_count * rank * std::int64_t{sizeof(std::int64_t)});
    std::int64_t* offsets = result_.sample_offsets.as_mutable<std::int64_t>().data();
    std::int64_t* extents = result_.extents.as_mutable<std::int64_t>().data();
    std::int64_t values = 0;
    *offsets++ = 0;
    for (const BlockSlice& slice : plan_.slices) {
      const BlockColumn& block = block_column(slice);
      const auto& [first, end] = samples_of(slice);
      const std::int64_t* before = block.values_before_samples().data();
      for (std::int64_t i = first; i < end; ++i)
        *offsets++ = values + before[i + 1] - before[first];
      values += before[end] - before[first];
      if (is_sparse || end == first) continue;
      const auto size = static_cast<std::size_t>((end - first) * rank);
      std::memcpy(extents, block.extents().data() + first * rank, size * sizeof(std::int64_t));
      extents += size;
    }
  }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> samples_of(const BlockSlice& slice) const {
    const std::span<const std::int64_t> before = block_column(slice).samples_before();
    return {before[static_cast<std::size_t>(slice.first)],
            before[static_cast<std::size_t>(slice.first + slice.count)]};
  }

  Buffer values_of(DecodedArray DecodedColumn::*array, bool is_kept, std::int64_t size_each,
                   Buffer& byte_offsets) {
    bool is_read = is_kept && plan_.bytes != nullptr;
    for (const BlockSlice& slice : plan_.slices) {
      is_read = is_read && !(decoded(slice).*array).is_own();
    }
    if (plan_.slices.size() == 1) {
      DecodedArray& only = decoded(plan_.slices[0]).*array;
      const auto& [first, end] = ranges_[0];
      if (only.is_own() && std::ssize(only.bytes) == (end - first) * size_each) {
        return std::move(only.own);
      }
      if (is_read) {
        return Buffer::borrow(
            only.bytes.subspan(static_cast<std::size_t>(first * size_each),
                               static_cast<std::size_t>((end - first) * size_each)),
            plan_.bytes);
      }
    } else if (is_read && value_count_ * size_each >= plan_.sequence_count * kBorrowedSizeMin) {
      byte_offsets = byte_offsets_of(array, size_each);
      return Buffer::borrow(
          {plan_.bytes->data(), static_cast<std::size_t>(plan_.bytes->size_bytes())}, plan_.bytes);
    }
    return joined(array, size_each);
  }

  // Returns where the values of each sequence begin in the bytes that were read.
  [[nodiscard]] Buffer byte_offsets_of(DecodedArray DecodedColumn::*array,
                                       std::int64_t size_each) const {
    Buffer byte_offsets = Buffer::zeros(plan_.sequence_count * std::int64_t{sizeof(std::int64_t)});
    const std::span<std::int64_t> into = byte_offsets.as_mutable<std::int64_t>();
    for (const BlockSlice& slice : plan_.slices) {
      const std::int64_t begin = (decoded(slice).*array).bytes.data() - plan_.bytes->data();
      for (std::int64_t i = 0; i < slice.count; ++i) {
        into[static_cast<std::size_t>(slice.number + i)] =
            begin + block_column(slice).values_before(slice.first + i) * size_each;
      }
    }
    return byte_offsets;
  }

  [[nodiscard]] Buffer joined(DecodedArray DecodedColumn::*array, std::int64_t size_each) const {
    Buffer values;
    values.reserve(value_count_ * size_each);
    values.resize(value_count_ * size_each);
    std::byte* at = values.mutable_data();
    for (std::size_t i = 0; i < plan_.slices.size(); ++i) {
      const auto& [first, end] = ranges_[i];
      if (end == first) continue;
      const std::byte* from = (decoded(plan_.slices[i]).*array).bytes.data() + first * size_each;
      std::memcpy(at, from, static_cast<std::size_t>((end - first) * size_each));
      at += (end - first) * size_each;
    }
    return values;
  }

  const AssemblyPlan& plan_;
  const std::size_t column_;
  const Stream& stream_;
  const bool keeps_values_;
  const bool keeps_indices_;
  std::vector<ValueRange> ranges_;  // of each slice
  std::int64_t value_count_ = 0;
  Column result_;
};

}  // namespace

Column assemble(const AssemblyPlan& plan, const AssembledStream& stream) {
  return ColumnAssembler(plan, stream).make();
}

}  // namespace sheaf::container
