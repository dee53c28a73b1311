// A growing text.

#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "sheaf/extend/buffer.h"

namespace sheaf::internal {

/// Builds a text in memory that is not initialised.
class TextBuffer {
 public:
  explicit TextBuffer(std::int64_t size_bytes) { grow(size_bytes); }

  /// Makes room for `size_bytes` at the end of the text, and returns the address of this room. Call
  /// set_end() with the end of the bytes that were written.
  [[nodiscard]] char* room(std::int64_t size_bytes) {
    if (limit_ - end_ < size_bytes) grow(size_bytes);
    return end_;
  }
  void set_end(char* end) noexcept { end_ = end; }

  void append(std::string_view text) {
    char* const to = room(std::ssize(text));
    end_ = std::copy(text.begin(), text.end(), to);  // an empty text may be a null pointer
  }

  /// Returns the text. The buffer cannot be used afterwards.
  [[nodiscard]] Buffer finish() && {
    bytes_.resize(size_bytes());
    return std::move(bytes_);
  }

 private:
  [[nodiscard]] char* begin() noexcept { return reinterpret_cast<char*>(bytes_.mutable_data()); }
  [[nodiscard]] std::int64_t size_bytes() noexcept { return end_ == nullptr ? 0 : end_ - begin(); }

  void grow(std::int64_t more_bytes) {
    const std::int64_t size = size_bytes();
    bytes_.resize(size);  // the bytes to keep
    bytes_.resize(size + more_bytes);
    end_ = begin() + size;
    limit_ = begin() + bytes_.capacity_bytes();
  }

  Buffer bytes_;
  char* end_ = nullptr;
  char* limit_ = nullptr;
};

}  // namespace sheaf::internal
