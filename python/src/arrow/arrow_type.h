/// \file
/// The types of Arrow columns that can be streams.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/arrow_interface.h"

namespace sheaf::python {

/// The type of a column that can be a stream:
///
/// | Type                                       | A sequence has                                 |
/// |--------------------------------------------|------------------------------------------------|
/// | value                                      | one sample of one value                        |
/// | fixed(value), fixed(fixed(value)) ...      | one sample of that shape                       |
/// | list(value)                                | samples, with their values back to back        |
/// | list(fixed(value)) ...                     | samples of that shape                          |
/// | list(list(value))                          | samples, all with the same number of values    |
/// | list(struct(index, value)), or a map       | one sparse sample                              |
/// | list(list(struct(index, value)))           | sparse samples                                 |
/// | text, binary                               | one sample of opaque bytes                     |
/// | list(text), list(binary)                   | samples of opaque bytes                        |
/// | struct(bytes, path)                        | one sample of opaque bytes                     |
/// | list(struct(bytes, path))                  | samples of opaque bytes                        |
///
/// A binary of fixed size is like a fixed list of whole numbers of 8 bits.
///
/// If the stream has the shape [*], the lists in list(list(value)) may differ in length.
struct ArrowColumnType {
  std::string name = {};
  std::string word = {};  // metadata "sheaf.stream", or empty
  bool is_sparse = false;
  std::vector<bool> large_lists = {};  // for each variable list, outermost first: 64-bit offsets
  std::vector<std::int64_t> extents = {};  // sizes of the fixed lists
  char value_format = 0;            // a format letter of the Arrow interface; 0: texts or binaries
  char index_format = 0;            // of a sparse stream
  std::string text_format = {};     // format of texts or binaries; empty: numbers
  int bytes_child = -1;             // number of `bytes` in struct(bytes, path)
  bool has_fixed_binaries = false;  // the last extent is the size of a binary

  /// Returns whether samples are opaque bytes.
  [[nodiscard]] bool is_bytes() const noexcept { return !text_format.empty(); }

  /// Returns whether samples are lists of variable length.
  [[nodiscard]] bool has_sample_lists() const noexcept {
    return is_sparse || (large_lists.size() == 2 && extents.empty());
  }

  /// Returns whether a sequence is a list of samples. Otherwise a sequence has one sample.
  [[nodiscard]] bool has_sequence_lists() const noexcept {
    return large_lists.size() == (has_sample_lists() ? 2U : 1U);
  }
};

/// A range of table rows, in the array of structs of a record batch.
struct ArrowRows {
  std::int64_t first = 0;  // element of the children of the array
  std::int64_t count = 0;
};

/// Returns the name of a column. The name is empty if the column has none.
///
/// Lifetime: as long as the schema.
[[nodiscard]] std::string_view name_of_column(const ArrowSchema& schema) noexcept;

/// Returns whether with_arrow_type() supports the format.
[[nodiscard]] bool is_number_format(const char* format) noexcept;

/// Returns whether a column of this format can hold keys, which are whole numbers or texts.
[[nodiscard]] bool is_key_format(const char* format) noexcept;

/// Returns the type of a column.
///
/// Throws: ConfigError that names the column, if it cannot be a stream.
[[nodiscard]] ArrowColumnType arrow_column_type(const ArrowSchema& schema);

}  // namespace sheaf::python
