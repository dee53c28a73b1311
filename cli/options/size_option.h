/// \file
/// Parses sizes as people write them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// Returns the bytes of a size such as "4096", "64M", "1.5GiB" or "2GB". The unit of measure is B,
/// which may be left out, a power of 1000 (kB MB GB TB) or a power of 1024 (K M G T, KiB MiB GiB
/// TiB), in upper or lower case. The result is rounded down to whole bytes. A fraction of the unit
/// of measure B is an error.
///
/// Throws: ConfigError that names `option`.
[[nodiscard]] std::int64_t parse_size(const std::string& option, std::string_view text);

}  // namespace sheaf::cli
