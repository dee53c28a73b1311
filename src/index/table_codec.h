// Sequence tables as few bytes.
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

/// Append a table, but not how many sequences it has. The bytes depend on the table alone.
void append_table(const SequenceTable& table, std::string& into);

/// Take off the front a table of `size` sequences that append_table() appended; nothing where the
/// bytes are no such table. Other bytes do no harm.
///
/// Cost: time and memory that `size` sequences take.
[[nodiscard]] std::optional<SequenceTable> take_table(std::span<const std::byte>& bytes,
                                                      std::int64_t size);

}  // namespace sheaf::internal
