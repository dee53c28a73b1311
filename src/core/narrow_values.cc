#include "core/narrow_values.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "base/prefetch.h"

namespace sheaf::internal {
namespace {

/// The smallest and the largest of some whole numbers.
struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();

  [[nodiscard]] std::uint64_t width() const noexcept {
    return static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  }
};

/// Constants for conversions between floating-point and whole numbers by addition. A number of the
/// size of kBig has no bits for a fraction, so adding it to a small whole number leaves that number
/// in the low bits. Unlike a cast, this has no out-of-range values and can be vectorised.
template <typename T>
struct Whole;
template <>
struct Whole<float> {
  using Int = std::int32_t;
  static constexpr float kBig = 0x1.8p23F;
};
template <>
struct Whole<double> {
  using Int = std::int64_t;
  static constexpr double kBig = 0x1.8p52;
};

template <typename T>
typename Whole<T>::Int whole_of(T value) noexcept {
  using Int = typename Whole<T>::Int;
  using Bits = std::make_unsigned_t<Int>;
  return static_cast<Int>(std::bit_cast<Bits>(value + Whole<T>::kBig) -
                          std::bit_cast<Bits>(Whole<T>::kBig));
}

template <typename T>
T value_of(typename Whole<T>::Int whole) noexcept {
  using Bits = std::make_unsigned_t<typename Whole<T>::Int>;
  return std::bit_cast<T>(static_cast<Bits>(whole) + std::bit_cast<Bits>(Whole<T>::kBig)) -
         Whole<T>::kBig;
}

// Values are checked in blocks. The first block with an unsuitable value ends the search.
constexpr std::size_t kBlock = 1024;

/// Returns the range of the values. Returns nothing if a value is not a whole number or is -0, or
/// if the range is wider than 32 bits.
template <typename T>
std::optional<Range> range_of(std::span<const T> values) noexcept {
  Range range;
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::span<const T> block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    if constexpr (std::is_floating_point_v<T>) {
      using Whole = typename Whole<T>::Int;
      using Bits = std::make_unsigned_t<Whole>;
      Whole least = std::numeric_limits<Whole>::max();
      Whole greatest = std::numeric_limits<Whole>::min();
      Bits differences = 0;
      for (const T value : block) {
        const Whole whole = whole_of(value);
        differences |= std::bit_cast<Bits>(value) ^ std::bit_cast<Bits>(value_of<T>(whole));
        least = std::min(least, whole);
        greatest = std::max(greatest, whole);
      }
      if (differences != 0) return std::nullopt;
      range.least = std::min<std::int64_t>(range.least, least);
      range.greatest = std::max<std::int64_t>(range.greatest, greatest);
    } else {
      T least = block.front();
      T greatest = block.front();
      for (const T value : block) {
        least = std::min(least, value);
        greatest = std::max(greatest, value);
      }
      range.least = std::min<std::int64_t>(range.least, least);
      range.greatest = std::max<std::int64_t>(range.greatest, greatest);
    }
    if (range.width() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  }
  return range;
}

/// Calls visit(T()) if values of the type can be made narrow. Returns whether they can.
template <typename Visit>
bool visit_type(ElementType type, const Visit& visit) {
  switch (type) {
    case ElementType::f32:
      visit(float());
      return true;
    case ElementType::f64:
      visit(double());
      return true;
    case ElementType::i32:
      visit(std::int32_t());
      return true;
    case ElementType::i64:
      visit(std::int64_t());
      return true;
    case ElementType::u16:
      visit(std::uint16_t());
      return true;
    default:
      return false;
  }
}

template <typename Visit>
void visit_code(std::int64_t code_size, const Visit& visit) {
  if (code_size == 1) visit(std::uint8_t());
  if (code_size == 2) visit(std::uint16_t());
  if (code_size == 4) visit(std::uint32_t());
}

/// The type for adding base and code, no wider than necessary.
template <typename T>
using Sum = std::make_unsigned_t<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>;

template <typename T, typename Code>
void encode(std::span<const T> values, std::int64_t base, Code* to) noexcept {
  for (const T value : values) {
    Sum<T> whole = 0;
    if constexpr (std::is_floating_point_v<T>) {
      whole = static_cast<Sum<T>>(whole_of(value));
    } else {
      whole = static_cast<Sum<T>>(value);
    }
    *to++ = static_cast<Code>(whole - static_cast<Sum<T>>(base));
  }
}

template <typename T, typename Code>
void decode(const Code* from, std::int64_t count, std::int64_t base, T* to) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const Sum<T> whole = static_cast<Sum<T>>(base) + static_cast<Sum<T>>(from[i]);
    if constexpr (std::is_floating_point_v<T>) {
      to[i] = value_of<T>(static_cast<typename Whole<T>::Int>(whole));
    } else {
      to[i] = static_cast<T>(whole);
    }
  }
}

