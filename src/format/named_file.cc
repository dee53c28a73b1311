#include "format/named_file.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"

namespace sheaf::internal {
namespace {

// Returns null if there is no such file, also if there is a folder.
std::shared_ptr<const ByteSource> open_if_there(const std::string& path, FileSystem& files) {
  try {
    return open_file_or_entry(path, files);
  } catch (const IoError&) {
    if (files.exists(path) && !files.is_folder(path)) throw;
  }
  return nullptr;
}

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

std::string folder_of(const ByteSource& file) {
  return folder_of(file.path().empty() ? file.name() : file.path());
}

std::shared_ptr<const ByteSource> open_named_file(std::string_view path, std::string_view folder,
                                                  FileSystem& files) {
  if (path.empty()) return nullptr;
  auto source = open_if_there(std::string(path), files);
  if (source != nullptr || path.starts_with('/')) return source;
  return open_if_there(std::string(folder) + '/' + std::string(path), files);
}

std::string_view file_stem(std::string_view path) noexcept {
  path.remove_prefix(path.find_last_of("/\\") + 1);  // npos + 1 is 0
  const std::size_t dot = path.rfind('.');
  return path.substr(0, dot == 0 ? std::string_view::npos : dot);
}

std::string named_file_path(std::string_view path, std::string_view folder, FileSystem& files) {
  const auto found = [&](const std::string& name) -> std::optional<std::string> {
    if (files.exists(name) && !files.is_folder(name)) return name;
    std::optional<ArchivePath> entry = split_archive_path(name);
    if (entry && files.exists(entry->archive)) return std::move(entry->archive);
    return std::nullopt;
  };
  const std::string in_folder = std::string(folder) + '/' + std::string(path);
  if (auto name = found(std::string(path))) return *std::move(name);
  return path.starts_with('/') ? std::string(path) : found(in_folder).value_or(in_folder);
}

}  // namespace sheaf::internal
