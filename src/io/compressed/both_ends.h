// The first and the last bytes of a long stream of bytes.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::internal {

/// Keeps the first and the last kPartBytes of a stream, and counts all bytes.
/// ByteSource::fingerprint() is made of these.
class BothEnds {
 public:
  static constexpr std::int64_t kPartBytes = std::int64_t{64} << 10;

  void add(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    add(text, text, std::ssize(bytes));
  }

  /// Appends the stream that `other` saw, which comes behind this one.
  void add(const BothEnds& other) { add(other.first_, other.last_, other.size_); }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::string& first() const noexcept { return first_; }
  [[nodiscard]] const std::string& last() const noexcept { return last_; }

 private:
  void add(std::string_view first, std::string_view last, std::int64_t size) {
    first_ += first.substr(0, static_cast<std::size_t>(kPartBytes - std::ssize(first_)));
    constexpr auto kPart = static_cast<std::size_t>(kPartBytes);
    last = last.substr(last.size() - std::min(last.size(), kPart));
    const std::size_t kept = std::min(last_.size(), kPart - last.size());
    last_.erase(0, last_.size() - kept);
    last_ += last;
    size_ += size;
  }

  std::string first_;
  std::string last_;
  std::int64_t size_ = 0;
};

}  // namespace sheaf::internal
