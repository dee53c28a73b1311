#include "format/image_map/image_map_archives.h"

#include "sheaf/error.h"

namespace sheaf::image_map {
namespace {

bool has_archive_extension(const std::string& path) {
  const std::optional<ArchivePath> parts = split_archive_path(path + "/entry");
  return parts && parts->archive == path;
}

}  // namespace

std::optional<std::int64_t> MapArchives::find(const std::string& path, bool may_be_folder) {
  const auto known = numbers_.find(path);
  if (known != numbers_.end()) return known->second;
  const std::optional<std::int64_t> number = add(path, may_be_folder);
  numbers_.emplace(path, number);
  return number;
}

std::optional<std::int64_t> MapArchives::add(const std::string& path, bool may_be_folder) {
  if (!has_archive_extension(path)) return std::nullopt;
  std::shared_ptr<const ByteSource> source;
  try {
    source = files_.open(path);
  } catch (const IoError&) {
    if (may_be_folder) return std::nullopt;
    throw;
  }
  archives_.push_back(open_archive(std::move(source)));
  Entries& entries = entries_.emplace_back();
  std::int64_t number = 0;
  for (const ArchiveEntry& each : archives_.back()->entries()) {
    entries.emplace(each.name, number++);
    memory_bytes_ += static_cast<std::int64_t>(2 * sizeof each + each.name.capacity());
  }
  return std::ssize(archives_) - 1;
}

std::optional<std::int64_t> MapArchives::find_entry(std::int64_t archive, std::string_view name) {
  const Entries& entries = entries_[static_cast<std::size_t>(archive)];
  const auto found = entries.find(name);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

void MapArchives::end_search() {
  entries_ = {};
  numbers_ = {};
}

std::int64_t MapArchives::size_bytes(std::int64_t archive, std::int64_t entry) const {
  return archive_at(archive).entries()[static_cast<std::size_t>(entry)].size_bytes;
}

std::shared_ptr<const ByteSource> MapArchives::open(std::int64_t archive,
                                                    std::int64_t entry) const {
  return archive_at(archive).open_entry(entry);
}

}  // namespace sheaf::image_map
