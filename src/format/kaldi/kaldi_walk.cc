#include "format/kaldi/kaldi_walk.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string_view>
#include <utility>
#include <variant>

#include "sheaf/diagnostic.h"

#include "base/saturated.h"
#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::internal {
namespace {

constexpr std::string_view kRowToken = "SV ";

/// Reads a count at `at + offset`, which follows the byte 4.
std::optional<KaldiFault> read_count(const std::byte* at, std::int64_t offset,
                                     std::int64_t position, std::int64_t& count) {
  if (at[offset] != std::byte{4}) {
    return KaldiFault{&kKaldiMark, position + offset,
                      formatted("the byte {}", std::to_integer<int>(at[offset]))};
  }
  count = load<std::int32_t>(at + offset + 1);
  if (count >= 0) return std::nullopt;
  return KaldiFault{&kKaldiSize, position + offset + 1, formatted("{}", count)};
}

}  // namespace

std::variant<KaldiRowHead, KaldiFault> parse_kaldi_row(const std::byte* at, KaldiKind kind,
                                                       std::int64_t position) {
  KaldiRowHead row;
  std::int64_t offset = 0;
  if (kind == KaldiKind::sparse) {
    offset = std::ssize(kRowToken);
    const std::string_view token(reinterpret_cast<const char*>(at), kRowToken.size());
    if (token != kRowToken) return KaldiFault{&kKaldiSparseRow, position, quoted(token)};
    if (auto fault = read_count(at, offset, position, row.dim)) return *std::move(fault);
    offset += 5;
  }
  if (auto fault = read_count(at, offset, position, row.count)) return *std::move(fault);
  return row;
}

KaldiWalk::KaldiWalk(const KaldiHead& head, std::int64_t size_left_bytes)
    : kind_(head.kind),
      size_left_(size_left_bytes),
      rows_left_(head.rows),
      position_(head.data_begin) {
  assert(kind_ == KaldiKind::sparse || kind_ == KaldiKind::lists || kind_ == KaldiKind::posteriors);
}

std::optional<KaldiFault> KaldiWalk::take_row() {
  const std::int64_t begin = position_ - kaldi_row_head_size(kind_);
  auto parsed = parse_kaldi_row(row_head_.data(), kind_, begin);
  if (auto* const fault = std::get_if<KaldiFault>(&parsed)) return std::move(*fault);
  const auto& row = std::get<KaldiRowHead>(parsed);
  if (kind_ == KaldiKind::sparse && has_dim_ && row.dim != dim_) {
    return KaldiFault{&kKaldiRowDim, begin + 4, formatted("{} after {}", row.dim, dim_)};
  }
  dim_ = row.dim;
  has_dim_ = true;
  value_count_ = saturated_sum(value_count_, row.count);
  skip_ = row.count * kaldi_element_size(kind_);
  --rows_left_;
  row_head_size_ = 0;
  // Each remaining row has a start, too.
  const std::int64_t end =
      saturated_sum(saturated_sum(position_, skip_), rows_left_ * kaldi_row_head_size(kind_));
  if (end <= size_left_) return std::nullopt;
  return KaldiFault{&kKaldiCut, size_left_, formatted("{} of at least {} bytes", size_left_, end)};
}

std::optional<KaldiFault> KaldiWalk::take(std::span<const std::byte> bytes) {
  const auto wanted = static_cast<std::size_t>(kaldi_row_head_size(kind_));
  assert(wanted <= row_head_.size());
  while (!bytes.empty() && !is_done()) {
    const auto limit = std::ssize(bytes);
    std::int64_t size = std::min(skip_, limit);
    if (skip_ > 0) {
      skip_ -= size;
    } else {
      size = std::min(static_cast<std::int64_t>(wanted - row_head_size_), limit);
      std::memcpy(row_head_.data() + row_head_size_, bytes.data(), static_cast<std::size_t>(size));
      row_head_size_ += static_cast<std::size_t>(size);
    }
    position_ += size;
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    if (row_head_size_ == wanted) {
      if (auto fault = take_row()) return fault;
    }
  }
  return std::nullopt;
}

}  // namespace sheaf::internal
