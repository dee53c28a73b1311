/// \file
/// Memory that runs out when it is told to.

#pragma once

#include <cstdint>

namespace sheaf::testing {

/// While one lives, operator new counts its calls on all threads, and fails at one of them, or at
/// all from there on. Only one at a time.
class AllocationFault {
 public:
  /// Fail at call `first`, from 1, until call `last`; 0: at none.
  AllocationFault(std::int64_t first, std::int64_t last) noexcept;
  AllocationFault(const AllocationFault&) = delete;
  AllocationFault& operator=(const AllocationFault&) = delete;
  ~AllocationFault();

  /// Calls so far.
  [[nodiscard]] static std::int64_t count() noexcept;
};

/// Blocks that operator new gave and operator delete did not get back. Those of column data, which
/// are aligned and may be kept to be used again, do not count.
[[nodiscard]] std::int64_t live_allocations() noexcept;

/// The bytes of all blocks that operator new and mmap() gave the program and that were not given
/// back; blocks that are kept to be used again are among them.
[[nodiscard]] std::int64_t live_bytes() noexcept;

/// The most of them since forget_live_bytes_max().
[[nodiscard]] std::int64_t live_bytes_max() noexcept;
void forget_live_bytes_max() noexcept;

}  // namespace sheaf::testing
