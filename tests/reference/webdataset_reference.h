/// \file
/// The slow parser of tar shards.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Reads a whole shard, entry by entry.
[[nodiscard]] ReferenceResult parse_webdataset(std::string_view bytes,
                                               const FormatOptions& options);

/// Returns the end of the bytes of the last entry that belongs to a sequence.
[[nodiscard]] std::int64_t webdataset_data_end(std::string_view bytes);

}  // namespace sheaf::conformance
