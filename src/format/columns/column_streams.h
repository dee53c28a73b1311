// The streams in the columns of a table.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/columns/column_type.h"
#include "format/columns/kept_vocabularies.h"
#include "format/columns/vocabulary.h"

namespace sheaf::columns {

inline constexpr std::array<std::string_view, 3> kKeyValues = {"found", "rows", "COLUMN"};
inline constexpr FormatOption kKeyOption = {
    .name = "arrow.key",
    .values = kKeyValues,
    .help =
        "the column of the keys; found: that which sheaf wrote, else the numbers of rows; rows: "
        "the numbers of rows",
    .takes_any = true};
inline constexpr std::array kReadOptions = {kKeyOption};

/// A column that is read as a stream.
struct StreamColumn {
  std::int64_t number = 0;  // number of the column in the table
  ColumnType type = {};
  Stream stream = {};

  /// Whether the single list of a sequence is a sample of variable extent, instead of a list of
  /// samples.
  bool is_whole_list = false;

  /// For a column of class ids.
  std::shared_ptr<const Vocabulary> vocabulary = {};

  /// Returns whether a sequence is a list of samples. Otherwise it is one sample.
  [[nodiscard]] bool has_sequence_lists() const noexcept {
    return type.has_sequence_lists() && !is_whole_list;
  }

  /// Returns whether samples are lists of any length.
  [[nodiscard]] bool has_sample_lists() const noexcept {
    return type.has_sample_lists() || is_whole_list;
  }

  /// Returns whether samples differ in size, so that a column needs sample_offsets.
  [[nodiscard]] bool has_sample_offsets() const noexcept {
    return stream.storage == Storage::sparse || !stream.sample_shape.is_fixed();
  }
};

/// The column of keys.
struct KeyColumn {
  std::int64_t number = 0;
  std::string format = {};
  bool are_texts = false;  // otherwise numbers
};

struct TableStreams {
  std::vector<StreamColumn> columns = {};
  std::optional<KeyColumn> key = {};  // nothing: the keys are the numbers of rows

  /// About columns that are left out, because no stream can have their values.
  std::vector<Diagnostic> warnings = {};

  [[nodiscard]] std::vector<Stream> streams() const;
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
};

/// Returns the declared streams. If none are declared, returns all columns that can be streams,
/// except for the column of keys. If neither a type nor a declaration tells them, finds
///
/// - the dim of a sparse stream: one more than the largest index of all batches;
/// - the extent of samples that are lists: their size in the first batch with samples, if all its
///   samples have the same size.
///
/// Takes the classes of dictionaries from `kept`. Reads the dictionaries that `kept` lacks.
///
/// Throws: ConfigError that names the stream, or the option; DataError if no column can be a
///         stream; IoError.
[[nodiscard]] TableStreams table_streams(const ArrowBatches& batches, const FormatOptions& options,
                                         KeptVocabularies kept = {});

}  // namespace sheaf::columns
