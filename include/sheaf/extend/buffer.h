/// \file
/// Memory for columns and minibatches.

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>

namespace sheaf {

/// Where memory comes from unless told otherwise: of what is given back, some large blocks are
/// kept, 16 MiB at the most.
///
/// Threads:  safe.
/// Lifetime: the process.
[[nodiscard]] std::pmr::memory_resource& default_memory() noexcept;

/// A run of bytes that is owned (and can grow), or borrowed together with what keeps it alive.
///
/// Owned memory comes from a memory resource: the default one, or the caller's (pinned memory, an
/// arena), which must outlive the buffer. It is aligned to kAlignment and not initialised.
/// Move-only; a moved-from buffer is empty.
class Buffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// An empty buffer that grows in `memory`.
  explicit Buffer(std::pmr::memory_resource& memory) noexcept : memory_(&memory) {}

  /// An empty buffer that grows in the default memory.
  Buffer() noexcept : Buffer(default_memory()) {}

  /// Refer to bytes that `owner` keeps alive. Such a buffer cannot grow.
  ///
  /// Pre: `bytes` is aligned for the type it will be viewed as.
  [[nodiscard]] static Buffer borrow(std::span<const std::byte> bytes,
                                     std::shared_ptr<const void> owner);

  /// A buffer of `size_bytes` zeros.
  [[nodiscard]] static Buffer zeros(std::int64_t size_bytes,
                                    std::pmr::memory_resource& memory = default_memory());

  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Bytes of memory held, used or not; 0 where borrowed.
  [[nodiscard]] std::int64_t capacity_bytes() const noexcept { return capacity_; }

  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

  /// Pre: not borrowed.
  [[nodiscard]] std::byte* mutable_data() noexcept {
    assert(owner_ == nullptr);
    return data_;
  }

  /// Set the size; new bytes are not initialised. Grows geometrically, never shrinks the memory.
  ///
  /// Pre:    not borrowed.
  /// Throws: std::bad_alloc, leaving the buffer as it was.
  void resize(std::int64_t size_bytes) {
    if (size_bytes > capacity_) grow(size_bytes, capacity_ + capacity_ / 2);
    size_ = size_bytes;
  }

  /// Hold at least `capacity_bytes` of memory, exactly that where it has to grow.
  void reserve(std::int64_t capacity_bytes) {
    if (capacity_bytes > capacity_) grow(capacity_bytes, 0);
  }

  /// The content as values of T.
  ///
  /// Lifetime: until the buffer is resized, moved or destroyed.
  template <typename T>
  [[nodiscard]] std::span<const T> as() const noexcept {
    return {reinterpret_cast<const T*>(data_), static_cast<std::size_t>(size_) / sizeof(T)};
  }
  template <typename T>
  [[nodiscard]] std::span<T> as_mutable() noexcept {
    return {reinterpret_cast<T*>(mutable_data()), static_cast<std::size_t>(size_) / sizeof(T)};
  }

  /// Append one value.
  template <typename T>
  void push_back(T value) {
    const std::int64_t end = size_;
    resize(end + static_cast<std::int64_t>(sizeof(T)));
    *reinterpret_cast<T*>(data_ + end) = value;
  }

 private:
  void grow(std::int64_t needed_bytes, std::int64_t wanted_bytes);
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
  std::pmr::memory_resource* memory_;
  std::shared_ptr<const void> owner_;
};

}  // namespace sheaf
