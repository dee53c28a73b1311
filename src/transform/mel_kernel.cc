#include "transform/mel_kernel.h"

#include "sheaf/extend/simd.h"

#include "transform/mel_lanes.h"

namespace sheaf::internal {
namespace {

constexpr MelKernel kBaseline = {.lanes = 2, .compute = MelLanes<2>::compute};

}  // namespace

const MelKernel& mel_kernel() noexcept {
#if defined(__x86_64__)
  switch (simd_level()) {
    case SimdLevel::avx512:
      return mel_kernel_avx512();
    case SimdLevel::avx2:
      return mel_kernel_avx2();
    case SimdLevel::baseline:
      break;
  }
#endif
  return kBaseline;
}

}  // namespace sheaf::internal
