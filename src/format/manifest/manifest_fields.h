// The fields of an object on a line of a manifest.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/manifest/manifest_errors.h"
#include "format/manifest/manifest_json.h"

namespace sheaf::manifest {

/// Some bytes of a line.
struct LineRange {
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// An error in a line, and its location.
struct LineFault {
  const ErrorKind* kind = nullptr;
  LineRange location;
  std::string found;
};

/// A line being parsed. Keeps the first fault, so that a parser need not stop at faults and can
/// check once.
class LineFaults {
 public:
  /// Lifetime: the line must outlive the LineFaults.
  explicit LineFaults(std::string_view line) : line_(line) {}

  void add(const ErrorKind& kind, LineRange location, std::string found) {
    if (!first_) first_ = LineFault{.kind = &kind, .location = location, .found = std::move(found)};
  }

  /// Adds a fault of a value. `text` is the value in the line.
  void add(const ErrorKind& kind, std::string_view text, std::string found) {
    add(kind, location_of(text), std::move(found));
  }

  /// Pre: `text` is a part of the line.
  [[nodiscard]] LineRange location_of(std::string_view text) const noexcept {
    return {.begin = static_cast<std::size_t>(text.data() - line_.data()), .size = text.size()};
  }

  [[nodiscard]] bool has_any() const noexcept { return first_.has_value(); }
  [[nodiscard]] const std::optional<LineFault>& first() const noexcept { return first_; }

 private:
  std::string_view line_;
  std::optional<LineFault> first_;
};

/// The fields of one object. A field that is null counts as missing. If a field is wrong, the
/// functions add a fault, and their result is meaningless.
///
/// Lifetime: the faults and the line must outlive the JsonFields and the results.
class JsonFields {
 public:
  /// Pre: `members` belong to the object `text`, which is a part of the line.
  JsonFields(std::string_view text, std::vector<JsonMember> members, LineFaults& faults)
      : text_(text), members_(std::move(members)), faults_(faults) {}

  /// Returns a field, or null if it is missing. A repeated field is a fault.
  [[nodiscard]] const JsonValue* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Returns a field. A missing field is a fault.
  [[nodiscard]] const JsonValue* need(std::string_view name) const;

  /// Returns the text of a field that must be a string.
  [[nodiscard]] std::string string(std::string_view name) const;

  /// Returns the text of a string, or a number as written. Returns nothing if the field is missing.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;

  /// Returns a number of seconds that is not negative, or nothing if the field is missing.
  [[nodiscard]] std::optional<double> seconds(std::string_view name) const;

  /// Returns a positive number from a required field.
  [[nodiscard]] double positive(std::string_view name) const;

  /// Returns a whole number from 0 to 2^31-1, or nothing if the field is missing.
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view name) const;

  /// Returns the fields of a field that must be an object. Returns no fields for any other value.
  [[nodiscard]] JsonFields object(std::string_view name) const;

  /// Returns the fields of each element of an array of objects. Returns none if the field is
  /// missing.
  [[nodiscard]] std::vector<JsonFields> objects(std::string_view name) const;

  /// Returns the elements of an array. Returns none if the field is missing.
  [[nodiscard]] std::vector<JsonMember> elements(std::string_view name) const;

  /// Returns the object as written in the line.
  [[nodiscard]] std::string_view as_written() const noexcept { return text_; }

 private:
  void refuse(const ErrorKind& kind, std::string_view name, const JsonValue& value) const;
  [[nodiscard]] std::optional<double> number(std::string_view name, const ErrorKind& kind) const;

  std::string_view text_;
  std::vector<JsonMember> members_;
  LineFaults& faults_;
};

/// Returns a whole number from 0 to 2^31-1, or nothing for any other value.
[[nodiscard]] std::optional<std::int64_t> count_of(const JsonValue& value);

}  // namespace sheaf::manifest
