// A selection at work.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/select.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Says of each sequence whether it is selected.
///
/// Threads: one calls everything.
class Selector {
 public:
  /// `has_text_keys`: whether the keys of the data are texts.
  ///
  /// Throws: ConfigError where a key is no number and the keys of the data are numbers; for lengths
  ///         and a share that make no sense.
  Selector(const Selection& selection, bool has_text_keys);

  [[nodiscard]] bool is_all() const noexcept { return selection_.is_all(); }

  /// Returns whether a sequence of so many samples is selected.
  [[nodiscard]] bool takes(const SequenceKey& key, std::int64_t samples) const;

  /// Notes that there is a sequence with this key.
  void note(const SequenceKey& key);

  /// Returns the keys that no sequence noted has, in the order of the selection.
  [[nodiscard]] std::vector<std::string> missing_keys() const;

 private:
  struct Key {
    SequenceKey key;
    std::int64_t place = 0;  // in the selection
    bool is_found = false;
  };

  [[nodiscard]] std::optional<std::int64_t> find(const SequenceKey& key) const;

  Selection selection_;
  std::vector<Key> keys_;  // sorted
};

/// Returns the samples of all selected sequences.
///
/// Throws: as Index::chunk.
[[nodiscard]] std::int64_t selected_samples(const Index& index, const Selector& selector);

}  // namespace sheaf::internal
