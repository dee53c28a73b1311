/// \file
/// Measures the memory that the allocator has handed out.

#pragma once

#include <cstdint>

#include <gtest/gtest.h>
#include <malloc.h>

namespace sheaf::testing {

/// Returns how many bytes of the allocator the process holds, headers included. Returns 0 if the
/// allocator does not count, as under sanitizers.
inline std::int64_t allocated_memory() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// Expects that an object reports its memory to within a tenth of the allocated memory.
inline void expect_about(std::int64_t told, std::int64_t allocated) {
  EXPECT_GE(told, allocated - allocated / 10);
  EXPECT_LE(told, allocated + allocated / 10);
}

}  // namespace sheaf::testing
