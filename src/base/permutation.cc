#include "base/permutation.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>

namespace sheaf::internal {
namespace {

__extension__ using Wide = unsigned __int128;

// A part of 1, in units of 2^-64.
std::uint64_t chosen_part(std::uint64_t key) noexcept {
  constexpr std::uint64_t kGoldenSection = 0x9E3779B97F4A7C15U;
  constexpr int kQuotients = 8;
  std::uint64_t part = kGoldenSection;
  for (int i = 0; i < kQuotients; ++i) {
    const Wide divisor = (Wide{1 + ((key >> i) & 1U)} << 64U) + part;
    part = static_cast<std::uint64_t>(~Wide{0} / divisor);
  }
  return part;
}

// The number prime to `size` that is nearest to a part of it; of two, the smaller.
std::int64_t step_of(std::uint64_t part, std::int64_t size) noexcept {
  const std::int64_t wanted = below(part, size);
  for (std::int64_t distance = 0; distance < size; ++distance) {
    for (const std::int64_t step : {wanted - distance, wanted + distance}) {
      if (step > 0 && step < size && std::gcd(step, size) == 1) return step;
    }
  }
  return 0;  // of size 1
}

}  // namespace

EvenSteps::EvenSteps(std::uint64_t key, std::int64_t size) noexcept
    : size_(size),
      start_(below(key_of(key, 0), size)),
      step_(step_of(chosen_part(key_of(key, 1)), size)) {}

std::int64_t EvenSteps::operator()(std::int64_t place) const noexcept {
  const Wide number = Wide{static_cast<std::uint64_t>(place)} * static_cast<std::uint64_t>(step_) +
                      static_cast<std::uint64_t>(start_);
  return static_cast<std::int64_t>(number % static_cast<std::uint64_t>(size_));
}

std::int64_t BlockPermutation::operator()(std::int64_t place) const noexcept {
  const std::int64_t block = place / block_size_;
  const std::int64_t first = block * block_size_;
  const KeyedPermutation within(key_of(key_, static_cast<std::uint64_t>(block)),
                                std::min(block_size_, size_ - first));
  return first + within(place - first);
}

}  // namespace sheaf::internal
