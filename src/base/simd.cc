#include "sheaf/extend/simd.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace sheaf {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"baseline", "avx2", "avx512"};

bool machine_has(SimdLevel level) noexcept {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
                        __builtin_cpu_supports("bmi2") != 0;
  if (level == SimdLevel::avx2) return has_avx2;
  if (level == SimdLevel::avx512) {
    return has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
           __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
           __builtin_cpu_supports("avx512vbmi2") != 0 &&
           __builtin_cpu_supports("avx512bitalg") != 0;
  }
#endif
  return level == SimdLevel::baseline;
}

SimdLevel best_level() noexcept {
  for (const SimdLevel level : {SimdLevel::avx512, SimdLevel::avx2}) {
    if (machine_has(level)) return level;
  }
  return SimdLevel::baseline;
}

// Set before there are threads: a child that is forked while another thread sets it would wait for
// that thread for ever.
std::atomic<SimdLevel> level_in_use = best_level();

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
