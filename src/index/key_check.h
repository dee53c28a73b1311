// Finds keys that occur twice, in memory of a set size.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/index.h"

namespace sheaf::internal {

/// Takes the sequence tables of a data set in order and tells which sequences have a key that an
/// earlier one has, of the same chunk or another. Keys that only rise cost nothing. Others are kept
/// in a set; when that would pass the limit, all keys go to a temporary file without a name, spread
/// by their hash over parts that each fit, and the answers come once all tables were seen.
///
/// The answers depend on the tables alone; when they come, on the limit, too.
///
/// Threads: one at a time.
class KeyCheck {
 public:
  /// Numbers of sequences within a chunk, ascending.
  using Repeated = std::vector<std::int64_t>;

  /// Gives the table of a chunk that was added before: asked for once each, within the add() in
  /// which keys stop rising.
  using Earlier = std::function<std::shared_ptr<const SequenceTable>(std::int64_t chunk)>;

  /// `memory_limit_bytes` 0: no limit. Below 64 KiB it is taken for 64 KiB.
  KeyCheck(std::int64_t memory_limit_bytes, Earlier earlier);
  KeyCheck(const KeyCheck&) = delete;
  KeyCheck& operator=(const KeyCheck&) = delete;
  ~KeyCheck();

  /// Look at the next chunk. Nothing: the answer for it, and for those after it, is what finish()
  /// gives.
  ///
  /// Throws: IoError where the temporary file cannot be written, and what `earlier` throws; nothing
  ///         can be asked afterwards.
  [[nodiscard]] std::optional<Repeated> add(const SequenceTable& sequences);

  /// The answers for the chunks that add() gave none for, in order. Called once, when all tables
  /// were added. Takes about the limit at most, and the memory of the answers.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::vector<Repeated> finish();

  /// Memory held: about the limit at most, and 8 to 16 bytes for each chunk without an answer.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf::internal
