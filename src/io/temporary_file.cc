#include "io/temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "sheaf/error.h"

#include "base/text.h"
#include "io/descriptor_cache.h"
#include "io/system_error.h"

namespace sheaf::internal {

TemporaryFile::TemporaryFile() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) throw_io_error("the folder of temporary files (TMPDIR)", "use", error.value());
  folder_ = folder.string();
  std::string name;
  descriptor_ = system_descriptors().open_with_room([&] {
    return uninterrupted([&] {
      name = (folder / "sheaf-XXXXXX").string();
      return ::mkostemp(name.data(), O_CLOEXEC);
    });
  });
  if (descriptor_ < 0) throw_io_error(folder_, "create a temporary file", errno);
  ::unlink(name.c_str());
}

TemporaryFile::~TemporaryFile() { ::close(descriptor_); }

void TemporaryFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        uninterrupted([&] { return ::pwrite(descriptor_, bytes.data(), bytes.size(), offset); });
    if (written < 0) throw_io_error(folder_, "write to a temporary file", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
}

void TemporaryFile::read_at(std::int64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got =
        uninterrupted([&] { return ::pread(descriptor_, into.data(), into.size(), offset); });
    if (got < 0) throw_io_error(folder_, "read from a temporary file", errno);
    if (got == 0) {
      throw IoError(formatted("{}: a temporary file ends at byte {}", folder_, offset));
    }
    into = into.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

}  // namespace sheaf::internal
