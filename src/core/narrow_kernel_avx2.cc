// The loops over narrow values, which the compiler turns into instructions of AVX2.

#include "core/narrow_kernel.h"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include "core/narrow_loops.h"

namespace sheaf::internal {

const NarrowKernel& narrow_kernel_avx2() noexcept { return kNarrowKernel; }

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
