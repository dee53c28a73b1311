/// \file
/// The processor instructions that sheaf uses. They change the speed, but not the results.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf {

/// Sets of instructions. Each set includes the sets before it.
enum class SimdLevel : std::uint8_t {
  baseline,  // every processor that runs the library
  avx2,      // x86-64 with AVX2, BMI1, BMI2: since 2013
  avx512,    // also AVX-512 with BW, DQ, VL, VBMI, VBMI2, BITALG: Ice Lake, Zen 4
};

/// Returns "baseline", "avx2" or "avx512".
[[nodiscard]] std::string_view to_string(SimdLevel level) noexcept;

/// Returns the instruction sets of this machine. The best set comes last.
[[nodiscard]] std::vector<SimdLevel> simd_levels();

/// Returns the set in use: the best one unless set_simd_level() chose another one.
///
/// Threads: safe.
[[nodiscard]] SimdLevel simd_level() noexcept;

/// Selects a set, for comparisons or debugging. Returns false and changes nothing if the machine
/// does not have the set.
///
/// Threads: safe; running work may continue with the earlier set.
bool set_simd_level(SimdLevel level) noexcept;

}  // namespace sheaf
