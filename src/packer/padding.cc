#include "packer/padding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"
#include "sheaf/float16.h"

#include "base/text.h"
#include "packer/variable_rows.h"

// A value that can be a whole number is treated as one: the element type must hold it exactly, or
// the value is refused. Fractions become the nearest value of their type, as in a text file.

namespace sheaf::internal {
namespace {

constexpr std::int64_t kSamplesMax = 1'000'000'000;  // so that row counts fit 64 bits

using ValueBytes = std::array<std::byte, sizeof(std::int64_t)>;

std::string text_of(const PadValue& value) {
  return std::visit([](auto number) { return formatted("{}", number); }, value);
}

/// Returns 5 for 5.0, so that equal values have equal names. -0.0 stays different from 0.
PadValue simplest(const PadValue& value) {
  constexpr double kEnd = 0x1p63;
  const double* const number = std::get_if<double>(&value);
  if (number == nullptr || !(*number >= -kEnd && *number < kEnd)) return value;
  if (std::trunc(*number) != *number || (*number == 0 && std::signbit(*number))) return value;
  return static_cast<std::int64_t>(*number);
}

/// Returns the number of binary digits from the first 1 to the last 1.
int significant_bits(std::int64_t value) noexcept {
  const std::uint64_t magnitude =
      value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  if (magnitude == 0) return 0;
  return static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude);
}

template <typename T>
bool put(T value, ValueBytes& bytes) noexcept {
  std::memcpy(bytes.data(), &value, sizeof(value));
  return true;
}

template <typename T>
bool put_whole(const PadValue& value, ValueBytes& bytes) noexcept {
  const std::int64_t* const number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < std::numeric_limits<T>::min()) return false;
  return *number <= std::numeric_limits<T>::max() && put(static_cast<T>(*number), bytes);
}

template <typename T>
bool put_real(const PadValue& value, ValueBytes& bytes) noexcept {
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
    return significant_bits(*whole) <= std::numeric_limits<T>::digits &&
           put(static_cast<T>(*whole), bytes);
  }
  const double number = std::get<double>(value);
  return std::abs(number) <= static_cast<double>(std::numeric_limits<T>::max()) &&
         put(static_cast<T>(number), bytes);
}

/// `T` is Float16 or BFloat16.
template <typename T>
bool put_small_float(const PadValue& value, ValueBytes& bytes) noexcept {
  const auto* const whole = std::get_if<std::int64_t>(&value);
  if (whole != nullptr && significant_bits(*whole) > T::kFractionBits + 1) return false;
  const T number =
      nearest<T>(whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value));
  return std::isfinite(to_float(number)) && put(number, bytes);
}

/// Stores the value in the first bytes. Returns false if the type does not have the value.
bool put_value(ElementType type, const PadValue& value, ValueBytes& bytes) noexcept {
  switch (type) {
    case ElementType::u8:
    case ElementType::bytes:
      return put_whole<std::uint8_t>(value, bytes);
    case ElementType::u16:
      return put_whole<std::uint16_t>(value, bytes);
    case ElementType::i32:
      return put_whole<std::int32_t>(value, bytes);
    case ElementType::i64:
      return put_whole<std::int64_t>(value, bytes);
    case ElementType::f16:
      return put_small_float<Float16>(value, bytes);
    case ElementType::bf16:
      return put_small_float<BFloat16>(value, bytes);
    case ElementType::f32:
      return put_real<float>(value, bytes);
    case ElementType::f64:
      return put_real<double>(value, bytes);
  }
  return false;
}

void check_count(std::string_view name, const std::optional<std::int64_t>& count) {
  if (!count || (*count >= 1 && *count <= kSamplesMax)) return;
  throw ConfigError(formatted("{} must be 1 to {}: got {}", name, kSamplesMax, *count));
}

[[noreturn]] void throw_unfit(std::string_view option, std::string_view what, Layout layout) {
  throw ConfigError(
      formatted("{}: {}; got the packing `{}`: leave {} out, or choose another packing", option,
                what, to_string(layout), option));
}

}  // namespace

