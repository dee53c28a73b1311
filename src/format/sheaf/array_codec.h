// One array of a column as bytes, by the codec that takes the fewest.
//
// docs/formats/sheaf.md has the codecs, byte by byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

namespace sheaf::container {

/// The numbers are those in files.
enum class Codec : std::uint64_t { raw, constant, packed, delta, decimal, lz4, zstd };

inline constexpr std::uint64_t kCodecCount = 7;

/// Returns the name in documents and reports.
[[nodiscard]] std::string_view to_string(Codec codec) noexcept;

/// How hard to try: see `sheaf.compression`.
enum class Compression : std::uint8_t { none, fast, small };

/// The values of one array.
struct PlainArray {
  ElementType type = ElementType::u8;
  std::span<const std::byte> bytes = {};

  /// Where runs begin, in values, and where the last run ends: differences begin anew with each
  /// run. Empty: the array has no runs, and no differences.
  std::span<const std::int64_t> runs = {};

  [[nodiscard]] std::int64_t count() const noexcept {
    return std::ssize(bytes) / element_size(type);
  }
};

struct EncodedArray {
  Codec codec = Codec::raw;
  Buffer bytes = {};  // empty where raw: the values are stored unchanged
};

/// Encodes an array. The result depends on the values alone.
[[nodiscard]] EncodedArray encode_array(const PlainArray& array, Compression compression);

/// An array as a file has it.
struct StoredArray {
  ElementType type = ElementType::u8;
  std::int64_t count = 0;
  Codec codec = Codec::raw;
  std::span<const std::byte> bytes = {};
  std::span<const std::int64_t> runs = {};  // as PlainArray::runs
};

/// Writes the values of an array. Returns whether the bytes are exactly such an array.
///
/// Pre: `into` has room for all values, and is aligned for them.
[[nodiscard]] bool decode_array(const StoredArray& array, std::byte* into);

}  // namespace sheaf::container
