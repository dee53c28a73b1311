// One line: the object of JSON that it has, and where the values of the fields lie. Indexing and
// reading both go through here, so they cannot disagree on what is right and what is missing.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/jsonl/jsonl_text.h"
#include "format/text/row_reader.h"

namespace sheaf::jsonl {

using internal::Row;
using internal::RowReader;

/// What a value is.
enum class Form : std::uint8_t { null, boolean, number, text, list, object };

/// A field of the object of a line.
struct Field {
  std::string_view name;        // without escapes
  const char* quote = nullptr;  // before the name
  const char* name_end = nullptr;
  const char* value = nullptr;
  Form form = Form::null;
  bool is_repeated = false;  // whether an earlier field of the line has the name
  char first = '\0';         // byte of the first element of a list; 0 where there is none
  std::int64_t count = 0;    // elements of a list
};

/// Returns whether a row has nothing but spaces: then it is no sequence.
[[nodiscard]] bool is_blank_row(const Row& row) noexcept;

/// Takes lines, one after the other.
class Line {
 public:
  /// As many bytes as simdjson takes.
  static constexpr std::int64_t kSizeMax = 4294967200;

  /// A line of more than `size_max` bytes is wrong.
  explicit Line(std::int64_t size_max = kSizeMax);
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line();

  /// Takes a row that is not blank. Returns false, and says what is wrong in fault(), where the row
  /// is no object of JSON.
  ///
  /// Lifetime: of the fields: until the next call, and that of the text of the row.
  /// Cost:     no allocation where the rows before were as long.
  bool read(const Row& row);

  /// In the order of the line.
  [[nodiscard]] std::span<const Field> fields() const noexcept { return fields_; }

  /// Returns the first field of this name; null where there is none.
  [[nodiscard]] const Field* find(std::string_view name) const noexcept;

  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

 private:
  struct Json;

  bool read_fields(const Row& row);
  void set_name(Field& field);
  void mark_repeated();

  const std::int64_t size_max_;
  std::unique_ptr<Json> json_;
  std::vector<Field> fields_;
  std::deque<std::string> names_;     // that had escapes
  std::vector<std::size_t> by_name_;  // numbers of fields
  Fault fault_;
};

}  // namespace sheaf::jsonl
