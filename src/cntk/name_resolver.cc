#include "cntk/name_resolver.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "cntk/comments.h"
#include "cntk/name_syntax.h"

namespace sheaf::internal {
namespace {

ConfigValueNode* setting_of(ConfigSectionNode& section, std::string_view key) {
  const auto found = section.settings.find(key);
  return found == section.settings.end() ? nullptr : found->second.get();
}

/// Returns the sections in which a name may be defined: the root, then the others from the inside
/// out.
std::vector<ConfigSectionNode*> scopes_of(ConfigState& state, ConfigSectionNode* around) {
  std::vector<ConfigSectionNode*> scopes = {&state.root};
  if (state.is_cntk()) return scopes;
  for (; around != nullptr; around = around->around) {
    if (around != &state.root) scopes.push_back(around);
  }
  return scopes;
}

std::string cycle_text(const ConfigState& state, const ConfigValueNode& back) {
  const auto first = std::ranges::find(state.resolving, &back);
  std::string text;
  for (auto value = first; value != state.resolving.end(); ++value) {
    text += shown_path(**value) + " -> ";
  }
  return text + shown_path(back);
}

/// Returns the defined name nearest to a misspelled one. Comparing with all names takes the product
/// of their sizes, so only the first errors get a suggestion.
std::string nearest_defined(ConfigState& state, std::string_view name,
                            const std::vector<ConfigSectionNode*>& scopes) {
  constexpr std::size_t kLettersMax = std::size_t{100} << 20U;
  std::vector<std::string> known;
  for (const ConfigSectionNode* scope : scopes) {
    for (const auto& [key, value] : scope->settings) {
      if (state.letters_compared > kLettersMax) return "";
      state.letters_compared += (name.size() + 8) * (value->key.size() + 8);
      if (!value->is_resolving) known.push_back(value->key);
    }
  }
  return nearest_name(name, known);
}

[[noreturn]] void fail_unknown(ConfigState& state, const TextSlice& location, std::string_view name,
                               const std::vector<ConfigSectionNode*>& scopes) {
  const std::string nearest = nearest_defined(state, name, scopes);
  state.fail(location, "name", "a name that is defined", quoted(location.view()),
             nearest.empty()
                 ? formatted("a setting {}=... at the root, or a word, defines it", name)
                 : formatted("did you mean ${}$?", nearest));
}

[[noreturn]] void fail_cycle(ConfigState& state, const TextSlice& location, std::string_view name,
                             const ConfigValueNode& back) {
  const bool is_alone = &back == state.resolving.back();
  state.fail(
      location, "cycle", "a name that does not lead back to itself", quoted(location.view()),
      is_alone ? formatted("a word {}=... replaces this setting", name) : cycle_text(state, back));
}

/// Returns the setting that a name stands for. A setting that is being resolved is passed over if
/// an outer section has another one. So D=$D$/x appends to the outer D.
ConfigValueNode& find_name(ConfigState& state, const TextSlice& location, std::string_view name,
                           ConfigSectionNode* around) {
  const std::vector<ConfigSectionNode*> scopes = scopes_of(state, around);
  ConfigValueNode* cycle = nullptr;
  for (ConfigSectionNode* scope : scopes) {
    ConfigValueNode* const value = setting_of(*scope, name);
    if (value == nullptr) continue;
    if (!value->is_resolving) return *value;
    cycle = value;
  }
  // dim=$dim$ in a section refers to an outer dim, which is not defined.
  const bool wants_another =
      cycle != nullptr && cycle == state.resolving.back() && cycle->section != &state.root;
  if (cycle == nullptr || wants_another) fail_unknown(state, location, name, scopes);
  fail_cycle(state, location, name, *cycle);
}

/// Returns the text that replaces a name. Checks it for conditions that only CNTK's parser
/// requires.
const TextSlice& replacement(ConfigState& state, const TextSlice& location,
                             ConfigValueNode& value) {
  value.is_asked = true;
  if (state.resolving.size() >= kNameDepthMax) {
    state.fail(location, "depth", formatted("at most {} names that lead to names", kNameDepthMax),
               "one more");
  }
  const TextSlice& text = resolved_text(state, value);
  if (!state.is_cntk()) return text;
  if (text.empty()) state.fail(location, "name", "a name that is defined", quoted(location.view()));
  if (text.view().find('\n') != std::string_view::npos) {
    state.fail(location, "name", "a name for text of one line", quoted(location.view()));
  }
  return text;
}

/// Marks a value as being resolved during its lifetime.
class Resolving {
 public:
  Resolving(ConfigState& state, ConfigValueNode& value) : state_(state), value_(value) {
    value_.is_resolving = true;
    state_.resolving.push_back(&value_);
  }
  Resolving(const Resolving&) = delete;
  Resolving& operator=(const Resolving&) = delete;
  ~Resolving() {
    value_.is_resolving = false;
    state_.resolving.pop_back();
  }

