/// \file
/// Lists of the formats, for help, completion and `sheaf formats`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sheaf::cli {

/// Selects the formats and options that can be read, or those that can be written.
enum class FormatUse { reading, writing };

/// Returns the names of formats as a type name of an option: "ctf|cbf".
[[nodiscard]] std::string format_names(FormatUse use);

/// Returns the options of single formats with each value: "libsvm.base=0".
[[nodiscard]] std::vector<std::string> format_option_words(FormatUse use);

/// Returns a description with the options of single formats: "TEXT: libsvm.base=1|0".
[[nodiscard]] std::string with_format_options(std::string_view text, FormatUse use);

}  // namespace sheaf::cli
