/// \file
/// Parses CNTK's configurations: the text of `.cntk` files and of command lines, and values that a
/// program sets.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

namespace sheaf {

namespace internal {
struct ConfigSectionNode;
struct ConfigState;
struct ConfigValueNode;
}  // namespace internal

/// The rules for parsing text.
///
/// checked: the rules of docs/config.md.
/// cntk:    what CNTK 2.x did, accidents included.
///
/// Both dialects give warnings.
enum class ConfigDialect : std::uint8_t { checked, cntk };

/// How to read a configuration.
struct ConfigOptions {
  ConfigDialect dialect = ConfigDialect::checked;

  /// Whether `$name$` is replaced by the value of the setting `name`. Turn this off to list a
  /// configuration as written.
  bool resolves_names = true;

  /// The file system of the configuration files. Null means system_files(), and then pipes and
  /// terminals can be read, too. The file system must outlive the call that reads the files.
  FileSystem* files = nullptr;
};

/// Thrown when configuration text breaks the rules of docs/config.md, or when a value does not have
/// the type or the range that the program asks for.
class ConfigTextError : public ConfigError {
 public:
  explicit ConfigTextError(Diagnostic diagnostic);

  /// Returns the diagnostic that the text of the error comes from.
  ///
  /// Lifetime: as long as any copy of this exception.
  [[nodiscard]] const Diagnostic& diagnostic() const noexcept { return *diagnostic_; }

 private:
  std::shared_ptr<const Diagnostic> diagnostic_;  // copying must not throw
};

/// A value that a program sets. The library never turns the value into configuration text, so a
/// string may have any characters.
struct ConfigData {
  using List = std::vector<ConfigData>;
  using Members = std::vector<std::pair<std::string, ConfigData>>;  // the settings of a section

  ConfigData(bool truth) : value(truth) {}                      // NOLINT: implicit
  ConfigData(int number) : value(std::int64_t{number}) {}       // NOLINT: implicit
  ConfigData(std::int64_t number) : value(number) {}            // NOLINT: implicit
  ConfigData(double number) : value(number) {}                  // NOLINT: implicit
  ConfigData(const char* text) : value(std::string(text)) {}    // NOLINT: implicit
  ConfigData(std::string text) : value(std::move(text)) {}      // NOLINT: implicit
  ConfigData(List elements) : value(std::move(elements)) {}     // NOLINT: implicit
  ConfigData(Members settings) : value(std::move(settings)) {}  // NOLINT: implicit

  std::variant<bool, std::int64_t, double, std::string, List, Members> value;
};

/// The location of a value or a section in the configuration text.
///
/// For a command line, `path` is "<words>" and `line` is the number of the word. For a value that a
/// program set, `path` is "<code>" and `line` is 0.
struct ConfigLocation {
  std::string path = {};
  std::int64_t line = 0;    // from 1; 0 for values that a program set
  std::int64_t column = 0;  // from 1, in bytes
  std::int64_t byte_offset = Diagnostic::kNoOffset;

  friend bool operator==(const ConfigLocation&, const ConfigLocation&) = default;
};

class ConfigSection;

/// The value of one setting, or one element of an array. Cheap to copy.
///
/// A call that reads the value replaces names such as `$DataDir$` and converts the text.
///
/// Lifetime: a value keeps its Config alive.
/// Threads:  one thread at a time for a Config with all its sections and values. Const calls fill
///           caches, too.
class ConfigValue {
 public:
  /// Returns the key in its first spelling in the configuration. For an element of an array,
  /// returns its number: "@0".
  [[nodiscard]] const std::string& key() const noexcept;

  /// Returns the path of the value in the configuration: "/Train/reader/deserializers@0/type".
  [[nodiscard]] std::string path() const;

  /// Returns the location of the value. If the value is left out, returns the location of the key.
  [[nodiscard]] ConfigLocation location() const;

  /// Returns the text as written, with names not replaced and surrounding quotes removed. Converts
  /// a value that a program set to text.
  [[nodiscard]] std::string raw() const;

  /// Returns whether the value was written in quotes.
  [[nodiscard]] bool is_quoted() const noexcept;

  /// Returns whether the value is a section, `[ ... ]` or `{ ... }`, once names are replaced.
  ///
  /// Throws: ConfigTextError if the value uses a name that is not defined. is_array() and
  ///         ConfigSection::find() throw this error, too.
  [[nodiscard]] bool is_section() const;

  /// Returns whether the value is an array in parentheses, once names are replaced.
  [[nodiscard]] bool is_array() const;

  /// Returns whether the value is neither a section nor an array in parentheses: a text, a number,
  /// or an array without parentheses.
  [[nodiscard]] bool is_scalar() const { return !is_section() && !is_array(); }

