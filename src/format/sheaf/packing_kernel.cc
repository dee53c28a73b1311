#include "format/sheaf/packing_kernel.h"

#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/extend/simd.h"

#include "base/unaligned.h"

namespace sheaf::container {
namespace {

void unpack(const PackedBits& packed, std::uint64_t* into) noexcept {
  const std::uint64_t mask = (std::uint64_t{1} << packed.width) - 1;
  const auto width = std::int64_t{packed.width};
  // Eight numbers take as many bytes as one number has bits. So the offsets within them are the
  // same for each eight.
  std::array<std::int64_t, 8> offsets{};
  std::array<unsigned, 8> shifts{};
  for (std::size_t k = 0; k < 8; ++k) {
    offsets[k] = static_cast<std::int64_t>(k) * width / 8;
    shifts[k] = static_cast<unsigned>(k) * packed.width % 8;
  }
  const std::byte* at = packed.bits;
  for (std::int64_t i = 0; i < packed.count; i += 8, at += width) {
    for (std::size_t k = 0; k < 8; ++k) {
      const auto word = internal::load<std::uint64_t>(at + offsets[k]);
      into[i + static_cast<std::int64_t>(k)] = packed.base + ((word >> shifts[k]) & mask);
    }
  }
}

template <typename T>
void divide(const std::uint64_t* integers, std::int64_t count, double power, T* into) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const double integer =
        std::bit_cast<double>(integers[i] + std::bit_cast<std::uint64_t>(kRounder)) - kRounder;
    into[i] = static_cast<T>(integer / power);
  }
}

template <typename T>
std::int64_t multiply(const T* values, std::int64_t count, double power, std::uint64_t* integers,
                      std::uint8_t* are_others) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::int64_t other_count = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double sum = static_cast<double>(values[i]) * power + kRounder;
    const double integer = sum - kRounder;
    const T back = static_cast<T>(integer / power);
    integers[i] = std::bit_cast<std::uint64_t>(sum) - std::bit_cast<std::uint64_t>(kRounder);
    const bool is_same = std::bit_cast<Bits>(back) == std::bit_cast<Bits>(values[i]) &&
                         std::abs(integer) < kIntegerMax;
    are_others[i] = is_same ? 0 : 1;
    other_count += is_same ? 0 : 1;
  }
  return other_count;
}

std::uint64_t hash(const void* bytes, std::size_t size) noexcept {
  return XXH3_64bits(bytes, size);
}

constexpr PackingKernel kBaseline = {.unpack = unpack,
                                     .divide_f32 = divide<float>,
                                     .divide_f64 = divide<double>,
                                     .multiply_f32 = multiply<float>,
                                     .multiply_f64 = multiply<double>,
                                     .hash = hash};

}  // namespace

const PackingKernel& packing_kernel() noexcept {
#if defined(__x86_64__)
  switch (simd_level()) {
    case SimdLevel::avx512:
      return packing_kernel_avx512();
    case SimdLevel::avx2:
      return packing_kernel_avx2();
    case SimdLevel::baseline:
      break;
  }
#endif
  return kBaseline;
}

}  // namespace sheaf::container
