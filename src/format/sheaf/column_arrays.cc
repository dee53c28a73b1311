#include "format/sheaf/column_arrays.h"

#include <array>
#include <cstddef>

#include "base/saturated.h"

namespace sheaf::container {

std::string_view to_string(ArrayKind kind) noexcept {
  constexpr std::array<std::string_view, 8> kNames = {"sizes",   "text",    "presence", "lengths",
                                                      "extents", "entries", "indices",  "values"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::span<const ArrayKind> arrays_of(const Stream* stream) noexcept {
  using enum ArrayKind;
  static constexpr std::array kKeys = {key_sizes, key_text};
  static constexpr std::array kFixed = {presence, lengths, values};
  static constexpr std::array kVariable = {presence, lengths, extents, values};
  static constexpr std::array kSparse = {presence, lengths, entries, indices, values};
  if (stream == nullptr) return kKeys;
  if (stream->storage == Storage::sparse) return kSparse;
  if (stream->sample_shape.is_fixed()) return kFixed;
  return kVariable;
}

ElementType type_of(ArrayKind kind, const Stream* stream) noexcept {
  switch (kind) {
    case ArrayKind::presence:
      return ElementType::u8;
    case ArrayKind::key_text:
      return ElementType::bytes;
    case ArrayKind::indices:
      return stream->index_type;
    case ArrayKind::values:
      return stream->element_type;
    case ArrayKind::key_sizes:
    case ArrayKind::lengths:
    case ArrayKind::extents:
    case ArrayKind::entries:
      break;
  }
  return ElementType::i64;
}

std::int64_t content_size(const Stream& stream, std::int64_t sample_count,
                          std::int64_t value_count) noexcept {
  using internal::saturated_product;
  using internal::saturated_sum;
  std::int64_t each = element_size(stream.element_type);
  std::int64_t per_sample = 0;
  if (stream.storage == Storage::sparse) {
    each += element_size(stream.index_type);
    per_sample = kLengthSize;
  } else if (!stream.sample_shape.is_fixed()) {
    per_sample = kLengthSize * stream.sample_shape.rank();
  }
  return saturated_sum(kLengthSize, saturated_sum(saturated_product(sample_count, per_sample),
                                                  saturated_product(value_count, each)));
}

}  // namespace sheaf::container
