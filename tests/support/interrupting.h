/// \file
/// Interruptions at a chosen moment.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/interruption.h"

namespace sheaf::testing {

/// Thrown by Interrupting. Not a std::exception, because an interruption may throw anything.
struct Interrupted {};

/// Throws at the n-th check, counted from 1, and at no other.
class Interrupting final : public Interruption {
 public:
  explicit Interrupting(std::int64_t n) : n_(n) {}

  void check() override {
    if (++count_ == n_) throw Interrupted();
  }

  /// Return how many checks there were, and whether these were enough to throw.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] bool has_thrown() const noexcept { return count_ >= n_; }

 private:
  const std::int64_t n_;
  std::atomic<std::int64_t> count_ = 0;
};

/// Throws at every n-th check. By default, throws at every check.
class Refusing final : public Interruption {
 public:
  explicit Refusing(std::int64_t n = 1) : n_(n) {}

  void check() override {
    if (++count_ % n_ == 0) throw Interrupted();
  }

  /// Returns how many checks there were.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

 private:
  const std::int64_t n_;
  std::atomic<std::int64_t> count_ = 0;
};

/// Checks for an interruption at each read, like a source that waits for another machine.
class WaitingSource final : public ByteSource {
 public:
  explicit WaitingSource(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::int64_t size() const noexcept override { return source_->size(); }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    check_interruption();
    source_->read_at(offset, into);
  }

 private:
  const std::shared_ptr<const ByteSource> source_;
};

}  // namespace sheaf::testing
