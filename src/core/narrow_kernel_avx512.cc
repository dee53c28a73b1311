// The loops over narrow values, which the compiler turns into instructions of AVX-512.

#include "core/narrow_kernel.h"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#endif

#include "core/narrow_loops.h"

namespace sheaf::internal {

const NarrowKernel& narrow_kernel_avx512() noexcept { return kNarrowKernel; }

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
