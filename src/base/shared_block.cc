#include "base/shared_block.h"

#include <functional>
#include <new>

namespace sheaf::internal {
namespace {

constexpr std::size_t kAlignment = 64;

constexpr std::size_t round_up(std::size_t bytes, std::size_t alignment) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

SharedBlock::Maker SharedBlock::make(std::size_t size_bytes, std::pmr::memory_resource& memory) {
  const std::size_t all = round_up(sizeof(SharedBlock), kAlignment) + size_bytes;
  void* const address = memory.allocate(all, kAlignment);
  return Maker(new (address) SharedBlock(all, memory));
}

void* SharedBlock::do_allocate(std::size_t bytes, std::size_t alignment) {
  void* array = nullptr;
  if (!is_closed_ && alignment <= kAlignment) {
    const std::size_t offset = round_up(used_bytes_, alignment);
    if (offset <= size_bytes_ && bytes <= size_bytes_ - offset) {
      array = begin() + offset;
      used_bytes_ = offset + bytes;
    }
  }
  if (array == nullptr) array = memory_.allocate(bytes, alignment);
  users_.fetch_add(1, std::memory_order_relaxed);
  return array;
}

void SharedBlock::do_deallocate(void* array, std::size_t bytes, std::size_t alignment) {
  const std::less<> before;
  if (before(array, begin()) || !before(array, begin() + size_bytes_)) {
    memory_.deallocate(array, bytes, alignment);
  }
  drop();
}

void SharedBlock::drop() noexcept {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  std::pmr::memory_resource& memory = memory_;
  const std::size_t size_bytes = size_bytes_;
  this->~SharedBlock();
  memory.deallocate(this, size_bytes, kAlignment);
}

}  // namespace sheaf::internal
