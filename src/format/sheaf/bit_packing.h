// Packs whole numbers in as few bits as the largest of 1024 consecutive numbers takes.
//
// docs/formats/sheaf.md describes the layout, byte by byte.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace sheaf::container {

/// The numbers that are packed together. The last vector of an array may have fewer.
inline constexpr std::int64_t kVectorSize = 1024;

using NumberVector = std::array<std::uint64_t, std::size_t{kVectorSize}>;

/// Writes the numbers [first, first + count) of an array, modulo 2^64.
///
/// Pre: 1 <= count <= kVectorSize.
using NumberFeed = std::function<void(std::int64_t first, std::int64_t count, std::uint64_t* into)>;

/// Returns the number of bytes that pack() writes.
[[nodiscard]] std::int64_t packed_size(std::int64_t count, const NumberFeed& feed);

/// Returns the most bytes that pack() may write.
[[nodiscard]] std::int64_t packed_size_max(std::int64_t count) noexcept;

/// Writes `count` numbers. Returns the end of the bytes.
///
/// Pre: `into` has room for packed_size() bytes.
std::byte* pack(std::int64_t count, const NumberFeed& feed, std::byte* into);

/// The smallest of some numbers, compared as signed numbers, and the bits that the distances from
/// it take.
struct NumberRange {
  std::uint64_t base = 0;
  unsigned width = 0;
};

/// Pre: 1 <= count <= kVectorSize.
[[nodiscard]] NumberRange range_of(const NumberVector& numbers, std::int64_t count) noexcept;

/// Writes packed numbers, a vector at a time. pack() writes the same bytes.
class VectorPacker {
 public:
  /// `into` has room for `room_bytes`. There will be `count` numbers.
  VectorPacker(std::int64_t count, std::byte* into, std::int64_t room_bytes) noexcept;

  /// Writes the next vector. Returns false, and writes nothing, if the room is too small.
  ///
  /// Pre: `range` is range_of() the numbers; all vectors but the last one have kVectorSize numbers.
  [[nodiscard]] bool put(const NumberVector& numbers, std::int64_t count,
                         const NumberRange& range) noexcept;

  /// Returns the end of the bytes so far.
  ///
  /// Pre: put() has not returned false.
  [[nodiscard]] std::byte* end() const noexcept { return bits_; }

 private:
  std::byte* head_;
  std::byte* bits_;
  std::int64_t room_;  // for bits; negative if there is no room for the heads
};

/// Reads packed numbers, a vector at a time.
class Unpacker {
 public:
  /// Returns a reader of `count` numbers at the front of `bytes`. Returns nothing if the bytes
  /// cannot hold that many.
  [[nodiscard]] static std::optional<Unpacker> open(std::span<const std::byte> bytes,
                                                    std::int64_t count);

  /// Returns the number of bytes that the numbers take.
  [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_; }

  /// Reads the next vector into `numbers`. Returns the count of its numbers, or 0 at the end.
  std::int64_t next(NumberVector& numbers) noexcept;

  /// Return the base of the last vector, which is added to its packed numbers, and their width in
  /// bits.
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] unsigned width() const noexcept { return width_; }

 private:
  Unpacker(std::span<const std::byte> bytes, std::int64_t count) noexcept
      : bytes_(bytes), left_(count) {}

  std::span<const std::byte> bytes_;
  std::uint64_t base_ = 0;
  unsigned width_ = 0;
  std::int64_t size_ = 0;
  std::int64_t left_ = 0;     // numbers not yet read
  std::int64_t head_at_ = 0;  // in bytes
  std::int64_t bits_at_ = 0;  // in bytes
};

}  // namespace sheaf::container
