// A folder is read completely and closed before the walk goes on, so the walk needs only one
// descriptor at any depth. Folders are identified by device and inode, so a link to a folder above
// is recognized under any name.

#include "io/file_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sheaf/extend/interruption.h"

#include "io/file_kind.h"
#include "io/system_error.h"

namespace sheaf::internal {
namespace {

struct FolderIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  friend bool operator==(const FolderIdentity&, const FolderIdentity&) = default;
};

FolderIdentity identity_of(const struct stat& status) noexcept {
  return {.device = status.st_dev, .inode = status.st_ino};
}

/// A file or folder in a folder.
struct NamedEntry {
  std::string name;  // with a slash at the end for a folder
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;

  [[nodiscard]] bool is_folder() const noexcept { return name.ends_with('/'); }
};

/// An open folder. The destructor closes it.
class OpenFolder {
 public:
  OpenFolder(const std::string& path, DescriptorCache& cache) {
    const int descriptor = cache.open_with_room([&] {
      return uninterrupted(
          [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    });
    if (descriptor < 0) throw_io_error(path, "list", errno);
    folder_ = ::fdopendir(descriptor);
    if (folder_ != nullptr) return;
    const int error = errno;
    ::close(descriptor);
    throw_io_error(path, "list", error);
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  ~OpenFolder() { ::closedir(folder_); }

  [[nodiscard]] int descriptor() const noexcept { return ::dirfd(folder_); }

  /// Returns the next entry. Returns null at the end, and for an error, which errno tells.
  [[nodiscard]] const dirent* next() noexcept {
    errno = 0;
    return ::readdir(folder_);  // NOLINT(concurrency-mt-unsafe): the folder belongs to one thread
  }

 private:
  DIR* folder_ = nullptr;
};

class TreeWalk {
 public:
  TreeWalk(const std::string& folder, DescriptorCache& cache,
           const std::function<void(const TreeEntry& entry)>& visit)
      : cache_(cache), visit_(visit), path_(folder) {
    if (path_.empty()) throw_io_error(path_, "list", ENOENT);
    if (!path_.ends_with('/')) path_ += '/';
    root_size_ = path_.size();
  }

  // Visits everything below `path_`, which ends with a slash.
  void walk() {
    for (const NamedEntry& entry : read_folder()) {
      const std::size_t size = path_.size();
      path_ += entry.name;
      std::string_view path = std::string_view(path_).substr(root_size_);
      if (entry.is_folder()) path.remove_suffix(1);
      visit_({.path = path,
              .size_bytes = entry.size_bytes,
              .is_folder = entry.is_folder(),
              .modified_ns = entry.modified_ns});
      if (entry.is_folder()) walk();
      path_.resize(size);
    }
    above_.pop_back();
  }

 private:
  // Returns the entries of the folder `path_`, sorted, and adds the folder to `above_`.
  [[nodiscard]] std::vector<NamedEntry> read_folder() {
    const std::string shown = path_.substr(0, std::max<std::size_t>(1, path_.size() - 1));
    OpenFolder folder(shown, cache_);
    struct stat status {};
    if (::fstat(folder.descriptor(), &status) != 0) throw_io_error(shown, "list", errno);
    above_.push_back(identity_of(status));
    std::vector<NamedEntry> entries;
    const dirent* entry = nullptr;
    while ((entry = folder.next()) != nullptr) {
      check_interruption();
      if (entry->d_name[0] != '.') take(folder, *entry, entries);
    }
    if (errno != 0) throw_io_error(shown, "list", errno);
    std::ranges::sort(entries, {}, &NamedEntry::name);
    return entries;
  }

  void take(const OpenFolder& folder, const dirent& entry, std::vector<NamedEntry>& entries) const {
    const char* const name = entry.d_name;
    if (entry.d_type == DT_DIR) {
      entries.push_back({.name = std::string(name) + '/'});
      return;
    }
    struct stat status {};
    if (::fstatat(folder.descriptor(), name, &status, 0) != 0) {
      const int error = errno;
      const bool is_gone = ::fstatat(folder.descriptor(), name, &status, AT_SYMLINK_NOFOLLOW) != 0;
      if (is_gone && errno == ENOENT) return;  // the file was removed in the meantime
      throw_io_error(path_ + name, "read", error);
    }
    if (S_ISREG(status.st_mode)) {
      entries.push_back(
          {.name = name, .size_bytes = status.st_size, .modified_ns = modified_ns_of(status)});
    } else if (S_ISDIR(status.st_mode) &&
               std::ranges::find(above_, identity_of(status)) == above_.end()) {
      entries.push_back({.name = std::string(name) + '/'});
    }
  }

  DescriptorCache& cache_;
  const std::function<void(const TreeEntry& entry)>& visit_;
  std::string path_;
  std::size_t root_size_ = 0;
  std::vector<FolderIdentity> above_;  // folders of the current path, from the root on
};

}  // namespace

void visit_file_tree(const std::string& folder, DescriptorCache& cache,
                     const std::function<void(const TreeEntry& entry)>& visit) {
  TreeWalk(folder, cache, visit).walk();
}

}  // namespace sheaf::internal
