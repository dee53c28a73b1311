// Decodes the arrays of a column of one block.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

#include "format/sheaf/array_codec.h"
#include "format/sheaf/column_arrays.h"
#include "format/sheaf/container_layout.h"

namespace sheaf::container {

/// A column of one block. open() decodes how the values are divided among samples and sequences.
/// decode() decodes the values and the indices.
///
/// Lifetime: the bytes of the column must outlive the BlockColumn.
class BlockColumn {
 public:
  /// Reads the heads of the arrays, and decodes how values are divided. `stream` is the stream in
  /// the file, or null for the keys. `content_max` bounds the content of the column. Returns
  /// nothing if the arrays do not fit each other.
  [[nodiscard]] static std::optional<BlockColumn> open(std::span<const std::byte> bytes,
                                                       const Stream* stream,
                                                       std::int64_t sequence_count,
                                                       std::int64_t content_max);

  /// Returns whether the sequence has the stream.
  [[nodiscard]] bool is_present(std::int64_t sequence) const noexcept {
    return presence_.empty() || presence_[static_cast<std::size_t>(sequence)] != 0;
  }
  [[nodiscard]] bool has_absent() const noexcept { return !presence_.empty(); }

  /// The samples and values before each sequence, and of all sequences: [sequences + 1].
  [[nodiscard]] std::span<const std::int64_t> samples_before() const noexcept {
    return samples_before_;
  }
  [[nodiscard]] std::int64_t values_before(std::int64_t sequence) const noexcept;

  /// The values before each sample, and of all samples: [samples + 1]. Empty if the shape is fixed.
  [[nodiscard]] std::span<const std::int64_t> values_before_samples() const noexcept {
    return values_before_samples_;
  }

  /// The extents of all samples. Empty if the shape is fixed, and for sparse streams.
  [[nodiscard]] std::span<const std::int64_t> extents() const noexcept { return extents_; }

  [[nodiscard]] std::int64_t value_count() const noexcept { return value_count_; }

  /// Returns the bytes of an array that is stored unchanged, or nothing if a codec encodes it.
  ///
  /// Pre: `kind` is values or indices, or key_text for keys. The same holds for the next functions.
  [[nodiscard]] std::optional<std::span<const std::byte>> raw(ArrayKind kind) const noexcept;

  /// Decodes an array. Returns whether the bytes are valid.
  ///
  /// Pre: `into` has room for value_count() values.
  [[nodiscard]] bool decode(ArrayKind kind, std::byte* into) const;

  /// Returns whether all arrays are stored unchanged, or as a single value. Then the hash of the
  /// stored bytes is enough.
  [[nodiscard]] bool is_plain() const noexcept;

  /// Returns the hash of the content, to compare with the hash in the table.
  ///
  /// Pre: `values` and `indices` are decoded. For columns without indices, `indices` is empty.
  [[nodiscard]] std::uint64_t content_hash(std::span<const std::byte> values,
                                           std::span<const std::byte> indices) const;

 private:
  BlockColumn() = default;

  [[nodiscard]] bool take_arrays(std::span<const std::byte> bytes);
  [[nodiscard]] bool take_keys(std::int64_t sequence_count, std::int64_t content_max);
  [[nodiscard]] bool take_lengths(std::int64_t sequence_count, std::int64_t content_max);
  [[nodiscard]] bool take_values(std::int64_t content_max);
  [[nodiscard]] bool take_extents(std::int64_t sample_count);
  [[nodiscard]] bool take_counts(ArrayKind kind, std::int64_t count,
                                 std::vector<std::int64_t>& into) const;
  [[nodiscard]] StoredArray array(ArrayKind kind) const noexcept;

  static constexpr std::size_t kArraysMax = 5;

  const Stream* stream_ = nullptr;
  std::span<const ArrayKind> kinds_;
  std::array<StoredArray, kArraysMax> arrays_;
  std::vector<std::uint8_t> presence_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> samples_before_;
  std::vector<std::int64_t> entries_;
  std::vector<std::int64_t> values_before_samples_;
  std::vector<std::int64_t> extents_;
  std::int64_t sample_size_ = 1;  // of a fixed shape
  std::int64_t value_count_ = 0;
};

}  // namespace sheaf::container
