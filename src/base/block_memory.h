// Memory for large blocks that are used briefly and again and again.

#pragma once

#include <memory_resource>

namespace sheaf::internal {

/// The memory keeps blocks that were given back and hands them out again, so that the system does
/// not have to clear pages for them. All threads together keep at most 16 MiB in blocks of less
/// than 4 MiB, and 24 MiB in larger blocks. Each thread keeps at most 128 KiB of small blocks
/// besides. Blocks of 512 KiB or more may serve requests for up to a third less. Blocks of 16 MiB
/// or more are not kept. They come from the system, in huge pages if it has them, and go back at
/// once.
///
/// Threads: all calls are safe from any number of threads, and in a child forked at any time.
/// Lifetime: the process.
[[nodiscard]] std::pmr::memory_resource& block_memory() noexcept;

}  // namespace sheaf::internal
