/// \file
/// Permutations whose numbers are computed one by one. No number depends on another, and nothing is
/// stored.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/remainder.h"

namespace sheaf::internal {

/// Returns a number whose every bit depends on every bit of `value`, as if by a coin toss. The
/// function is one-to-one.
///
/// Source: the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
///         Generators, 2014), with the constants of variant 13 of D. Stafford.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

/// Returns a key made of a key and a number. Different numbers give unrelated keys.
[[nodiscard]] constexpr std::uint64_t key_of(std::uint64_t key, std::uint64_t number) noexcept {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
  return mixed(mixed(number + kGolden) ^ (key + kGolden));
}

/// Returns a number from 0 to size - 1 made of a key. All numbers are equally likely, up to a
/// relative error of size / 2^64.
[[nodiscard]] constexpr std::int64_t below(std::uint64_t key, std::int64_t size) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>((Wide{key} * static_cast<std::uint64_t>(size)) >> 64U);
}

/// A permutation of 0 .. size-1 that a key selects.
///
/// Each number comes to each index with exactly the same probability (up to the error of below()),
/// since the last step rotates all numbers by a random distance. The joint distribution of two
/// numbers is nearly that of a random permutation.
///
/// The numbers are pairs (high, low) in a rectangle that is slightly larger than `size`. Four
/// rounds change one half by a keyed hash of the other, as in a Feistel cipher. A result outside of
/// the range goes through the rounds again.
///
/// Cost: about 15 cycles a number. Consecutive calls overlap.
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

  /// Returns the number at `index`.
  ///
  /// Pre: 0 <= index < size().
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const noexcept {
    auto number = static_cast<std::uint64_t>(index);
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

  // Returns high plus a number that the hash selects, modulo high_size_.
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

/// A permutation of 0 .. size-1 in equal steps. A key selects the start and the step.
///
/// Each number comes to each index with exactly the same probability (up to the error of below()).
class Steps {
 public:
  /// Makes the permutation of a single number.
  Steps() noexcept : Steps(1, 0, 0) {}

  /// Returns steps that spread the numbers at any consecutive indices over 0 .. size-1 as evenly as
  /// possible.
  ///
  /// The step is coprime to `size`, and close to a fraction of it that is hard to approximate by
  /// simple fractions. Its continued fraction has ones and twos selected by the key, and then only
  /// ones, as the golden ratio.
  ///
  /// Source: the three-gap theorem (V. T. Sos, On the distribution mod 1 of the sequence n*alpha,
  ///         1958), and the role of small partial quotients (H. Niederreiter, Random Number
  ///         Generation and Quasi-Monte Carlo Methods, 1992, chapter 3).
  /// Pre:    0 < size < 2^62.
  [[nodiscard]] static Steps even(std::uint64_t key, std::int64_t size) noexcept;

  /// Returns random steps. The joint distribution of two numbers is nearly that of a random
  /// permutation, but not that of three.
  ///
  /// Pre: 0 < size < 2^62.
  [[nodiscard]] static Steps any(std::uint64_t key, std::int64_t size) noexcept;

  /// Returns the inverse permutation, from numbers to indices.
  [[nodiscard]] Steps inverse() const noexcept;

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(size_); }

  /// Returns the number at `index`.
  ///
  /// Pre: 0 <= index < size().
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const noexcept {
    const auto n = static_cast<std::uint64_t>(index);
    if (size_ <= kSmallMax) return static_cast<std::int64_t>(remainder_(n * step_ + start_));
    return large(n);
  }

  /// Returns the number at the index after that of `number`.
  [[nodiscard]] std::int64_t next(std::int64_t number) const noexcept {
    const std::uint64_t sum = static_cast<std::uint64_t>(number) + step_;
    return static_cast<std::int64_t>(sum >= size_ ? sum - size_ : sum);
  }

 private:
  static constexpr std::uint64_t kSmallMax = std::uint64_t{1} << 32U;  // products fit 64 bits

  Steps(std::uint64_t size, std::uint64_t start, std::uint64_t step) noexcept
      : size_(size), start_(start), step_(step), remainder_(size) {}
  [[nodiscard]] std::int64_t large(std::uint64_t index) const noexcept;

  std::uint64_t size_;
  std::uint64_t start_;
  std::uint64_t step_;  // coprime to size_
  Remainder remainder_;
};

/// A permutation of 0 .. size-1 within blocks of consecutive numbers. Each block has a key of its
/// own.
class BlockPermutation {
 public:
  /// Pre: size > 0, block_size > 0.
  BlockPermutation(std::uint64_t key, std::int64_t size, std::int64_t block_size) noexcept
      : key_(key), size_(size), block_size_(block_size) {}

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Pre: 0 <= index < size().
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const noexcept {
    const std::int64_t first = index / block_size_ * block_size_;
    return first + within(first)(index - first);
  }

  [[nodiscard]] std::int64_t block_size() const noexcept { return block_size_; }

  /// Returns the permutation within the block that begins with `first`.
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
