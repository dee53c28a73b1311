/// \file
/// What a conversion did, for people and for programs.

#pragma once

#include <string>
#include <string_view>

#include "sheaf/convert.h"

#include "output/console.h"

namespace sheaf::cli {

/// Append a line for each file.
void append_report(std::string& out, const ConvertReport& report);

/// Append a JSON object, and a newline.
void append_report_json(std::string& out, std::string_view input, const ConvertReport& report);

/// Returns whether a text is what append_report_json() makes, alone.
[[nodiscard]] bool is_report_json(const std::string& text);

/// Print what was wrong with the data, what was left out, and warnings.
void print_findings(Console& console, const ConvertReport& report);

}  // namespace sheaf::cli
