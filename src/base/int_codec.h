// Encodes integers, and lists of integers, in few bytes.
//
// docs/formats/index-file.md has the layout, byte by byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sheaf/extend/packed_ints.h"

namespace sheaf::internal {

/// Appends a number as 8 bytes, low byte first.
void append_word(std::uint64_t value, std::string& into);

/// Takes a number of append_word() off the front. Returns nothing if there are too few bytes.
[[nodiscard]] std::optional<std::uint64_t> take_word(std::span<const std::byte>& bytes);

/// Appends a number, 7 bits a byte, low bits first.
///
/// Cost: 1 to 10 bytes.
void append_varint(std::uint64_t value, std::string& into);

/// Takes a number of append_varint() off the front. Returns nothing if there is none.
[[nodiscard]] std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes);

/// Appends the values of a list, without their number. The bytes depend on the values only.
///
/// Cost: a few bytes if the values lie on one line. Otherwise 2 or 3 bytes for each block of 64
///       values, and the bits of the residual of each value, or of its distance from the previous
///       value.
void append_ints(const PackedInts& values, std::string& into);

/// Takes a list of `size` values of append_ints() off the front. Returns nothing if the bytes are
/// no such list. Any bytes are safe.
///
/// Cost: memory of the list, which does not depend on `size` if the values lie on a line.
[[nodiscard]] std::optional<PackedInts> take_ints(std::span<const std::byte>& bytes,
                                                  std::int64_t size);

}  // namespace sheaf::internal
