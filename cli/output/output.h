/// \file
/// Buffered standard output.

#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// Thrown when nobody reads standard output any more. The command then ends without an error.
class OutputClosed : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "standard output is closed"; }
};

/// Throws: OutputClosed if `error` is EPIPE; otherwise IoError with the text of `error`, an errno.
[[noreturn]] void throw_output_error(int error);

/// Collects text for standard output. Call flush() at the end, or the rest of the text is lost. On
/// a terminal, the output has no escapes from the data, as terminal_text() returns it.
class Output {
 public:
  Output();

  /// Returns the buffer to append text to.
  [[nodiscard]] std::string& text() noexcept { return text_; }

  /// Appends text that a terminal gets unchanged, with escapes.
  ///
  /// Pre: no part of the text comes from data.
  void append_as_is(std::string_view text);

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }

  /// Ends the line, and writes the text if it is long.
  void end_line();

  /// Writes the text.
  ///
  /// Throws: OutputClosed; IoError with the system's reason, such as a full disk.
  void flush();

  /// Returns the number of bytes written.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  void make_harmless();

  std::string text_;
  std::size_t harmless_size_ = 0;  // size of the text that a terminal may get
  std::int64_t bytes_ = 0;
  bool is_terminal_;
};

}  // namespace sheaf::cli
