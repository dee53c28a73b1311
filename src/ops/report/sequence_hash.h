// Hashes sequences by content. Equal sequences have equal hashes.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The hash of a sequence. It is a sum over the streams, so the order of the streams does not
/// matter.
struct SequenceHash {
  std::uint64_t input = 0;  // of the streams that are not labels
  std::uint64_t whole = 0;  // of all streams
};

/// Returns the hash of the samples of one stream in a sequence. `name_hash` distinguishes the
/// streams. The hash is 0 if the sequence lacks the stream.
[[nodiscard]] std::uint64_t hash_of_view(const Stream& stream, const SequenceView& view,
                                         std::uint64_t name_hash) noexcept;

/// Returns the hash of the name of a stream.
[[nodiscard]] std::uint64_t hash_of_name(std::string_view name) noexcept;

}  // namespace sheaf::internal
