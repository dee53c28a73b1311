// Groups rows into sequences. Indexing and reading both use this code, so they agree.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/types.h"

#include "format/csv/csv_cells.h"
#include "format/csv/csv_schema.h"

namespace sheaf::csv {

/// Groups rows into sequences.
class SequenceGrouper {
 public:
  /// The error in the key of a row.
  enum class KeyCode : std::uint8_t { ok, none, not_a_number, out_of_range };

  /// If each row is a sequence, `first_row` is the key of the first row.
  ///
  /// Lifetime: `schema` must outlive the grouper.
  SequenceGrouper(const Schema& schema, std::uint64_t first_row) noexcept
      : schema_(schema), next_row_(first_row) {}

  /// Takes the next row. Returns whether the row begins a sequence, as the first row always does.
  /// Then key() is the key of the new sequence. A row whose key is missing or wrong continues the
  /// sequence. If it is the first row, it begins a sequence with the key 0, or with the key of the
  /// empty text.
  ///
  /// Pre: the row is not empty.
  [[nodiscard]] bool next(const Row& row) {
    if (schema_.has_keys()) return next_key(row);
    key_.low = next_row_++;
    return true;
  }

  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }

  /// Returns the text of the key if keys are texts.
  [[nodiscard]] const std::string& key_text() const noexcept { return text_; }

  /// Return the error in the key of the last row, and the cell of the key. The cell has no first
  /// byte if the row has no such cell.
  [[nodiscard]] KeyCode code() const noexcept { return code_; }
  [[nodiscard]] const Cell& cell() const noexcept { return cell_; }

 private:
  [[nodiscard]] bool next_key(const Row& row);
  void find_cell(const Row& row) noexcept;
  [[nodiscard]] bool next_text();
  [[nodiscard]] bool next_number();

  const Schema& schema_;
  std::uint64_t next_row_;
  bool has_key_ = false;
  SequenceKey key_;
  std::string text_;
  std::string new_text_;
  KeyCode code_ = KeyCode::ok;
  Cell cell_;
};

}  // namespace sheaf::csv
