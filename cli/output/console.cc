#include "output/console.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace sheaf::cli {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kError = "\x1b[1;31m";    // red
constexpr std::string_view kWarning = "\x1b[1;35m";  // magenta
constexpr std::string_view kCaret = "\x1b[1;32m";    // green
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kClearLine = "\r\x1b[K";

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

void paint(std::string& text, std::size_t begin, std::size_t end, std::string_view color) {
  text.insert(end, kPlain);
  text.insert(begin, color);
}

}  // namespace

std::string diagnostic_text(const Diagnostic& given, bool has_color) {
  Diagnostic diagnostic = given;
  diagnostic.path = terminal_text(given.path);  // the search below starts after the path
  std::string text = terminal_text(to_string(diagnostic));
  if (!has_color) return text;
  // Colours from the end to the front, because each escape moves the text behind it.
  if (diagnostic.excerpt_size > 0 && !diagnostic.excerpt.empty()) {
    const std::size_t excerpt = text.find('\n');
    const std::size_t underline = text.find('\n', excerpt + 1) + 1;
    const std::size_t end = std::min(text.find('\n', underline), text.size());
    paint(text, text.find('^', underline), end, kCaret);
  }
  constexpr std::array<std::string_view, 3> kSeverities = {": error: ", ": warning: ", ": fatal: "};
  for (const std::string_view severity : kSeverities) {
    const std::size_t found = text.find(severity, diagnostic.path.size());
    if (found == std::string::npos || found > text.find('\n')) continue;
    const bool is_warning = diagnostic.severity == Severity::warning;
    paint(text, found + 2, found + severity.size() - 1, is_warning ? kWarning : kError);
    paint(text, 0, found + 1, kBold);
    break;
  }
  return text;
}

Console::Console()
    : is_terminal_(::isatty(STDERR_FILENO) == 1),
      rewrites_lines_(is_terminal_ && environment("TERM") != "dumb"),
      wants_color_(environment("NO_COLOR").empty() && environment("TERM") != "dumb"),
      has_color_(is_terminal_ && wants_color_) {}

void Console::set_color(When when) noexcept {
  color_ = when;
  has_color_ = when == When::always || (when == When::automatic && is_terminal_ && wants_color_);
}

bool Console::colors_output(bool is_terminal) const noexcept {
  return color_ == When::always || (color_ == When::automatic && is_terminal && wants_color_);
}

void Console::write(std::string_view text) {
  if (shows_progress_) std::fwrite(kClearLine.data(), 1, kClearLine.size(), stderr);
  shows_progress_ = false;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::print(std::string_view text) { write(std::string(text) + "\n"); }

void Console::print_note(std::string_view text) { print("sheaf: " + terminal_text(text)); }

void Console::print_error(std::string_view text) {
  std::string line = "sheaf: error:";
  if (has_color_) paint(line, 7, line.size(), kError);
  print(line + ' ' + terminal_text(text));
}

void Console::print_diagnostics(std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    print(diagnostic_text(diagnostic, has_color_));
  }
}

void Console::show_progress(std::string_view text) {
  if (!rewrites_lines_) {
    if (!text.empty()) print(text);
    return;
  }
  write(text);
  shows_progress_ = !text.empty();
}

}  // namespace sheaf::cli
