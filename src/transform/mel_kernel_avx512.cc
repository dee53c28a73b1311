// The kernel of mel features for AVX512: eight frames at a time.

#include "transform/mel_kernel.h"

#if defined(__x86_64__)

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw")
#endif

#include "transform/mel_lanes.h"

namespace sheaf::internal {

const MelKernel& mel_kernel_avx512() noexcept {
  static constexpr MelKernel kKernel = {.lanes = 8, .compute = MelLanes<8>::compute};
  return kKernel;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
