/// \file
/// Sizes as people write them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// Bytes of "4096", "64M", "1.5GiB", "2GB": a number and no unit, B, kB MB GB TB (powers of 1000),
/// or KiB MiB GiB TiB, or K M G T (powers of 1024); upper and lower case are the same. A part of a
/// byte is cut off.
///
/// Throws: ConfigError that names `option`.
[[nodiscard]] std::int64_t parse_size(const std::string& option, std::string_view text);

}  // namespace sheaf::cli
