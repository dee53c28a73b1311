// Most data have no errors, so a pass over all values of a unit only counts. If the pass finds
// anything, a second pass locates it, sequence by sequence.

#include "ops/stream_findings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "base/unaligned.h"
#include "core/element_cast.h"

namespace sheaf::internal {
namespace {

// Counts the values with all bits of the exponent set: infinities and NaNs.
template <typename Bits>
std::int64_t with_all_bits(const std::byte* values, std::int64_t count, Bits exponent) noexcept {
  constexpr std::int64_t kBlock = 256;  // a count up to this fits into 16 bits
  std::int64_t sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(count, begin + kBlock);
    Bits found = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const Bits bits = load<Bits>(values, i);
      found = static_cast<Bits>(found + ((bits & exponent) == exponent ? 1 : 0));
    }
    sum += static_cast<std::int64_t>(found);
  }
  return sum;
}

std::int64_t non_finite_count(ElementType type, const std::byte* values, std::int64_t count) {
  switch (type) {
    case ElementType::f16:
      return with_all_bits<std::uint16_t>(values, count, 0x7C00);
    case ElementType::bf16:
      return with_all_bits<std::uint16_t>(values, count, 0x7F80);
    case ElementType::f32:
      return with_all_bits<std::uint32_t>(values, count, 0x7F80'0000);
    case ElementType::f64:
      return with_all_bits<std::uint64_t>(values, count, 0x7FF0'0000'0000'0000);
    default:
      return 0;  // integers and bytes are always finite
  }
}

std::string text_of(ElementType type, const std::byte* value) {
  const double number = with_zero_of(type, [&](auto zero) {
    return static_cast<double>(arithmetic(load<decltype(zero)>(value)));
  });
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

// Returns the sample that contains a value. Without offsets, all samples have the same number of
// values.
std::int64_t sample_of(const SequenceView& view, std::int64_t value) {
  if (view.sample_offsets == nullptr) return value / (view.value_count / view.sample_count);
  const std::int64_t* const end = view.sample_offsets + view.sample_count + 1;
  return std::upper_bound(view.sample_offsets, end, view.sample_offsets[0] + value) -
         view.sample_offsets - 1;
}

void add_values(const Stream& stream, const Chunk& chunk, std::int64_t s, ChunkIndex number,
                std::int64_t first, StreamFindings& findings) {
  const ElementType type = stream.element_type;
  const Column& column = chunk.columns()[static_cast<std::size_t>(s)];
  const std::int64_t size = element_size(type);
  if (column.value_byte_offsets.empty() &&
      non_finite_count(type, column.values.data(), column.values.size_bytes() / size) == 0) {
    return;
  }
  for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
    if (chunk.is_hole(i)) continue;
    const SequenceView view = chunk.view(s, i);
    const std::int64_t count = non_finite_count(type, view.values, view.value_count);
    if (count == 0) continue;
    findings.non_finite += count;
    ++findings.non_finite_sequences;
    if (findings.first_non_finite) continue;
    std::int64_t value = 0;
    while (non_finite_count(type, view.values + value * size, 1) == 0) ++value;
    findings.first_non_finite = {.chunk = number,
                                 .sequence = first + i,
                                 .sample = sample_of(view, value),
                                 .value = text_of(type, view.values + value * size)};
  }
}

bool has_equal_bytes(const Buffer& a, const Buffer& b) {
  const std::int64_t size = a.size_bytes();
  return size == b.size_bytes() &&
         (size == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(size)) == 0);
}

// Leaves out streams that describe others, since their lengths are not comparable.
void add_lengths(std::span<const Stream> streams, const Chunk& chunk,
                 std::vector<StreamFindings>& all) {
  if (all.size() < 2) return;
  const auto columns = chunk.columns();
  const bool are_equal = std::ranges::all_of(columns, [&](const Column& column) {
    return column.presence.empty() &&
           has_equal_bytes(column.sequence_offsets, columns.front().sequence_offsets);
  });
  std::vector<std::int64_t> counts(all.size());
  for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
    if (chunk.is_hole(i)) continue;
    if (are_equal) {  // then one long sequence settles all streams
      const std::int64_t samples = chunk.view(0, i).sample_count;
      for (StreamFindings& each : all) {
        each.samples_max =
            std::max<std::int64_t>(each.samples_max, std::min<std::int64_t>(samples, 2));
      }
      if (samples > 1) return;
      continue;
    }
    std::int64_t longest = 0;
    for (std::size_t s = 0; s < all.size(); ++s) {
      const SequenceView view = chunk.view(static_cast<std::int64_t>(s), i);
      counts[s] = view.is_present && !streams[s].describes_others ? view.sample_count : -1;
      longest = std::max(longest, counts[s]);
    }
    for (std::size_t s = 0; s < all.size(); ++s) {
      StreamFindings& each = all[s];
      each.samples_max =
          std::max<std::int64_t>(each.samples_max, std::min<std::int64_t>(counts[s], 2));
      if (counts[s] < 0 || counts[s] == longest) continue;
      const std::int64_t missing = longest - counts[s];
      ++each.shorter;
      each.missing_max = std::max(each.missing_max, missing);
      ++each.shorter_by[difference_class(missing)];
    }
  }
}

}  // namespace

std::int64_t difference_class(std::int64_t difference) noexcept {
  constexpr std::int64_t kLargest = std::int64_t{1} << 62;
  if (difference > kLargest) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(difference)));
}

void StreamFindings::add(StreamFindings later) {
  non_finite += later.non_finite;
  non_finite_sequences += later.non_finite_sequences;
  if (!first_non_finite) first_non_finite = std::move(later.first_non_finite);
  samples_max = std::max(samples_max, later.samples_max);
  shorter += later.shorter;
  missing_max = std::max(missing_max, later.missing_max);
  for (const auto& [last, count] : later.shorter_by) shorter_by[last] += count;
}

std::vector<StreamFindings> findings_of(std::span<const Stream> streams, const Chunk& chunk,
                                        ChunkIndex number, std::int64_t first) {
  std::vector<StreamFindings> all(streams.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    add_values(streams[s], chunk, static_cast<std::int64_t>(s), number, first, all[s]);
  }
  add_lengths(streams, chunk, all);
  return all;
}

}  // namespace sheaf::internal
