// Parses a line: its JSON object, and where the values of the fields lie. Indexing and reading both
// use this code, so they agree on what is right and what is missing.

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

/// The form of a value.
enum class Form : std::uint8_t { null, boolean, number, text, list, object };

/// A field of the object of a line.
struct Field {
  std::string_view name;        // without escapes
  const char* quote = nullptr;  // before the name
  const char* name_end = nullptr;
  const char* value = nullptr;
  Form form = Form::null;
  bool is_repeated = false;  // whether an earlier field of the line has the same name
  char first = '\0';         // first byte of a list's first element, or 0
  std::int64_t count = 0;    // number of elements of a list
};

/// Returns whether a row has only spaces. Such a row is not a sequence.
[[nodiscard]] bool is_blank_row(const Row& row) noexcept;

/// Parses lines, one after the other.
class Line {
 public:
  /// The largest size that simdjson accepts.
  static constexpr std::int64_t kSizeMax = 4294967200;

  /// A line of more than `size_max` bytes is an error.
  explicit Line(std::int64_t size_max = kSizeMax);
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line();

  /// Parses a row that is not blank. Returns false and sets fault() if the row is not an object of
  /// JSON.
  ///
  /// Lifetime: the fields are valid until the next call, and as long as the text of the row.
  /// Cost:     no allocation if earlier rows were as long.
  bool read(const Row& row);

  /// Returns the fields in the order of the line.
  [[nodiscard]] std::span<const Field> fields() const noexcept { return fields_; }

  /// Returns the first field of this name, or null if there is none.
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
  std::deque<std::string> names_;     // names with escapes, unescaped
  std::vector<std::size_t> by_name_;  // numbers of fields, sorted by name
  Fault fault_;
};

}  // namespace sheaf::jsonl
