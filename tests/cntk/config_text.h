// Reads configurations from text, and writes them as text.

#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"
#include "sheaf/extend/config.h"
#include "sheaf/extend/file_system.h"

#include "support/write_file.h"

namespace sheaf::testing {

inline ConfigOptions as_cntk() { return {.dialect = ConfigDialect::cntk}; }

/// Returns options that keep the text as CNTK parsed it, before CNTK replaced names.
inline ConfigOptions as_written() {
  return {.dialect = ConfigDialect::cntk, .resolves_names = false};
}

/// Returns options with files in memory.
inline ConfigOptions with_files(const std::map<std::string, std::string>& files,
                                ConfigOptions options = {}) {
  static std::deque<std::unique_ptr<FileSystem>> all;  // keeps the files alive, because options do
                                                       // not
  options.files = all.emplace_back(memory_files()).get();
  for (const auto& [path, text] : files) write_file(*options.files, path, text);
  return options;
}

/// Returns "a=1 | b=[x=2]": all settings of a section, as they are written.
inline std::string raw_settings(const ConfigSection& section) {
  std::string text;
  for (const ConfigValue& value : section.settings()) {
    if (!text.empty()) text += " | ";
    text += value.key() + "=" + value.raw();
  }
  return text;
}

/// Returns all settings of a text that is the whole configuration.
inline std::string settings_of(std::string_view text, const ConfigOptions& options = {}) {
  return raw_settings(Config::from_text(text, "a.cntk", options).root());
}

/// Returns the elements of setting `a` of the root, each in "<>".
inline std::string elements_of(std::string_view text, const ConfigOptions& options = {}) {
  std::string result;
  const Config config = Config::from_text(text, "a.cntk", options);
  for (const ConfigValue& element : config.root().at("a").elements()) {
    result += '<' + element.as<std::string>() + '>';
  }
  return result;
}

/// Returns "3:7 config-junk" for each warning.
inline std::vector<std::string> warnings_of(const Config& config) {
  std::vector<std::string> texts;
  for (const Diagnostic& warning : config.warnings()) {
    texts.push_back(std::to_string(warning.line) + ':' + std::to_string(warning.column) + ' ' +
                    warning.code);
  }
  return texts;
}

/// Returns the warnings of a text after all its settings were read.
inline std::vector<std::string> warnings_of(std::string_view text,
                                            const ConfigOptions& options = {}) {
  const Config config = Config::from_text(text, "a.cntk", options);
  static_cast<void>(config.root().settings());
  return warnings_of(config);
}

/// Returns a reader "r" of several deserializers.
inline std::string composite(std::string_view members, std::string_view settings = "") {
  return "r=[" + std::string(settings) + "\n deserializers=(" + std::string(members) + ")]";
}

/// Returns the transforms of a reader as text.
inline std::vector<std::string> transforms_of(const ConfiguredReader& reader) {
  std::vector<std::string> texts;
  for (const TransformSpec& each : reader.spec.data.transforms) texts.push_back(to_string(each));
  return texts;
}

/// Returns the first line of the error that `action` throws, or "no error".
template <typename Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "no error";
}

}  // namespace sheaf::testing
