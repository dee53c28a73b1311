// What a CSV file is read as: the columns of the file, the streams, and which goes where.

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

/// The classes of one column, as numbers.
class ClassIds {
 public:
  explicit ClassIds(std::vector<std::string> names);
  ClassIds(const ClassIds&) = delete;
  ClassIds& operator=(const ClassIds&) = delete;
  ~ClassIds() = default;

  /// The number of a class, or -1.
  [[nodiscard]] std::int64_t find(std::string_view name) const noexcept;

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;  // of names_, whose strings stay
};

/// What a column of the file is read as.
struct Column {
  enum class Kind : std::uint8_t { skipped, key, number, text, class_id };

  Kind kind = Kind::skipped;
  std::int64_t stream = 0;            // of all but skipped columns and keys
  std::int64_t place = 0;             // of the value in the sample
  bool ends_sample = false;           // the value is the last one of the sample
  const ClassIds* classes = nullptr;  // of class ids
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
  std::int64_t key_column = -1;       // -1: each row is a sequence
  std::int64_t defining_stream = -1;  // the one that defines the minibatch size, or -1
  std::vector<std::unique_ptr<ClassIds>> classes;
  internal::TextSchema text;  // for the index, with one stream of the bytes that values take

  [[nodiscard]] bool has_keys() const noexcept { return key_column >= 0 && !read.skips_keys; }
};

/// Columns that are one stream.
struct ColumnGroup {
  std::string name;
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// Returns the columns that csv.columns asks for, or all but that of the key.
///
/// Throws: ConfigError for columns that the file does not have, and for columns named twice.
[[nodiscard]] std::vector<ColumnGroup> column_groups(const ReadOptions& read,
                                                     const Beginning& beginning);

/// Whether something has to be found in the data: what a column is, or classes.
[[nodiscard]] bool needs_finding(const FormatOptions& options, const ReadOptions& read);

/// Returns what the file is read as. `found` has what was found in the data, where something had to
/// be found.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options, const ReadOptions& read,
                                 const Beginning& beginning, const internal::FoundStreams* found);

}  // namespace sheaf::csv
