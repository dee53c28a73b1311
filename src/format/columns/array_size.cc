#include "format/columns/array_size.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace sheaf::columns {
namespace {

constexpr std::int64_t kViewBytes = 16;
constexpr std::int64_t kUnknownBytes = 8;  // guess for a row of unknown type

std::int64_t number_behind(std::string_view format, std::size_t prefix) {
  std::int64_t number = 1;
  std::from_chars(format.data() + prefix, format.data() + format.size(), number);
  return number;
}

std::int64_t width_of(std::string_view format) {
  if (format.starts_with("w:")) return number_behind(format, 2);
  if (format.starts_with("v")) return kViewBytes;
  switch (format.empty() ? '\0' : format.front()) {
    case 'n':
      return 0;
    case 'b':  // in fact an eighth of a byte
    case 'c':
    case 'C':
      return 1;
    case 's':
    case 'S':
    case 'e':
      return 2;
    case 'i':
    case 'I':
    case 'f':
      return 4;
    default:
      return kUnknownBytes;
  }
}

template <typename Offset>
std::int64_t offset_span(const ArrowArray& array, std::int64_t first, std::int64_t count) {
  const auto* const offsets = static_cast<const Offset*>(array.buffers[1]);
  if (offsets == nullptr) return 0;
  return std::max<std::int64_t>(0, std::int64_t{offsets[first + count]} - offsets[first]);
}

std::int64_t size_of(const ArrowSchema& schema, const ArrowArray& array, std::int64_t first,
                     std::int64_t count);

// Returns the number of values between the offsets of rows: bytes of texts, or items of lists.
std::int64_t span_of(const ArrowArray& array, std::int64_t first, std::int64_t count,
                     bool is_long) {
  return is_long ? offset_span<std::int64_t>(array, first, count)
                 : offset_span<std::int32_t>(array, first, count);
}

std::int64_t items_size(const ArrowSchema& schema, const ArrowArray& array, std::int64_t items) {
  const ArrowArray& child = *array.children[0];
  return size_of(*schema.children[0], child, child.offset, std::min(items, child.length));
}

// Pre: `first` counts from the beginning of the buffers.
std::int64_t size_of(const ArrowSchema& schema, const ArrowArray& array, std::int64_t first,
                     std::int64_t count) {
  if (count == 0) return 0;
  const std::string_view format = schema.format;
  if (format == "u" || format == "z") return count * 4 + span_of(array, first, count, false);
  if (format == "U" || format == "Z") return count * 8 + span_of(array, first, count, true);
  if (format == "+l" || format == "+m") {
    return count * 4 + items_size(schema, array, span_of(array, first, count, false));
  }
  if (format == "+L") {
    return count * 8 + items_size(schema, array, span_of(array, first, count, true));
  }
  if (format.starts_with("+w:")) {
    return items_size(schema, array, count * number_behind(format, 3));
  }
  if (format != "+s") return count * width_of(format);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowArray& child = *array.children[i];
    sum += size_of(*schema.children[i], child, child.offset + first, count);
  }
  return sum;
}

}  // namespace

std::int64_t array_size_bytes(const ArrowSchema& schema, const ArrowArray& array) {
  return size_of(schema, array, array.offset, array.length);
}

}  // namespace sheaf::columns
