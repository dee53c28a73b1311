// The sections of a report, as JSON.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "sheaf/extend/named_data.h"
#include "sheaf/open.h"

#include "ops/report/data_numbers.h"

namespace sheaf::internal {

using Json = nlohmann::ordered_json;

/// The input of the sections.
struct ReportSource {
  const OpenedData& data;
  const DataNumbers& numbers;
  bool shows_values = true;
};

/// The sections. Each function is named after the JSON field that holds its section. Lists are
/// bounded, and fields that do not apply are left out. Functions that read data throw IoError.
[[nodiscard]] Json data_section(const ReportSource& source);
[[nodiscard]] Json streams_section(const ReportSource& source);
[[nodiscard]] Json lengths_section(const ReportSource& source);
[[nodiscard]] Json order_section(const ReportSource& source);
[[nodiscard]] Json labels_section(const ReportSource& source);
[[nodiscard]] Json duplicates_section(const ReportSource& source, const Duplicates& duplicates);
[[nodiscard]] Json keys_section(const ReportSource& source);
[[nodiscard]] Json sequences_section(const ReportSource& source);
[[nodiscard]] Json storage_section(const ReportSource& source);

/// Shortens a text to at most `bytes_max` bytes. A shortened text ends with "...".
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t bytes_max = 100);

/// Sets a field to a number. Does nothing if the number is infinite or NaN.
void set_number(Json& object, const char* name, double value);

/// Returns the statistics of values that a report shows: count, zeros, mean and deviation. With
/// `has_range`, also the smallest and the largest value.
[[nodiscard]] Json value_numbers(const ValueStat& stat, bool has_range);

/// Returns the location of a sequence as the fields "key", "path" and, for data with lines, "line".
[[nodiscard]] Json location_json(const NamedData& data, const CompactLocation& location);

}  // namespace sheaf::internal
