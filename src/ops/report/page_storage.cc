// The section about the size of the data.

#include <cstddef>
#include <optional>
#include <string>

#include "base/text.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kNotesMax = 100;

std::string saving_sentence(double bytes, double as_sheaf) {
  if (bytes <= 0 || as_sheaf <= 0) return {};
  if (as_sheaf >= bytes) {
    return "A <code>.sheaf</code> file of the same data would not be smaller. ";
  }
  return formatted(
      "A <code>.sheaf</code> file of the same data would take about {}, {} of the bytes. "
      "<code>sheaf convert</code> writes one. ",
      bytes_text(as_sheaf), share_text(as_sheaf / bytes));
}

}  // namespace

std::string storage_body(const Json& report) {
  const Json& storage = field(report, "storage");
  if (!storage.is_object()) return {};
  std::string text;
  const std::optional<double> bytes = number_in(storage, "bytes");
  if (bytes) text += formatted("The data take {}", bytes_text(*bytes));
  if (bytes) {
    if (const auto chunks = count_in(storage, "chunks")) {
      text += " in " + counted(*chunks, "chunk", "chunks");
    }
    if (const auto each = number_in(storage, "bytes_per_sample")) {
      text += formatted(", {} {} a sample", value_text(*each), *each == 1 ? "byte" : "bytes");
    }
    text += ". sheaf reads a chunk at once, and holds as many as the memory limit allows. ";
    text += saving_sentence(*bytes, number_in(field(storage, "as_sheaf"), "bytes").value_or(0));
  }
  Table table("Stored arrays", {{"Stream"},
                                {"Array"},
                                {"Codec"},
                                {"Arrays", CellKind::number},
                                {"Content", CellKind::number},
                                {"Stored", CellKind::number}});
  for (const Json& each : list_in(storage, "notes")) {
    if (table.row_count() == kNotesMax) break;
    const std::string stream = text_in(each, "stream");
    table.add({stream.empty() ? "all" : marked(stream), marked(text_in(each, "array")),
               marked(text_in(each, "codec")), shown_if(count_in(each, "arrays"), count_text),
               shown_if(number_in(each, "content_bytes"), bytes_text),
               shown_if(number_in(each, "stored_bytes"), bytes_text)});
  }
  if (text.empty() && table.row_count() == 0) return {};
  return paragraph(text) + table.html() +
         left_out_html(list_in(storage, "notes").size(), kNotesMax, "arrays");
}

}  // namespace sheaf::internal::page
