#include "core/narrow_values.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>

#include "base/prefetch.h"

namespace sheaf::internal {
namespace {

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
  NarrowRange range;
  if (narrow_kernel().find_range(data, form.count, type, range)) {
    form.code_size = code_size_for(range);
    form.base = range.least;
  }
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
  narrow_kernel().encode(values.data(), form, codes_.mutable_data());
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
    narrow_kernel().decode(codes, count, form_, to);
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

void NarrowOffsets::write(std::int64_t first, std::int64_t count, std::int64_t shift,
                          std::int64_t* to) const noexcept {
  const auto copy = [&](const auto* codes) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = codes[first + i] + shift;
  };
  if (code_size_ == 0) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = (first + i) * step_ + shift;
  } else if (code_size_ == 4) {
    copy(reinterpret_cast<const std::uint32_t*>(codes_.data()));
  } else {
    copy(reinterpret_cast<const std::int64_t*>(codes_.data()));
  }
}

void NarrowOffsets::prefetch(std::int64_t i) const noexcept {
  if (code_size_ > 0) internal::prefetch(codes_.data() + i * code_size_, 2 * code_size_);
}

}  // namespace sheaf::internal