PadFill::PadFill(const Stream& stream, const PadValue& value)
    : size_(element_size(stream.element_type)) {
  if (!put_value(stream.element_type, simplest(value), value_)) {
    throw ConfigError(formatted("pad_values: stream \"{}\" has values of type {}, and {} is none",
                                stream.name, to_string(stream.element_type), text_of(value)));
  }
  const auto used = std::span(value_).first(static_cast<std::size_t>(size_));
  is_one_byte_ = std::ranges::count(used, used[0]) == size_;
}

void PadFill::fill(std::byte* out, std::int64_t size_bytes) const noexcept {
  if (size_bytes == 0) return;
  if (is_one_byte_) {
    std::memset(out, static_cast<int>(value_[0]), static_cast<std::size_t>(size_bytes));
    return;
  }
  std::int64_t done = size_;
  std::memcpy(out, value_.data(), static_cast<std::size_t>(size_));
  while (done < size_bytes) {
    const std::int64_t more = std::min(done, size_bytes - done);
    std::memcpy(out + done, out, static_cast<std::size_t>(more));
    done += more;
  }
}

void check_padding(Layout layout, const Padding& padding) {
  if (layout == Layout::ragged && !padding.pad_values.empty()) {
    throw_unfit("pad_values", "`ragged` has no place without a sample", layout);
  }
  if (layout != Layout::padded) {
    constexpr std::string_view kWhat = "it is `padded` that pads sequences";
    if (padding.pad_side != PadSide::right) throw_unfit("pad_side", kWhat, layout);
    if (padding.pad_multiple) throw_unfit("pad_multiple", kWhat, layout);
    if (padding.pad_length) throw_unfit("pad_length", kWhat, layout);
  }
  check_count("pad_multiple", padding.pad_multiple);
  check_count("pad_length", padding.pad_length);
  if (padding.pad_multiple && padding.pad_length) {
    throw ConfigError(
        "pad_multiple and pad_length: the one pads to the longest sequence, the other to a fixed "
        "length: leave one out");
  }
  for (const auto& [stream, value] : padding.pad_values) {
    const double* const number = std::get_if<double>(&value);
    if (number == nullptr || std::isfinite(*number)) continue;
    throw ConfigError(formatted("pad_values: the value of \"{}\" must be finite: got {}", stream,
                                text_of(value)));
  }
}

void check_pad_values(const Padding& padding, std::span<const Stream> streams) {
  for (const auto& [name, value] : padding.pad_values) {
    const auto found = std::ranges::find(streams, name, &Stream::name);
    if (found == streams.end()) {
      std::vector<std::string> names;
      for (const Stream& stream : streams) names.push_back(stream.name);
      const std::string nearest = nearest_name(name, names);
      throw ConfigError(formatted(
          "pad_values: no stream is named \"{}\"{}", name,
          nearest.empty() ? std::string() : formatted("; did you mean \"{}\"?", nearest)));
    }
    if (has_row_offsets(*found)) {
      throw ConfigError(formatted(
          "pad_values: stream \"{}\" is {}, and has no values where no sample is: leave it out",
          name, found->storage == Storage::sparse ? "sparse" : "of bytes"));
    }
    static_cast<void>(PadFill(*found, value));
  }
}

PadFill fill_of(const Padding& padding, const Stream& stream) {
  const auto found = padding.pad_values.find(stream.name);
  return found == padding.pad_values.end() ? PadFill() : PadFill(stream, found->second);
}

std::string padding_name(const Padding& padding) {
  std::string name;
  if (padding.pad_side == PadSide::left) name += "/left";
  if (padding.pad_multiple && *padding.pad_multiple > 1) {
    name += formatted("/multiple={}", *padding.pad_multiple);
  }
  if (padding.pad_length) name += formatted("/length={}", *padding.pad_length);
  for (const auto& [stream, given] : padding.pad_values) {
    const PadValue value = simplest(given);
    if (value != PadValue(std::int64_t{0})) name += formatted("/{}={}", stream, text_of(value));
  }
  return name;
}

}  // namespace sheaf::internal
