#include "format/kaldi/kaldi_values.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "base/unaligned.h"
#include "format/kaldi/kaldi_walk.h"

namespace sheaf::internal {
namespace {

constexpr std::byte kIntMark{4};
constexpr std::int64_t kMarkedInt = 5;    // the byte 4 and an int32
constexpr std::int64_t kMarkedPair = 10;  // and a further number with its mark

KaldiFault missing_mark(const std::byte* at, std::int64_t position) {
  return {&kKaldiMark, position, formatted("the byte {}", std::to_integer<int>(*at))};
}

/// Returns the first byte of [at, at + 5 * count) that should be a mark and is not.
const std::byte* find_missing_mark(const std::byte* at, std::int64_t count) noexcept {
  for (; count > 0; --count, at += kMarkedInt) {
    if (*at != kIntMark) return at;
  }
  return nullptr;
}

/// Copies `count` integers without their marks. Returns whether all marks are there.
bool copy_integers(const std::byte* at, std::int64_t count, std::int32_t* to) noexcept {
  auto difference = std::byte{0};
  for (std::int64_t i = 0; i < count; ++i) {
    difference |= at[kMarkedInt * i] ^ kIntMark;
    to[i] = load<std::int32_t>(at + kMarkedInt * i + 1);
  }
  return difference == std::byte{0};
}

template <typename From, typename T>
void copy_part(const KaldiHead& head, const std::byte* data, const KaldiRange& rows,
               const KaldiRange& cols, T* to) noexcept {
  constexpr std::int64_t kFromSize = sizeof(From);
  KaldiRange part = cols;
  std::int64_t row_count = rows.count;
  if (cols.count == head.cols) {  // whole rows are contiguous
    part.count = rows.count * cols.count;
    row_count = 1;
  }
  for (std::int64_t r = 0; r < row_count; ++r, to += part.count) {
    const std::byte* const row = data + kFromSize * ((rows.first + r) * head.cols + part.first);
    if constexpr (std::is_same_v<From, T>) {
      if (part.count > 0) std::memcpy(to, row, static_cast<std::size_t>(kFromSize * part.count));
    } else {
      for (std::int64_t c = 0; c < part.count; ++c) to[c] = static_cast<T>(load<From>(row, c));
    }
  }
}

std::variant<KaldiRange, KaldiFault> checked_range(const KaldiListedRange& range,
                                                   std::int64_t count, std::int64_t tolerance,
                                                   const ErrorKind& beyond) {
  if (range.first < 0 || range.last < range.first) {
    return KaldiFault{&kKaldiRangeOrder, 0, formatted("{}:{}", range.first, range.last)};
  }
  // The last number may be huge, so compare without a sum that could overflow.
  if (range.first >= count || range.last - tolerance >= count) {
    return KaldiFault{&beyond, 0, formatted("{}:{} of {}", range.first, range.last, count)};
  }
  return KaldiRange{range.first, std::min(range.last, count - 1) - range.first + 1};
}

}  // namespace

std::variant<KaldiRange, KaldiFault> clip_row_range(const KaldiListedRange& range,
                                                    std::int64_t count) {
  return checked_range(range, count, kKaldiRowTolerance, kKaldiRowRange);
}

std::variant<KaldiRange, KaldiFault> check_column_range(const KaldiListedRange& range,
                                                        std::int64_t count) {
  return checked_range(range, count, 0, kKaldiColumnRange);
}

template <typename T>
void decode_floats(const KaldiHead& head, std::span<const std::byte> data, const KaldiRange& rows,
                   const KaldiRange& cols, std::span<T> to) noexcept {
  assert(rows.first >= 0 && rows.first + rows.count <= head.rows);
  assert(cols.first >= 0 && cols.first + cols.count <= head.cols);
  assert(std::ssize(to) == rows.count * cols.count);
  if (head.kind == KaldiKind::compressed) return decode_compressed(head, data, rows, cols, to);
  assert(head.kind == KaldiKind::matrix || head.kind == KaldiKind::vector);
  if (head.value_size_bytes == 4) return copy_part<float>(head, data.data(), rows, cols, to.data());
  copy_part<double>(head, data.data(), rows, cols, to.data());
}

template void decode_floats(const KaldiHead&, std::span<const std::byte>, const KaldiRange&,
                            const KaldiRange&, std::span<float>) noexcept;
template void decode_floats(const KaldiHead&, std::span<const std::byte>, const KaldiRange&,
                            const KaldiRange&, std::span<double>) noexcept;

std::optional<KaldiFault> decode_integers(std::span<const std::byte> data, std::int64_t position,
                                          std::span<std::int32_t> to) {
  assert(std::ssize(data) == kMarkedInt * std::ssize(to));
  if (copy_integers(data.data(), std::ssize(to), to.data())) return std::nullopt;
  const std::byte* const missing = find_missing_mark(data.data(), std::ssize(to));
  return missing_mark(missing, position + (missing - data.data()));
}

std::optional<KaldiFault> decode_lists(const KaldiHead& head, std::span<const std::byte> data,
                                       std::span<std::int32_t> values,
                                       std::span<std::int64_t> counts) {
  assert(std::ssize(counts) == head.rows);
  const std::byte* at = data.data();
  for (std::int64_t& count : counts) {
    const std::int64_t position = head.data_begin + (at - data.data());
    auto row = parse_kaldi_row(at, KaldiKind::lists, position);
    if (auto* const fault = std::get_if<KaldiFault>(&row)) return std::move(*fault);
    count = std::get<KaldiRowHead>(row).count;
    assert(count <= std::ssize(values));
    at += kaldi_row_head_size(KaldiKind::lists);
    const auto size = static_cast<std::size_t>(kMarkedInt * count);
    auto fault = decode_integers({at, size}, position + kaldi_row_head_size(KaldiKind::lists),
                                 values.first(static_cast<std::size_t>(count)));
    if (fault) return fault;
    values = values.subspan(static_cast<std::size_t>(count));
    at += size;
  }
  assert(values.empty() && at == data.data() + data.size());
  return std::nullopt;
}

std::optional<std::int32_t> sort_sparse_sample(std::span<float> values,
                                               std::span<std::int32_t> indices) {
  assert(values.size() == indices.size());
  if (std::ranges::is_sorted(indices, std::ranges::less_equal{})) return std::nullopt;
  const auto sift = [&](std::size_t from, std::size_t end) {
    for (std::size_t child = 0; (child = 2 * from + 1) < end; from = child) {
      if (child + 1 < end && indices[child] < indices[child + 1]) ++child;
      if (indices[child] <= indices[from]) return;
      std::swap(indices[from], indices[child]);
      std::swap(values[from], values[child]);
    }
  };
  for (std::size_t i = indices.size() / 2; i-- > 0;) sift(i, indices.size());
  for (std::size_t end = indices.size(); --end > 0;) {
    std::swap(indices[0], indices[end]);
    std::swap(values[0], values[end]);
    sift(0, end);
  }
  const auto twice = std::ranges::adjacent_find(indices);
  return twice == indices.end() ? std::nullopt : std::optional(*twice);
}

namespace {

/// Decodes the pairs of one sample. `at` is at offset `position` of the object.
std::optional<KaldiFault> decode_sample(const std::byte* at, std::int64_t position,
                                        std::int64_t dim, std::span<float> values,
                                        std::span<std::int32_t> indices) {
  for (std::size_t i = 0; i < values.size(); ++i, at += kMarkedPair, position += kMarkedPair) {
    if (at[0] != kIntMark) return missing_mark(at, position);
    if (at[kMarkedInt] != kIntMark) return missing_mark(at + kMarkedInt, position + kMarkedInt);
    indices[i] = load<std::int32_t>(at + 1);
    values[i] = load<float>(at + kMarkedInt + 1);
    if (indices[i] < 0 || indices[i] >= dim) {
      return KaldiFault{&kKaldiClass, position + 1, formatted("{} of {}", indices[i], dim)};
    }
  }
  return std::nullopt;
}

/// Returns the position of the second pair with an index, counted in pairs.
std::int64_t second_location(const std::byte* at, std::int32_t index) noexcept {
  int count = 0;
  for (std::int64_t i = 0;; ++i) {
    count += load<std::int32_t>(at + kMarkedPair * i + 1) == index ? 1 : 0;
    if (count == 2) return i;
  }
}

}  // namespace

std::optional<KaldiFault> decode_sparse(const KaldiHead& head, std::span<const std::byte> data,
                                        std::int64_t dim, const KaldiSparseColumns& to) {
  assert(std::ssize(to.counts) == head.rows && to.values.size() == to.indices.size());
  const std::byte* at = data.data();
  std::size_t done = 0;
  for (std::int64_t& count : to.counts) {
    const std::int64_t begin = head.data_begin + (at - data.data());
    auto parsed = parse_kaldi_row(at, head.kind, begin);
    if (auto* const fault = std::get_if<KaldiFault>(&parsed)) return std::move(*fault);
    const auto& row = std::get<KaldiRowHead>(parsed);
    if (head.kind == KaldiKind::sparse && row.dim != dim) {
      return KaldiFault{&kKaldiRowDim, begin + 4, formatted("{} instead of {}", row.dim, dim)};
    }
    count = row.count;
    const auto size = static_cast<std::size_t>(count);
    assert(size <= to.values.size() - done);
    at += kaldi_row_head_size(head.kind);
    const std::int64_t position = begin + kaldi_row_head_size(head.kind);
    const std::span values = to.values.subspan(done, size);
    const std::span indices = to.indices.subspan(done, size);
    if (auto fault = decode_sample(at, position, dim, values, indices)) return fault;
    if (const auto twice = sort_sparse_sample(values, indices)) {
      return KaldiFault{&kKaldiRepeatedClass,
                        position + kMarkedPair * second_location(at, *twice) + 1,
                        formatted("{}", *twice)};
    }
    at += kMarkedPair * count;
    done += size;
  }
  assert(done == to.values.size() && at == data.data() + data.size());
  return std::nullopt;
}

template <typename T>
T decode_scalar(const KaldiHead& head, std::span<const std::byte> data) noexcept {
  assert(head.kind == KaldiKind::scalar && head.value_size_bytes == int{sizeof(T)});
  assert(data.size() >= sizeof(T));
  static_cast<void>(head);
  return load<T>(data.data());
}

template std::int32_t decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;
template std::int64_t decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;
template float decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;
template double decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;

}  // namespace sheaf::internal
