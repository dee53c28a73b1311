// One block of memory for many small arrays that are made together.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <memory_resource>

namespace sheaf::internal {

/// Cuts arrays from one block, which goes back when all of them have: one call of the memory it
/// comes from, in place of one for each array. What does not fit is asked of that memory itself.
///
/// Threads:  one makes arrays until it closes the block; they may be given back by any, and asked
///           for again, which then is a call of the memory behind.
/// Lifetime: that of its maker or of the last array, whichever ends later.
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
  /// Throws: what `memory` throws.
  [[nodiscard]] static Maker make(std::size_t size_bytes, std::pmr::memory_resource& memory);

  /// Room that is left.
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
  const std::size_t size_bytes_;  // of the block, this object at its beginning
  std::size_t used_bytes_ = sizeof(SharedBlock);
  bool is_closed_ = false;
  std::atomic<std::size_t> users_ = 1;  // the maker, and arrays
};

}  // namespace sheaf::internal
