#include "io/system_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sheaf/error.h"

#include "base/text.h"
#include "io/file_source.h"
#include "io/file_tree.h"
#include "io/output_file.h"
#include "io/output_path.h"
#include "io/system_error.h"

namespace sheaf {
namespace internal {
namespace {

/// The names that glob() found. The destructor releases them.
class Found {
 public:
  explicit Found(const std::string& pattern)
      : result_(::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &names_)) {}
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
  ~Found() { ::globfree(&names_); }

  [[nodiscard]] int result() const noexcept { return result_; }
  [[nodiscard]] std::vector<std::string> names() const {
    return {names_.gl_pathv, names_.gl_pathv + names_.gl_pathc};
  }

 private:
  ::glob_t names_{};
  int result_;
};

class FileSink final : public ByteSink {
 public:
  FileSink(const std::string& path, const FileOptions& options)
      : name_(path), file_(path, options) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes) override {
    file_.overwrite(offset_bytes, bytes);
  }
  void sync() override { file_.sync(); }
  void finish() override { file_.finish(); }

 private:
  std::string name_;
  OutputFile file_;
};

class SystemFiles final : public FileSystem {
 public:
  explicit SystemFiles(DescriptorCache& cache) : cache_(cache) {}

  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    return open_file_source(path, cache_);
  }

  [[nodiscard]] bool exists(const std::string& path) override {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  }

  [[nodiscard]] std::vector<std::string> list(const std::string& pattern) override {
    for (;;) {
      errno = 0;
      const Found found(pattern);
      if (found.result() == GLOB_NOMATCH) return {};
      if (found.result() == 0) {
        std::vector<std::string> names = found.names();
        std::ranges::sort(names);
        return names;
      }
      const int error = errno;
      if ((error == EMFILE || error == ENFILE) && cache_.make_room()) continue;
      throw IoError(formatted("{}: the files of such names cannot be listed: {}", pattern,
                              std::system_category().message(error)));
    }
  }

  [[nodiscard]] bool is_folder(const std::string& path) override {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  }

  void visit_tree(const std::string& folder,
                  const std::function<void(const TreeEntry& entry)>& visit) override {
    visit_file_tree(folder, cache_, visit);
  }

  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override {
    return std::make_unique<FileSink>(path, options);
  }

  bool check_creatable(const std::string& path) override { return can_create_file(path); }

  [[nodiscard]] bool is_same_file(const std::string& a, const std::string& b) override {
    std::error_code error;
    return std::filesystem::equivalent(a, b, error);
  }

  [[nodiscard]] std::string canonical(const std::string& path) override {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    if (error) return FileSystem::canonical(path);
    const std::filesystem::path found = std::filesystem::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal().string() : found.string();
  }

  void create_folder(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw_io_error(path, "create the folder", error.value());
  }

  [[nodiscard]] std::int64_t modified_ns(const std::string& path) override {
    constexpr std::int64_t kSecond = 1'000'000'000;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return 0;
    return std::int64_t{status.st_mtim.tv_sec} * kSecond + std::int64_t{status.st_mtim.tv_nsec};
  }

  void remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_io_error(path, "remove", errno);
  }

 private:
  DescriptorCache& cache_;
};

}  // namespace

std::unique_ptr<FileSystem> system_files_on(DescriptorCache& cache) {
  return std::make_unique<SystemFiles>(cache);
}

}  // namespace internal

std::string FileSystem::canonical(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

bool FileSystem::is_folder(const std::string& /*path*/) { return false; }

void FileSystem::create_folder(const std::string& /*path*/) {}

std::int64_t FileSystem::modified_ns(const std::string& /*path*/) { return 0; }

void FileSystem::visit_tree(const std::string& folder,
                            const std::function<void(const TreeEntry& entry)>& /*visit*/) {
  throw IoError(formatted("{}: cannot list: this file system lists no folders", folder));
}

FileSystem& system_files() {
  static FileSystem& files =
      *internal::system_files_on(internal::system_descriptors()).release();  // never destroyed
  return files;
}

std::shared_ptr<const ByteSource> open_file(const std::string& path) {
  return system_files().open(path);
}

std::unique_ptr<ByteSink> create_file(const std::string& path, const FileOptions& options) {
  return system_files().create(path, options);
}

std::unique_ptr<ByteSink> create_file(const std::string& path) { return create_file(path, {}); }

bool check_output_path(FileSystem& files, const std::string& path,
                       std::span<const std::string> sources) {
  if (!files.check_creatable(path)) return false;
  for (const std::string& source : sources) {
    if (files.is_same_file(path, source)) {
      throw ConfigError(formatted("{}: is the file that is read; write another one", path));
    }
  }
  return true;
}

bool check_output_path(const std::string& path, std::span<const std::string> sources) {
  return check_output_path(system_files(), path, sources);
}

}  // namespace sheaf
