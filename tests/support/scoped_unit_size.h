/// \file
/// Units of another size than the usual one.

#pragma once

#include <cstdint>

#include "base/unit_size.h"

namespace sheaf::testing {

/// Sets the size of units as long as it lives.
class ScopedUnitSize {
 public:
  explicit ScopedUnitSize(std::int64_t size_bytes) { internal::set_unit_size_bytes(size_bytes); }
  ScopedUnitSize(const ScopedUnitSize&) = delete;
  ScopedUnitSize& operator=(const ScopedUnitSize&) = delete;
  ~ScopedUnitSize() { internal::set_unit_size_bytes(internal::kUnitSizeBytes); }
};

}  // namespace sheaf::testing
