// The shared code of mutators for structured inputs. libFuzzer calls LLVMFuzzerCustomMutator
// in place of its own mutations. LLVMFuzzerMutate makes such mutations.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed);

namespace sheaf::fuzz {

using Random = std::minstd_rand;

/// Pre: count > 0.
inline std::size_t below(Random& random, std::size_t count) { return random() % count; }

/// Returns a replacement for a number: a difficult number, a neighbour, a number that differs in
/// one bit, or a small number.
inline std::uint64_t hard_number(Random& random, std::uint64_t before) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  constexpr std::array<std::uint64_t, 14> kHard = {0,          1,
                                                   2,          64,
                                                   1U << 16U,  0x40000001,
                                                   0x7FFFFFFF, 0x80000000,
                                                   0xFFFFFFFF, std::uint64_t{1} << 32U,
                                                   kMax / 2,   kMax / 2 + 1,
                                                   kMax - 1,   kMax};
  switch (below(random, 5)) {
    case 0:
      return kHard[below(random, kHard.size())];
    case 1:
      return before + 1 + below(random, 4);
    case 2:
      return before - 1 - below(random, 4);
    case 3:
      return before ^ (std::uint64_t{1} << below(random, 64));
    default:
      return below(random, 100);
  }
}

}  // namespace sheaf::fuzz
