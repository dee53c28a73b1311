/// \file
/// Sources that fail on purpose, and a source that records its reads.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

namespace sheaf::testing {

/// Bytes in memory. Counts reads. A test can make one read fail, and can cut off the end.
class TestSource final : public ByteSource {
 public:
  explicit TestSource(std::string bytes) : bytes_(std::move(bytes)), end_(bytes_.size()) {}

  /// Lets read number `n` fail, counted from 1, and no other.
  void fail_read(std::int64_t n) noexcept { failing_read_ = n; }

  /// Drops all bytes from `size` on. size() still returns the original size.
  void cut(std::int64_t size) noexcept { end_ = static_cast<std::size_t>(size); }

  [[nodiscard]] std::int64_t read_count() const noexcept { return read_count_; }
  [[nodiscard]] std::int64_t read_bytes() const noexcept { return read_bytes_; }
  [[nodiscard]] std::int64_t read_size_max() const noexcept { return read_size_max_; }

  [[nodiscard]] std::string_view name() const noexcept override { return "memory"; }
  [[nodiscard]] std::int64_t size() const noexcept override {
    return static_cast<std::int64_t>(bytes_.size());
  }

  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    const std::int64_t n = ++read_count_;
    const auto wanted = static_cast<std::int64_t>(into.size());
    read_bytes_ += wanted;
    std::int64_t before = read_size_max_;
    while (before < wanted && !read_size_max_.compare_exchange_weak(before, wanted)) {
    }
    if (offset < 0 || offset + wanted > size()) {
      throw InternalError("a read beyond what the source said it has");
    }
    if (n == failing_read_) throw IoError("memory: this read fails");
    if (static_cast<std::size_t>(offset) + into.size() > end_) {
      throw IoError("memory: cut short since it was opened");
    }
    if (!into.empty()) {
      std::memcpy(into.data(), bytes_.data() + static_cast<std::size_t>(offset), into.size());
    }
  }

 private:
  std::string bytes_;
  std::atomic<std::size_t> end_;
  std::atomic<std::int64_t> failing_read_ = 0;
  mutable std::atomic<std::int64_t> read_bytes_{0};
  mutable std::atomic<std::int64_t> read_count_ = 0;
  mutable std::atomic<std::int64_t> read_size_max_ = 0;
};

/// Records the reads of another source. While `fails` is set, all reads fail.
class WatchedSource final : public ByteSource {
 public:
  explicit WatchedSource(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::string_view path() const noexcept override { return source_->path(); }
  [[nodiscard]] std::int64_t modified_ns() const noexcept override {
    return source_->modified_ns();
  }
  [[nodiscard]] std::int64_t size() const noexcept override { return source_->size(); }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    if (fails) throw IoError(std::string(name()) + ": the disk is gone");
    bytes_read += std::ssize(into);
    const std::int64_t end = offset + std::ssize(into);
    std::int64_t before = furthest;
    while (before < end && !furthest.compare_exchange_weak(before, end)) {
    }
    source_->read_at(offset, into);
  }

  mutable std::atomic<std::int64_t> bytes_read = 0;
  mutable std::atomic<std::int64_t> furthest = 0;  // the largest end of a read
  std::atomic<bool> fails = false;

 private:
  const std::shared_ptr<const ByteSource> source_;
};

}  // namespace sheaf::testing
