// What is wrong with a compressed file, and where.

#pragma once

#include <cstdint>
#include <string>

namespace sheaf::internal {

/// Thrown by decoders. A CompressedSource makes an IoError of it, as it knows the file's name.
struct Damage {
  std::int64_t compressed = 0;    // byte of the file
  std::int64_t decompressed = 0;  // bytes decompressed until then
  std::string reason;
};

}  // namespace sheaf::internal
