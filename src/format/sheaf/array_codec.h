// Encodes an array of a column with the codec that takes the fewest bytes.
//
// docs/formats/sheaf.md describes the codecs, byte by byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

namespace sheaf::container {

/// The values of the enumerators are stored in files.
enum class Codec : std::uint64_t { raw, constant, packed, delta, decimal, lz4, zstd };

inline constexpr std::uint64_t kCodecCount = 7;

/// Returns the name of the codec in documents and reports.
[[nodiscard]] std::string_view to_string(Codec codec) noexcept;

/// How much effort to spend: see `sheaf.compression`.
enum class Compression : std::uint8_t { none, fast, small };

/// The values of one array.
struct PlainArray {
  ElementType type = ElementType::u8;
  std::span<const std::byte> bytes = {};

  /// The offsets of runs, in values, and then the end of the last run. Differences start anew with
  /// each run. If empty, the array has no runs, and no differences are taken.
  std::span<const std::int64_t> runs = {};

  [[nodiscard]] std::int64_t count() const noexcept {
    return std::ssize(bytes) / element_size(type);
  }
};

struct EncodedArray {
  Codec codec = Codec::raw;
  Buffer bytes = {};  // empty for raw: the values are stored unchanged
};

/// Encodes an array. The result depends only on the values.
[[nodiscard]] EncodedArray encode_array(const PlainArray& array, Compression compression);

/// An array in a file.
struct StoredArray {
  ElementType type = ElementType::u8;
  std::int64_t count = 0;
  Codec codec = Codec::raw;
  std::span<const std::byte> bytes = {};
  std::span<const std::int64_t> runs = {};  // as PlainArray::runs
};

/// Decodes the values of an array. Returns whether the bytes are exactly such an array.
///
/// Pre: `into` has room for all values, and is aligned for them.
[[nodiscard]] bool decode_array(const StoredArray& array, std::byte* into);

}  // namespace sheaf::container
