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

/// What a header says, in numbers of the machine.
struct Header {
  std::int64_t frame_count = 0;  // that can be read: without the four that scales take
  std::uint32_t period = 0;      // in 100 ns
  std::int64_t frame_size_bytes = 0;
  std::int64_t dim = 0;
  std::int64_t data_offset = 0;  // of the first frame
  std::string kind;              // "MFCC_E_D", without what changes the layout alone
  bool is_big_endian = false;
  bool is_compressed = false;  // 16-bit numbers, with a scale and an offset for each value
  bool has_checksum = false;   // two bytes behind the last frame

  friend bool operator==(const Header&, const Header&) = default;
};

/// Why a file is no good.
struct HeaderFault {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;
  std::string found;
};

/// How many bytes a header has at most, with a GUID.
inline constexpr std::int64_t kHeadSize = 28;
inline constexpr std::int64_t kHeaderSize = 12;

/// Reads a header. `head` are the first kHeadSize bytes of the file, or all of a smaller file.
///
/// Source: docs/formats/htk.md.
[[nodiscard]] std::variant<Header, HeaderFault> parse_header(std::span<const std::byte> head,
                                                             std::int64_t file_size_bytes);

/// Returns the number of a parameter kind, such as "MFCC_E_D_A": a base kind that is a float
/// vector, and qualifiers that only describe the values, each once. Returns nothing for other
/// texts.
[[nodiscard]] std::optional<std::uint16_t> kind_number(std::string_view kind);

/// What a header says of a file that is written.
struct WrittenHeader {
  std::int64_t frame_count = 0;  // up to 2^31 - 1
  std::uint32_t period = 0;
  std::uint16_t frame_size_bytes = 0;
  std::uint16_t kind = 0;
};

/// Returns the bytes of a header, big-endian.
[[nodiscard]] std::array<std::byte, kHeaderSize> header_bytes(const WrittenHeader& header);

}  // namespace sheaf::htk
