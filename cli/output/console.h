/// \file
/// Standard error: messages, diagnostics, progress; in colour where people look at it.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"

namespace sheaf::cli {

/// When a thing that is for terminals is done.
enum class When : std::uint8_t { automatic, always, never };

/// Writes to standard error, a message at a time. A line of progress, where there is one, gives way
/// to messages.
class Console {
 public:
  /// Look at standard error, and at the environment: NO_COLOR, TERM.
  Console();

  /// `automatic`: only on a terminal, and not where NO_COLOR is set to anything but nothing.
  void set_color(When when) noexcept;

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }
  /// Whether a line of progress takes the place of the one before: on a terminal that can do so.
  [[nodiscard]] bool rewrites_lines() const noexcept { return rewrites_lines_; }

  [[nodiscard]] bool has_color() const noexcept { return has_color_; }

  /// Returns whether standard output may have colour, by the same rules; `is_terminal`: standard
  /// output is a terminal.
  [[nodiscard]] bool colors_output(bool is_terminal) const noexcept;

  /// Print "sheaf: error: ...".
  void print_error(std::string_view text);

  /// Print "sheaf: ...".
  void print_note(std::string_view text);

  /// Print lines as they are; the others above and below print text made harmless, as
  /// terminal_text() does.
  void print(std::string_view text);

  /// Print diagnostics in the form of a compiler's.
  void print_diagnostics(std::span<const Diagnostic> diagnostics);

  /// Show a line until the next message, or the next line of progress; an empty one: none. Where
  /// standard error is no terminal, it is printed as a line of its own.
  void show_progress(std::string_view text);

 private:
  void write(std::string_view text);

  bool is_terminal_;
  bool rewrites_lines_;
  bool wants_color_;  // what the environment says
  When color_ = When::automatic;
  bool has_color_;
  bool shows_progress_ = false;
};

/// The text of a diagnostic, as to_string() has it; `has_color`: with the escapes of a terminal for
/// place, severity and underline, and the same otherwise.
[[nodiscard]] std::string diagnostic_text(const Diagnostic& diagnostic, bool has_color);

}  // namespace sheaf::cli
