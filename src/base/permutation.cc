#include "base/permutation.h"

#include <initializer_list>
#include <numeric>
#include <utility>

namespace sheaf::internal {
namespace {

__extension__ using Wide = unsigned __int128;

// Returns a fraction of 1, as a multiple of 2^-64.
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

bool is_step(std::int64_t step, std::int64_t size) noexcept {
  return step > 0 && step < size && std::gcd(step, size) == 1;
}

// Returns the step nearest to a fraction of `size`. Of two such steps, returns the smaller.
std::int64_t step_near(std::uint64_t part, std::int64_t size) noexcept {
  const std::int64_t wanted = below(part, size);
  for (std::int64_t distance = 0; distance < size; ++distance) {
    for (const std::int64_t step : {wanted - distance, wanted + distance}) {
      if (is_step(step, size)) return step;
    }
  }
  return 0;  // size is 1
}

// Returns a random step. All steps are equally likely.
std::int64_t drawn_step(std::uint64_t key, std::int64_t size) noexcept {
  if (size == 1) return 0;
  for (std::uint64_t i = 0;; ++i) {
    const std::int64_t step = 1 + below(mixed(key + i), size - 1);
    if (is_step(step, size)) return step;
  }
}

}  // namespace

Steps Steps::even(std::uint64_t key, std::int64_t size) noexcept {
  const std::int64_t step = step_near(chosen_part(key_of(key, 1)), size);
  return {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(below(key_of(key, 0), size)),
          static_cast<std::uint64_t>(step)};
}

Steps Steps::any(std::uint64_t key, std::int64_t size) noexcept {
  return {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(below(key_of(key, 0), size)),
          static_cast<std::uint64_t>(drawn_step(key_of(key, 1), size))};
}

std::int64_t Steps::large(std::uint64_t index) const noexcept {
  return static_cast<std::int64_t>((Wide{index} * step_ + start_) % size_);
}

Steps Steps::inverse() const noexcept {
  // Finds the inverse of the step modulo the size with the extended Euclidean algorithm.
  __extension__ using Signed = __int128;
  Signed back = 0;
  Signed next_back = 1;
  std::uint64_t rest = size_;
  std::uint64_t next_rest = step_;
  while (next_rest != 0) {
    const std::uint64_t quotient = rest / next_rest;
    back = std::exchange(next_back, back - next_back * static_cast<Signed>(quotient));
    rest = std::exchange(next_rest, rest - quotient * next_rest);
  }
  const auto size = static_cast<Signed>(size_);
  const auto step = static_cast<std::uint64_t>((back % size + size) % size);
  const auto distance = static_cast<std::uint64_t>(Wide{start_} * step % size_);
  return {size_, distance == 0 ? 0 : size_ - distance, step};
}

}  // namespace sheaf::internal
