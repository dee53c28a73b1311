// The errors in a container.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/extend/byte_source.h"

#include "core/error_kind.h"

namespace sheaf::container {

inline constexpr internal::ErrorKind kMagicError{"sheaf-magic", "the marks of a .sheaf file"};
inline constexpr internal::ErrorKind kVersionError{"sheaf-version", "version 1 or 2"};
inline constexpr internal::ErrorKind kFootError{"sheaf-foot", "the foot that was written"};
inline constexpr internal::ErrorKind kDirectoryError{"sheaf-directory",
                                                     "the directory that was written"};
inline constexpr internal::ErrorKind kTableError{"sheaf-table", "the table that was written"};
inline constexpr internal::ErrorKind kHashError{"sheaf-hash", "the column that was written"};
inline constexpr internal::ErrorKind kContentError{"sheaf-content",
                                                   "arrays that fit each other and the table"};

/// Throws a DataError, always. The diagnostic points to a byte of the file.
[[noreturn]] void throw_damaged(const ByteSource& source, std::int64_t byte_offset,
                                const internal::ErrorKind& kind, std::string found);

}  // namespace sheaf::container
