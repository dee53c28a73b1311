// Writes headers of tar archives.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::webdataset {

inline constexpr std::int64_t kTarBlockBytes = 512;

/// Appends the headers of a regular file: a ustar header, and before it a pax header if the name is
/// longer than 100 bytes or the file is larger than 8 GiB. The owner is 0, the time is 0, and the
/// mode is 0644, so that the same data give the same archive.
///
/// Pre: the name has no byte of value 0.
void append_tar_header(std::string_view name, std::int64_t size_bytes, std::string& archive);

/// Appends zeros up to a whole number of blocks.
void append_tar_padding(std::int64_t size_bytes, std::string& archive);

/// Returns the end mark: two blocks of zeros.
[[nodiscard]] std::string tar_end_mark();

}  // namespace sheaf::webdataset
