#include "core/narrow_kernel.h"

#include "sheaf/extend/simd.h"

#include "core/narrow_loops.h"

namespace sheaf::internal {

const NarrowKernel& narrow_kernel() noexcept {
#if defined(__x86_64__)
  switch (simd_level()) {
    case SimdLevel::avx512:
      return narrow_kernel_avx512();
    case SimdLevel::avx2:
      return narrow_kernel_avx2();
    case SimdLevel::baseline:
      break;
  }
#endif
  return kNarrowKernel;
}

}  // namespace sheaf::internal
