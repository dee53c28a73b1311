// The section that shows single sequences: the longest sequence and unusual ones.

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/text.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"
#include "ops/report/page_values.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kCardsMax = 24;
constexpr std::size_t kCardStreamsMax = 12;

std::string card_html(const Json& sequence) {
  std::string why = text_in(sequence, "why");
  if (!why.empty() && why[0] >= 'a' && why[0] <= 'z')
    why[0] = static_cast<char>(why[0] - 'a' + 'A');
  std::string out =
      formatted("<article class=\"card\"><h3>{}</h3>\n<p class=\"soft\">", marked(why));
  if (field(sequence, "key").is_string()) {
    out += "Key " + marked(text_in(sequence, "key")) + ". ";
  }
  if (const auto index = count_in(sequence, "sequence")) {
    out += formatted("Sequence {} of the data. ", count_text(*index));
  }
  if (const auto samples = count_in(sequence, "samples")) {
    out += counted(*samples, "sample", "samples") + ".";
  }
  out += "</p>\n<div class=\"parts\">\n";
  const Json::array_t& streams = list_in(sequence, "streams");
  for (std::size_t i = 0; i < std::min(streams.size(), kCardStreamsMax); ++i) {
    const Json& stream = streams[i];
    const std::string values = values_html(stream);
    if (values.empty()) continue;
    std::string sizes;
    if (const auto samples = count_in(stream, "samples")) {
      sizes += ", " + counted(*samples, "sample", "samples");
    }
    if (const auto bytes = number_in(stream, "bytes")) sizes += ", " + bytes_text(*bytes);
    out += formatted("<div><p class=\"name\"><b>{}</b>{}</p>{}</div>\n",
                     marked(text_in(stream, "name")), sizes, values);
  }
  return out + "</div>\n" + left_out_html(streams.size(), kCardStreamsMax, "streams") +
         "</article>\n";
}

}  // namespace

std::string sequences_body(const Json& report) {
  const Json::array_t& sequences = list_in(report, "sequences");
  if (sequences.empty()) return {};
  std::string out = paragraph(
      "Look at these sequences first: they show whether sheaf reads what you think you wrote. ");
  out += "<div class=\"cards\">\n";
  for (std::size_t i = 0; i < std::min(sequences.size(), kCardsMax); ++i) {
    out += card_html(sequences[i]);
  }
  return out + "</div>\n" + left_out_html(sequences.size(), kCardsMax, "sequences");
}

}  // namespace sheaf::internal::page
