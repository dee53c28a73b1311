#include "ops/all_parts.h"

#include <cstddef>
#include <cstdint>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

void check_all_parts(std::span<const NamedPart> parts) {
  const auto refuse_missing = [&parts](std::size_t number) {
    throw ConfigError(formatted("part {}/{} is missing", number, parts.front().part.count));
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i].part == parts[i - 1].part) {
      throw ConfigError(formatted("{} and {} are both part {}", parts[i - 1].name, parts[i].name,
                                  to_string(parts[i].part)));
    }
    if (parts[i].part.number != static_cast<std::int64_t>(i)) refuse_missing(i);
  }
  if (std::ssize(parts) != parts.front().part.count) refuse_missing(parts.size());
}

}  // namespace sheaf::internal
