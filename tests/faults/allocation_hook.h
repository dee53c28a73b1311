/// \file
/// Memory that runs out at a chosen allocation.

#pragma once

#include <cstdint>

namespace sheaf::testing {

/// During its lifetime, operator new counts its calls on all threads. It fails at one of the calls,
/// or at all calls from there on. Only one object may exist at a time.
class AllocationFault {
 public:
  /// Fails from call `first`, counted from 1, to call `last`. With 0, no call fails.
  AllocationFault(std::int64_t first, std::int64_t last) noexcept;
  AllocationFault(const AllocationFault&) = delete;
  AllocationFault& operator=(const AllocationFault&) = delete;
  ~AllocationFault();

  /// Returns the number of calls so far.
  [[nodiscard]] static std::int64_t count() noexcept;
};

/// Returns how many blocks operator new has handed out and operator delete has not taken back.
/// Blocks of column data do not count: they are aligned and may be kept for reuse.
[[nodiscard]] std::int64_t live_allocations() noexcept;

/// Returns the bytes of all blocks that operator new and mmap() have handed out and that are not
/// given back. Blocks that are kept for reuse count.
[[nodiscard]] std::int64_t live_bytes() noexcept;

/// Returns the largest live_bytes() since forget_live_bytes_max().
[[nodiscard]] std::int64_t live_bytes_max() noexcept;
void forget_live_bytes_max() noexcept;

}  // namespace sheaf::testing
