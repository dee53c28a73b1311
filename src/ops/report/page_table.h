// Tables of a page.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::internal::page {

/// What the cells of a column hold.
enum class CellKind {
  text,    // breaks anywhere, so that a long key does not widen the table
  word,    // stays on one line
  number,  // stays on one line, at the right
};

struct Column {
  std::string_view name;
  CellKind kind = CellKind::text;
};

/// A table. All texts are HTML.
class Table {
 public:
  /// Sets a caption for those who do not see the page, and the columns.
  Table(std::string_view caption, std::vector<Column> columns);

  /// Adds a row. The first cell names the row.
  ///
  /// Pre: one cell for each column.
  void add(const std::vector<std::string>& cells);

  [[nodiscard]] std::size_t row_count() const noexcept { return row_count_; }

  /// Returns the table, in a frame that scrolls sideways where the page is narrow. A table without
  /// rows is an empty text.
  [[nodiscard]] std::string html() const;

  /// Returns html() behind a line that opens the table.
  [[nodiscard]] std::string folded(std::string_view summary) const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  std::string rows_;
  std::size_t row_count_ = 0;
};

/// Returns a line that says how many rows of a long list are not shown; an empty text without any.
[[nodiscard]] std::string left_out_html(std::size_t all, std::size_t shown, std::string_view many);

}  // namespace sheaf::internal::page
