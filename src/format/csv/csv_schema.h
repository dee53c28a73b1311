// The schema of a CSV file: its columns, the streams, and how the columns map to streams.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/csv/csv_header.h"
#include "format/csv/csv_infer.h"
#include "format/csv/csv_options.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::csv {

/// Numbers the classes of one column.
class ClassIds {
 public:
  explicit ClassIds(std::vector<std::string> names);
  ClassIds(const ClassIds&) = delete;
  ClassIds& operator=(const ClassIds&) = delete;
  ~ClassIds() = default;

  /// Returns the number of a class, or -1.
  [[nodiscard]] std::int64_t find(std::string_view name) const noexcept;

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;  // views of names_, which never move
};

/// The role of a column.
struct Column {
  enum class Kind : std::uint8_t { skipped, key, number, text, class_id };

  Kind kind = Kind::skipped;
  std::int64_t stream = 0;            // unless the column is skipped or holds keys
  std::int64_t index = 0;             // number of the value in the sample
  bool ends_sample = false;           // the value is the last of the sample
  const ClassIds* classes = nullptr;  // for class ids
};

struct Schema {
  Schema() = default;
  Schema(Schema&&) = default;
  Schema& operator=(Schema&&) = default;
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema() = default;

  ReadOptions read;
  std::vector<std::string> names;  // of the columns
  std::vector<Column> columns;     // in the order of the file
  std::vector<Stream> streams;
  std::int64_t key_column = -1;       // -1 if each row is a sequence
  std::int64_t defining_stream = -1;  // the stream that defines the minibatch size, or -1
  std::vector<std::unique_ptr<ClassIds>> classes;
  internal::TextSchema text;  // for the index, with a single stream that counts the bytes of values

  [[nodiscard]] bool has_keys() const noexcept { return key_column >= 0 && !read.skips_keys; }
};

/// Columns that make one stream.
struct ColumnGroup {
  std::string name;
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// Returns the columns that csv.columns selects, or all columns except for the key.
///
/// Throws: ConfigError for columns that the file does not have, and for columns named twice.
[[nodiscard]] std::vector<ColumnGroup> column_groups(const ReadOptions& read,
                                                     const Beginning& beginning);

/// Returns whether the kinds of columns, or classes, must be found in the data.
[[nodiscard]] bool needs_finding(const FormatOptions& options, const ReadOptions& read);

/// Returns the schema. `found` holds the result of find_columns() if that was needed.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options, const ReadOptions& read,
                                 const Beginning& beginning, const internal::FoundStreams* found);

}  // namespace sheaf::csv
