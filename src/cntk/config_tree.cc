#include "cntk/config_tree.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sheaf {

ConfigTextError::ConfigTextError(Diagnostic diagnostic)
    : ConfigError(to_string(diagnostic)),
      diagnostic_(std::make_shared<const Diagnostic>(std::move(diagnostic))) {}

namespace internal {
namespace {

unsigned char folded(char byte) noexcept {
  const auto code = static_cast<unsigned char>(byte);
  return code >= 'A' && code <= 'Z' ? static_cast<unsigned char>(code + ('a' - 'A')) : code;
}

// Returns the text in printable form, short enough for a line.
std::string shown(std::string_view text) {
  constexpr std::size_t kSizeMax = 120;
  std::size_t size = text.size();
  if (size > kSizeMax) {
    size = kSizeMax;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  }
  std::string result(text.substr(0, size));
  for (char& byte : result) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x20 || code == 0x7F) byte = '?';
  }
  return size < text.size() ? result + "..." : result;
}

}  // namespace

std::string path_of(const ConfigValueNode& value) {
  return value.array != nullptr ? path_of(*value.array) + value.key
                                : value.section->path + '/' + value.key;
}

std::string path_of(const ConfigSectionNode& section) { return section.path; }

std::string shown_path(const ConfigValueNode& value) { return shown(path_of(value)); }

std::string shown_path(const ConfigSectionNode& section) {
  return section.value == nullptr ? "/" : shown_path(*section.value);
}

bool LessIgnoringCase::operator()(std::string_view a, std::string_view b) const noexcept {
  return std::ranges::lexicographical_compare(a, b, std::less<>(), folded, folded);
}

bool is_same_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, std::equal_to<>(), folded, folded);
}

bool begins_ignoring_case(std::string_view text, std::string_view begin) noexcept {
  return is_same_ignoring_case(text.substr(0, begin.size()), begin);
}

void ConfigState::warn(Diagnostic warning) {
  if (std::ssize(warnings) >= Config::kWarningsMax) {
    ++warnings_left_out;
    return;
  }
  warning.severity = Severity::warning;
  warnings.push_back(std::move(warning));
}

void ConfigState::note(ConfigNotes& notes, const TextSlice& location, std::string_view code,
                       std::string_view expected, std::string_view found,
                       std::string_view hint) const {
  if (std::ssize(notes.kept) >= Config::kWarningsMax) {
    ++notes.left_out;
  } else {
    notes.kept.push_back(diagnostic(location, code, expected, found, hint));
  }
}

ConfigLocation location_of(const ConfigState& state, const TextSlice& location) {
  const ConfigLocation found = state.sources.location(location.origin());
  return found.line == 0 ? ConfigLocation{.path = "<code>"} : found;
}

Diagnostic ConfigState::diagnostic(const TextSlice& location, std::string_view code,
                                   std::string_view expected, std::string_view found,
                                   std::string_view hint) const {
  Diagnostic diagnostic =
      sources.diagnostic(location.origin(), location.size(), code, expected, found, hint);
  if (diagnostic.line == 0) {
    diagnostic.path = "<code>";
    diagnostic.byte_offset = Diagnostic::kNoOffset;
  }
  return diagnostic;
}

void ConfigState::fail(const TextSlice& location, std::string_view code, std::string_view expected,
                       std::string_view found, std::string_view hint) const {
  throw ConfigTextError(diagnostic(location, code, expected, found, hint));
}

Diagnostic diagnostic_of(const ConfigState& state, const ConfigValueNode& value,
                         std::string_view code, std::string_view expected, std::string_view found,
                         std::string_view hint) {
  // If a name stands for the value, points to the definition of the name, where the user can fix
  // it.
  const bool is_written = value.resolved && !value.resolved->empty() &&
                          value.resolved->origin().source != Origin::kNone;
  return state.diagnostic(is_written ? *value.resolved : value.location, code,
                          formatted("{} as {}", expected, shown_path(value)), found, hint);
}

void fail_at(const ConfigState& state, const ConfigValueNode& value, std::string_view code,
             std::string_view expected, std::string_view found, std::string_view hint) {
  throw ConfigTextError(diagnostic_of(state, value, code, expected, found, hint));
}

std::string text_of(const ConfigData& data) {
  struct Writer {
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return formatted("{}", number); }
    std::string operator()(double number) const { return formatted("{}", number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const ConfigData::List& elements) const {
      std::string text = "(";
      for (const ConfigData& element : elements) {
        if (text.size() > 1) text += ':';
        text += text_of(element);
      }
      return text + ')';
    }
    std::string operator()(const ConfigData::Members& settings) const {
      std::string text = "[";
      for (const auto& [key, value] : settings) {
        if (text.size() > 1) text += "; ";
        text += key + '=' + text_of(value);
      }
      return text + ']';
    }
  };
  return std::visit(Writer(), data.value);
}

}  // namespace internal
}  // namespace sheaf
