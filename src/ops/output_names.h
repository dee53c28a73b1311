// The names of the files that a conversion writes.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::internal {

/// Returns the path of a shard: "a/train-00002-of-00010.cbf" for "a/train.cbf".
[[nodiscard]] std::string shard_path(std::string_view path, std::int64_t number,
                                     std::int64_t count);

/// Returns the path of a split part: "a/data.test.cbf" for "a/data.cbf" and "test".
[[nodiscard]] std::string part_path(std::string_view path, std::string_view part);

}  // namespace sheaf::internal
