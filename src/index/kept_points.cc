#include "index/kept_points.h"

#include <string>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "index/index_file.h"

namespace sheaf::internal {
namespace {

// Returns an empty text if there are none. Damage is reported later, when the index itself is read.
std::string kept_points(const ByteSource& source, const IndexOptions& options, FileSystem& files) {
  if (options.mode != IndexMode::automatic && options.mode != IndexMode::require) return {};
  if (source.path().empty() && options.directory.empty()) return {};
  const std::string_view path = source.path().empty() ? source.name() : source.path();
  std::string ignored;
  const auto file = IndexFile::open(files, index_file_path(path, options.directory), ignored);
  if (!file) return {};
  try {
    return file->access_points();
  } catch (const IoError&) {
    return {};
  }
}

}  // namespace

std::shared_ptr<const ByteSource> decompressed_by_index(std::shared_ptr<const ByteSource> source,
                                                        const IndexOptions& options,
                                                        const Context& context) {
  DecompressOptions how{.executor = context.executor};
  if (compression_of_name(source->name()) != Compression::none) {
    how.access_points = kept_points(*source, options, context.file_system());
  }
  return decompressed(std::move(source), how);
}

}  // namespace sheaf::internal
