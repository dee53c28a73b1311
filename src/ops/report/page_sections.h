// The sections of a page. Each function makes a section from the whole JSON of a report. It returns
// an empty text if the JSON has no data for the section.

#pragma once

#include <string>
#include <string_view>

#include "ops/report/page_fields.h"

namespace sheaf::internal::page {

/// A section. Its id is the name of its JSON field and the target of links.
struct Section {
  std::string_view id;
  std::string_view heading;
  std::string (*body)(const Json& report);
};

[[nodiscard]] std::string verdict_body(const Json& report);
[[nodiscard]] std::string data_body(const Json& report);
[[nodiscard]] std::string streams_body(const Json& report);
[[nodiscard]] std::string lengths_body(const Json& report);
[[nodiscard]] std::string order_body(const Json& report);
[[nodiscard]] std::string labels_body(const Json& report);
[[nodiscard]] std::string duplicates_body(const Json& report);
[[nodiscard]] std::string keys_body(const Json& report);
[[nodiscard]] std::string sequences_body(const Json& report);
[[nodiscard]] std::string storage_body(const Json& report);
[[nodiscard]] std::string against_body(const Json& report);

/// All sections, in the order of the page.
inline constexpr Section kSections[] = {
    {"verdict", "Verdict", verdict_body},
    {"data", "Errors in the data", data_body},
    {"streams", "Streams", streams_body},
    {"lengths", "Lengths and padding", lengths_body},
    {"order", "Order in the file", order_body},
    {"labels", "Labels and ids", labels_body},
    {"duplicates", "Duplicates", duplicates_body},
    {"keys", "Keys", keys_body},
    {"sequences", "Sequences to look at", sequences_body},
    {"storage", "Storage", storage_body},
    {"against", "Against other data", against_body},
};

/// Returns a paragraph.
[[nodiscard]] std::string paragraph(std::string_view html);

/// Returns a paragraph that says how many of the sequences were examined, or an empty text if all
/// of them were.
[[nodiscard]] std::string coverage_html(const Json& from, std::string_view what);

/// Returns a table of drift: the name and the size of each difference.
[[nodiscard]] std::string drift_table(const Json& from, std::string_view caption);

/// Returns the charts of slices along the data. They belong to the section about order.
[[nodiscard]] std::string slices_html(const Json& order);

}  // namespace sheaf::internal::page
