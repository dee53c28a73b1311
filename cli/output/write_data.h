/// \file
/// Runs a conversion with progress, signals and standard output.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/convert.h"

#include "options/data_options.h"
#include "output/console.h"
#include "output/progress.h"

namespace sheaf::cli {

/// The path that stands for standard input or output.
inline constexpr std::string_view kStandardStream = "-";

/// Where to show progress, and the size of the input.
struct ShownProgress {
  Console& console;
  When when = When::automatic;
  std::int64_t input_bytes = 0;
};

/// Writes open data to files, on the threads of `open`. Files get their names at the end. The path
/// "-" writes to standard output, which cannot be undone.
///
/// Throws: as convert(); OutputClosed; Interrupted, except for standard output. After an error, no
///         output file exists under its name, unless the error came while files got their names.
[[nodiscard]] ConvertReport write_data(const OpenData& open, const std::string& path,
                                       ConvertOptions options, const ShownProgress& shown);

}  // namespace sheaf::cli
