/// \file
/// CNTK's configurations: the text of `.cntk` files and of command lines, and values from code.

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

/// How text is taken apart. `checked`: as docs/config.md says. `cntk`: as CNTK 2.x did, accidents
/// included. Both warn.
enum class ConfigDialect : std::uint8_t { checked, cntk };

struct ConfigOptions {
  ConfigDialect dialect = ConfigDialect::checked;

  /// Whether `$name$` is replaced. A listing of what is written does without.
  bool resolves_names = true;

  /// Where the files lie; null means system_files(), and there pipes and terminals, too. Must
  /// outlive the call that reads them.
  FileSystem* files = nullptr;
};

/// Configuration text is not as docs/config.md says, or not what was asked for.
class ConfigTextError : public ConfigError {
 public:
  explicit ConfigTextError(Diagnostic diagnostic);

  /// What is wrong, and where. to_string() of it is the text of the error.
  ///
  /// Lifetime: as long as any copy of this exception.
  [[nodiscard]] const Diagnostic& diagnostic() const noexcept { return *diagnostic_; }

 private:
  std::shared_ptr<const Diagnostic> diagnostic_;  // copying must not throw
};

/// A value put in from code. It never becomes text: whatever characters a string has, it keeps.
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

/// Where something was written: in a file, or in a word of a command line, which is a line of
/// "<words>". Values from code have no line; their path is "<code>".
struct ConfigPlace {
  std::string path = {};
  std::int64_t line = 0;    // from 1; 0: none
  std::int64_t column = 0;  // from 1, in bytes
  std::int64_t byte_offset = Diagnostic::kNoPlace;

  friend bool operator==(const ConfigPlace&, const ConfigPlace&) = default;
};

class ConfigSection;

/// One setting's value, or one element of an array. Cheap to copy.
///
/// Names are replaced, and text is converted, when it is asked for.
///
/// Lifetime: keeps its Config alive.
/// Threads:  one at a time for all that belongs to a Config, const or not: reading fills caches.
class ConfigValue {
 public:
  /// The key as it was spelled first; of an element, its number: "@0".
  [[nodiscard]] const std::string& key() const noexcept;

  /// Where it stands in the configuration: "/Train/reader/deserializers@0/type".
  [[nodiscard]] std::string path() const;

  /// Where it was written: the value; the key, where a value is left out.
  [[nodiscard]] ConfigPlace place() const;

  /// As it was written, names not replaced; without the quotes around it. Data of code as text.
  [[nodiscard]] std::string raw() const;

  /// Whether it stood in quotes.
  [[nodiscard]] bool is_quoted() const noexcept;

  /// Whether it is a section, names replaced: `[ ... ]` or `{ ... }`.
  ///
  /// Throws: ConfigTextError where it is a name that is not defined; is_array() and ConfigSection's
  ///         find() do, too.
  [[nodiscard]] bool is_section() const;

  /// Whether it is an array in parentheses, names replaced.
  [[nodiscard]] bool is_array() const;

  /// Whether it is neither: text, a number, an array without brackets.
  [[nodiscard]] bool is_scalar() const { return !is_section() && !is_array(); }

  /// The value as a T: bool, std::int64_t, float, double, std::string; a std::vector of these is an
  /// array, in which a scalar is an array of one element.
  ///
  /// Throws: ConfigTextError where it is none, or where a name in it is not defined.
  template <typename T>
  [[nodiscard]] T as() const {
    T result{};
    convert(result);
    return result;
  }

