// Reads compressed bytes from front to back.

#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// A read buffer over a part of a source.
class CompressedInput {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{128} << 10;

  /// Pre: 0 <= begin <= end <= source.size(); `source` outlives the object.
  CompressedInput(const ByteSource& source, std::int64_t begin, std::int64_t end)
      : source_(source), next_(begin), end_(end) {}

  /// Returns the next bytes: at least `least`, or all that are left if these are fewer.
  ///
  /// Pre:      1 <= least <= kBufferBytes.
  /// Throws:   IoError.
  /// Lifetime: until the next call.
  [[nodiscard]] std::span<const std::byte> peek(std::size_t least = 1) {
    assert(least >= 1 && least <= kBufferBytes);
    if (size_ < least && next_ < end_) fill();
    return std::span<const std::byte>(buffer_).subspan(begin_, size_);
  }

  /// Pre: peek() returned at least `count` bytes.
  void consume(std::size_t count) noexcept {
    assert(count <= size_);
    begin_ += count;
    size_ -= count;
  }

  /// Passes over `count` bytes. Returns whether the source had that many.
  [[nodiscard]] bool skip(std::int64_t count) noexcept {
    const std::int64_t peeked = std::min(count, static_cast<std::int64_t>(size_));
    consume(static_cast<std::size_t>(peeked));
    const std::int64_t passed = std::min(count - peeked, end_ - next_);
    next_ += passed;
    return peeked + passed == count;
  }

  /// Returns the offset of the next byte in the source.
  [[nodiscard]] std::int64_t position() const noexcept {
    return next_ - static_cast<std::int64_t>(size_);
  }

 private:
  void fill() {
    if (buffer_.empty()) buffer_.resize(kBufferBytes);
    if (size_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, size_);
    begin_ = 0;
    const auto room = static_cast<std::int64_t>(kBufferBytes - size_);
    const std::int64_t count = std::min(room, end_ - next_);
    source_.read_at(next_, std::span(buffer_).subspan(size_, static_cast<std::size_t>(count)));
    next_ += count;
    size_ += static_cast<std::size_t>(count);
  }

  const ByteSource& source_;
  std::int64_t next_;  // offset of the next byte to read from the source
  std::int64_t end_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;  // of the bytes that were read and not consumed
  std::size_t size_ = 0;
};

}  // namespace sheaf::internal
