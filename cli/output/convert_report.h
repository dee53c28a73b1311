/// \file
/// The report of a conversion, for people and for programs.

#pragma once

#include <string>
#include <string_view>

#include "sheaf/convert.h"

#include "output/console.h"

namespace sheaf::cli {

/// Appends a line for each file.
void append_report(std::string& out, const ConvertReport& report);

/// Appends a JSON object and a newline.
void append_report_json(std::string& out, std::string_view input, const ConvertReport& report);

/// Returns whether a text is one JSON object with the fields of append_report_json().
[[nodiscard]] bool is_report_json(const std::string& text);

/// Prints the errors in the data, the number of sequences left out, and the warnings.
void print_findings(Console& console, const ConvertReport& report);

}  // namespace sheaf::cli
