/// \file
/// What the allocator has handed out.

#pragma once

#include <cstdint>

#include <gtest/gtest.h>
#include <malloc.h>

namespace sheaf::testing {

/// Returns the bytes that the process holds of the allocator, headers included; 0 where the
/// allocator does not count, as under sanitizers.
inline std::int64_t allocated_memory() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// Expects that what an object tells of its memory is within a tenth of what was allocated.
inline void expect_about(std::int64_t told, std::int64_t allocated) {
  EXPECT_GE(told, allocated - allocated / 10);
  EXPECT_LE(told, allocated + allocated / 10);
}

}  // namespace sheaf::testing
