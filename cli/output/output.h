/// \file
/// Standard output, written in large pieces.

#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// Nobody reads standard output any more: the command ends, and that is no error.
class OutputClosed : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "standard output is closed"; }
};

/// Throws: OutputClosed, or IoError with the reason that `error` of errno stands for.
[[noreturn]] void throw_output_error(int error);

/// Collects text for standard output. Call flush() at the end; what is left otherwise is lost. On a
/// terminal the text is made harmless, as terminal_text() does.
class Output {
 public:
  Output();

  /// Where to append text.
  [[nodiscard]] std::string& text() noexcept { return text_; }

  /// Appends text that a terminal gets as it is, with escapes. Nothing in the text comes from data.
  void append_as_is(std::string_view text);

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }

  /// End the line; write what has come together if it is much.
  void end_line();

  /// Throws: OutputClosed; IoError with the system's reason, for a full disk say.
  void flush();

  /// Bytes that were written.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  void make_harmless();

  std::string text_;
  std::size_t harmless_size_ = 0;  // of the text that is as a terminal may get it
  std::int64_t bytes_ = 0;
  bool is_terminal_;
};

}  // namespace sheaf::cli
