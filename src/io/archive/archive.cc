#include "sheaf/extend/archive.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "base/saturated.h"
#include "base/text.h"
#include "io/archive/entry_source.h"
#include "io/archive/stored_entry.h"

namespace sheaf {
namespace {

using internal::StoredEntry;

enum class ArchiveKind : std::uint8_t { none, tar, zip };

ArchiveKind archive_kind(std::string_view name) noexcept {
  if (name_without_compression(name).ends_with(".tar")) {
    return ArchiveKind::tar;
  }
  return name.ends_with(".zip") ? ArchiveKind::zip : ArchiveKind::none;
}

class OpenArchive final : public Archive {
 public:
  OpenArchive(std::shared_ptr<const ByteSource> source, ArchiveKind kind)
      : source_(std::move(source)),
        kind_(kind),
        stored_(kind == ArchiveKind::tar ? internal::tar_entries(*source_)
                                         : internal::zip_entries(*source_)) {
    entries_.reserve(stored_.size());
    for (const StoredEntry& stored : stored_) {
      numbers_.emplace(stored.entry.name, std::ssize(entries_));
      entries_.push_back(stored.entry);
    }
  }

  [[nodiscard]] std::span<const ArchiveEntry> entries() const noexcept override { return entries_; }

  [[nodiscard]] std::shared_ptr<const ByteSource> open_entry(std::int64_t i) const override {
    const StoredEntry& entry = stored_.at(static_cast<std::size_t>(i));
    std::string name = formatted("{}/{}", source_->name(), entry.entry.name);
    return kind_ == ArchiveKind::tar ? internal::open_tar_entry(source_, entry, std::move(name))
                                     : internal::open_zip_entry(source_, entry, std::move(name));
  }

  [[nodiscard]] std::int64_t number_of(std::string_view name) const override {
    const auto [first, last] = numbers_.equal_range(name);
    if (first == last) throw IoError(formatted("{}: has no entry {}", source_->name(), name));
    if (std::next(first) != last) {
      throw IoError(formatted("{}: has more than one entry {}", source_->name(), name));
    }
    return first->second;
  }

 private:
  const std::shared_ptr<const ByteSource> source_;
  const ArchiveKind kind_;
  const std::vector<StoredEntry> stored_;
  std::vector<ArchiveEntry> entries_;
  std::multimap<std::string, std::int64_t, std::less<>> numbers_;  // by name
};

// Returns the parts of a path to an entry, or nothing for the path of a file or a folder.
std::optional<ArchivePath> path_of_entry(const std::string& path, FileSystem& files) {
  std::optional<ArchivePath> split = split_archive_path(path);
  if (split && (files.exists(path) || !files.exists(split->archive))) split.reset();
  return split;
}

std::int64_t size_of_folder(const std::string& path, FileSystem& files) {
  std::int64_t size = 0;
  files.visit_tree(path, [&](const TreeEntry& entry) {
    size = internal::saturated_sum(size, entry.size_bytes);
  });
  return size;
}

}  // namespace

std::shared_ptr<const Archive> open_archive(std::shared_ptr<const ByteSource> source) {
  const ArchiveKind kind = archive_kind(source->name());
  if (kind == ArchiveKind::none) {
    throw IoError(
        formatted("{}: the name does not tell the kind of archive: .tar, .zip, .tar.gz, "
                  ".tar.zst, .tar.lz4",
                  source->name()));
  }
  return std::make_shared<const OpenArchive>(decompressed(std::move(source)), kind);
}

std::optional<ArchivePath> split_archive_path(std::string_view path) {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    const std::string_view archive = path.substr(0, slash);
    const std::string_view entry = path.substr(slash + 1);
    const std::string_view name = archive.substr(archive.find_last_of('/') + 1);
    const bool is_archive = archive_kind(name) != ArchiveKind::none && !name.starts_with('.');
    if (is_archive && !entry.empty()) return ArchivePath{std::string(archive), std::string(entry)};
  }
  return std::nullopt;
}

std::shared_ptr<const ByteSource> open_file_or_entry(const std::string& path, FileSystem& files) {
  const std::optional<ArchivePath> split = path_of_entry(path, files);
  if (!split) return files.open(path);
  return open_archive(files.open(split->archive))->open_entry(split->entry);
}

std::int64_t stored_size(const std::string& path, FileSystem& files) {
  return stored_sizes(std::span(&path, 1), files).front();
}

std::vector<std::int64_t> stored_sizes(std::span<const std::string> paths, FileSystem& files) {
  std::vector<std::int64_t> sizes;
  std::string opened;  // the path of `archive`
  std::shared_ptr<const Archive> archive;
  for (const std::string& path : paths) {
    if (files.is_folder(path)) {
      sizes.push_back(size_of_folder(path, files));
    } else if (const std::optional<ArchivePath> split = path_of_entry(path, files)) {
      if (archive == nullptr || split->archive != opened) {
        archive = open_archive(files.open(split->archive));
        opened = split->archive;
      }
      const auto number = static_cast<std::size_t>(archive->number_of(split->entry));
      sizes.push_back(archive->entries()[number].size_bytes);
    } else {
      sizes.push_back(files.open(path)->size());
    }
  }
  return sizes;
}

}  // namespace sheaf
