#include "cntk/sections.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cntk/name_resolver.h"
#include "cntk/name_syntax.h"
#include "cntk/record_splitter.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kElementsMax = 200'000;  // of all arrays: about 60 MB
constexpr std::size_t kSettingsMax = 200'000;  // of all sections: about 100 MB
constexpr std::size_t kPathSizeMax = 1000;  // of a section; each of its settings is shown with it

bool has_name(std::string_view text) noexcept {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    if (name_at(text, at)) return true;
  }
  return false;
}

bool begins_section(std::string_view text) noexcept {
  return text.starts_with('[') || text.starts_with('{');
}

TextSlice text_slice(std::string_view bytes) {
  const auto text = std::make_shared<LocatedText>();
  text->append_unplaced(bytes);
  return {.text = text, .begin = 0, .end = bytes.size()};
}

/// Reads records as settings of one section.
class SettingsReader {
 public:
  SettingsReader(ConfigState& state, ConfigSectionNode& section)
      : state_(state), section_(section) {}

  void read(const TextSlice& text, bool replaces_names) {
    is_glued_ = false;
    for (const Record& record : split_records(state_, text, RecordKind::settings, section_.notes)) {
      read_record(record, replaces_names && !record.is_quoted);
      is_glued_ = record.has_glued_text;
    }
  }

 private:
  void note(const TextSlice& location, std::string_view code, std::string_view expected,
            std::string_view found, std::string_view hint) {
    state_.note(section_.notes, location, code, expected, found, hint);
  }

  void read_record(const Record& record, bool replaces_names) {
    const TextSlice text = trimmed(record.text);
    const std::string_view view = text.view();
    const std::size_t key_end = std::min(view.find_first_of("=[{(\""), view.size());
    TextSlice key = trimmed(text.part(0, key_end));
    if (replaces_names && has_name(key.view())) {
      const TextSlice resolved = resolve_names(state_, key, &section_);
      // The name stands for several settings.
      if (key_end == view.size()) return read(resolved, false);
      key = trimmed(resolved);
    }
    auto value = std::make_unique<ConfigValueNode>();
    value->key = key.view();
    value->section = &section_;
    value->key_location = key.empty() ? text : key;
    if (key_end == view.size()) {
      value->text = text_slice("true");
      value->location = key;
    } else {
      read_value(text, key_end, *value);
    }
    look_at(*value, key_end == view.size());
    insert(std::move(value));
  }

  void read_value(const TextSlice& text, std::size_t key_end, ConfigValueNode& value) {
    const std::string_view view = text.view();
    std::size_t begin = key_end;
    if (view[begin] == '=') begin = std::min(view.find_first_not_of(" \t", begin + 1), view.size());
    if (begin == view.size()) {
      state_.fail(trimmed(text), "value", formatted("a value for {}", shown_path(value)), "none",
                  "an empty one is written \"\"; a bracket must begin in the line of its key");
    }
    if (!is_opening(view[begin])) {
      value.text = trimmed(text.part(begin, view.size()));
      value.location = value.text;
      return;
    }
    const std::size_t close = closing_bracket(state_, text, begin);
    value.is_quoted = view[begin] == '"';
    value.location = text.part(begin, close + 1);
    value.text = value.is_quoted ? trimmed(text.part(begin + 1, close)) : value.location;
  }

  [[nodiscard]] bool is_from_word(const TextSlice& location) const {
    const Origin origin = location.origin();
    return origin.source != Origin::kNone && state_.sources[origin.source].is_word();
  }

