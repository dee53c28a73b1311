#include "io/file_source.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sheaf/error.h"

#include "base/text.h"
#include "io/file_kind.h"
#include "io/system_error.h"

namespace sheaf {
namespace internal {
namespace {

/// Identifies a file in one state. Another file, or a later state of the same file, differs.
struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

FileState state_of(const struct stat& status) noexcept {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = status.st_size,
          .modified_ns = modified_ns_of(status)};
}

std::string seconds_text(std::int64_t nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t rest = ((nanoseconds % kSecond) + kSecond) % kSecond;
  return formatted("{}.{:09}", (nanoseconds - rest) / kSecond, rest);
}

[[noreturn]] void throw_replaced(const std::string& path, const FileState& expected,
                                 const FileState& found) {
  std::string difference;
  if (expected.size != found.size) {
    difference = formatted("{} bytes, found {}", expected.size, found.size);
  } else if (expected.device != found.device || expected.inode != found.inode) {
    difference = formatted(
        "the file that was opened (inode {} of device {}), found another one "
        "(inode {} of device {})",
        expected.inode, expected.device, found.inode, found.device);
  } else {
    difference = formatted("a file last changed {} seconds after 1970, found a change at {}",
                           seconds_text(expected.modified_ns), seconds_text(found.modified_ns));
  }
  throw IoError(formatted("{}: replaced while it was read: expected {}", path, difference));
}

/// A regular file, read with pread. If the file is cut short during reading, this is an error. With
/// a memory map, it would be a signal.
class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, DescriptorCache& cache) : path_(std::move(path)), cache_(cache) {
    if (!path_.starts_with('/')) {
      std::error_code error;
      folder_ = std::filesystem::current_path(error).string();
    }
    const Pin pin(*this, Expected::any);
  }

  ~FileSource() override { cache_.remove(entry_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] std::string_view name() const noexcept override { return path_; }
  [[nodiscard]] std::string_view path() const noexcept override { return path_; }
  [[nodiscard]] std::int64_t modified_ns() const noexcept override { return state_.modified_ns; }
  [[nodiscard]] std::int64_t size() const noexcept override { return state_.size; }
  [[nodiscard]] bool has_fast_random_access() const noexcept override { return true; }

  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    if (into.empty()) return;
    const Pin pin(*this, Expected::as_opened);
    do {
      const ssize_t got = uninterrupted(
          [&] { return ::pread(pin.descriptor(), into.data(), into.size(), offset); });
      if (got < 0) throw_io_error(path_, "read", errno);
      if (got == 0) {
        throw IoError(formatted(
            "{}: ends at byte {}, it had {} bytes when it was opened: did something cut it short?",
            path_, end_now(pin.descriptor(), offset), state_.size));
      }
      into = into.subspan(static_cast<std::size_t>(got));
      offset += got;
    } while (!into.empty());
  }

  // Copies the bytes that the system has in memory, and asks the system to fetch the rest.
  [[nodiscard]] std::unique_ptr<Pending> begin_read(
      std::span<const Request> requests) const override {
    auto pending = std::make_unique<PendingFileRead>(*this);
    const Pin pin(*this, Expected::as_opened);
    for (Request request : requests) {
      const std::int64_t got = read_held(pin.descriptor(), request);
      if (got < 0) return nullptr;
      request.offset += got;
      request.into = request.into.subspan(static_cast<std::size_t>(got));
      if (request.into.empty()) continue;
      static_cast<void>(::posix_fadvise(pin.descriptor(), request.offset,
                                        static_cast<off_t>(request.into.size()),
                                        POSIX_FADV_WILLNEED));
      pending->left.push_back(request);
    }
    return pending;
  }

 private:
  /// The requests that begin_read() could not copy. The system fetches them in the background.
  struct PendingFileRead final : Pending {
    explicit PendingFileRead(const FileSource& file) : source(file) {}

    void wait() override { source.read_many(left); }

    const FileSource& source;
    std::vector<Request> left;
  };

  // Returns how many bytes were copied, or -1 if the file system does not tell what is in memory.
  static std::int64_t read_held(int descriptor, const Request& request) noexcept {
    if (request.into.empty()) return 0;
#ifdef RWF_NOWAIT
    const iovec into{.iov_base = request.into.data(), .iov_len = request.into.size()};
    const ssize_t got =
        uninterrupted([&] { return ::preadv2(descriptor, &into, 1, request.offset, RWF_NOWAIT); });
    if (got >= 0) return got;
    return errno == EAGAIN ? 0 : -1;
#else
    return -1;
#endif
  }

  /// Says which file is acceptable under the path.
  enum class Expected : std::uint8_t { any, as_opened };

  /// Keeps the descriptor open during its lifetime.
  class Pin {
   public:
    Pin(const FileSource& source, Expected expected)
        : source_(source), descriptor_(DescriptorCache::pin(source.entry_)) {
      if (descriptor_ < 0) descriptor_ = source.open_pinned(expected);
    }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() { DescriptorCache::unpin(source_.entry_); }

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

   private:
    const FileSource& source_;
    int descriptor_;
  };

  [[nodiscard]] int open_pinned(Expected expected) const {
    // The working folder may have changed since.
    const std::string path = folder_.empty() || expected == Expected::any
                                 ? path_
                                 : (std::filesystem::path(folder_) / path_).string();
    // O_NONBLOCK keeps open() from waiting for a writer if the file is a pipe.
    const int descriptor = cache_.open_with_room([&path] {
      return uninterrupted(
          [&path] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
    });
    if (descriptor < 0) {
      throw_io_error(path_, expected == Expected::any ? "open" : "open again, to read on", errno);
    }
    try {
      const FileState state = examine(descriptor);
      if (expected == Expected::any) {
        state_ = state;
      } else if (state != state_) {
        throw_replaced(path_, state_, state);
      }
    } catch (...) {
      ::close(descriptor);
      throw;
    }
    return cache_.add_pinned(entry_, descriptor);
  }

  [[nodiscard]] FileState examine(int descriptor) const {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) throw_io_error(path_, "examine", errno);
    if (!S_ISREG(status.st_mode)) {
      const char* const hint =
          S_ISFIFO(status.st_mode) ? ": cat FILE | sheaf check - reads it" : "";
      throw IoError(
          formatted("{}: not a regular file but {}{}", path_, file_kind(status.st_mode), hint));
    }
    return state_of(status);
  }

  // Returns where the file ends now. This may be far before the offset of the read.
  [[nodiscard]] static std::int64_t end_now(int descriptor, std::int64_t offset) noexcept {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? std::min<std::int64_t>(offset, status.st_size)
                                             : offset;
  }

  const std::string path_;
  std::string folder_;  // base of a relative path; empty for an absolute one
  DescriptorCache& cache_;
  mutable DescriptorCache::Entry entry_;
  mutable FileState state_;  // as first opened; constant from then on
};

}  // namespace

std::shared_ptr<const ByteSource> open_file_source(const std::string& path,
                                                   DescriptorCache& cache) {
  return std::make_shared<const FileSource>(path, cache);
}

}  // namespace internal
}  // namespace sheaf
