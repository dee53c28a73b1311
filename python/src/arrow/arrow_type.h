/// \file
/// What a column of an Arrow table is as a stream.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/arrow_interface.h"

namespace sheaf::python {

/// A column whose type can be that of a stream:
///
/// | Type                                       | Of a sequence                                  |
/// |--------------------------------------------|------------------------------------------------|
/// | value                                      | a sample of one value                          |
/// | fixed(value), fixed(fixed(value)) ...      | a sample of that shape                         |
/// | list(value)                                | samples, their values one after the other      |
/// | list(fixed(value)) ...                     | samples of that shape                          |
/// | list(list(value))                          | samples, each a list of equally many values    |
/// | list(struct(index, value)), or a map       | a sparse sample                                |
/// | list(list(struct(index, value)))           | sparse samples                                 |
struct ArrowColumnType {
  std::string name = {};
  std::string word = {};  // metadata "sheaf.stream", else empty
  bool is_sparse = false;
  std::vector<bool> large_lists = {};      // of each list of any length, outermost first: 64 bits?
  std::vector<std::int64_t> extents = {};  // of the fixed lists within
  char value_format = 0;                   // one of the interface's letters for numbers
  char index_format = 0;

  /// Whether samples are lists of any length.
  [[nodiscard]] bool has_sample_lists() const noexcept {
    return is_sparse || (large_lists.size() == 2 && extents.empty());
  }

  /// Whether a sequence is a list of samples; else it has one.
  [[nodiscard]] bool has_sequence_lists() const noexcept {
    return large_lists.size() == (has_sample_lists() ? 2U : 1U);
  }
};

/// Rows of a table, as the array of structs that a stream of record batches gives.
struct ArrowRows {
  std::int64_t first = 0;  // in the children of the array of structs
  std::int64_t count = 0;
};

/// Whether values of the format are numbers that with_arrow_type() knows.
[[nodiscard]] bool is_number_format(const char* format) noexcept;

/// Whether a column can hold keys, by its format: whole numbers or texts.
[[nodiscard]] bool is_key_format(const char* format) noexcept;

/// Throws: ConfigError that names the column, where it can be no stream.
[[nodiscard]] ArrowColumnType arrow_column_type(const ArrowSchema& schema);

}  // namespace sheaf::python
