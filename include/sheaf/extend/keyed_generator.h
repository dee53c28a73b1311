/// \file
/// Random numbers that depend only on a seed, a sweep, a sequence and a transform.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf {

/// Generates random numbers for one transform of one sequence in one sweep: Philox4x64-10, a
/// counter-based generator. Threads, workers and the order of arrival have no influence.
///
/// numpy.random.Philox with the same key gives the same 64-bit numbers: see key().
///
/// Threads: one call at a time.
class KeyedGenerator {
 public:
  /// The inputs of the random numbers. `transform` names the transform within its chain: "clip".
  struct Name {
    std::uint64_t seed = 0;
    std::int64_t sweep = 0;
    SequenceKey key = {};
    std::string_view transform = {};
  };

  /// The key of Philox: numpy.random.Philox(key=...) takes an array of the two numbers,
  /// of dtype uint64.
  using Key = std::array<std::uint64_t, 2>;

  /// Returns the key of a name: the low and the high half of the 128-bit XXH3 of seed, sweep,
  /// key.low and key.high, 8 bytes each and least significant first. The seed of the hash is the
  /// 64-bit XXH3 of the text of the transform.
  [[nodiscard]] static Key key_of(const Name& name) noexcept;

  /// Begins with the first number of the key.
  explicit KeyedGenerator(const Key& key) noexcept : key_(key) {}
  explicit KeyedGenerator(const Name& name) noexcept : key_(key_of(name)) {}

  [[nodiscard]] const Key& key() const noexcept { return key_; }

  /// Returns the next 64 bits: the next value of numpy's random_raw().
  [[nodiscard]] std::uint64_t next() noexcept;

  /// Skips `count` numbers, like that many calls of next(), but in constant time.
  void skip(std::uint64_t count) noexcept;

  /// Returns a number in [0, 1), a multiple of 2^-53: the next value of numpy's random().
  [[nodiscard]] double uniform() noexcept;

  /// Returns a whole number in [0, bound), each with the same probability.
  ///
  /// Pre: bound > 0.
  [[nodiscard]] std::int64_t below(std::int64_t bound) noexcept;

 private:
  Key key_;
  std::array<std::uint64_t, 4> counter_{};
  std::array<std::uint64_t, 4> block_{};
  int used_ = 4;  // how many numbers of the block are used
};

}  // namespace sheaf
