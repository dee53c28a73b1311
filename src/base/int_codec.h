// Integers, and lists of them in few bytes.
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

/// Append a number, 8 bytes, the low ones first.
void append_word(std::uint64_t value, std::string& into);

/// Take off the front what append_word() appended; nothing where there are fewer bytes.
[[nodiscard]] std::optional<std::uint64_t> take_word(std::span<const std::byte>& bytes);

/// Append a number, 7 bits a byte, the low ones first.
///
/// Cost: 1 to 10 bytes.
void append_varint(std::uint64_t value, std::string& into);

/// Take off the front what append_varint() appended; nothing where that is not there.
[[nodiscard]] std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes);

/// Append the values of a list, but not how many they are. The bytes depend on the values alone.
///
/// Cost: a few bytes where the values lie on one line; else 2 or 3 bytes for each 64, and for each
///       value the bits that tell it, or its distance from the value before, from the least one
///       among those 64.
void append_ints(const PackedInts& values, std::string& into);

/// Take off the front a list of `size` values that append_ints() appended; nothing where the bytes
/// are no such list. Bytes that are anything else do no harm, whatever they are.
///
/// Cost: memory of the list, which for a list on a line does not depend on `size`.
[[nodiscard]] std::optional<PackedInts> take_ints(std::span<const std::byte>& bytes,
                                                  std::int64_t size);

}  // namespace sheaf::internal
