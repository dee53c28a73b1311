#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fnmatch.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "base/text.h"
#include "io/system_error.h"

namespace sheaf {
namespace {

/// The bytes of all files, by path.
///
/// Threads: all calls are safe from any number of threads.
class Store {
 public:
  using Bytes = std::shared_ptr<const ByteSource>;

  [[nodiscard]] Bytes find(const std::string& path) const {
    const std::scoped_lock lock(mutex_);
    const auto found = files_.find(key(path));
    return found == files_.end() ? nullptr : found->second;
  }

  /// Returns false if there is a file of this path and it must not be replaced.
  [[nodiscard]] bool put(const std::string& path, Bytes bytes, Existing existing) {
    const std::scoped_lock lock(mutex_);
    if (existing == Existing::refuse) return files_.emplace(key(path), std::move(bytes)).second;
    files_.insert_or_assign(key(path), std::move(bytes));
    return true;
  }

  void remove(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    files_.erase(key(path));
  }

  [[nodiscard]] std::vector<std::string> list(const std::string& pattern) const {
    const std::string wanted = key(pattern);
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : files_) {
      if (::fnmatch(wanted.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0) {
        paths.push_back(path);
      }
    }
    return paths;
  }

  /// Returns whether a file lies below this path.
  [[nodiscard]] bool has_folder(const std::string& path) const {
    const std::string begin = folder_key(path);
    const std::scoped_lock lock(mutex_);
    const auto next = files_.lower_bound(begin);
    return next != files_.end() && next->first.starts_with(begin);
  }

  /// A file below a folder.
  struct FileBelow {
    std::string path;  // relative to the folder
    std::int64_t size_bytes = 0;
  };

  /// Returns the files below a folder, sorted.
  [[nodiscard]] std::vector<FileBelow> below(const std::string& folder) const {
    const std::string begin = folder_key(folder);
    const std::scoped_lock lock(mutex_);
    std::vector<FileBelow> found;
    for (auto next = files_.lower_bound(begin);
         next != files_.end() && next->first.starts_with(begin); ++next) {
      found.push_back({next->first.substr(begin.size()), next->second->size()});
    }
    return found;
  }

  [[nodiscard]] static std::string key(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().string();
  }

 private:
  /// Returns the common prefix of the keys of all files below a folder.
  [[nodiscard]] static std::string folder_key(const std::string& path) {
    std::string begin = key(path);
    if (begin == "." || begin == "./") return {};
    if (!begin.ends_with('/')) begin += '/';
    return begin;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Bytes> files_;
};

/// Bytes of the store, with the name by which the caller asked for them.
class StoredSource final : public ByteSource {
 public:
  StoredSource(Store::Bytes bytes, std::string path)
      : bytes_(std::move(bytes)), path_(std::move(path)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return path_; }
  [[nodiscard]] std::string_view path() const noexcept override { return path_; }
  [[nodiscard]] std::int64_t size() const noexcept override { return bytes_->size(); }
  [[nodiscard]] bool has_fast_random_access() const noexcept override { return true; }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    bytes_->read_at(offset, into);
  }

 private:
  Store::Bytes bytes_;
  std::string path_;
};

class StoredSink final : public ByteSink {
 public:
  StoredSink(std::shared_ptr<Store> store, std::string path, Existing existing)
      : store_(std::move(store)), path_(std::move(path)), existing_(existing) {}

  [[nodiscard]] std::string_view name() const noexcept override { return path_; }
  void write(std::span<const std::byte> bytes) override {
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes) override {
    bytes_.replace(static_cast<std::size_t>(offset_bytes), bytes.size(),
                   reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void finish() override {
    if (!store_->put(path_, memory_source(std::move(bytes_), path_), existing_)) {
      internal::throw_io_error(path_, "create", EEXIST);
    }
  }

 private:
  std::shared_ptr<Store> store_;
  std::string path_;
  Existing existing_;
  std::string bytes_;
};

class MemoryFiles final : public FileSystem {
 public:
  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    Store::Bytes bytes = store_->find(path);
    if (!bytes) internal::throw_io_error(path, "open", ENOENT);
    return std::make_shared<const StoredSource>(std::move(bytes), path);
  }

  [[nodiscard]] bool exists(const std::string& path) override {
    return store_->find(path) != nullptr || store_->has_folder(path);
  }

  [[nodiscard]] std::vector<std::string> list(const std::string& pattern) override {
    return store_->list(pattern);
  }

  [[nodiscard]] bool is_folder(const std::string& path) override {
    return store_->has_folder(path);
  }

  void visit_tree(const std::string& folder,
                  const std::function<void(const TreeEntry& entry)>& visit) override {
    if (store_->find(folder) != nullptr) internal::throw_io_error(folder, "list", ENOTDIR);
    if (!store_->has_folder(folder)) internal::throw_io_error(folder, "list", ENOENT);
    std::string_view before;  // folder of the previous file, with the slash
    const std::vector<Store::FileBelow> files = store_->below(folder);
    for (const auto& [path, size_bytes] : files) {
      if (path.starts_with('.') || path.find("/.") != std::string::npos) continue;
      const std::string_view text = path;
      for (std::size_t slash = text.find('/'); slash != std::string_view::npos;
           slash = text.find('/', slash + 1)) {
        if (before.starts_with(text.substr(0, slash + 1))) continue;
        visit({.path = text.substr(0, slash), .is_folder = true});
      }
      before = text.substr(0, text.find_last_of('/') + 1);
      visit({.path = text, .size_bytes = size_bytes});
    }
  }

  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override {
    if (check_creatable(path) && options.existing == Existing::refuse) {
      throw ConfigError(formatted("{}: exists already, and is not to be replaced", path));
    }
    return std::make_unique<StoredSink>(store_, path, options.existing);
  }

  bool check_creatable(const std::string& path) override {
    if (store_->has_folder(path)) {
      throw ConfigError(
          formatted("{}: cannot be written: not a regular file but a directory", path));
    }
    return store_->find(path) != nullptr;
  }

  [[nodiscard]] bool is_same_file(const std::string& a, const std::string& b) override {
    return Store::key(a) == Store::key(b) && exists(a);
  }

  void remove(const std::string& path) override { store_->remove(path); }

 private:
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

}  // namespace

std::unique_ptr<FileSystem> memory_files() { return std::make_unique<MemoryFiles>(); }

}  // namespace sheaf
