/// \file
/// Reads small files as a whole.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sheaf::cli {

/// Returns the contents of a file, or nothing if the file has more than `bytes_max` bytes.
///
/// Throws: as open_file.
[[nodiscard]] std::optional<std::string> file_text(const std::string& path, std::int64_t bytes_max);

}  // namespace sheaf::cli
