// Makes rows for tests.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/jsonl/jsonl_line.h"

namespace sheaf::jsonl {

/// A row in its own memory, with the padding that a RowReader provides.
class TestRow {
 public:
  explicit TestRow(std::string_view text)
      : bytes_(std::string(kPadding, '\n') + std::string(text) + std::string(kPadding, '\n')) {
    row_.begin = bytes_.data() + kPadding;
    row_.end = row_.begin + text.size();
    row_.line = 1;
  }
  TestRow(const TestRow&) = delete;
  TestRow& operator=(const TestRow&) = delete;

  [[nodiscard]] const Row& row() const noexcept { return row_; }

 private:
  static constexpr auto kPadding = static_cast<std::size_t>(internal::kRowPadding);

  const std::string bytes_;
  Row row_;
};

/// A parsed line of one field.
class TestLine {
 public:
  explicit TestLine(std::string_view text) : row_(text), is_right_(line_.read(row_.row())) {}

  [[nodiscard]] bool is_right() const noexcept { return is_right_; }
  [[nodiscard]] const Row& row() const noexcept { return row_.row(); }
  [[nodiscard]] const Line& line() const noexcept { return line_; }
  [[nodiscard]] const Field& field() const { return line_.fields()[0]; }
  [[nodiscard]] std::int64_t column(const char* location) const noexcept {
    return location - row_.row().begin + 1;
  }

 private:
  TestRow row_;
  Line line_;
  bool is_right_;
};

}  // namespace sheaf::jsonl
