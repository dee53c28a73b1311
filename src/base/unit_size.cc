#include "base/unit_size.h"

#include <atomic>
#include <cassert>

namespace sheaf::internal {
namespace {

std::atomic<std::int64_t> size_in_use = kUnitSizeBytes;

}  // namespace

std::int64_t unit_size_bytes() noexcept { return size_in_use.load(std::memory_order_relaxed); }

void set_unit_size_bytes(std::int64_t size_bytes) noexcept {
  assert(size_bytes >= 1);
  size_in_use.store(size_bytes, std::memory_order_relaxed);
}

}  // namespace sheaf::internal
