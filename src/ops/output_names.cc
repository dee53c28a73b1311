#include "ops/output_names.h"

#include <cstddef>

#include "base/text.h"

namespace sheaf::internal {
namespace {

// Returns where the extension begins, including its point, or the end of the path without an
// extension.
std::size_t extension_begin(std::string_view path) {
  const std::size_t name = path.find_last_of('/') + 1;
  const std::size_t point = path.find_last_of('.');
  return point == std::string_view::npos || point <= name ? path.size() : point;
}

std::string with_suffix(std::string_view path, std::string_view suffix) {
  const std::size_t at = extension_begin(path);
  return formatted("{}{}{}", path.substr(0, at), suffix, path.substr(at));
}

}  // namespace

std::string shard_path(std::string_view path, std::int64_t number, std::int64_t count) {
  return with_suffix(path, formatted("-{:05}-of-{:05}", number, count));
}

std::string part_path(std::string_view path, std::string_view part) {
  return with_suffix(path, formatted(".{}", part));
}

}  // namespace sheaf::internal
