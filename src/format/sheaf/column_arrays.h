// The arrays of a column of a block.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf::container {

/// The content of an array. A column has its arrays in this order.
enum class ArrayKind : std::uint8_t {
  key_sizes,
  key_text,
  presence,
  lengths,
  extents,
  entries,
  indices,
  values
};

/// Returns the name of the kind in documents and reports.
[[nodiscard]] std::string_view to_string(ArrayKind kind) noexcept;

/// Returns the arrays of a stream, or the arrays of the keys if `stream` is null.
[[nodiscard]] std::span<const ArrayKind> arrays_of(const Stream* stream) noexcept;

/// Returns the type of the values of an array.
///
/// Pre: the stream has such an array.
[[nodiscard]] ElementType type_of(ArrayKind kind, const Stream* stream) noexcept;

/// Returns the content of a sequence in one column, as far as it depends on counts only: see the
/// content of a sequence in docs/formats/sheaf.md. Saturates.
[[nodiscard]] std::int64_t content_size(const Stream& stream, std::int64_t sample_count,
                                        std::int64_t value_count) noexcept;

/// The content that each sequence has in every column.
inline constexpr std::int64_t kLengthSize = 8;

}  // namespace sheaf::container
