/// \file
/// What check() says in the end about streams, of all data or of the parts of data.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/check.h"

namespace sheaf::internal {

/// Returns the warning about the values of a stream that are NaN or infinite.
///
/// Pre: there are such values.
[[nodiscard]] Diagnostic non_finite_warning(const CheckedStream& stream);

/// Returns what the lengths of a stream differ in; nothing where the stream is never shorter than
/// others, or describes whole sequences.
[[nodiscard]] std::optional<LengthDifference> length_difference(const CheckedStream& stream,
                                                                const std::string& name);

/// Returns the field "part" of a report.
[[nodiscard]] nlohmann::ordered_json json_of(const CheckedPart& part);

/// Returns the report of whole data, without "part", from the reports of all parts in their order.
///
/// Throws: ConfigError, and exceptions of the JSON library, where one is no such report.
[[nodiscard]] nlohmann::ordered_json merged_check(const std::vector<nlohmann::ordered_json>& parts);

}  // namespace sheaf::internal
