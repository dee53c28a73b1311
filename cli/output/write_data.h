/// \file
/// A conversion as the command runs it: with signals, progress and standard output.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/convert.h"

#include "options/data_options.h"
#include "output/console.h"
#include "output/progress.h"

namespace sheaf::cli {

/// What stands for standard input or output in place of a path.
inline constexpr std::string_view kStandardStream = "-";

/// Where progress is shown, of how much.
struct ShownProgress {
  Console& console;
  When when = When::automatic;
  std::int64_t input_bytes = 0;
};

/// Writes open data on their threads. The path "-" is standard output, which has no name to wait
/// for: what is written is gone.
///
/// Throws: as convert(); OutputClosed; Interrupted, but for standard output. No file is there under
///         its name then, unless it was giving them their names.
[[nodiscard]] ConvertReport write_data(const OpenData& open, const std::string& path,
                                       ConvertOptions options, const ShownProgress& shown);

}  // namespace sheaf::cli
