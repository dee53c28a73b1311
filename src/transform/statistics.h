/// \file
/// Means and standard deviations from files, and which speaker a sequence is of.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Means and standard deviations: one for each value of a sample, or one for all values.
struct ValueStatistics {
  std::vector<double> means = {};
  std::vector<double> deviations = {};  // empty: the file has none
};

/// The statistics in a file: of all sequences, or of each speaker.
struct Statistics {
  ValueStatistics all = {};  // without means where there are speakers
  std::map<std::string, ValueStatistics, std::less<>> speakers = {};
};

/// Parses {"mean": [...], "stddev": [...]}, or {"speakers": {"ann": {"mean": [...], ...}, ...}}.
/// `stddev` may be missing. Other fields are for people, such as "count".
///
/// Throws: ConfigError that begins with `name`, where the text is anything else.
[[nodiscard]] Statistics parse_statistics(std::string_view text, const std::string& name);

/// The speaker of each sequence, as Kaldi's utt2spk says.
class SpeakerMap {
 public:
  /// Parses lines "KEY SPEAKER". KEY is the text of a key, or the number.
  ///
  /// Throws: ConfigError that begins with `name` and the line, for another line, or a KEY that
  ///         comes twice.
  SpeakerMap(std::string_view text, const std::string& name);

  /// Returns the speaker; null where no line has the key.
  ///
  /// Lifetime: that of the map.
  [[nodiscard]] const std::string* find(const SequenceKey& key) const noexcept;

 private:
  struct Entry {
    SequenceKey key = {};
    std::int64_t line = 0;
    std::size_t speaker = 0;
  };

  std::vector<std::string> speakers_;
  std::vector<Entry> entries_;  // ascending
};

}  // namespace sheaf::internal
