/// \file
/// A part of the memory limit that several threads share.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace sheaf::internal {

/// Memory for work besides the run. A thread takes the memory that its work needs, and waits while
/// other threads have it.
///
/// Threads: any number of threads may call take().
class MemoryShare {
 public:
  /// The memory that a thread has taken. The destructor gives it back.
  class Part {
   public:
    Part(MemoryShare* share, std::int64_t bytes) noexcept : share_(share), bytes_(bytes) {}
    Part(Part&& other) noexcept
        : share_(std::exchange(other.share_, nullptr)), bytes_(other.bytes_) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    Part& operator=(Part&&) = delete;
    ~Part() {
      if (share_ != nullptr) share_->give_back(bytes_);
    }

   private:
    MemoryShare* share_;
    std::int64_t bytes_;
  };

  /// Empty means no limit.
  explicit MemoryShare(std::optional<std::int64_t> bytes) noexcept
      : limit_bytes_(bytes), free_bytes_(bytes.value_or(0)) {}

  [[nodiscard]] std::int64_t limit_bytes() const noexcept { return limit_bytes_.value_or(0); }

  /// Waits for the memory. Returns nothing if the limit is below `bytes`.
  [[nodiscard]] std::optional<Part> take(std::int64_t bytes) {
    if (!limit_bytes_) return std::optional<Part>(std::in_place, nullptr, 0);
    if (bytes > *limit_bytes_) return std::nullopt;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return free_bytes_ >= bytes; });
    free_bytes_ -= bytes;
    return std::optional<Part>(std::in_place, this, bytes);
  }

 private:
  void give_back(std::int64_t bytes) noexcept {
    {
      const std::scoped_lock lock(mutex_);
      free_bytes_ += bytes;
    }
    changed_.notify_all();
  }

  const std::optional<std::int64_t> limit_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t free_bytes_;
};

}  // namespace sheaf::internal
