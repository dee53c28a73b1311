// A block of memory for many small arrays that are made together.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <memory_resource>

namespace sheaf::internal {

/// Cuts arrays from one block, which is freed when all of them have been freed. So the memory that
/// the block comes from gets one request instead of one for each array. Arrays that do not fit come
/// from that memory directly.
///
/// Threads:  one thread makes arrays until it closes the block. Any thread may free arrays, and may
///           request more, which then come from the memory directly.
/// Lifetime: until the maker or the last array ends, whichever is later.
class SharedBlock final : public std::pmr::memory_resource {
 public:
  struct Close {
    void operator()(SharedBlock* block) const noexcept {
      block->is_closed_ = true;
      block->drop();
    }
  };
  using Maker = std::unique_ptr<SharedBlock, Close>;

  /// Pre:    `memory` outlives the block; size_bytes > 0.
  /// Throws: the exceptions of `memory`.
  [[nodiscard]] static Maker make(std::size_t size_bytes, std::pmr::memory_resource& memory);

  /// Returns how many bytes of the block are left.
  [[nodiscard]] std::size_t room_bytes() const noexcept { return size_bytes_ - used_bytes_; }

  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

 private:
  SharedBlock(std::size_t size_bytes, std::pmr::memory_resource& memory) noexcept
      : memory_(memory), size_bytes_(size_bytes) {}
  ~SharedBlock() override = default;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* array, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this); }
  void drop() noexcept;

  std::pmr::memory_resource& memory_;
  const std::size_t size_bytes_;  // of the whole block, which begins with this object
  std::size_t used_bytes_ = sizeof(SharedBlock);
  bool is_closed_ = false;
  std::atomic<std::size_t> users_ = 1;  // the maker, and each array
};

}  // namespace sheaf::internal
