// Finds the end of objects whose head does not tell it.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "format/kaldi/kaldi_object.h"

namespace sheaf::internal {

/// Finds the end of a sparse matrix, a vector of vectors or a posterior, and counts its values.
/// Takes the bytes of the object in order, cut anywhere.
class KaldiWalk {
 public:
  /// Pre: `head` has the kind `sparse`, `lists` or `posteriors`. `size_left_bytes` is as for
  ///      parse_kaldi_head().
  explicit KaldiWalk(const KaldiHead& head, std::int64_t size_left_bytes = kKaldiNoEnd);

  /// Takes bytes from position() on. Leaves the bytes after the end of the object.
  ///
  /// Errors: counts below 0, rows of different dims, an end after the end of the file. The walk
  ///         cannot be used afterwards.
  [[nodiscard]] std::optional<KaldiFault> take(std::span<const std::byte> bytes);

  /// Returns whether the end is found. Then position() is the size of the object.
  [[nodiscard]] bool is_done() const noexcept { return rows_left_ == 0 && skip_ == 0; }

  /// Returns the offset of the next byte to take, counted from the start of the object. The walk
  /// begins at the first byte after the head.
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }

  /// Returns the number of values in the rows taken so far.
  [[nodiscard]] std::int64_t value_count() const noexcept { return value_count_; }

  /// Returns the dim of the rows of a sparse matrix, or 0 before the first row.
  [[nodiscard]] std::int64_t dim() const noexcept { return dim_; }

 private:
  [[nodiscard]] std::optional<KaldiFault> take_row();

  // The start of a sparse row is the longest: "SV " and two counts.
  static constexpr std::size_t kRowHeadMax = 13;

  KaldiKind kind_;
  std::int64_t size_left_;
  std::int64_t rows_left_;
  std::int64_t position_;
  std::int64_t value_count_ = 0;
  std::int64_t dim_ = 0;
  std::int64_t skip_ = 0;  // bytes of values to skip
  bool has_dim_ = false;
  std::array<std::byte, kRowHeadMax> row_head_{};
  std::size_t row_head_size_ = 0;  // bytes taken of row_head_
};

/// The start of a row of a sparse matrix, a list or a frame.
struct KaldiRowHead {
  std::int64_t dim = 0;  // of sparse rows
  std::int64_t count = 0;
};

/// Returns the number of bytes that the start of a row takes.
[[nodiscard]] constexpr std::int64_t kaldi_row_head_size(KaldiKind kind) noexcept {
  return kind == KaldiKind::sparse ? 13 : 5;
}

/// Returns the number of bytes that each value of a row takes, with its index.
[[nodiscard]] constexpr std::int64_t kaldi_element_size(KaldiKind kind) noexcept {
  return kind == KaldiKind::lists ? 5 : 10;
}

/// Parses the start of a row. `position` is the offset of the row in the object.
///
/// Pre:    kaldi_row_head_size(kind) bytes at `at` may be read.
/// Errors: a missing mark or token, a count below 0.
[[nodiscard]] std::variant<KaldiRowHead, KaldiFault> parse_kaldi_row(const std::byte* at,
                                                                     KaldiKind kind,
                                                                     std::int64_t position);

}  // namespace sheaf::internal
