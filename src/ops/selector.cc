#include "ops/selector.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/numeric_key.h"

namespace sheaf::internal {
namespace {

SequenceKey number_key(const std::string& text) {
  if (const std::optional<SequenceKey> key = numeric_key_of(text)) return *key;
  throw ConfigError(formatted(
      "keys: the keys of the data are numbers from 0 to 18446744073709551615, got \"{}\"", text));
}

}  // namespace

Selector::Selector(const Selection& selection, bool has_text_keys) : selection_(selection) {
  if (selection.min_length < 0 || selection.max_length < selection.min_length) {
    throw ConfigError(
        formatted("lengths from {} to {}: min_length is 0 or more, and max_length no "
                  "less than min_length",
                  selection.min_length, selection.max_length));
  }
  if (selection.share <= 0 || selection.share > kWholeShare) {
    throw ConfigError(
        formatted("share: billionths from 1 to {}, got {}", kWholeShare, selection.share));
  }
  if (!selection.keys) return;
  for (const std::string& text : *selection.keys) {
    keys_.push_back(
        {.key = has_text_keys ? key_of_text(text) : number_key(text), .index = std::ssize(keys_)});
  }
  std::ranges::stable_sort(keys_, {}, &Key::key);
  // Not std::ranges::unique: clang 14 rejects its result in libstdc++.
  const auto is_same = [](const Key& a, const Key& b) { return a.key == b.key; };
  keys_.erase(std::unique(keys_.begin(), keys_.end(), is_same), keys_.end());
}

bool Selector::takes(const SequenceKey& key, std::int64_t samples) const {
  if (samples < selection_.min_length || samples > selection_.max_length) return false;
  if (selection_.share < kWholeShare && billionth_of(key) >= selection_.share) return false;
  return !selection_.keys || find(key);
}

void Selector::note(const SequenceKey& key) {
  if (const auto found = find(key)) keys_[static_cast<std::size_t>(*found)].is_found = true;
}

std::vector<std::string> Selector::missing_keys() const {
  std::vector<std::int64_t> indices;
  for (const Key& each : keys_) {
    if (!each.is_found) indices.push_back(each.index);
  }
  std::ranges::sort(indices);
  std::vector<std::string> missing;
  missing.reserve(indices.size());
  for (const std::int64_t index : indices) {
    missing.push_back((*selection_.keys)[static_cast<std::size_t>(index)]);
  }
  return missing;
}

std::optional<std::int64_t> Selector::find(const SequenceKey& key) const {
  const auto found = std::ranges::lower_bound(keys_, key, {}, &Key::key);
  if (found == keys_.end() || found->key != key) return std::nullopt;
  return found - keys_.begin();
}

std::int64_t selected_samples(const Index& index, const Selector& selector) {
  std::int64_t total = 0;
  for (ChunkIndex number{}; const auto chunk = index.chunk(number); number = next(number)) {
    if (selector.is_all()) {
      total += chunk->sample_count;
      continue;
    }
    const std::shared_ptr<const SequenceTable> sequences = index.sequences(number);
    for (std::int64_t i = 0; i < sequences->size(); ++i) {
      const std::int64_t samples = sequences->sample_count(i);
      if (selector.takes(sequences->key(i), samples)) total += samples;
    }
  }
  return total;
}

}  // namespace sheaf::internal