  // Warns of keys that are valid but probably unintended.
  void look_at(const ConfigValueNode& value, bool is_bare) {
    const std::string_view name = value.key;
    const TextSlice& location = value.key_location;
    if (name.empty()) {
      note(location, "junk", "a key", quoted(location.view()), "a setting is KEY = VALUE");
    } else if (name.find('#') != std::string_view::npos) {
      note(location, "junk", "a key", quoted(name),
           "'#' begins a comment at the start of a line or behind a blank alone");
    } else if (name.find("//") != std::string_view::npos) {
      note(location, "junk", "a key", quoted(name), "'//' begins no comment; '#' does");
    } else if (name.find(':') != std::string_view::npos) {
      note(location, "junk", "a key", quoted(name),
           "an array that has sections or texts in quotes needs parentheses");
    } else if (name.find_first_of(" \t") != std::string_view::npos) {
      note(location, "junk", "a key", quoted(name), "a setting is KEY = VALUE");
    } else if (name.find_first_of("]})") != std::string_view::npos) {
      return;  // already reported
    } else if (is_bare && !is_from_word(location)) {
      note(location, "junk", "KEY = VALUE", quoted(name),
           is_glued_ ? "text behind a bracket or quote is another setting"
                     : "what has no '=' is a setting with the value true");
    } else if (is_glued_) {
      note(location, "junk", "a separator behind the bracket or quote", quoted(name),
           "text behind a bracket or quote is another setting");
    }
    if (!value.is_quoted) look_at_plain(value);
  }

  void look_at_plain(const ConfigValueNode& value) {
    const std::string_view text = value.text.view();
    if (text.empty() || is_opening(text[0])) return;
    for (const std::string_view quote :
         {"'", "\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9C", "\xE2\x80\x9D"}) {
      if (!text.starts_with(quote)) continue;
      note(value.location, "quote", "quotes as \"these\"", quoted(text),
           "other quotes are part of the value");
    }
    if (const std::size_t mark = text.find(" //"); mark != std::string_view::npos) {
      note(value.text.part(mark + 1, text.size()), "comment", "no comment by '//'", quoted(text),
           "'//' begins no comment; '#' does");
    }
    const std::size_t equal = text.find('=', 1);
    if (equal == std::string_view::npos ||
        text.substr(0, equal).find_first_of(" \t") == std::string_view::npos)
      return;
    const std::size_t key_end = text.find_last_not_of(" \t", equal - 1);
    const std::size_t key_begin = text.find_last_of(" \t", key_end);
    if (key_end == std::string_view::npos || key_begin == std::string_view::npos) return;
    note(value.text.part(key_begin + 1, equal + 1), "junk", "a separator in front of the next key",
         quoted(text.substr(key_begin + 1, equal - key_begin)),
         "it is part of the value; settings in one line are parted by ';'");
  }

  void insert(std::unique_ptr<ConfigValueNode> value) {
    const auto found = section_.settings.find(value->key);
    if (found == section_.settings.end()) {
      if (++state_.setting_count > kSettingsMax) {
        state_.fail(value->key_location, "size",
                    formatted("at most {} settings in all sections", kSettingsMax), "more");
      }
      std::string key = value->key;
      section_.settings.emplace(std::move(key), std::move(value));
      return;
    }
    ConfigValueNode& old = *found->second;
    const bool is_merged = value->text.view().starts_with('[') && !value->is_quoted;
    look_at_twice(old, *value, is_merged);
    value->key = old.key;
    if (is_merged && (state_.is_cntk() || may_be_section(old.text.view()))) merge(old, *value);
    found->second = std::move(value);
  }

  // A name may stand for a section.
  static bool may_be_section(std::string_view text) noexcept {
    return begins_section(text) || name_at(text, 0);
  }

  // Appends to text that is already merged, so that many merges take linear time.
  static void merge(ConfigValueNode& old, ConfigValueNode& value) {
    std::shared_ptr<LocatedText> both = std::move(old.merged);
    if (!both) {
      both = std::make_shared<LocatedText>();
      both->append(*old.text.text, old.text.begin, old.text.end);
    }
    both->append_unplaced(" ");
    both->append(*value.text.text, value.text.begin, value.text.end);
    value.text = {.text = both, .begin = 0, .end = both->view().size()};
    value.merged = std::move(both);
    value.location = old.location;
  }

