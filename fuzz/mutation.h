// What the mutators of inputs with a structure share. libFuzzer calls LLVMFuzzerCustomMutator in
// place of its own changes, which LLVMFuzzerMutate makes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed);

namespace sheaf::fuzz {

using Random = std::minstd_rand;

/// Pre: count > 0.
inline std::size_t below(Random& random, std::size_t count) { return random() % count; }

}  // namespace sheaf::fuzz
