#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sheaf/byte_source.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "io/file_kind.h"
#include "io/system_error.h"

namespace sheaf {
namespace {

using internal::file_kind;
using internal::throw_io_error;
using internal::uninterrupted;

/// A regular file, read with pread: a file cut short under us is an error, not a signal as it would
/// be with a memory map.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(std::string path) : path_(std::move(path)) {
    // O_NONBLOCK: opening a pipe must not wait for somebody to write.
    descriptor_ =
        uninterrupted([this] { return ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
    if (descriptor_ < 0) throw_io_error(path_, "open", errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) {
      const int error = errno;
      ::close(descriptor_);
      throw_io_error(path_, "examine", error);
    }
    if (!S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      throw IoError(formatted("{}: not a regular file but {}", path_, file_kind(status.st_mode)));
    }
    size_ = status.st_size;
    modified_ns_ = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  }

  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] std::string_view name() const noexcept override { return path_; }
  [[nodiscard]] std::string_view path() const noexcept override { return path_; }
  [[nodiscard]] std::int64_t modified_ns() const noexcept override { return modified_ns_; }
  [[nodiscard]] std::int64_t size() const noexcept override { return size_; }

  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const ssize_t got =
          uninterrupted([&] { return ::pread(descriptor_, into.data(), into.size(), offset); });
      if (got < 0) throw_io_error(path_, "read", errno);
      if (got == 0) {
        throw IoError(formatted(
            "{}: ends at byte {}, it had {} bytes when it was opened: did something cut it short?",
            path_, end_now(offset), size_));
      }
      into = into.subspan(static_cast<std::size_t>(got));
      offset += got;
    }
  }

 private:
  // Where it ends by now, which may be far before the place of a read.
  [[nodiscard]] std::int64_t end_now(std::int64_t offset) const noexcept {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 ? std::min<std::int64_t>(offset, status.st_size)
                                              : offset;
  }

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
  std::int64_t modified_ns_ = 0;
};

}  // namespace

std::shared_ptr<const ByteSource> open_file(const std::string& path) {
  return std::make_shared<const FileSource>(path);
}

}  // namespace sheaf
