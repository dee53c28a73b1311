/// \file
/// Messages, diagnostics and progress on standard error, in colour on a terminal.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"

namespace sheaf::cli {

/// When to use colour or to show progress.
enum class When : std::uint8_t { automatic, always, never };

/// Writes messages to standard error. A message replaces the line of progress.
class Console {
 public:
  /// Checks whether standard error is a terminal, and reads NO_COLOR and TERM.
  Console();

  /// Sets when to use colour. `automatic` uses colour on a terminal, unless NO_COLOR is set and not
  /// empty, or TERM is "dumb".
  void set_color(When when) noexcept;

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }
  /// Returns whether a line of progress replaces the last one. This needs a terminal that can
  /// rewrite lines.
  [[nodiscard]] bool rewrites_lines() const noexcept { return rewrites_lines_; }

  [[nodiscard]] bool has_color() const noexcept { return has_color_; }

  /// Returns whether standard output may have colour, by the same rules. `is_terminal` says whether
  /// standard output is a terminal.
  [[nodiscard]] bool colors_output(bool is_terminal) const noexcept;

  /// Prints "sheaf: error: ...".
  void print_error(std::string_view text);

  /// Prints "sheaf: ...".
  void print_note(std::string_view text);

  /// Prints lines unchanged. All other functions print text without escapes, as terminal_text()
  /// returns it.
  void print(std::string_view text);

  /// Prints diagnostics in the form of a compiler's.
  void print_diagnostics(std::span<const Diagnostic> diagnostics);

  /// Shows a line until the next message or the next line of progress. An empty text removes the
  /// line. Without a terminal, prints the text followed by a newline.
  void show_progress(std::string_view text);

 private:
  void write(std::string_view text);

  bool is_terminal_;
  bool rewrites_lines_;
  bool wants_color_;  // whether the environment allows colour
  When color_ = When::automatic;
  bool has_color_;
  bool shows_progress_ = false;
};

/// Returns the text of a diagnostic, as to_string() does. With `has_color`, adds the escapes of a
/// terminal that colour the path, the severity and the underline.
[[nodiscard]] std::string diagnostic_text(const Diagnostic& diagnostic, bool has_color);

}  // namespace sheaf::cli
