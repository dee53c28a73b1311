// Checks that no key occurs twice in a file that is being written.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/types.h"

#include "index/key_check.h"

namespace sheaf::internal {

/// Finds repeated keys in limited memory. Keys that only rise cost next to nothing.
class WrittenKeys {
 public:
  /// A sequence whose key occurred before.
  struct Repeated {
    std::int64_t sequence = 0;            // number in the file, from 0
    std::optional<SequenceKey> key = {};  // empty if no longer known
  };

  /// `chunk_size` keys are checked together.
  explicit WrittenKeys(std::int64_t memory_limit_bytes = kMemoryLimitBytes,
                       std::int64_t chunk_size = kChunkSize);

  /// Adds the keys of the next sequences. Returns the first sequence known to be repeated. Some are
  /// known only in finish().
  ///
  /// Throws: IoError if a temporary file cannot be written.
  [[nodiscard]] std::optional<Repeated> add(std::span<const SequenceKey> keys);

  /// Returns the first repeated key among all keys. Must be called once, after the last add().
  [[nodiscard]] std::optional<Repeated> finish();

 private:
  static constexpr std::int64_t kMemoryLimitBytes = std::int64_t{64} << 20;
  static constexpr std::int64_t kChunkSize = std::int64_t{1} << 16;

  [[nodiscard]] std::optional<Repeated> check();

  const std::int64_t chunk_size_;
  KeyCheck check_;
  SequenceTable::Builder builder_;
  std::vector<std::shared_ptr<const SequenceTable>> tables_;  // while keys rise
  std::optional<SequenceKey> last_;
  bool is_rising_ = true;
  std::int64_t checked_count_ = 0;   // sequences
  std::int64_t answered_count_ = 0;  // sequences for which check_ gave an answer at once
};

}  // namespace sheaf::internal
