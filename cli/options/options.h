/// \file
/// Options with checked values. The error for a bad value has the option's name and the valid
/// values.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sheaf::cli {

/// The whole numbers that an option takes. If `word` is not empty, it stands for `meaning`.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::string_view word = {};
  std::int64_t meaning = 0;
};

/// Adds an option with a whole number. The present value of `target` is the default. `names` has an
/// optional short name, the long name for messages, and older names: "-n,--new,--old".
///
/// Lifetime: `target` must outlive the parsing, here and below.
CLI::Option* add_count(CLI::App& app, const std::string& names, std::int64_t& target, Range range,
                       const std::string& description);

/// Adds an option with a whole number and no default. Without the option, `target` stays empty.
CLI::Option* add_count(CLI::App& app, const std::string& names, std::optional<std::int64_t>& target,
                       Range range, const std::string& description);

/// An older spelling of a choice.
struct OldWord {
  std::string_view old;
  std::string_view word;
};

/// Adds an option that takes one of `choices`. Its type name lists the choices: `padded|ragged`.
CLI::Option* add_choice(CLI::App& app, const std::string& names, std::string& target,
                        std::initializer_list<std::string_view> choices,
                        const std::string& description,
                        std::initializer_list<OldWord> old_words = {});

/// Adds an option with a size in bytes (size_option.h), of at least `size_min`.
CLI::Option* add_size(CLI::App& app, const std::string& names, std::int64_t& target,
                      const std::string& description, std::int64_t size_min);

/// Adds an option with a limit in bytes. The word "none", and 0, make the target empty.
CLI::Option* add_limit(CLI::App& app, const std::string& names, std::optional<std::int64_t>& target,
                       const std::string& description);

/// The type name of options that add_settings() adds.
inline constexpr const char* kSettingSyntax = "KEY=VALUE";

/// Adds an option that takes KEY=VALUE, at most once for each key.
CLI::Option* add_settings(CLI::App& app, const std::string& name,
                          std::map<std::string, std::string>& target,
                          const std::string& description);

/// Returns whether the verb has the option and the user gave it.
[[nodiscard]] bool is_given(const CLI::App& verb, const char* name);

/// Returns the whole number that a text stands for.
///
/// Throws: ConfigError that names `option` and the range.
[[nodiscard]] std::int64_t parse_count(const std::string& option, std::string_view text,
                                       Range range);

}  // namespace sheaf::cli
