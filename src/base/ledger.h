/// \file
/// Counts the memory that a limit covers.

#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace sheaf::internal {

/// Counts memory. Each holder of memory has a token of the ledger with two numbers: *held* is the
/// memory that the holder reserved, *used* the part of it that is in use already. The ledger knows
/// the sums over all tokens, and their largest values so far, at any time.
///
/// A ledger only counts. If there is no room, the holders decide who waits.
///
/// Threads: any number of threads may call a ledger. One thread at a time may call a token.
class Ledger {
 public:
  class Token;

  /// Makes a ledger with a limit. 0 means no limit.
  explicit Ledger(std::int64_t limit_bytes = 0) noexcept : limit_bytes_(limit_bytes) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  [[nodiscard]] std::int64_t limit_bytes() const noexcept { return limit_bytes_; }
  [[nodiscard]] bool has_limit() const noexcept { return limit_bytes_ > 0; }

  /// Returns by how much `bytes` more would exceed the limit. The result is 0 or less if there is
  /// room.
  [[nodiscard]] std::int64_t excess_bytes(std::int64_t bytes) const noexcept {
    return has_limit() ? held_.now() + bytes - limit_bytes_ : 0;
  }
  [[nodiscard]] bool has_room(std::int64_t bytes) const noexcept {
    return excess_bytes(bytes) <= 0;
  }

  [[nodiscard]] std::int64_t held_bytes() const noexcept { return held_.now(); }
  [[nodiscard]] std::int64_t held_bytes_max() const noexcept { return held_.most(); }
  [[nodiscard]] std::int64_t used_bytes() const noexcept { return used_.now(); }
  [[nodiscard]] std::int64_t used_bytes_max() const noexcept { return used_.most(); }

 private:
  /// A sum, and its largest value so far.
  class Sum {
   public:
    void add(std::int64_t bytes) noexcept {
      const std::int64_t now = now_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
      std::int64_t most = most_.load(std::memory_order_relaxed);
      while (now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
      }
    }
    [[nodiscard]] std::int64_t now() const noexcept { return now_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t most() const noexcept {
      return most_.load(std::memory_order_relaxed);
    }

   private:
    std::atomic<std::int64_t> now_ = 0;
    std::atomic<std::int64_t> most_ = 0;
  };

  const std::int64_t limit_bytes_;
  Sum held_;
  Sum used_;
};

/// The account of one holder. The destructor gives everything back.
///
/// Lifetime: the ledger must outlive the token.
class Ledger::Token {
 public:
  /// Makes a token without a ledger, which counts nothing.
  Token() noexcept = default;
  explicit Token(Ledger& ledger) noexcept : ledger_(&ledger) {}
  Token(Token&& other) noexcept
      : ledger_(other.ledger_),
        held_bytes_(std::exchange(other.held_bytes_, 0)),
        used_bytes_(std::exchange(other.used_bytes_, 0)) {}
  Token& operator=(Token&& other) noexcept {
    if (this == &other) return *this;
    release();
    ledger_ = other.ledger_;
    held_bytes_ = std::exchange(other.held_bytes_, 0);
    used_bytes_ = std::exchange(other.used_bytes_, 0);
    return *this;
  }
  ~Token() { release(); }

  /// Sets how many bytes the token holds, and how many of them are in use.
  ///
  /// Pre: 0 <= used_bytes <= held_bytes.
  void set(std::int64_t held_bytes, std::int64_t used_bytes) noexcept {
    if (ledger_ != nullptr) {
      if (held_bytes != held_bytes_) ledger_->held_.add(held_bytes - held_bytes_);
      if (used_bytes != used_bytes_) ledger_->used_.add(used_bytes - used_bytes_);
    }
    held_bytes_ = held_bytes;
    used_bytes_ = used_bytes;
  }

  /// Holds `bytes` bytes, none of them in use.
  void reserve(std::int64_t bytes) noexcept { set(bytes, 0); }

  /// Holds `bytes` bytes, all of them in use.
  void use(std::int64_t bytes) noexcept { set(bytes, bytes); }

  void release() noexcept { set(0, 0); }

  [[nodiscard]] std::int64_t held_bytes() const noexcept { return held_bytes_; }
  [[nodiscard]] std::int64_t used_bytes() const noexcept { return used_bytes_; }

 private:
  Ledger* ledger_ = nullptr;
  std::int64_t held_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
};

}  // namespace sheaf::internal
