// Takes `.sheaf` files apart, and reseals them after bytes were changed.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::testing {

/// One part of a file.
struct ContainerPart {
  std::string what;
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

/// Returns the parts of a file in the order of their bytes: "head", "column 0 of block 0 of chunk
/// 0" and so on, "table of chunk 0", "directory", "foot". Leaves out parts that cannot be found.
[[nodiscard]] std::vector<ContainerPart> parts_of(std::string_view file);

/// Returns a file with new hashes, so that no hash reveals the changed bytes. Renews the hashes of
/// stored columns in the tables, of tables in the directory, of the directory and of the foot.
/// Hashes of content are renewed if the content can be decoded. Parts that cannot be found keep
/// their hashes.
[[nodiscard]] std::string resealed(std::string file);

}  // namespace sheaf::testing
