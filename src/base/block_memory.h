// Memory for what is large, needed for a moment, and then needed again.

#pragma once

#include <memory_resource>

namespace sheaf::internal {

/// Blocks come from what was given back before, so that the system need not clear them again: of
/// what is given back, a few are kept, 16 MiB at the most. Each thread keeps 128 KiB of small
/// blocks for itself. The largest blocks are asked of the system by themselves, in huge pages where
/// the system has them, and given back at once.
///
/// Threads:  all calls are safe from any number of threads, and in a child forked meanwhile.
/// Lifetime: the process.
[[nodiscard]] std::pmr::memory_resource& block_memory() noexcept;

}  // namespace sheaf::internal
