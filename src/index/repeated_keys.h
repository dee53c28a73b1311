// Finds the sequences of a scan that have the key of an earlier sequence.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/index.h"

#include "index/key_check.h"

namespace sheaf::internal {

/// Follows one scan, chunk by chunk. As long as the keys fit into memory, each chunk gets its
/// answer at once. From the first chunk without an answer on, the answers are late, and finish()
/// returns them.
///
/// Threads: one call at a time.
class RepeatedKeys {
 public:
  using Repeated = KeyCheck::Repeated;

  /// Follows data whose keys are known to differ. Every answer is an empty list.
  RepeatedKeys() = default;

  /// Takes the arguments of KeyCheck.
  RepeatedKeys(std::int64_t memory_limit_bytes, KeyCheck::Earlier earlier);

  /// Takes the next chunk. Returns the numbers of its sequences whose keys are repeated, or nothing
  /// if the answer is late.
  ///
  /// Throws: as KeyCheck::add().
  [[nodiscard]] std::optional<Repeated> add(const SequenceTable& sequences);

  /// Returns the first chunk whose answer is late, or nothing if there is none.
  [[nodiscard]] std::optional<std::int64_t> first_late() const noexcept { return first_late_; }

  /// Ends the scan. Returns the late answers: for the chunk first_late() and for all after it.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::vector<Repeated> finish();

  /// Returns how much memory the keys take.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  std::unique_ptr<KeyCheck> check_;  // null: keys differ, or the scan has ended
  std::int64_t chunk_count_ = 0;
  std::optional<std::int64_t> first_late_;
};

}  // namespace sheaf::internal