  void look_at_twice(const ConfigValueNode& old, const ConfigValueNode& value, bool is_merged) {
    const std::string first = location_text(location_of(state_, old.location));
    if (is_merged && !may_be_section(old.text.view())) {
      note(value.location, "merge", formatted("a section in {} before", shown_path(old)),
           quoted(old.text.view()),
           state_.is_cntk() ? formatted("it is appended to the value at {}", first)
                            : formatted("it replaces the value at {}", first));
    } else if (old.location.origin().source == value.location.origin().source &&
               value.location.origin().source != Origin::kNone) {
      note(value.key_location, "duplicate", formatted("{} once", shown_path(old)), "another one",
           formatted("it {} the one at {}", is_merged ? "is merged with" : "replaces", first));
    }
  }

  ConfigState& state_;
  ConfigSectionNode& section_;
  bool is_glued_ = false;  // the record directly follows a bracket or quote
};

/// Reads the elements of one array.
class ElementsReader {
 public:
  ElementsReader(ConfigState& state, ConfigValueNode& array) : state_(state), array_(array) {}

  std::vector<std::unique_ptr<ConfigValueNode>> run() {
    read(opened_text(state_, array_), true);
    return std::move(elements_);
  }

 private:
  void read(const TextSlice& text, bool replaces_names) {
    for (const Record& record : split_records(state_, text, RecordKind::elements, notes())) {
      if (is_cut_) return;
      if (record.is_bracketed || record.is_quoted) {
        read_closed(record);
      } else if (replaces_names && !state_.is_cntk() && has_name(record.text.view())) {
        // The text may have several elements.
        read(resolve_names(state_, record.text, array_.section), false);
      } else {
        read_plain(record.text);
      }
    }
  }

  [[nodiscard]] ConfigNotes& notes() const { return array_.section->notes; }

  void add(const TextSlice& text, const TextSlice& location, bool is_quoted) {
    if (++state_.element_count > kElementsMax) {
      fail_at(state_, array_, "size", formatted("at most {} elements in all arrays", kElementsMax),
              "more");
    }
    auto element = std::make_unique<ConfigValueNode>();
    element->key = formatted("@{}", elements_.size());
    element->section = array_.section;
    element->text = text;
    element->location = location;
    element->is_quoted = is_quoted;
    element->array = &array_;
    elements_.push_back(std::move(element));
  }

  void read_closed(const Record& record) {
    const TextSlice text = trimmed(record.text);
    if (record.is_quoted && state_.is_cntk() && text.view().find('*') != std::string_view::npos) {
      return read_plain(record.text);
    }
    if (record.has_glued_text) {
      state_.note(notes(), record.text.part(record.text.size(), record.text.size()), "junk",
                  "a ':' behind the bracket or quote", "more text",
                  "what follows is read as the next element");
    }
    add(text, record.text, record.is_quoted);
  }

  // Reads VALUE or VALUE*COUNT.
  void read_plain(const TextSlice& record) {
    const TextSlice text = trimmed(record);
    const std::string_view view = text.view();
    const std::size_t star = view.find('*');
    if (star == std::string_view::npos) return add(text, text, false);
    if (star == 0 && !state_.is_cntk()) {
      state_.fail(text, "repeat", formatted("VALUE*COUNT in {}", shown_path(array_)), quoted(view),
                  "a section or a text in quotes cannot be repeated");
    }
    std::string_view count_text = view.substr(star + 1);
    count_text.remove_prefix(std::min(count_text.find_first_not_of(" \t"), count_text.size()));
    if (count_text.starts_with('+')) count_text.remove_prefix(1);
    std::int64_t count = 0;
    const char* const last = count_text.data() + count_text.size();
    const auto [end, error] = std::from_chars(count_text.data(), last, count);
    if (count_text.empty() && state_.is_cntk()) {
      is_cut_ = true;
      return;
    }
    if (error != std::errc() || end != last) {
      if (array_.is_quoted && !state_.is_cntk()) return add(text, text, false);
      state_.fail(text, "repeat", formatted("VALUE*COUNT in {}", shown_path(array_)), quoted(view),
                  "put the element into quotes and parentheses if '*' belongs to it");
    }
    if (count <= 0) {
      state_.note(notes(), text, "repeat", "a count of at least 1", quoted(view),
                  "the element is left out");
    }
    const TextSlice value = trimmed(text.part(0, star));
    for (std::int64_t i = 0; i < count; ++i) add(value, value, false);
  }

