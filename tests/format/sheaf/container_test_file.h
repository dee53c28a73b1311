// `.sheaf` files taken apart, and sealed again after bytes were changed.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::testing {

/// A part of a file.
struct ContainerPart {
  std::string what;
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

/// Returns the parts of a file in the order of their bytes: "head", "column 0 of block 0 of chunk
/// 0" and so on, "table of chunk 0", "directory", "foot". Parts that cannot be found are left out.
[[nodiscard]] std::vector<ContainerPart> parts_of(std::string_view file);

/// Returns a file with new hashes, so that no hash finds the bytes that were changed: those of
/// stored columns in the tables, those of tables in the directory, that of the directory and that
/// of the foot. The hashes of content become those of the content, where the content can be
/// decoded. Parts that cannot be found keep their hashes.
[[nodiscard]] std::string resealed(std::string file);

}  // namespace sheaf::testing
