// Reads the numbers of a file one after the other, in larger pieces.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"

#include "format/cbf/cbf_bytes.h"

namespace sheaf::cbf {

/// Moves forward over a part of a file.
///
/// Lifetime: the source must outlive the cursor.
class Cursor {
 public:
  /// The largest size that take() accepts.
  static constexpr std::int64_t kTakeMax = std::int64_t{1} << 20;

  Cursor(const ByteSource& source, std::int64_t begin, std::int64_t end,
         std::int64_t piece_size_bytes = kTakeMax)
      : source_(source), piece_size_(piece_size_bytes), at_(begin), end_(end), buffer_at_(begin) {}

  [[nodiscard]] std::int64_t offset() const noexcept { return at_; }
  [[nodiscard]] std::int64_t rest() const noexcept { return end_ - at_; }

  /// Returns the next bytes and moves past them.
  ///
  /// Pre:      0 <= size <= rest(), and at most kTakeMax.
  /// Lifetime: valid until the next call.
  /// Throws:   IoError.
  [[nodiscard]] const std::byte* take(std::int64_t size) {
    const std::byte* bytes = peek(size);
    at_ += size;
    return bytes;
  }

  /// Returns the next bytes without moving.
  [[nodiscard]] const std::byte* peek(std::int64_t size) {
    if (at_ + size > buffer_at_ + buffer_.size_bytes()) fill(size);
    return buffer_.data() + (at_ - buffer_at_);
  }

  template <typename T>
  [[nodiscard]] T number() {
    return load<T>(take(sizeof(T)));
  }

  /// Moves forward without reading.
  ///
  /// Pre: 0 <= size <= rest().
  void skip(std::int64_t size) noexcept {
    at_ += size;
    if (at_ > buffer_at_ + buffer_.size_bytes()) {
      buffer_.resize(0);
      buffer_at_ = at_;
    }
  }

 private:
  void fill(std::int64_t size) {
    const std::int64_t wanted = std::min(rest(), std::max(size, piece_size_));
    buffer_.resize(0);  // keeps the memory, and growing it copies nothing
    buffer_.resize(wanted);
    buffer_at_ = at_;
    source_.read_at(at_, {buffer_.mutable_data(), static_cast<std::size_t>(wanted)});
  }

  const ByteSource& source_;
  std::int64_t piece_size_;
  std::int64_t at_;
  std::int64_t end_;
  std::int64_t buffer_at_;
  Buffer buffer_;
};

}  // namespace sheaf::cbf
