/// \file
/// Checks whether the streams of a sequence are equally long.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Compares the lengths of the streams of one sequence. A sequence is cut at the same samples in
/// every stream. So if lengths differ, samples of the longer streams would be lost.
class EqualStreams {
 public:
  /// Adds the length of stream number `stream`. Do not add absent streams.
  void add(std::int64_t sample_count, std::int64_t stream) noexcept {
    if (first_ < 0) {
      first_ = stream;
      first_samples_ = sample_count;
    } else if (sample_count != first_samples_ && other_ < 0) {
      other_ = stream;
      other_samples_ = sample_count;
    }
  }

  [[nodiscard]] bool is_equal() const noexcept { return other_ < 0; }

  /// Throws: ConfigError that names the sequence, two streams and their lengths.
  /// Pre:    the streams are not equally long. `key_text` is empty if keys are numbers.
  [[noreturn]] void refuse(const SequenceKey& key, std::string_view key_text,
                           std::span<const Stream> streams) const;

 private:
  std::int64_t first_ = -1;  // number of a stream, or -1, here and below
  std::int64_t first_samples_ = 0;
  std::int64_t other_ = -1;
  std::int64_t other_samples_ = 0;
};

}  // namespace sheaf::internal