  /// Returns the value as a T: bool, std::int64_t, float, double, std::string, or a std::vector of
  /// these. A scalar becomes a vector as elements() says.
  ///
  /// Throws: ConfigTextError if the value is not a T, or uses a name that is not defined.
  template <typename T>
  [[nodiscard]] T as() const {
    T result{};
    convert(result);
    return result;
  }

  /// Returns the value as a whole number in [min, max].
  ///
  /// Throws: ConfigTextError that names the range.
  [[nodiscard]] std::int64_t as_count(
      std::int64_t min = 0, std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;

  /// Returns the value as a path. A relative path begins at Config::directory().
  [[nodiscard]] std::string as_path() const;

  /// Returns `path` as as_path() does: a relative path begins at Config::directory().
  [[nodiscard]] std::string path_at(std::string_view path) const;

  /// Returns the lines of the file that the value names, without the blanks around each line.
  /// Leaves out empty lines.
  ///
  /// Throws: IoError; ConfigTextError for a file above 16 MiB.
  [[nodiscard]] std::vector<std::string> listed_lines() const;

  /// Returns listed_lines() as paths. A relative path begins at Config::directory(), as in
  /// as_path().
  ///
  /// Throws: IoError; ConfigTextError for a file above 16 MiB.
  [[nodiscard]] std::vector<std::string> listed_paths() const;

  /// Returns the value as a section. Every call returns the same section.
  ///
  /// If the section lacks a setting, ConfigSection::find() looks in the enclosing sections, up to
  /// the root. If the section is an element of an array, find() looks only in the section itself.
  ///
  /// Throws: ConfigTextError if the value is not a section, or if the section is not well-formed.
  [[nodiscard]] ConfigSection section() const;

  /// Returns the elements of an array. Divides a scalar into elements at ':', ',' and newlines.
  ///
  /// Throws: ConfigTextError if the value is a section, or if the array is not well-formed.
  [[nodiscard]] std::vector<ConfigValue> elements() const;

  /// Returns the elements of an array of sections.
  ///
  /// Throws: ConfigTextError if an element is not a section, or if the parentheses are missing.
  [[nodiscard]] std::vector<ConfigSection> sections() const;

  /// Returns a diagnostic about this value. `code` is the part after "config-".
  [[nodiscard]] Diagnostic diagnostic(std::string_view code, std::string_view expected,
                                      std::string_view hint = "") const;

  /// Throws a ConfigTextError. The message quotes this value and says what was expected, such as
  /// `"dense" or "sparse"`.
  [[noreturn]] void refuse(std::string_view expected, std::string_view hint = "") const;

  /// Adds a diagnostic about this value to Config::warnings().
  void warn(std::string_view code, std::string_view expected, std::string_view hint = "") const;

 private:
  friend class Config;
  friend class ConfigSection;

  ConfigValue(std::shared_ptr<internal::ConfigState> state, internal::ConfigValueNode* node)
      : state_(std::move(state)), node_(node) {}

  void convert(bool& result) const;
  void convert(std::int64_t& result) const;
  void convert(float& result) const;
  void convert(double& result) const;
  void convert(std::string& result) const;
  template <typename T>
  void convert(std::vector<T>& result) const {
    for (const ConfigValue& element : elements()) result.push_back(element.as<T>());
  }

  std::shared_ptr<internal::ConfigState> state_;
  internal::ConfigValueNode* node_;
};

/// The settings between a pair of brackets, or the settings of a whole configuration. Cheap to
/// copy.
///
/// Keys ignore upper and lower case. A setting with the value `default` counts as left out, and
/// find() does not look further for the setting. A section remembers the keys that the program
/// asked for; unused() returns the other settings.
///
/// Lifetime, Threads: as ConfigValue.
class ConfigSection {
 public:
  /// Returns the key of the section, or "@0" for an element of an array; empty for the root.
  [[nodiscard]] std::string name() const;

  /// Returns the path of the section: "/Train/reader"; "/" for the root.
  [[nodiscard]] std::string path() const;

  /// Returns where the text of the section begins.
  [[nodiscard]] ConfigLocation location() const;

  /// Returns the settings of this section in alphabetical order, ignoring upper and lower case.
  /// This call does not count as asking for the settings.
  [[nodiscard]] std::vector<ConfigValue> settings() const;

  /// Returns a setting of this section, or else of the nearest enclosing section that has the
  /// setting. Returns nothing if the setting is left out or is `default`.
  [[nodiscard]] std::optional<ConfigValue> find(std::string_view key) const;

  /// Returns a setting as find(), but without looking in the enclosing sections.
  [[nodiscard]] std::optional<ConfigValue> find_here(std::string_view key) const;

  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] bool has_here(std::string_view key) const { return find_here(key).has_value(); }

