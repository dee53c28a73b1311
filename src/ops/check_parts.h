/// \file
/// The statements of check() about whole streams, computed from all data or merged from parts.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/check.h"

namespace sheaf::internal {

/// Returns the warning about the values of a stream that are NaN or infinite.
///
/// Pre: the stream has such values.
[[nodiscard]] Diagnostic non_finite_warning(const CheckedStream& stream);

/// Describes how the lengths of a stream differ from the lengths of the other streams. Returns
/// nothing if the stream is never shorter than another stream, or if it describes whole sequences.
[[nodiscard]] std::optional<LengthDifference> length_difference(const CheckedStream& stream,
                                                                const std::string& name);

/// Returns the field "part" of a report.
[[nodiscard]] nlohmann::ordered_json json_of(const CheckedPart& part);

/// Merges the reports of all parts, given in order. Returns the report of the whole data, which has
/// no field "part".
///
/// Throws: ConfigError, and exceptions of the JSON library, if a value is not a report of check().
[[nodiscard]] nlohmann::ordered_json merged_check(const std::vector<nlohmann::ordered_json>& parts);

}  // namespace sheaf::internal
