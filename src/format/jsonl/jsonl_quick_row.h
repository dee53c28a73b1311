// Reads rows that have the fields of an earlier row, in the same order, in one pass.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/column_writer.h"
#include "format/jsonl/jsonl_line.h"
#include "format/jsonl/jsonl_quick_values.h"
#include "format/jsonl/jsonl_schema.h"
#include "format/text/field_kernels.h"

namespace sheaf::jsonl {

/// Reads rows of a file. Programs write the fields of most files in the same order in each row.
class QuickRow {
 public:
  /// `warns` says whether fields that are not streams need a warning. Such rows are then not read.
  ///
  /// Lifetime: `schema` must outlive the object.
  QuickRow(const Schema& schema, bool warns);

  /// Returns whether a row may be read.
  [[nodiscard]] bool takes(const Row& row) const noexcept {
    return is_on_ && *row.begin == '{' && row.end - row.begin <= kSizeMax;
  }

  /// Reads a row to the end of the columns. Returns false if the row is wrong, or differs in form
  /// from the earlier row. Then Line must parse the row, and the caller cuts back the columns.
  ///
  /// Pre: takes(row).
  [[nodiscard]] bool read(const Row& row, std::span<internal::ColumnWriter> columns);

  /// Returns the field with the key of the last row. Only its value and its form are set.
  ///
  /// Pre: read() returned true, and keys are not the numbers of lines.
  [[nodiscard]] const Field& key() const noexcept { return key_; }

  /// Returns whether the last row has a stream.
  [[nodiscard]] const std::vector<char>& is_present() const noexcept { return is_present_; }

  /// Takes the fields of a row that read() did not read, and that is right.
  void learn(std::span<const Field> fields);

 private:
  // The room for the values of a row is a bound that its size tells. So long rows could take much
  // more memory than their values.
  static constexpr std::int64_t kSizeMax = std::int64_t{1} << 20;

  struct Part {
    std::string name;          // with its quotes, as in the text
    std::int64_t stream = -1;  // -1: no stream
    bool is_key = false;
  };

  [[nodiscard]] bool read_fields(const Row& row, std::span<internal::ColumnWriter> columns);
  [[nodiscard]] bool is_complete() const noexcept;

  const Schema& schema_;
  const internal::FieldKernels& kernels_;
  const bool warns_;
  std::vector<ReadQuickly> readers_;  // [stream]
  std::vector<Part> parts_;           // empty if no row was learned
  std::vector<char> is_present_;      // [stream]
  Field key_;
  bool is_on_ = false;
  std::int64_t read_count_ = 0;
  std::int64_t refused_count_ = 0;
};

}  // namespace sheaf::jsonl
