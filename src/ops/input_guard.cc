#include "ops/input_guard.h"

#include <algorithm>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

std::unique_ptr<ByteSink> InputGuard::create(const std::string& path, const FileOptions& options) {
  if (options.existing == Existing::replace && files().exists(path) && is_named(path)) {
    throw ConfigError(formatted("{}: is a file that is read; write another one", path));
  }
  return files().create(path, options);
}

bool InputGuard::is_named(const std::string& path) {
  std::call_once(asked_, [this] {
    std::string last;
    data_.visit_named_files([&](const std::string& named) {
      if (named == last) return;
      last = named;
      named_.push_back(key_of_text(files().canonical(named)));
    });
    std::ranges::sort(named_);
  });
  return std::ranges::binary_search(named_, key_of_text(files().canonical(path)));
}

}  // namespace sheaf::internal
