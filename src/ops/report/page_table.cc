#include "ops/report/page_table.h"

#include <cassert>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

std::string_view class_of(const Column& column) {
  switch (column.kind) {
    case CellKind::number:
      return " class=\"n\"";
    case CellKind::word:
      return " class=\"w\"";
    case CellKind::text:
      break;
  }
  return {};
}

}  // namespace

Table::Table(std::string_view caption, std::vector<Column> columns)
    : caption_(caption), columns_(std::move(columns)) {}

void Table::add(const std::vector<std::string>& cells) {
  assert(cells.size() == columns_.size());
  rows_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view tag = i == 0 ? "th" : "td";
    rows_ += formatted("<{}{}{}>{}</{}>", tag, i == 0 ? " scope=\"row\"" : "",
                       class_of(columns_[i]), cells[i], tag);
  }
  rows_ += "</tr>\n";
  ++row_count_;
}

std::string Table::html() const {
  if (row_count_ == 0) return {};
  std::string out = formatted(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">"
      "<table><caption class=\"hidden\">{}</caption>\n<thead><tr>",
      caption_, caption_);
  for (const Column& column : columns_) {
    out += formatted("<th scope=\"col\"{}>{}</th>", class_of(column), column.name);
  }
  return out + "</tr></thead>\n<tbody>\n" + rows_ + "</tbody></table></div>\n";
}

std::string Table::folded(std::string_view summary) const {
  if (row_count_ == 0) return {};
  return formatted("<details><summary>{}</summary>\n{}</details>\n", summary, html());
}

std::string left_out_html(std::size_t all, std::size_t shown, std::string_view many) {
  if (all <= shown) return {};
  return formatted("<p class=\"soft\">Not shown here: {} of {} {}.</p>\n",
                   count_text(static_cast<std::int64_t>(all - shown)),
                   count_text(static_cast<std::int64_t>(all)), many);
}

}  // namespace sheaf::internal::page