  /// The value as a whole number of [min, max].
  ///
  /// Throws: ConfigTextError that says the range.
  [[nodiscard]] std::int64_t as_count(
      std::int64_t min = 0, std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;

  /// The value as a path: one that is relative begins at Config::directory().
  [[nodiscard]] std::string as_path() const;

  /// The section that it is; the same one each time. Settings that it has not are looked for in the
  /// section that this value is in, and so on to the root; those of an element nowhere else.
  ///
  /// Throws: ConfigTextError where it is no section, or not well-formed.
  [[nodiscard]] ConfigSection section() const;

  /// The elements of an array: of a scalar, those that ':', ',' and newlines part.
  ///
  /// Throws: ConfigTextError.
  [[nodiscard]] std::vector<ConfigValue> elements() const;

  /// The sections of an array of sections.
  ///
  /// Throws: ConfigTextError; also where the parentheses are missing.
  [[nodiscard]] std::vector<ConfigSection> sections() const;

  /// A diagnostic about this value. `code` is the part behind "config-".
  [[nodiscard]] Diagnostic diagnostic(std::string_view code, std::string_view expected,
                                      std::string_view hint = "") const;

  /// Throw a ConfigTextError: this value is not what was expected, `"dense" or "sparse"` say.
  [[noreturn]] void refuse(std::string_view expected, std::string_view hint = "") const;

  /// Add a diagnostic to Config::warnings().
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

/// The settings between a pair of brackets, or all of a configuration. Cheap to copy.
///
/// Keys are the same in upper and lower case. A value `default` (exactly so) stands for a setting
/// that is left out, and ends the search for it. What is asked for is remembered: unused() tells
/// the rest.
///
/// Lifetime, Threads: as ConfigValue.
class ConfigSection {
 public:
  /// Its key, or "@0" for an element; empty for the root.
  [[nodiscard]] std::string name() const;

  /// Where it stands: "/Train/reader"; "/" for the root.
  [[nodiscard]] std::string path() const;

  /// Where its text begins.
  [[nodiscard]] ConfigPlace place() const;

  /// Its own settings, in alphabetical order, upper and lower case being the same. Asks for none.
  [[nodiscard]] std::vector<ConfigValue> settings() const;

  /// A setting of this section, or else of those around it up to the root; none where it is left
  /// out or `default`.
  [[nodiscard]] std::optional<ConfigValue> find(std::string_view key) const;

  /// The same, of this section alone.
  [[nodiscard]] std::optional<ConfigValue> find_here(std::string_view key) const;

  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] bool has_here(std::string_view key) const { return find_here(key).has_value(); }

  /// A setting that must be there, and not be empty.
  ///
  /// Throws: ConfigTextError that names it and the section.
  [[nodiscard]] ConfigValue at(std::string_view key) const;

  /// at(key).as<T>(), and the same with a value for where it is left out.
  template <typename T>
  [[nodiscard]] T get(std::string_view key) const {
    return at(key).as<T>();
  }
  template <typename T>
  [[nodiscard]] T get(std::string_view key, T otherwise) const {
    const std::optional<ConfigValue> value = find(key);
    return value ? value->as<T>() : std::move(otherwise);
  }

  /// Put in a setting of this section in place of what it has.
  void set(std::string_view key, const ConfigData& data);

  /// The settings of this section that were not asked for, and of the sections in it that were
  /// opened, in order. A section counts as asked for when it is found or opened.
  [[nodiscard]] std::vector<ConfigValue> unused() const;

  /// Warn of each of unused(), with the nearest key of those that were asked for, here or in vain,
  /// and of `known`: further keys that mean something, though nobody asked. Those are not told.
  void warn_unused(std::span<const std::string_view> known = {}) const;

  /// A diagnostic about this section as a whole, as of ConfigValue.
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

/// A configuration. Text is taken apart where it is asked for, one level of brackets at a time, so
/// that what nobody wants need not be well-formed beyond its brackets and quotes.
///
/// Source: docs/config.md.
class Config {
 public:
  /// Read the words of a command line, from left to right: `configFile=A+B` reads files,
  /// `currentDirectory=DIR` sets directory(), any other is text. Later settings override earlier.
  ///
  /// Throws: ConfigTextError; IoError where a file cannot be read.
  [[nodiscard]] static Config from_words(std::span<const std::string> words,
                                         const ConfigOptions& options = {});

  /// Read files, `A+B`, and then words, which override what the files say.
  [[nodiscard]] static Config from_file(std::string_view paths,
                                        std::span<const std::string> words = {},
                                        const ConfigOptions& options = {});

  /// Read text as that of a file of this path.
  [[nodiscard]] static Config from_text(std::string_view text, std::string_view path,
                                        const ConfigOptions& options = {});

  /// Settings from code.
  ///
  /// Throws: ConfigError where two keys are the same in upper and lower case.
  [[nodiscard]] static Config from_data(const ConfigData::Members& settings);

  [[nodiscard]] ConfigSection root() const;

  /// The section at a path: "Train/reader", "/Train/reader/deserializers@0"; "/" is the root.
  ///
  /// Throws: ConfigTextError where there is none, with the nearest name.
  [[nodiscard]] ConfigSection section_at(std::string_view path) const;

  /// The sections that configure readers: those that have `readerType` or `deserializers`, or whose
  /// name ends in `reader`, and that are reached without passing through networks and SGD.
  [[nodiscard]] std::vector<ConfigSection> reader_sections() const;

  /// What relative paths begin at: the last `currentDirectory=`; empty without one.
  [[nodiscard]] const std::string& directory() const noexcept;

  /// What is worth a warning in what was read so far: the text of all files, and those sections in
  /// which something was asked for. It grows. At most kWarningsMax are kept.
  ///
  /// Lifetime: until the next call of anything that belongs to this Config.
  [[nodiscard]] std::span<const Diagnostic> warnings() const noexcept;

  /// How many more there were.
  [[nodiscard]] std::int64_t warnings_left_out() const noexcept;

  static constexpr std::int64_t kWarningsMax = 1000;

 private:
  explicit Config(std::shared_ptr<internal::ConfigState> state) : state_(std::move(state)) {}

  std::shared_ptr<internal::ConfigState> state_;
};

}  // namespace sheaf
