/// \file
/// Changes the size of units for a test.

#pragma once

#include <cstdint>

#include "base/unit_size.h"

namespace sheaf::testing {

/// Sets the size of units for its lifetime.
class ScopedUnitSize {
 public:
  explicit ScopedUnitSize(std::int64_t size_bytes) { internal::set_unit_size_bytes(size_bytes); }
  ScopedUnitSize(const ScopedUnitSize&) = delete;
  ScopedUnitSize& operator=(const ScopedUnitSize&) = delete;
  ~ScopedUnitSize() { internal::set_unit_size_bytes(internal::kUnitSizeBytes); }
};

}  // namespace sheaf::testing
