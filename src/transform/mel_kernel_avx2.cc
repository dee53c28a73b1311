// The kernel of mel features for AVX2: four frames at a time.

#include "transform/mel_kernel.h"

#if defined(__x86_64__)

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include "transform/mel_lanes.h"

namespace sheaf::internal {

const MelKernel& mel_kernel_avx2() noexcept {
  static constexpr MelKernel kKernel = {.lanes = 4, .compute = MelLanes<4>::compute};
  return kKernel;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