void fill(const std::int64_t& bytes, std::int64_t size, std::int64_t count,
          std::byte* to) noexcept {
  switch (size) {
    case 4: {
      const auto value = static_cast<std::uint32_t>(bytes);
      std::fill_n(reinterpret_cast<std::uint32_t*>(to), count, value);
      return;
    }
    case 8:
      std::fill_n(reinterpret_cast<std::int64_t*>(to), count, bytes);
      return;
    case 2:
      std::fill_n(reinterpret_cast<std::uint16_t*>(to), count, static_cast<std::uint16_t>(bytes));
      return;
    default:
      std::fill_n(to, count, static_cast<std::byte>(bytes));
  }
}

std::int64_t code_size_for(std::uint64_t width) noexcept {
  if (width <= std::numeric_limits<std::uint8_t>::max()) return 1;
  return width <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
}

/// Returns the bytes for each offset. Returns 0 if offset i is i times the second offset.
std::int64_t offset_size(std::span<const std::int64_t> offsets) noexcept {
  if (offsets.size() < 2) return 0;
  std::size_t on_line = 0;
  while (on_line < offsets.size() &&
         offsets[on_line] == static_cast<std::int64_t>(on_line) * offsets[1]) {
    ++on_line;
  }
  if (on_line == offsets.size()) return 0;
  return offsets.back() <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

}  // namespace

NarrowForm narrow_form(const Buffer& values, ElementType type) noexcept {
  static_assert(std::endian::native == std::endian::little);
  const std::int64_t size = element_size(type);
  NarrowForm form{.type = type, .count = values.size_bytes() / size};
  if (values.empty()) return form;
  const std::byte* const data = values.data();
  if (std::memcmp(data, data + size, static_cast<std::size_t>(values.size_bytes() - size)) == 0) {
    std::memcpy(&form.base, data, static_cast<std::size_t>(size));
    return form;
  }
  form.code_size = size;
  visit_type(type, [&]<typename T>(T /*type*/) {
    const std::optional<Range> range = range_of(values.as<T>());
    if (!range || code_size_for(range->width()) >= size) return;
    form.code_size = code_size_for(range->width());
    form.base = range->least;
  });
  return form;
}

NarrowValues::NarrowValues(const Buffer& values, const NarrowForm& form,
                           std::pmr::memory_resource& memory)
    : form_(form), codes_(memory) {
  if (form.code_size == 0) return;
  codes_.reserve(form.size_bytes());
  codes_.resize(form.size_bytes());
  if (form.code_size == element_size(form.type)) {
    std::memcpy(codes_.mutable_data(), values.data(), static_cast<std::size_t>(form.size_bytes()));
    return;
  }
  visit_type(form.type, [&]<typename T>(T /*type*/) {
    visit_code(form.code_size, [&]<typename Code>(Code /*type*/) {
      encode(values.as<T>(), form.base, reinterpret_cast<Code*>(codes_.mutable_data()));
    });
  });
}

void NarrowValues::widen(std::int64_t first, std::int64_t count, std::byte* to) const noexcept {
  if (count == 0) return;
  const std::int64_t size = element_size(form_.type);
  const std::byte* const codes = codes_.data() + first * form_.code_size;
  if (form_.code_size == 0) {
    fill(form_.base, size, count, to);
  } else if (form_.code_size == size) {
    std::memcpy(to, codes, static_cast<std::size_t>(count * size));
  } else {
    visit_type(form_.type, [&]<typename T>(T /*type*/) {
      visit_code(form_.code_size, [&]<typename Code>(Code /*type*/) {
        decode(reinterpret_cast<const Code*>(codes), count, form_.base, reinterpret_cast<T*>(to));
      });
    });
  }
}

void NarrowValues::prefetch(std::int64_t first, std::int64_t count) const noexcept {
  if (form_.code_size == 0) return;
  internal::prefetch(codes_.data() + first * form_.code_size, count * form_.code_size);
}

std::int64_t NarrowOffsets::size_bytes(const Buffer& offsets) noexcept {
  const std::span<const std::int64_t> all = offsets.as<std::int64_t>();
  return std::ssize(all) * offset_size(all);
}

NarrowOffsets::NarrowOffsets(const Buffer& offsets, std::pmr::memory_resource& memory)
    : is_empty_(offsets.empty()), codes_(memory) {
  const std::span<const std::int64_t> all = offsets.as<std::int64_t>();
  code_size_ = offset_size(all);
  if (all.size() > 1) step_ = all[1];
  codes_.reserve(std::ssize(all) * code_size_);
  codes_.resize(std::ssize(all) * code_size_);
  if (code_size_ == 8) {
    std::memcpy(codes_.mutable_data(), offsets.data(), all.size_bytes());
  } else if (code_size_ == 4) {
    std::ranges::transform(all, codes_.as_mutable<std::uint32_t>().data(),
                           [](std::int64_t offset) { return static_cast<std::uint32_t>(offset); });
  }
}

void NarrowOffsets::prefetch(std::int64_t i) const noexcept {
  if (code_size_ > 0) internal::prefetch(codes_.data() + i * code_size_, 2 * code_size_);
}

}  // namespace sheaf::internal
