#include "io/output_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"
#include "io/system_error.h"

namespace sheaf::internal {
namespace {

// A rename is on the disk when its folder is. Folders that cannot be opened or synced (that depends
// on rights and file systems) are left alone: then a crash of the machine may undo the rename, but
// never leaves half a file.
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

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  // Process numbers repeat, on other machines and in time; a name that is taken is left alone.
  for (int number = 0; descriptor_ < 0; ++number) {
    std::string name = formatted("{}.{}-{}.part", path_, ::getpid(), number);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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

void OutputFile::sync() {
  if (uninterrupted([this] { return ::fsync(descriptor_); }) != 0) {
    throw_io_error(temporary_path_, "sync", errno);
  }
  // Some file systems tell of a failed write only now.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    throw_io_error(temporary_path_, "close", errno);
  }
}

void OutputFile::finish() {
  if (descriptor_ >= 0) sync();
  std::error_code error;
  std::filesystem::rename(temporary_path_, path_, error);
  if (error) throw_io_error(temporary_path_, formatted("rename to {}", path_), error.value());
  temporary_path_.clear();
  sync_folder_of(path_);
}

}  // namespace sheaf::internal
