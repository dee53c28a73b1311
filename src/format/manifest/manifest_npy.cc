#include "format/manifest/manifest_npy.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "sheaf/diagnostic.h"
#include "sheaf/float16.h"

#include "base/saturated.h"
#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::manifest {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;

/// The fields of the dictionary in the head, as written.
struct Fields {
  std::string_view descr;
  std::string_view order;
  std::string_view shape;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

// Splits {'descr': '<f4', 'fortran_order': False, 'shape': (3, 80), }, in any order.
std::optional<Fields> split(std::string_view text) {
  Fields fields;
  text = trimmed(text);
  if (!text.starts_with('{') || !text.ends_with('}')) return std::nullopt;
  text = trimmed(text.substr(1, text.size() - 2));
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view name = trimmed(text.substr(0, colon));
    text = trimmed(text.substr(colon + 1));
    const bool is_tuple = text.starts_with('(');
    const std::size_t end = is_tuple ? text.find(')') : std::min(text.find(','), text.size());
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = trimmed(text.substr(0, is_tuple ? end + 1 : end));
    text = trimmed(text.substr(is_tuple ? end + 1 : end));
    if (text.starts_with(',')) text = trimmed(text.substr(1));
    if (name == "'descr'") {
      fields.descr = value;
    } else if (name == "'fortran_order'") {
      fields.order = value;
    } else if (name == "'shape'") {
      fields.shape = value;
    } else {
      return std::nullopt;
    }
  }
  return fields;
}

// Takes a whole number and the blanks around it from the front of a text.
std::optional<std::int64_t> take_number(std::string_view& text) {
  text = trimmed(text);
  std::int64_t number = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text = trimmed(text.substr(static_cast<std::size_t>(next - text.data())));
  return number;
}

// Parses "(rows, dim)".
bool take_shape(std::string_view text, FloatArray& array) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  text = text.substr(1, text.size() - 2);
  const auto rows = take_number(text);
  if (!rows || !text.starts_with(',')) return false;
  text.remove_prefix(1);
  const auto dim = take_number(text);
  if (!dim || *dim == 0 || (!text.empty() && text != ",")) return false;
  array.row_count = *rows;
  array.dim = *dim;
  return true;
}

bool take_type(std::string_view text, FloatArray& array) {
  constexpr std::size_t kSize = 5;  // '<f4'
  if (text.size() != kSize || text.front() != '\'' || text.back() != '\'' || text[2] != 'f') {
    return false;
  }
  if (text[1] != '<' && text[1] != '>') return false;
  array.is_big_endian = text[1] == '>';
  array.value_size = text[3] - '0';
  return array.value_size == 2 || array.value_size == 4 || array.value_size == 8;
}

template <typename Bits>
Bits bits_at(const std::byte* from, std::int64_t i, bool is_big_endian) noexcept {
  const Bits bits = internal::load<Bits>(from, i);
  if (!is_big_endian) return bits;
  Bits swapped = 0;
  for (std::size_t k = 0; k < sizeof bits; ++k) {
    swapped =
        static_cast<Bits>(std::uint64_t{swapped} << 8U | (std::uint64_t{bits} >> (8 * k) & 0xFFU));
  }
  return swapped;
}

template <typename Value, typename Bits>
void convert(const std::byte* from, bool is_big_endian, std::span<float> to) noexcept {
  static_assert(sizeof(Value) == sizeof(Bits));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto bits = bits_at<Bits>(from, static_cast<std::int64_t>(i), is_big_endian);
    const auto value = std::bit_cast<Value>(bits);
    if constexpr (std::is_same_v<Value, Float16>) {
      to[i] = to_float(value);
    } else {
      to[i] = static_cast<float>(value);
    }
  }
}

}  // namespace

std::variant<FloatArray, FileFault> parse_npy_head(std::span<const std::byte> head,
                                                   std::int64_t size_bytes) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (!text.starts_with(kMagic) || text.size() < kVersionEnd + 4) {
    return FileFault{&kNpy, 0, quoted(text.substr(0, kVersionEnd))};
  }
  const auto version = std::to_integer<int>(head[kMagic.size()]);
  if (version < 1 || version > 3) {
    return FileFault{&kNpy, std::ssize(kMagic), formatted("version {}", version)};
  }
  const std::size_t begin = kVersionEnd + (version == 1 ? 2 : 4);
  const std::uint32_t size = version == 1
                                 ? internal::load<std::uint16_t>(head.data() + kVersionEnd)
                                 : internal::load<std::uint32_t>(head.data() + kVersionEnd);
  const std::string_view dictionary = text.substr(begin, size);
  const FileFault fault{&kNpy, static_cast<std::int64_t>(begin), quoted(dictionary, 100)};
  const std::optional<Fields> fields = split(dictionary);
  FloatArray array{.data_bytes = static_cast<std::int64_t>(begin + size)};
  if (dictionary.size() != size || !fields || fields->order != "False" ||
      !take_type(fields->descr, array) || !take_shape(fields->shape, array)) {
    return fault;
  }
  const std::int64_t bytes = internal::saturated_product(
      internal::saturated_product(array.row_count, array.dim), array.value_size);
  if (bytes > size_bytes - array.data_bytes) {
    return FileFault{&kNpyCut, array.data_bytes,
                     formatted("{} of {} bytes", size_bytes - array.data_bytes, bytes)};
  }
  return array;
}

void convert_npy(const std::byte* from, const FloatArray& array, std::span<float> to) noexcept {
  switch (array.value_size) {
    case 2:
      return convert<Float16, std::uint16_t>(from, array.is_big_endian, to);
    case 8:
      return convert<double, std::uint64_t>(from, array.is_big_endian, to);
    default:
      assert(array.value_size == 4);
      return convert<float, std::uint32_t>(from, array.is_big_endian, to);
  }
}

}  // namespace sheaf::manifest
