// From rows to sequences. Indexing and reading both go through here, so that they cannot disagree.

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
  /// What is wrong with the key of a row.
  enum class KeyCode : std::uint8_t { ok, none, not_a_number, out_of_range };

  /// Where rows are sequences, `first_row` is the key of the first one.
  ///
  /// Lifetime: `schema` must outlive the grouper.
  SequenceGrouper(const Schema& schema, std::uint64_t first_row) noexcept
      : schema_(schema), next_row_(first_row) {}

  /// Takes the next row. Returns whether the row begins a sequence, as the first one always does;
  /// key() is then that of the sequence. A row whose key is missing or wrong goes on with the
  /// sequence; at the front it begins one of the key 0, or of the empty text.
  ///
  /// Pre: the row is not empty.
  [[nodiscard]] bool next(const Row& row) {
    if (schema_.has_keys()) return next_key(row);
    key_.low = next_row_++;
    return true;
  }

  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }

  /// The text of the key, where keys are texts.
  [[nodiscard]] const std::string& key_text() const noexcept { return text_; }

  /// What is wrong with the key of the row given last, and its cell; without a first byte where the
  /// row has no such cell.
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
