#include "sheaf/extend/buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/block_memory.h"

namespace sheaf {

std::pmr::memory_resource& default_memory() noexcept { return internal::block_memory(); }

Buffer Buffer::borrow(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  Buffer buffer;
  // Never written through: mutable_data(), resize() and as_mutable() are for owned memory.
  buffer.data_ = const_cast<std::byte*>(bytes.data());
  buffer.size_ = static_cast<std::int64_t>(bytes.size());
  buffer.owner_ = std::move(owner);
  return buffer;
}

Buffer Buffer::zeros(std::int64_t size_bytes, std::pmr::memory_resource& memory) {
  Buffer buffer(memory);
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  if (size_bytes > 0) std::memset(buffer.data_, 0, static_cast<std::size_t>(size_bytes));
  return buffer;
}

void Buffer::release() noexcept {
  if (capacity_ > 0) memory_->deallocate(data_, static_cast<std::size_t>(capacity_), kAlignment);
  data_ = nullptr;
  size_ = 0;
  capacity_ = 0;
  owner_.reset();
}

void Buffer::grow(std::int64_t needed_bytes, std::int64_t wanted_bytes) {
  assert(owner_ == nullptr);
  if (memory_ == nullptr) memory_ = &default_memory();
  const auto capacity = std::max({needed_bytes, wanted_bytes, std::int64_t{kAlignment}});
  auto* data =
      static_cast<std::byte*>(memory_->allocate(static_cast<std::size_t>(capacity), kAlignment));
  if (size_ > 0) std::memcpy(data, data_, static_cast<std::size_t>(size_));
  const std::int64_t size = size_;
  release();
  data_ = data;
  size_ = size;
  capacity_ = capacity;
}

}  // namespace sheaf
