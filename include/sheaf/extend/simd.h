/// \file
/// Which instructions of the processor are used. It changes speed, and no result.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf {

/// Sets of instructions, each with all of those before it.
enum class SimdLevel : std::uint8_t {
  baseline,  // what every processor has that runs this library
  avx2,      // x86-64 with AVX2, BMI1, BMI2: since 2013
  avx512,    // and AVX-512 with BW, DQ, VL, VBMI, VBMI2, BITALG: Ice Lake, Zen 4
};

/// "baseline", "avx2", "avx512".
[[nodiscard]] std::string_view to_string(SimdLevel level) noexcept;

/// Those that this machine has; the best one is last.
[[nodiscard]] std::vector<SimdLevel> simd_levels();

/// The one that is used: the best one unless set_simd_level() said otherwise.
///
/// Threads: safe.
[[nodiscard]] SimdLevel simd_level() noexcept;

/// Use this one from now on, to compare, or to look for a fault. False, and nothing changes, where
/// the machine does not have it.
///
/// Threads: safe; what runs already may go on with the one before.
bool set_simd_level(SimdLevel level) noexcept;

}  // namespace sheaf
