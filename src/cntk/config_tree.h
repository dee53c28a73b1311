// The state of a configuration: its text, and the sections parsed so far.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/config.h"

#include "cntk/located_text.h"

namespace sheaf::internal {

/// Alphabetical order that ignores the case of ASCII letters. Other bytes come last.
struct LessIgnoringCase {
  using is_transparent = void;
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const noexcept;
};

[[nodiscard]] bool is_same_ignoring_case(std::string_view a, std::string_view b) noexcept;

/// Returns whether `text` begins with `begin`, in any case.
[[nodiscard]] bool begins_ignoring_case(std::string_view text, std::string_view begin) noexcept;

/// The warnings about a section. They are reported when something in the section is used.
struct ConfigNotes {
  std::vector<Diagnostic> kept = {};  // at most Config::kWarningsMax
  std::int64_t left_out = 0;
};

struct ConfigSectionNode;

struct ConfigValueNode {
  std::string key;
  ConfigSectionNode* section = nullptr;      // its section; of an element: the section of the array
  ConfigValueNode* array = nullptr;          // the array of an element; null: a setting
  TextSlice text;                            // with unreplaced names, without the quotes
  TextSlice location;                        // location for messages about the value
  std::shared_ptr<LocatedText> merged = {};  // if sections were merged: the owner of all of `text`
  TextSlice key_location = {};               // location for messages about the setting
  std::optional<ConfigData> data = {};       // if the value is from code; it has no text then
  bool is_quoted = false;
  bool is_asked = false;
  bool is_resolving = false;  // its names are being replaced; a name that leads here is a cycle

  // Results kept from the first use.
  std::optional<TextSlice> resolved = {};
  std::optional<Diagnostic> failed = {};  // its names can never be replaced
  std::unique_ptr<ConfigSectionNode> opened = {};
  std::optional<std::vector<std::unique_ptr<ConfigValueNode>>> elements = {};
};

struct ConfigSectionNode {
  using Settings = std::map<std::string, std::unique_ptr<ConfigValueNode>, LessIgnoringCase>;

  ConfigValueNode* value = nullptr;     // value that is this section; null: the root
  ConfigSectionNode* parent = nullptr;  // section to search for missing settings
  ConfigSectionNode* around = nullptr;  // section to search for missing names
  std::int64_t depth = 0;
  std::string path = {};  // as path_of() returns it
  TextSlice location;
  Settings settings = {};
  std::set<std::string, LessIgnoringCase> asked = {};
  ConfigNotes notes = {};
};

struct ConfigState {
  ConfigOptions options;
  std::string directory;
  Sources sources;
  ConfigSectionNode root;
  std::size_t source_bytes = 0;      // of all files
  std::size_t resolved_bytes = 0;    // of all text with names that were replaced, or could not be
  std::size_t element_count = 0;     // of all arrays
  std::size_t setting_count = 0;     // of all sections
  std::size_t letters_compared = 0;  // in searches for misspelled names
  // Values whose names are being replaced, each needed by the one before.
  std::vector<ConfigValueNode*> resolving;
  std::vector<Diagnostic> warnings;
  std::int64_t warnings_left_out = 0;
  std::vector<std::unique_ptr<ConfigValueNode>> replaced;  // handles may still refer to these

  [[nodiscard]] bool is_cntk() const noexcept { return options.dialect == ConfigDialect::cntk; }

  void warn(Diagnostic warning);

  /// Adds a warning to the notes of a section.
  void note(ConfigNotes& notes, const TextSlice& location, std::string_view code,
            std::string_view expected, std::string_view found, std::string_view hint) const;

  /// Returns a diagnostic about a text.
  [[nodiscard]] Diagnostic diagnostic(const TextSlice& location, std::string_view code,
                                      std::string_view expected, std::string_view found,
                                      std::string_view hint = "") const;
  [[noreturn]] void fail(const TextSlice& location, std::string_view code,
                         std::string_view expected, std::string_view found,
                         std::string_view hint = "") const;
};

/// Returns a diagnostic about a value or a section. A value from code has no text to point at.
[[nodiscard]] Diagnostic diagnostic_of(const ConfigState& state, const ConfigValueNode& value,
                                       std::string_view code, std::string_view expected,
                                       std::string_view found, std::string_view hint = "");
[[noreturn]] void fail_at(const ConfigState& state, const ConfigValueNode& value,
                          std::string_view code, std::string_view expected, std::string_view found,
                          std::string_view hint = "");

/// Returns the path in the configuration, such as "/Train/reader". The path of the root is "".
[[nodiscard]] std::string path_of(const ConfigValueNode& value);
[[nodiscard]] std::string path_of(const ConfigSectionNode& section);

/// Returns the path for messages: printable and not too long.
[[nodiscard]] std::string shown_path(const ConfigValueNode& value);
[[nodiscard]] std::string shown_path(const ConfigSectionNode& section);

/// Returns where a text was written, or "<code>" if it comes from code.
[[nodiscard]] ConfigLocation location_of(const ConfigState& state, const TextSlice& location);

/// Returns the text for a value from code.
[[nodiscard]] std::string text_of(const ConfigData& data);

}  // namespace sheaf::internal
