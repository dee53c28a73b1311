// Describes damage in a compressed file.

#pragma once

#include <cstdint>
#include <string>

namespace sheaf::internal {

/// Thrown by decoders. CompressedSource, which knows the name of the file, turns it into an
/// IoError.
struct Damage {
  std::int64_t compressed = 0;    // offset in the file
  std::int64_t decompressed = 0;  // bytes decompressed before the damage
  std::string reason;
};

}  // namespace sheaf::internal
