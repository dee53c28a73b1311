// Finds the part of a file that a line names.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "format/manifest/manifest_files.h"
#include "format/manifest/manifest_line.h"

namespace sheaf::manifest {

/// Consecutive samples of a file, as stored.
struct FilePart {
  std::int64_t offset_bytes = 0;  // of the first sample
  std::int64_t count = 0;
  std::int64_t bytes_per_sample = 0;

  // For a compressed matrix, whose values are read and decoded together. The offset is that of the
  // values.
  std::int64_t first_row = 0;
  std::int64_t whole_bytes = 0;  // 0 if each sample can be read alone

  [[nodiscard]] std::int64_t size_bytes() const noexcept {
    return whole_bytes > 0 ? whole_bytes : count * bytes_per_sample;
  }

  friend bool operator==(const FilePart&, const FilePart&) = default;
};

/// The reason why a file lacks the samples that a line names.
struct PartFault {
  const ErrorKind* kind = nullptr;
  std::string found;
};

/// How far a part of a recording may extend past the end of the file, in seconds.
inline constexpr double kAudioTolerance = 0.5;

/// How far a part of features may extend past the last frame, in frames.
inline constexpr std::int64_t kFrameTolerance = 3;

/// Finds the samples of a part.
///
/// Errors: a part that begins at the end of the file or later, or that extends past the end by more
///         than the tolerance; a part without samples, or with 2^32-1 samples or more; a channel
///         that the file does not have.
/// Pre:    `file` has audio or an array.
/// Source: docs/formats/manifest.md.
[[nodiscard]] std::variant<FilePart, PartFault> find_part(const ManifestLine& line,
                                                          const FileContents& file);

/// Returns the number of values of a delivered sample: the channels, or the dim of features.
/// Returns 0 for a file with a fault.
[[nodiscard]] std::int64_t dim_of(const ManifestLine& line, const FileContents& file) noexcept;

/// Returns the sample rate of a recording, or 0 for other files.
[[nodiscard]] std::int64_t rate_of(const FileContents& file) noexcept;

}  // namespace sheaf::manifest
