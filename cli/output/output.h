/// \file
/// Standard output, written in large pieces.

#pragma once

#include <cstdint>
#include <exception>
#include <string>

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

  /// End the line; write what has come together if it is much.
  void end_line();

  /// Throws: OutputClosed; IoError with the system's reason, for a full disk say.
  void flush();

  /// Bytes that were written.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::string text_;
  std::int64_t bytes_ = 0;
  bool is_terminal_;
};

}  // namespace sheaf::cli