  /// Returns a setting as find().
  ///
  /// Throws: ConfigTextError that names key and section, if there is no such setting or if the
  ///         setting is empty.
  [[nodiscard]] ConfigValue at(std::string_view key) const;

  /// Returns at(key).as<T>(). If the setting is left out, the second form returns `otherwise`.
  template <typename T>
  [[nodiscard]] T get(std::string_view key) const {
    return at(key).as<T>();
  }
  template <typename T>
  [[nodiscard]] T get(std::string_view key, T otherwise) const {
    const std::optional<ConfigValue> value = find(key);
    return value ? value->as<T>() : std::move(otherwise);
  }

  /// Sets a setting of this section. Replaces a setting with the same key.
  void set(std::string_view key, const ConfigData& data);

  /// Returns the settings that the program did not ask for, in order. Includes the settings of
  /// every opened section inside this section. find() and ConfigValue::section() count as asking
  /// for a section.
  [[nodiscard]] std::vector<ConfigValue> unused() const;

  /// Adds a warning for each setting of unused(). The warning suggests the nearest key among the
  /// keys that the program asked for and the keys of `known`. Settings with a key of `known` are
  /// valid and get no warning.
  void warn_unused(std::span<const std::string_view> known = {}) const;

  /// Returns a diagnostic about this section as a whole, as ConfigValue::diagnostic() does about a
  /// value.
  [[nodiscard]] Diagnostic diagnostic(std::string_view code, std::string_view expected,
                                      std::string_view found, std::string_view hint = "") const;

 private:
  friend class Config;
  friend class ConfigValue;

  ConfigSection(std::shared_ptr<internal::ConfigState> state, internal::ConfigSectionNode* node)
      : state_(std::move(state)), node_(node) {}

  std::shared_ptr<internal::ConfigState> state_;
  internal::ConfigSectionNode* node_;
};

/// A configuration. The library parses text on demand, one level of brackets at a time. A section
/// that the program never opens needs balanced brackets and quotes, and nothing more.
///
/// Source: docs/config.md.
class Config {
 public:
  /// Reads the words of a command line, from left to right. The word `configFile=A+B` reads the
  /// files A and B, `currentDirectory=DIR` sets directory(), and every other word is configuration
  /// text. Later settings override earlier ones.
  ///
  /// Throws: ConfigTextError if brackets or quotes are not balanced; IoError if a file cannot be
  ///         read.
  [[nodiscard]] static Config from_words(std::span<const std::string> words,
                                         const ConfigOptions& options = {});

  /// Reads the files of `paths`, written as "A+B", and then `words`, which override the files.
  ///
  /// Throws: as from_words().
  [[nodiscard]] static Config from_file(std::string_view paths,
                                        std::span<const std::string> words = {},
                                        const ConfigOptions& options = {});

  /// Reads text. `path` is the name of the text in diagnostics.
  ///
  /// Throws: as from_words().
  [[nodiscard]] static Config from_text(std::string_view text, std::string_view path,
                                        const ConfigOptions& options = {});

  /// Makes a configuration from settings that a program sets. directory() returns `directory`.
  ///
  /// Throws: ConfigError if two keys differ only in upper and lower case.
  [[nodiscard]] static Config from_data(const ConfigData::Members& settings,
                                        std::string directory = {});

  /// Returns the section of all settings.
  [[nodiscard]] ConfigSection root() const;

  /// Returns the section at a path, such as "Train/reader" or "/Train/reader/deserializers@0". The
  /// path of the root is "/".
  ///
  /// Throws: ConfigTextError that suggests the nearest name, if there is no such section.
  [[nodiscard]] ConfigSection section_at(std::string_view path) const;

  /// Returns the sections that configure readers. Such a section has a setting `readerType` or
  /// `deserializers`, or a name that ends in `reader`. The search does not enter sections about
  /// networks and SGD.
  [[nodiscard]] std::vector<ConfigSection> reader_sections() const;

  /// Returns the folder at which relative paths begin. A word `currentDirectory=DIR` or from_data()
  /// sets the folder. An empty text, the default, means the working directory.
  [[nodiscard]] const std::string& directory() const noexcept;

  /// Returns the warnings so far, about the text of all files and about the sections that the
  /// program looked at. Later calls may add warnings. A Config keeps the first kWarningsMax
  /// warnings.
  ///
  /// Lifetime: until the next call of this Config, of its sections or of its values.
  [[nodiscard]] std::span<const Diagnostic> warnings() const noexcept;

  /// Returns how many warnings were dropped after the first kWarningsMax.
  [[nodiscard]] std::int64_t warnings_left_out() const noexcept;

  static constexpr std::int64_t kWarningsMax = 1000;

 private:
  explicit Config(std::shared_ptr<internal::ConfigState> state) : state_(std::move(state)) {}

  std::shared_ptr<internal::ConfigState> state_;
};

}  // namespace sheaf
