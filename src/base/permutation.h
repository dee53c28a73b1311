/// \file
/// Permutations that are computed place by place: nothing is stored, and no place needs another.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/remainder.h"

namespace sheaf::internal {

/// A number that depends on every bit of `value`, each bit as if by a toss; one for one.
///
/// Source: the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
///         Generators, 2014), with the constants of variant 13 of D. Stafford.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

/// A key made of another and a number. Other numbers give keys that have nothing to do with it.
[[nodiscard]] constexpr std::uint64_t key_of(std::uint64_t key, std::uint64_t number) noexcept {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
  return mixed(mixed(number + kGolden) ^ (key + kGolden));
}

/// A number from 0 to size - 1 out of a key: each as likely as any other, but for one part in
/// 2^64 / size.
[[nodiscard]] constexpr std::int64_t below(std::uint64_t key, std::int64_t size) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>((Wide{key} * static_cast<std::uint64_t>(size)) >> 64U);
}

/// A permutation of 0 .. size-1 that a key chooses.
///
/// Every number is equally likely to come to every place, exactly (but for what below() says):
/// last of all, all are moved round by a random distance. Where two numbers come to, is nearly as
/// if drawn.
///
/// How: numbers are pairs (high, low) of a rectangle that holds little more than `size`; four
/// rounds change one half by a keyed hash of the other, as Feistel's ciphers do; what falls
/// outside goes round again.
///
/// Cost: some 15 cycles a number, which overlap with those of the next.
class KeyedPermutation {
 public:
  /// Pre: size > 0.
  KeyedPermutation(std::uint64_t key, std::int64_t size) noexcept
      : size_(static_cast<std::uint64_t>(size)),
        low_bits_(static_cast<unsigned>(std::bit_width(size_ - 1)) / 2),
        high_size_(((size_ - 1) >> low_bits_) + 1),
        first_(key_of(key, 0) | 1U),
        second_(key_of(key, 1) | 1U),
        distance_(static_cast<std::uint64_t>(below(key_of(key, 2), size))) {}

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(size_); }

  /// The number at a place.
  ///
  /// Pre: 0 <= place < size().
  [[nodiscard]] std::int64_t operator()(std::int64_t place) const noexcept {
    auto number = static_cast<std::uint64_t>(place);
    do {
      number = once(number);
    } while (number >= size_);
    number += distance_;
    return static_cast<std::int64_t>(number >= size_ ? number - size_ : number);
  }

 private:
  [[nodiscard]] std::uint64_t once(std::uint64_t number) const noexcept {
    std::uint64_t low = number & ((std::uint64_t{1} << low_bits_) - 1);
    std::uint64_t high = number >> low_bits_;
    high = turned(high, low * first_ + second_);
    low ^= top_bits(high * second_ + first_);
    high = turned(high, low * std::rotl(second_, 32) + first_);
    low ^= top_bits(high * std::rotl(first_, 32) + second_);
    return (high << low_bits_) | low;
  }

  // high plus a number that the hash chooses, modulo high_size_.
  [[nodiscard]] std::uint64_t turned(std::uint64_t high, std::uint64_t hash) const noexcept {
    high += static_cast<std::uint64_t>(below(hash, static_cast<std::int64_t>(high_size_)));
    return high >= high_size_ ? high - high_size_ : high;
  }

  [[nodiscard]] std::uint64_t top_bits(std::uint64_t hash) const noexcept {
    return (hash >> 1U) >> (63U - low_bits_);
  }

  std::uint64_t size_;
  unsigned low_bits_;
  std::uint64_t high_size_;
  std::uint64_t first_;
  std::uint64_t second_;
  std::uint64_t distance_;
};

/// A permutation of 0 .. size-1 in equal steps, from a start on, both of which a key chooses.
///
/// Every number is equally likely to come to every place, exactly (but for what below() says).
class Steps {
 public:
  /// That of a single number.
  Steps() noexcept : Steps(1, 0, 0) {}

  /// Steps that make the numbers at any consecutive places lie over 0 .. size-1 as evenly as can
  /// be.
  ///
  /// How: the step is prime to `size` and near to a part of it that fractions approach badly: a
  ///      continued fraction of ones and twos (the key's) that ends in ones (the golden section's).
  /// Source: the three-gap theorem (V. T. Sos, On the distribution mod 1 of the sequence n*alpha,
  ///         1958), and what small quotients do for it (H. Niederreiter, Random Number Generation
  ///         and Quasi-Monte Carlo Methods, 1992, chapter 3).
  /// Pre: 0 < size < 2^62.
  [[nodiscard]] static Steps even(std::uint64_t key, std::int64_t size) noexcept;

  /// Any steps: where two numbers come to is nearly as if drawn, where three do is not.
  ///
  /// Pre: 0 < size < 2^62.
  [[nodiscard]] static Steps any(std::uint64_t key, std::int64_t size) noexcept;

  /// The way back: from numbers to places.
  [[nodiscard]] Steps inverse() const noexcept;

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(size_); }

  /// The number at a place.
  ///
  /// Pre: 0 <= place < size().
  [[nodiscard]] std::int64_t operator()(std::int64_t place) const noexcept {
    const auto n = static_cast<std::uint64_t>(place);
    if (size_ <= kSmallMax) return static_cast<std::int64_t>(remainder_(n * step_ + start_));
    return large(n);
  }

  /// The number at the place after that of another number.
  [[nodiscard]] std::int64_t next(std::int64_t number) const noexcept {
    const std::uint64_t sum = static_cast<std::uint64_t>(number) + step_;
    return static_cast<std::int64_t>(sum >= size_ ? sum - size_ : sum);
  }

 private:
  static constexpr std::uint64_t kSmallMax = std::uint64_t{1} << 32U;  // a product fits 64 bits

  Steps(std::uint64_t size, std::uint64_t start, std::uint64_t step) noexcept
      : size_(size), start_(start), step_(step), remainder_(size) {}
  [[nodiscard]] std::int64_t large(std::uint64_t place) const noexcept;

  std::uint64_t size_;
  std::uint64_t start_;
  std::uint64_t step_;  // prime to size_
  Remainder remainder_;
};

/// A permutation of 0 .. size-1 within blocks of consecutive numbers, each by a key of its own.
class BlockPermutation {
 public:
  /// Pre: size > 0, block_size > 0.
  BlockPermutation(std::uint64_t key, std::int64_t size, std::int64_t block_size) noexcept
      : key_(key), size_(size), block_size_(block_size) {}

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Pre: 0 <= place < size().
  [[nodiscard]] std::int64_t operator()(std::int64_t place) const noexcept {
    const std::int64_t first = place / block_size_ * block_size_;
    return first + within(first)(place - first);
  }

  [[nodiscard]] std::int64_t block_size() const noexcept { return block_size_; }

  /// The permutation within the block that begins with a number.
  ///
  /// Pre: 0 <= first < size(); first is a multiple of block_size().
  [[nodiscard]] KeyedPermutation within(std::int64_t first) const noexcept {
    return {key_of(key_, static_cast<std::uint64_t>(first)), std::min(block_size_, size_ - first)};
  }

 private:
  std::uint64_t key_;
  std::int64_t size_;
  std::int64_t block_size_;
};

}  // namespace sheaf::internal
