// Applies a selection to sequences.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/select.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Decides for each sequence whether the selection contains it.
///
/// Threads: one thread makes all calls.
class Selector {
 public:
  /// `has_text_keys` says whether the keys of the data are texts.
  ///
  /// Throws: ConfigError if the data have numeric keys and a selected key is not a number, or if
  ///         the lengths or the share are out of range.
  Selector(const Selection& selection, bool has_text_keys);

  [[nodiscard]] bool is_all() const noexcept { return selection_.is_all(); }

  /// Returns whether the selection contains a sequence with this key and this many samples.
  [[nodiscard]] bool takes(const SequenceKey& key, std::int64_t samples) const;

  /// Records that the data have a sequence with this key.
  void note(const SequenceKey& key);

  /// Returns the selected keys that note() never received, in the order of the selection.
  [[nodiscard]] std::vector<std::string> missing_keys() const;

 private:
  struct Key {
    SequenceKey key;
    std::int64_t index = 0;  // index in the selection
    bool is_found = false;
  };

  [[nodiscard]] std::optional<std::int64_t> find(const SequenceKey& key) const;

  Selection selection_;
  std::vector<Key> keys_;  // sorted
};

/// Returns the number of samples in all selected sequences.
///
/// Throws: as Index::chunk.
[[nodiscard]] std::int64_t selected_samples(const Index& index, const Selector& selector);

}  // namespace sheaf::internal
