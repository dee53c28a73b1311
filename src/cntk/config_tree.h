// What is known of a configuration so far: text, and the sections of it that were taken apart.

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

#include "cntk/placed_text.h"

namespace sheaf::internal {

/// Alphabetical, with upper and lower case of ASCII being the same, bytes beyond it last.
struct LessIgnoringCase {
  using is_transparent = void;
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const noexcept;
};

[[nodiscard]] bool is_same_ignoring_case(std::string_view a, std::string_view b) noexcept;

/// Whether `text` begins so, upper and lower case being the same.
[[nodiscard]] bool begins_ignoring_case(std::string_view text, std::string_view begin) noexcept;

/// Warnings about one section, which count once something in it is asked for.
struct ConfigNotes {
  std::vector<Diagnostic> kept = {};  // at most Config::kWarningsMax
  std::int64_t left_out = 0;
};

struct ConfigSectionNode;

struct ConfigValueNode {
  std::string key;
  ConfigSectionNode* section = nullptr;     // that it is in; of an element, that its array is in
  ConfigValueNode* array = nullptr;         // that it is an element of; none: it is a setting
  TextSlice text;                           // names not replaced, without the quotes around it
  TextSlice place;                          // what messages about it point at
  std::shared_ptr<PlacedText> merged = {};  // `text` is all of it, where sections were merged
  TextSlice key_place = {};                 // and those about the setting as such
  std::optional<ConfigData> data = {};      // it is from code: there is no text
  bool is_quoted = false;
  bool is_asked = false;
  bool is_resolving = false;  // names in it are being replaced: a name that leads here is a cycle

  // What was found out when it was asked for.
  std::optional<TextSlice> resolved = {};
  std::optional<Diagnostic> failed = {};  // names in it cannot be replaced, whoever asks
  std::unique_ptr<ConfigSectionNode> opened = {};
  std::optional<std::vector<std::unique_ptr<ConfigValueNode>>> elements = {};
};

struct ConfigSectionNode {
  using Settings = std::map<std::string, std::unique_ptr<ConfigValueNode>, LessIgnoringCase>;

  ConfigValueNode* value = nullptr;     // what it is the section of; none: the root
  ConfigSectionNode* parent = nullptr;  // where settings are looked for next
  ConfigSectionNode* around = nullptr;  // where names are looked for next
  std::int64_t depth = 0;
  std::string path = {};  // as path_of() has it
  TextSlice place;
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
  std::size_t resolved_bytes = 0;    // of all text in which names were replaced, or could not be
  std::size_t element_count = 0;     // of all arrays
  std::size_t setting_count = 0;     // of all sections
  std::size_t letters_compared = 0;  // to find names that may have been meant
  std::vector<ConfigValueNode*> resolving;  // whose names are being replaced, each for the next
  std::vector<Diagnostic> warnings;
  std::int64_t warnings_left_out = 0;
  std::vector<std::unique_ptr<ConfigValueNode>> replaced;  // handles may still lead there

  [[nodiscard]] bool is_cntk() const noexcept { return options.dialect == ConfigDialect::cntk; }

  void warn(Diagnostic warning);

  /// Add a warning to those of a section.
  void note(ConfigNotes& notes, const TextSlice& place, std::string_view code,
            std::string_view expected, std::string_view found, std::string_view hint) const;

  /// A diagnostic about a text.
  [[nodiscard]] Diagnostic diagnostic(const TextSlice& place, std::string_view code,
                                      std::string_view expected, std::string_view found,
                                      std::string_view hint = "") const;
  [[noreturn]] void fail(const TextSlice& place, std::string_view code, std::string_view expected,
                         std::string_view found, std::string_view hint = "") const;
};

/// The same about a value or a section; code has no text to point at.
[[nodiscard]] Diagnostic diagnostic_of(const ConfigState& state, const ConfigValueNode& value,
                                       std::string_view code, std::string_view expected,
                                       std::string_view found, std::string_view hint = "");
[[noreturn]] void fail_at(const ConfigState& state, const ConfigValueNode& value,
                          std::string_view code, std::string_view expected, std::string_view found,
                          std::string_view hint = "");

/// Where it stands: "/Train/reader"; "" for the root.
[[nodiscard]] std::string path_of(const ConfigValueNode& value);
[[nodiscard]] std::string path_of(const ConfigSectionNode& section);

/// The same for messages: printable, and not too long.
[[nodiscard]] std::string shown_path(const ConfigValueNode& value);
[[nodiscard]] std::string shown_path(const ConfigSectionNode& section);

/// Where it was written; "<code>" where it was not.
[[nodiscard]] ConfigPlace place_of(const ConfigState& state, const TextSlice& place);

/// The text a value of code would be written as.
[[nodiscard]] std::string text_of(const ConfigData& data);

}  // namespace sheaf::internal
