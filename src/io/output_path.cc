#include "io/output_path.h"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sheaf/error.h"

#include "base/text.h"
#include "io/descriptor_cache.h"
#include "io/file_kind.h"
#include "io/system_error.h"

namespace sheaf::internal {
namespace {

constexpr int kLinksMax = 40;  // as many as Linux follows

// Returns the status of the file at `path`, with links resolved, or nothing if there is no file.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw_io_error(path, "examine", errno);
}

bool is_same_file(const std::optional<struct stat>& a,
                  const std::optional<struct stat>& b) noexcept {
  return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Holds the file that a path leads to, if any. While a file is held, its inode number cannot go to
// another file, even after its last name was removed.
class HeldFile {
 public:
  explicit HeldFile(const std::string& path)
      : descriptor_(system_descriptors().open_with_room([&path] {
          return uninterrupted([&path] { return ::open(path.c_str(), O_PATH | O_CLOEXEC); });
        })) {
    if (descriptor_ < 0 && errno != ENOENT && errno != ENOTDIR) {
      throw_io_error(path, "examine", errno);
    }
  }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  ~HeldFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  std::optional<struct stat> status() const {
    struct stat status {};
    if (descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0) return status;
    return std::nullopt;
  }

 private:
  const int descriptor_;
};

std::string end_of_links(const std::string& path) {
  std::filesystem::path end = path;
  for (int links = 0; links <= kLinksMax; ++links) {
    std::error_code is_no_link;
    const std::filesystem::path target = std::filesystem::read_symlink(end, is_no_link);
    if (is_no_link) return end.string();
    end = end.parent_path() / target;
  }
  throw_io_error(path, "create", ELOOP);
}

}  // namespace

OutputTarget find_output_target(const std::string& path) {
  for (;;) {
    const HeldFile file(path);
    const std::optional<struct stat> found = file.status();
    if (found && !S_ISREG(found->st_mode)) {
      throw ConfigError(formatted("{}: cannot be written: not a regular file but {}", path,
                                  file_kind(found->st_mode)));
    }
    OutputTarget location{.path = end_of_links(path), .is_taken = found.has_value()};
    if (!found || location.path == path) return location;
    // Links in /proc may lead to files that have no name any more.
    if (is_same_file(found, status_of(location.path))) return location;
    // Another writer may have replaced the file between the two calls.
    if (!is_same_file(found, status_of(path))) continue;
    throw ConfigError(
        formatted("{}: cannot be written: it leads to a file that has no name", path));
  }
}

bool can_create_file(const std::string& path) {
  const OutputTarget location = find_output_target(path);
  const std::filesystem::path folder = std::filesystem::path(location.path).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw_io_error(path, "create", error ? error.value() : ENOTDIR);
  }
  return location.is_taken;
}

}  // namespace sheaf::internal
