/// \file
/// Reads means and standard deviations from files, and finds the speaker of a sequence.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Means and standard deviations, one for each value of a sample, or one for all values.
struct ValueStatistics {
  std::vector<double> means = {};
  std::vector<double> deviations = {};  // empty if the file has none
};

/// The statistics of a file, of all sequences or of each speaker.
struct Statistics {
  ValueStatistics all = {};  // without means if there are speakers
  std::map<std::string, ValueStatistics, std::less<>> speakers = {};
};

/// Parses {"mean": [...], "stddev": [...]}, or {"speakers": {"ann": {"mean": [...], ...}, ...}}.
/// `stddev` may be missing. Other fields are for people, such as "count".
///
/// Throws: ConfigError that begins with `name` for any other text.
[[nodiscard]] Statistics parse_statistics(std::string_view text, const std::string& name);

/// The speaker of each sequence, as in Kaldi's utt2spk.
class SpeakerMap {
 public:
  /// Parses lines "KEY SPEAKER". KEY is the text of a key, or its number.
  ///
  /// Throws: ConfigError that begins with `name` and the line, for any other line and for a
  ///         repeated KEY.
  SpeakerMap(std::string_view text, const std::string& name);

  /// Returns the speaker, or null if no line has the key.
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
