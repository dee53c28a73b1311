#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include <glob.h>

#include "sheaf/concatenate.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

/// The names that glob() found, and their release.
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

bool is_pattern(const std::string& text) {
  std::error_code ignored;
  return text.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(text, ignored);
}

std::vector<std::string> matching(const std::string& pattern) {
  const Found found(pattern);
  if (found.result() == GLOB_NOMATCH) {
    throw ConfigError(formatted("{}: no file has such a name", pattern));
  }
  if (found.result() != 0) {
    throw IoError(formatted("{}: the files of such names cannot be listed: {}", pattern,
                            std::system_category().message(errno)));
  }
  std::vector<std::string> names = found.names();
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<std::string> find_files(std::span<const std::string> patterns) {
  std::vector<std::string> paths;
  std::set<std::string> known;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> found =
        is_pattern(pattern) ? matching(pattern) : std::vector<std::string>{pattern};
    for (const std::string& path : found) {
      if (!known.insert(path).second) {
        throw ConfigError(formatted("{}: named twice; a data set has each file once", path));
      }
      paths.push_back(path);
    }
  }
  if (paths.empty()) throw ConfigError("no file is named");
  return paths;
}

}  // namespace sheaf
