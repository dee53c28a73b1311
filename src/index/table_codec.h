// Encodes sequence tables in few bytes.
//
// docs/formats/index-file.md has the layout, byte by byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sheaf/extend/index.h"

namespace sheaf::internal {

/// Appends a table, without the number of its sequences. The bytes depend on the table only.
void append_table(const SequenceTable& table, std::string& into);

/// Takes a table of `size` sequences off the front, as append_table() wrote it. Returns nothing if
/// the bytes are no such table. Any bytes are safe.
///
/// Cost: the time and memory of `size` sequences.
[[nodiscard]] std::optional<SequenceTable> take_table(std::span<const std::byte>& bytes,
                                                      std::int64_t size);

}  // namespace sheaf::internal
