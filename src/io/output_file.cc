#include "io/output_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sheaf/error.h"

#include "base/text.h"
#include "io/descriptor_cache.h"
#include "io/output_path.h"
#include "io/system_error.h"

namespace sheaf::internal {
namespace {

// Syncs the folder of a file, since a rename is on the disk only when its folder is. Ignores
// folders that cannot be opened or synced, depending on rights and file systems. A crash of the
// machine may then undo the rename, but it never leaves half a file.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string name = folder.empty() ? "." : folder.string();
  const int descriptor =
      uninterrupted([&] { return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return;
  const int error = uninterrupted([&] { return ::fsync(descriptor); }) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error == EIO || error == ENOSPC || error == EDQUOT) throw_io_error(name, "sync", error);
}

// Renames a file, replacing any file of the new name. Returns 0 or the error.
int rename(const std::string& from, const std::string& to) noexcept {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  return error.value();
}

// Renames a file unless the new name is taken. Returns 0 or the error, which is EEXIST for a taken
// name.
int rename_to_free_name(const std::string& from, const std::string& to) noexcept {
#ifdef RENAME_NOREPLACE  // comes with <string>, on systems that have renameat2
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return errno;
#endif
  // If the file system cannot do that, link() also refuses a name that is taken.
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return 0;
  }
  if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP) return errno;
  // If it cannot do that either, a file that gets the name between the next two calls is lost.
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  return rename(from, to);
}

// Renames a file, replacing a regular file if there is one. Returns 0 or the error.
int rename_over(const std::string& from, const std::string& to) noexcept {
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
  }
  return rename(from, to);
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const FileOptions& options) : options_(options) {
  OutputTarget location = find_output_target(path);
  if (location.is_taken && options.existing == Existing::refuse) {
    throw ConfigError(formatted("{}: exists already, and is not to be replaced", path));
  }
  path_ = std::move(location.path);
  // Process numbers occur again, on other machines and later. So a name that is taken is not used.
  for (int number = 0; descriptor_ < 0; ++number) {
    std::string name = formatted("{}.{}-{}.part", path_, ::getpid(), number);
    descriptor_ = system_descriptors().open_with_room(
        [&name] { return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) {
      throw_io_error(name, "create", errno);
    }
    if (descriptor_ >= 0) temporary_path_ = std::move(name);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        uninterrupted([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written < 0) throw_io_error(temporary_path_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted(
        [&] { return ::pwrite(descriptor_, bytes.data(), bytes.size(), offset_bytes); });
    if (written < 0) throw_io_error(temporary_path_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset_bytes += written;
  }
}

void OutputFile::sync() {
  const bool reaches_disk = options_.durability == Durability::machine;
  if (reaches_disk && uninterrupted([this] { return ::fsync(descriptor_); }) != 0) {
    throw_io_error(temporary_path_, "sync", errno);
  }
  // Some file systems report a failed write only at close().
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    throw_io_error(temporary_path_, "close", errno);
  }
}

void OutputFile::finish() {
  if (descriptor_ >= 0) sync();
  struct stat status {};
  const bool is_new = options_.existing == Existing::refuse || ::lstat(path_.c_str(), &status) != 0;
  const int error = options_.existing == Existing::refuse
                        ? rename_to_free_name(temporary_path_, path_)
                        : rename_over(temporary_path_, path_);
  if (error != 0) throw_io_error(temporary_path_, formatted("rename to {}", path_), error);
  temporary_path_.clear();
  if (options_.durability != Durability::machine) return;
  try {
    sync_folder_of(path_);
  } catch (const IoError&) {
    if (is_new) ::unlink(path_.c_str());  // the caller will take the file for not written
    throw;
  }
}

}  // namespace sheaf::internal
