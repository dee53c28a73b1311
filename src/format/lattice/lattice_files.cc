#include "format/lattice/lattice_files.h"

#include <cstddef>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"

namespace sheaf::lattice {
namespace {

// Returns null where there is no such file.
std::shared_ptr<const ByteSource> open_if_there(const std::string& path, FileSystem& files) {
  try {
    return open_file_or_entry(path, files);
  } catch (const IoError&) {
    if (files.exists(path)) throw;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const ByteSource> open_named_file(std::string_view path, const ByteSource& named_in,
                                                  FileSystem& files) {
  if (path.empty()) return nullptr;
  auto source = open_if_there(std::string(path), files);
  if (source != nullptr || path.starts_with('/')) return source;
  const std::string_view other = named_in.path().empty() ? named_in.name() : named_in.path();
  const std::size_t slash = other.rfind('/');
  if (slash == std::string_view::npos) return nullptr;
  return open_if_there(std::string(other.substr(0, slash + 1)) + std::string(path), files);
}

}  // namespace sheaf::lattice
