// Which sequences of a scan have the key of an earlier sequence.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/index.h"

#include "index/key_check.h"

namespace sheaf::internal {

/// Follows one scan, chunk by chunk. Answers come with each chunk as long as the keys fit into
/// memory. From the first chunk without an answer on, the answers are late: finish() gives them.
///
/// Threads: one at a time.
class RepeatedKeys {
 public:
  using Repeated = KeyCheck::Repeated;

  /// Follows data whose keys are known to differ: every answer is an empty list.
  RepeatedKeys() = default;

  /// Arguments as for KeyCheck.
  RepeatedKeys(std::int64_t memory_limit_bytes, KeyCheck::Earlier earlier);

  /// Takes the next chunk. Returns the numbers of its sequences whose keys are repeated; nothing
  /// where the answer is late.
  ///
  /// Throws: as KeyCheck::add().
  [[nodiscard]] std::optional<Repeated> add(const SequenceTable& sequences);

  /// Returns the first chunk whose answer is late; nothing where there is none.
  [[nodiscard]] std::optional<std::int64_t> first_late() const noexcept { return first_late_; }

  /// Ends the scan. Returns the late answers: of the chunk first_late(), and of all after it.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::vector<Repeated> finish();

  /// Returns how much memory the keys take.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  std::unique_ptr<KeyCheck> check_;  // null: keys differ, or the scan is at its end
  std::int64_t chunk_count_ = 0;
  std::optional<std::int64_t> first_late_;
};

}  // namespace sheaf::internal
