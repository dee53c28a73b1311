#include "transform/real_fft.h"

#include <bit>
#include <cassert>

#include "transform/fft_lanes.h"
#include "transform/fixed_math.h"

namespace sheaf::internal {
namespace {

// Returns the number with its lowest `bit_count` bits in reverse order.
std::int64_t reversed_bits(std::int64_t number, int bit_count) noexcept {
  std::int64_t reversed = 0;
  for (int bit = 0; bit < bit_count; ++bit) reversed = reversed * 2 + (number >> bit) % 2;
  return reversed;
}

}  // namespace

RealFft::RealFft(std::int64_t size)
    : size_(size), is_fast_(std::has_single_bit(static_cast<std::uint64_t>(size))) {
  assert(size >= 2 && size <= (is_fast_ ? kFftSizeMax : kDirectFftSizeMax));
  const std::int64_t turn_count = is_fast_ ? size / 2 : size;
  for (std::int64_t k = 0; k < turn_count; ++k) {
    const double turns = static_cast<double>(k) / static_cast<double>(size);
    cosines_.push_back(fixed_cos(turns));
    sines_.push_back(fixed_sin(turns));
  }
  if (!is_fast_) return;
  const int bit_count = std::countr_zero(static_cast<std::uint64_t>(size / 2));
  for (std::int64_t i = 0; i < size / 2; ++i) targets_.push_back(reversed_bits(i, bit_count));
}

FftTables RealFft::tables() const noexcept {
  return {.size = size_,
          .is_fast = is_fast_,
          .cosines = cosines_.data(),
          .sines = sines_.data(),
          .targets = targets_.data()};
}

void RealFft::power(double* values, double* result) const noexcept {
  FftLanes<double>::power(tables(), values, result);
}

}  // namespace sheaf::internal
