/// \file
/// What the command says about itself.

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

/// Description and footer of the command itself.
[[nodiscard]] const char* command_description() noexcept;
[[nodiscard]] const char* command_footer() noexcept;

/// What people do first: five commands, for those who type the name of the command alone.
[[nodiscard]] const char* first_steps() noexcept;

/// Lays out help that reads as a manual page, for terminals of 80 columns.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

inline constexpr std::size_t kTextWidth = 80;  // of what people read

/// Break a text into lines of up to `width` at its blanks, each behind `indent` blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// The first line of a verb's description: what lists of verbs say.
[[nodiscard]] std::string short_description(const CLI::App& verb);

/// The words that ask for a verb: "read", "position seek"; nothing for the command itself.
[[nodiscard]] std::string verb_path(const CLI::App& verb);

/// Names of the verbs; names of a verb's options as one types them, hidden ones included.
[[nodiscard]] std::vector<std::string> verb_names(const CLI::App& command);
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& verb);

}  // namespace sheaf::cli
