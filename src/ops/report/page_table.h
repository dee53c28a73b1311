// Tables of a page.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::internal::page {

/// The content of the cells of a column.
enum class CellKind {
  text,    // may break anywhere, so that a long key does not widen the table
  word,    // stays on one line
  number,  // stays on one line, aligned right
};

struct Column {
  std::string_view name;
  CellKind kind = CellKind::text;
};

/// A table. All texts are HTML.
class Table {
 public:
  /// Sets a caption for screen readers, and the columns.
  Table(std::string_view caption, std::vector<Column> columns);

  /// Adds a table row. The first cell is the heading of the row.
  ///
  /// Pre: one cell for each column.
  void add(const std::vector<std::string>& cells);

  [[nodiscard]] std::size_t row_count() const noexcept { return row_count_; }

  /// Returns the table in a frame that scrolls sideways on a narrow page. Returns an empty text if
  /// the table has no rows.
  [[nodiscard]] std::string html() const;

  /// Returns html(), folded behind a summary line.
  [[nodiscard]] std::string folded(std::string_view summary) const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  std::string rows_;
  std::size_t row_count_ = 0;
};

/// Returns a line that says how many table rows of a long list are not shown. Returns an empty text
/// if all are shown.
[[nodiscard]] std::string left_out_html(std::size_t all, std::size_t shown, std::string_view many);

}  // namespace sheaf::internal::page
