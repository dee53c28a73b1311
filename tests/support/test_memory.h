// Memory that counts, and that runs out when a test wants it to.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <mutex>
#include <new>

namespace sheaf::testing {

/// Gives dirty memory, counts the memory in use, and throws std::bad_alloc after a number of
/// allocations.
///
/// Threads: all calls are safe from any number of threads.
class TestMemory final : public std::pmr::memory_resource {
 public:
  explicit TestMemory(std::int64_t allocations_max = std::numeric_limits<std::int64_t>::max())
      : allocations_max_(allocations_max) {}

  /// Returns how many allocations succeeded.
  [[nodiscard]] std::int64_t allocations() const { return read(allocations_); }

  /// Returns how many bytes are in use.
  [[nodiscard]] std::int64_t held_bytes() const { return read(held_bytes_); }

  /// Returns how many bytes were in use at the same time, at most.
  [[nodiscard]] std::int64_t held_bytes_max() const { return read(held_bytes_max_); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::scoped_lock lock(mutex_);
    if (allocations_ >= allocations_max_) throw std::bad_alloc();
    void* const memory = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    std::memset(memory, 0xA5, bytes);
    ++allocations_;
    held_bytes_ += static_cast<std::int64_t>(bytes);
    if (held_bytes_ > held_bytes_max_) held_bytes_max_ = held_bytes_;
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    const std::scoped_lock lock(mutex_);
    held_bytes_ -= static_cast<std::int64_t>(bytes);
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
  [[nodiscard]] std::int64_t read(const std::int64_t& value) const {
    const std::scoped_lock lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::int64_t allocations_max_;
  std::int64_t allocations_ = 0;  // under the mutex, here and below
  std::int64_t held_bytes_ = 0;
  std::int64_t held_bytes_max_ = 0;
};

}  // namespace sheaf::testing
