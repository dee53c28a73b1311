// The header of an HTK parameter file.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "format/htk/htk_errors.h"

namespace sheaf::htk {

/// The contents of a header.
struct Header {
  std::int64_t frame_count = 0;  // frames to read, without the four that scales take
  std::uint32_t period = 0;      // in 100 ns
  std::int64_t frame_size_bytes = 0;
  std::int64_t dim = 0;
  std::int64_t data_offset = 0;  // of the first frame
  std::string kind;  // such as "MFCC_E_D", without qualifiers that only change the layout
  bool is_big_endian = false;
  bool is_compressed = false;  // 16-bit numbers, with a scale and an offset for each value
  bool has_checksum = false;   // two bytes after the last frame

  friend bool operator==(const Header&, const Header&) = default;
};

/// The reason why a file is wrong.
struct HeaderFault {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;
  std::string found;
};

/// The largest size of a header, with a GUID.
inline constexpr std::int64_t kHeadSize = 28;
inline constexpr std::int64_t kHeaderSize = 12;

/// Parses a header. `head` has the first kHeadSize bytes of the file, or all bytes of a smaller
/// file.
///
/// Source: docs/formats/htk.md.
[[nodiscard]] std::variant<Header, HeaderFault> parse_header(std::span<const std::byte> head,
                                                             std::int64_t file_size_bytes);

/// Returns the number of a parameter kind, such as "MFCC_E_D_A": a base kind that is a float
/// vector, and qualifiers that only describe the values, each at most once. Returns nothing for
/// other texts.
[[nodiscard]] std::optional<std::uint16_t> kind_number(std::string_view kind);

/// The header of a file to write.
struct WrittenHeader {
  std::int64_t frame_count = 0;  // up to 2^31 - 1
  std::uint32_t period = 0;
  std::uint16_t frame_size_bytes = 0;
  std::uint16_t kind = 0;
};

/// Returns the bytes of a header, big-endian.
[[nodiscard]] std::array<std::byte, kHeaderSize> header_bytes(const WrittenHeader& header);

}  // namespace sheaf::htk
