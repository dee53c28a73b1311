#include "sheaf/extend/simd.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace sheaf {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"baseline", "avx2", "avx512"};

#if defined(__x86_64__)

constexpr bool has_bit(unsigned int word, int bit) noexcept { return ((word >> bit) & 1U) != 0; }

/// Returns whether the operating system saves all registers with these bits of XCR0.
__attribute__((target("xsave"))) bool are_saved(std::uint64_t registers) noexcept {
  return (static_cast<std::uint64_t>(_xgetbv(0)) & registers) == registers;
}

/// Asks the processor directly. __builtin_cpu_supports() asks the compiler's run-time library, and
/// zig's library reports nothing as supported.
SimdLevel level_of_machine() noexcept {
  constexpr std::uint64_t kAvxRegisters = 0x06;
  constexpr std::uint64_t kAvx512Registers = 0xe6;
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  const bool has_leaf_1 = __get_cpuid(1, &a, &b, &c, &d) != 0;
  const bool saves = has_leaf_1 && has_bit(c, 27);  // osxsave
  if (!saves || !has_bit(c, 28) || !are_saved(kAvxRegisters)) return SimdLevel::baseline;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return SimdLevel::baseline;
  const bool has_avx2 = has_bit(b, 5) && has_bit(b, 3) && has_bit(b, 8);  // avx2, bmi, bmi2
  if (!has_avx2) return SimdLevel::baseline;
  const bool has_avx512 = has_bit(b, 16) && has_bit(b, 17) && has_bit(b, 30) &&  // f, dq, bw
                          has_bit(b, 31) && has_bit(c, 1) && has_bit(c, 6) &&    // vl, vbmi, vbmi2
                          has_bit(c, 12);                                        // bitalg
  return has_avx512 && are_saved(kAvx512Registers) ? SimdLevel::avx512 : SimdLevel::avx2;
}

#else

SimdLevel level_of_machine() noexcept { return SimdLevel::baseline; }

#endif

const SimdLevel best_level = level_of_machine();

bool machine_has(SimdLevel level) noexcept { return level <= best_level; }

// Set before there are threads. A child forked while another thread sets the level would wait
// forever for that thread.
std::atomic<SimdLevel> level_in_use = best_level;

}  // namespace

std::string_view to_string(SimdLevel level) noexcept {
  return kNames[static_cast<std::size_t>(level)];
}

std::vector<SimdLevel> simd_levels() {
  std::vector<SimdLevel> levels;
  for (const SimdLevel level : {SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512}) {
    if (machine_has(level)) levels.push_back(level);
  }
  return levels;
}

SimdLevel simd_level() noexcept { return level_in_use.load(std::memory_order_relaxed); }

bool set_simd_level(SimdLevel level) noexcept {
  if (!machine_has(level)) return false;
  level_in_use.store(level, std::memory_order_relaxed);
  return true;
}

}  // namespace sheaf
