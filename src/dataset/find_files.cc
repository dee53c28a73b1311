#include <set>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"

#include "base/text.h"
#include "index/index_file.h"

namespace sheaf {
namespace {

bool is_pattern(const std::string& text, FileSystem& files) {
  return text.find_first_of("*?[") != std::string::npos && !files.exists(text);
}

std::vector<std::string> matching(const std::string& pattern, FileSystem& files) {
  std::vector<std::string> names = files.list(pattern);
  std::erase_if(names, internal::is_index_path);  // "part-*" means the data only
  if (names.empty()) throw ConfigError(formatted("{}: no file has such a name", pattern));
  return names;
}

}  // namespace

std::vector<std::string> find_files(std::span<const std::string> patterns, FileSystem& files) {
  std::vector<std::string> paths;
  std::set<std::string> known;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> found =
        is_pattern(pattern, files) ? matching(pattern, files) : std::vector<std::string>{pattern};
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