 private:
  ConfigState& state_;
  ConfigValueNode& value_;
};

/// Counts the bytes that are read or assembled. A failed attempt counts, too, since the same name
/// may be asked for again and again.
void spend(ConfigState& state, const TextSlice& location, std::size_t bytes) {
  state.resolved_bytes += bytes;
  if (state.resolved_bytes <= kAllResolvedSizeMax) return;
  state.fail(location, "size", formatted("texts of at most {} bytes together", kAllResolvedSizeMax),
             "more, with names replaced");
}

}  // namespace

TextSlice resolve_names(ConfigState& state, const TextSlice& text, ConfigSectionNode* around) {
  const std::string_view view = text.view();
  std::size_t at = view.find('$');
  if (!state.options.resolves_names || at == std::string_view::npos) return text;
  spend(state, text, text.size());
  const auto result = std::make_shared<LocatedText>();
  const auto append = [&](const TextSlice& part, std::int32_t use) {
    const std::size_t pieces = result->piece_count();
    result->append(*part.text, part.begin, part.end, use);
    spend(state, text, part.size() + (result->piece_count() - pieces) * kPieceSize);
  };
  std::size_t done = 0;
  for (; at != std::string_view::npos; at = view.find('$', at)) {
    const std::optional<std::string_view> name = name_at(view, at);
    if (!name) {
      ++at;
      continue;
    }
    const std::size_t end = at + name->size() + 2;
    const TextSlice location = text.part(at, end);
    const TextSlice value = replacement(state, location, find_name(state, location, *name, around));
    const std::int32_t use =
        state.sources.add_use({.origin = location.origin(), .name = std::string(*name)});
    append(text.part(done, at), Origin::kNone);
    append(value, use);
    if (result->view().size() > kResolvedSizeMax) {
      state.fail(location, "size", formatted("text of at most {} bytes", kResolvedSizeMax),
                 "more, with names replaced");
    }
    at = done = end;
  }
  if (done == 0) return text;
  append(text.part(done, text.size()), Origin::kNone);
  return {.text = result, .begin = 0, .end = result->view().size()};
}

const TextSlice& resolved_text(ConfigState& state, ConfigValueNode& value) {
  if (value.resolved) return *value.resolved;
  if (value.data) {
    const auto text = std::make_shared<LocatedText>();
    text->append_unplaced(text_of(*value.data));
    value.resolved = TextSlice{.text = text, .begin = 0, .end = text->view().size()};
    return *value.resolved;
  }
  if (value.failed) throw ConfigTextError(*value.failed);
  const Resolving resolving(state, value);
  try {
    const TextSlice text = state.is_cntk() ? without_cntk_comments(value.text) : value.text;
    value.resolved = resolve_names(state, text, value.section);
  } catch (const ConfigTextError& error) {
    // An error may depend on the section that asks. Once the limit is used up, the error is final.
    state.resolved_bytes += kFailedSize;
    if (state.resolved_bytes > kAllResolvedSizeMax) value.failed = error.diagnostic();
    throw;
  }
  return *value.resolved;
}

const TextSlice& opened_text(ConfigState& state, ConfigValueNode& value) {
  const std::string_view view = value.text.view();
  const bool is_bracketed = !view.empty() && (view[0] == '[' || view[0] == '{' || view[0] == '(');
  return is_bracketed && !state.is_cntk() ? value.text : resolved_text(state, value);
}

}  // namespace sheaf::internal
