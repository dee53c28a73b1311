/// \file
/// Reads means and standard deviations from the CMVN statistics of Kaldi.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "transform/statistics.h"

namespace sheaf::internal {

/// Returns the bytes of a file.
///
/// Throws: IoError.
using ReadFile = std::function<std::string(const std::string& path)>;

/// Returns whether the first non-blank byte is that of JSON. All other statistics are those of
/// Kaldi.
[[nodiscard]] bool is_json_statistics(std::string_view bytes) noexcept;

/// Parses the statistics that compute-cmvn-stats writes: an archive with a matrix for each speaker
/// (binary or text), a list of such matrices (`scp`), or one matrix without a key, for all
/// sequences.
///
/// A matrix has two rows. The first row has the sum of each value, and the count. The second row
/// has the sum of the squares, and a number that is not read. The mean is sum / count, and the
/// standard deviation the square root of squares / count - mean^2, or 0 if this is below 0.
///
/// `path` is the path of the file, as messages show it. Paths in a list are relative to the working
/// directory, or else to the folder of `path`. `read_file` reads them.
///
/// Throws: ConfigError that begins with `name`: for invalid bytes, a repeated speaker, a count
///         below 1, or sums that are not finite; the exceptions of `read_file`.
/// Source: docs/formats/kaldi-objects.md; transform-cmvn of Kaldi.
[[nodiscard]] Statistics parse_kaldi_statistics(std::string_view bytes, const std::string& name,
                                                const std::string& path, const ReadFile& read_file);

}  // namespace sheaf::internal
