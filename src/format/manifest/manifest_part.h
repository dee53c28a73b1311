// The part of a file that a line names.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "format/manifest/manifest_files.h"
#include "format/manifest/manifest_line.h"

namespace sheaf::manifest {

/// Consecutive samples of a file, as the file has them.
struct FilePart {
  std::int64_t offset_bytes = 0;  // of the first sample
  std::int64_t count = 0;
  std::int64_t bytes_per_sample = 0;

  // Of a compressed matrix, whose values are read and decoded together; the offset is theirs.
  std::int64_t first_row = 0;
  std::int64_t whole_bytes = 0;  // 0: any sample can be read alone

  [[nodiscard]] std::int64_t size_bytes() const noexcept {
    return whole_bytes > 0 ? whole_bytes : count * bytes_per_sample;
  }

  friend bool operator==(const FilePart&, const FilePart&) = default;
};

/// A file that does not have what a line names.
struct PartFault {
  const ErrorKind* kind = nullptr;
  std::string found;
};

/// Seconds that a part of a recording may reach behind the end of the file.
inline constexpr double kAudioTolerance = 0.5;

/// Frames that a part of features may reach behind the last frame.
inline constexpr std::int64_t kFrameTolerance = 3;

/// Finds the samples of a part.
///
/// Errors: a part that begins at the end of the file or later, or ends behind the end and what is
///         tolerated; a part without samples, or with 2^32-1 samples or more; a channel that the
///         file does not have.
/// Pre:    `file` has audio or an array.
/// Source: docs/formats/manifest.md.
[[nodiscard]] std::variant<FilePart, PartFault> find_part(const ManifestLine& line,
                                                          const FileContents& file);

/// Returns how many values a delivered sample has: the channels, or the dim of features; 0 for a
/// file with a fault.
[[nodiscard]] std::int64_t dim_of(const ManifestLine& line, const FileContents& file) noexcept;

/// Returns the sample rate of a recording; 0 for other files.
[[nodiscard]] std::int64_t rate_of(const FileContents& file) noexcept;

}  // namespace sheaf::manifest