  ConfigState& state_;
  ConfigValueNode& array_;
  bool is_cut_ = false;
  std::vector<std::unique_ptr<ConfigValueNode>> elements_ = {};
};

std::unique_ptr<ConfigValueNode> data_node(ConfigSectionNode& section, std::string key,
                                           const ConfigData& data) {
  auto node = std::make_unique<ConfigValueNode>();
  node->key = std::move(key);
  node->section = &section;
  node->data = data;
  return node;
}

std::vector<std::unique_ptr<ConfigValueNode>> data_elements(ConfigValueNode& value) {
  std::vector<std::unique_ptr<ConfigValueNode>> elements;
  const auto add = [&](const ConfigData& data) {
    elements.push_back(data_node(*value.section, formatted("@{}", elements.size()), data));
    elements.back()->array = &value;
  };
  if (const auto* const list = std::get_if<ConfigData::List>(&value.data->value)) {
    for (const ConfigData& data : *list) add(data);
  } else {
    add(*value.data);
  }
  return elements;
}

}  // namespace

void read_settings(ConfigState& state, ConfigSectionNode& section, const TextSlice& text) {
  SettingsReader(state, section).read(text, state.options.resolves_names && !state.is_cntk());
}

std::unique_ptr<ConfigValueNode> put_data(ConfigSectionNode& section, std::string_view key,
                                          const ConfigData& data) {
  const auto found = section.settings.find(key);
  const std::string name(found == section.settings.end() ? key : found->second->key);
  std::unique_ptr<ConfigValueNode>& location = section.settings[name];
  return std::exchange(location, data_node(section, name, data));
}

void add_data(ConfigSectionNode& section, const ConfigData::Members& settings) {
  for (const auto& [key, data] : settings) {
    if (section.settings.contains(key)) {
      throw ConfigError(formatted("{}/{}: the setting is there twice", path_of(section), key));
    }
    put_data(section, key, data);
  }
}

bool is_section(ConfigState& state, ConfigValueNode& value) {
  if (value.data) return std::holds_alternative<ConfigData::Members>(value.data->value);
  return !value.is_quoted && begins_section(opened_text(state, value).view());
}

bool is_array(ConfigState& state, ConfigValueNode& value) {
  if (value.data) return std::holds_alternative<ConfigData::List>(value.data->value);
  return !value.is_quoted && opened_text(state, value).view().starts_with('(');
}

ConfigSectionNode& open_section(ConfigState& state, ConfigValueNode& value) {
  if (value.opened) return *value.opened;
  auto section = std::make_unique<ConfigSectionNode>();
  section->value = &value;
  section->parent = value.array != nullptr ? nullptr : value.section;
  section->around = value.section;
  section->depth = value.section->depth + 1;
  section->path = path_of(value);
  section->location = value.location;
  if (section->depth > kConfigDepthMax) {
    fail_at(state, value, "depth", formatted("at most {} sections in each other", kConfigDepthMax),
            "one more");
  }
  if (section->path.size() > kPathSizeMax) {
    fail_at(state, value, "size", formatted("a path of at most {} bytes", kPathSizeMax),
            formatted("{}", section->path.size()));
  }
  if (!is_section(state, value)) {
    const std::string_view text = resolved_text(state, value).view();
    fail_at(state, value, "section", "a section [ ... ]", quoted(text));
  }
  if (value.data) {
    add_data(*section, std::get<ConfigData::Members>(value.data->value));
  } else {
    read_settings(state, *section, opened_text(state, value));
  }
  value.opened = std::move(section);
  return *value.opened;
}

std::vector<std::unique_ptr<ConfigValueNode>>& open_elements(ConfigState& state,
                                                             ConfigValueNode& value) {
  if (!value.elements) {
    value.elements = value.data ? data_elements(value) : ElementsReader(state, value).run();
  }
  return *value.elements;
}

void take_notes(ConfigState& state, ConfigSectionNode& section) {
  ConfigNotes notes = std::exchange(section.notes, {});
  for (Diagnostic& note : notes.kept) state.warn(std::move(note));
  state.warnings_left_out += notes.left_out;
}

}  // namespace sheaf::internal
