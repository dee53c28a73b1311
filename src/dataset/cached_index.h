/// \file
/// The index of data that have a cache.

#pragma once

#include <cstdint>

#include "dataset/forwarded_index.h"

namespace sheaf::internal {

/// Forwards to the index of the data, and adds the memory that the cache uses for its work.
class CachedIndex final : public ForwardedIndex {
 public:
  /// Lifetime: `index` must outlive the object.
  CachedIndex(const Index& index, std::int64_t cache_bytes) noexcept
      : ForwardedIndex(index), cache_bytes_(cache_bytes) {}

  [[nodiscard]] std::int64_t memory_bytes() const override {
    return index().memory_bytes() + cache_bytes_;
  }

 private:
  const std::int64_t cache_bytes_;
};

}  // namespace sheaf::internal
