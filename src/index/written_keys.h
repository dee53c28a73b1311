// The keys of a file that is written: none may be there twice.

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

/// Finds out whether a key comes a second time, in memory of a set size. Keys that only rise cost
/// next to nothing.
class WrittenKeys {
 public:
  /// A sequence whose key was there before.
  struct Repeated {
    std::int64_t sequence = 0;            // its number in the file, from 0
    std::optional<SequenceKey> key = {};  // where it is still known
  };

  /// `chunk_size`: keys that are looked at together.
  explicit WrittenKeys(std::int64_t memory_limit_bytes = kMemoryLimitBytes,
                       std::int64_t chunk_size = kChunkSize);

  /// Add the keys of the next sequences. Returns the first that is known to be repeated; it may
  /// take until finish() to know.
  ///
  /// Throws: IoError where a temporary file cannot be written.
  [[nodiscard]] std::optional<Repeated> add(std::span<const SequenceKey> keys);

  /// The first repeated key, once all were added. Called once.
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
  std::int64_t answered_count_ = 0;  // of them, those that check_ gave an answer for at once
};

}  // namespace sheaf::internal
