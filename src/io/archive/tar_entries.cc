#include <utility>

#include "io/archive/stored_entry.h"
#include "io/archive/tar_walker.h"

namespace sheaf::internal {

std::vector<StoredEntry> tar_entries(const ByteSource& source) {
  std::vector<StoredEntry> entries;
  TarWalker walker(source);
  try {
    while (std::optional<TarEntry> next = walker.next()) {
      const std::int64_t size = next->entry.size_bytes;
      entries.push_back({.entry = std::move(next->entry), .stored_bytes = size});
    }
  } catch (const TarDamage& damage) {
    throw_damaged_archive(source, damage.offset_bytes(), damage.why());
  }
  return entries;
}

}  // namespace sheaf::internal
