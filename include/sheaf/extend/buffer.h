/// \file
/// Memory for columns and minibatches.

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>

namespace sheaf {

/// Returns the default memory resource. The resource keeps some freed blocks for reuse: at most 16
/// MiB in blocks below 4 MiB, 24 MiB in larger blocks, and 128 KiB more for each thread.
///
/// Threads:  safe.
/// Lifetime: the process.
[[nodiscard]] std::pmr::memory_resource& default_memory() noexcept;

/// Bytes that the buffer owns and can grow, or that the buffer borrows while keeping their owner
/// alive.
///
/// Owned memory comes from the default memory resource or from a resource of the caller, such as
/// pinned memory or an arena. The resource must outlive the buffer. The memory is aligned to
/// kAlignment and not initialised. A buffer is move-only; a moved-from buffer is empty.
class Buffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// Makes an empty buffer that grows in `memory`.
  explicit Buffer(std::pmr::memory_resource& memory) noexcept : memory_(&memory) {}

  /// Makes an empty buffer that grows in the default memory.
  Buffer() noexcept = default;

  /// Returns a buffer that refers to bytes that `owner` keeps alive. The buffer cannot grow.
  ///
  /// Pre: `bytes` are aligned for the type of their values.
  [[nodiscard]] static Buffer borrow(std::span<const std::byte> bytes,
                                     std::shared_ptr<const void> owner);

  /// Returns a buffer of `size_bytes` zeros.
  [[nodiscard]] static Buffer zeros(std::int64_t size_bytes,
                                    std::pmr::memory_resource& memory = default_memory());

  // These functions are inline because a minibatch has dozens of buffers, and most of them are
  // empty.
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        memory_(other.memory_),
        owner_(std::move(other.owner_)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      if (holds_any()) release();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
      memory_ = other.memory_;
      owner_ = std::move(other.owner_);
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (holds_any()) release();
  }

  [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Returns how many bytes of memory the buffer owns, used or not. Returns 0 for borrowed bytes.
  [[nodiscard]] std::int64_t capacity_bytes() const noexcept { return capacity_; }

  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

  /// Pre: not borrowed.
  [[nodiscard]] std::byte* mutable_data() noexcept {
    assert(owner_ == nullptr);
    return data_;
  }

  /// Sets the size. New bytes are not initialised. The memory grows geometrically, and never
  /// shrinks.
  ///
  /// Pre:    not borrowed.
  /// Throws: std::bad_alloc, leaving the buffer as it was.
  void resize(std::int64_t size_bytes) {
    if (size_bytes > capacity_) grow(size_bytes, capacity_ + capacity_ / 2);
    size_ = size_bytes;
  }

  /// Makes room for `capacity_bytes`. If the buffer has to grow, it gets exactly this capacity, but
  /// at least kAlignment bytes.
  void reserve(std::int64_t capacity_bytes) {
    if (capacity_bytes > capacity_) grow(capacity_bytes, 0);
  }

  /// Returns the content as values of T.
  ///
  /// Pre:      the values have type T: for a stream, element_type_of<T> is Stream::element_type, or
  ///           Stream::index_type for indices.
  /// Lifetime: until the buffer is resized or destroyed. Moving the buffer keeps the span valid;
  ///           its bytes then belong to the new buffer.
  template <typename T>
  [[nodiscard]] std::span<const T> as() const noexcept {
    return {reinterpret_cast<const T*>(data_), static_cast<std::size_t>(size_) / sizeof(T)};
  }
  template <typename T>
  [[nodiscard]] std::span<T> as_mutable() noexcept {
    return {reinterpret_cast<T*>(mutable_data()), static_cast<std::size_t>(size_) / sizeof(T)};
  }

  /// Appends one value.
  template <typename T>
  void push_back(T value) {
    const std::int64_t end = size_;
    resize(end + static_cast<std::int64_t>(sizeof(T)));
    *reinterpret_cast<T*>(data_ + end) = value;
  }

 private:
  void grow(std::int64_t needed_bytes, std::int64_t wanted_bytes);
  void release() noexcept;
  [[nodiscard]] bool holds_any() const noexcept { return capacity_ > 0 || owner_ != nullptr; }

  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
  std::pmr::memory_resource* memory_ = nullptr;  // null: default_memory()
  std::shared_ptr<const void> owner_;
};

}  // namespace sheaf
