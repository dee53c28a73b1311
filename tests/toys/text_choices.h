// Makes up CTF texts for files of several texts.

#pragma once

#include <cstdint>
#include <string>

#include "conformance/format_under_test.h"

namespace sheaf::toys {

/// Returns the rows of a sequence. If `may_be_wrong`, some values are not numbers.
inline std::string rows(conformance::Choices& choices, const FormatOptions& options,
                        std::int64_t key, bool may_be_wrong) {
  std::string text;
  for (std::int64_t n = 1 + choices.below(3); n > 0; --n) {
    if (choices.once_in(10)) text += "|# a comment\n";
    text += (options.keys == KeyType::text ? "utt" : "") + std::to_string(key);
    for (const StreamOptions& stream : options.streams) {
      text += " |" + stream.name;
      for (std::int64_t i = 0; i < stream.sample_shape->size(); ++i) {
        const bool is_wrong = may_be_wrong && choices.once_in(25);
        text += stream.storage == Storage::sparse ? ' ' + std::to_string(i) + ':' : " ";
        text += is_wrong ? "1.2.3" : std::to_string(choices.below(1000));
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace sheaf::toys
