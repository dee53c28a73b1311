/// \file
/// The help of the command.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace sheaf::cli {

/// Returns the description and the footer of the command itself.
[[nodiscard]] const char* command_description() noexcept;
[[nodiscard]] const char* command_footer() noexcept;

/// Returns five commands to start with, for users who type `sheaf` alone.
[[nodiscard]] const char* first_steps() noexcept;

/// Returns a formatter that lays out help like a manual page, for terminals of 80 columns.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

inline constexpr std::size_t kTextWidth = 80;  // columns of text for people

/// Breaks a text at its blanks into lines of up to `width` columns. Each line begins with `indent`
/// blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// Returns the first line of a verb's description, for lists of verbs.
[[nodiscard]] std::string short_description(const CLI::App& verb);

/// Returns the words of a verb on the command line: "read" or "position seek". Returns an empty
/// text for the command itself.
[[nodiscard]] std::string verb_path(const CLI::App& verb);

/// Returns the names of the verbs.
[[nodiscard]] std::vector<std::string> verb_names(const CLI::App& command);
/// Returns the names of a verb's options as typed, hidden ones included.
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& verb);

}  // namespace sheaf::cli
