// Finds repeated keys in limited memory.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/index.h"

namespace sheaf::internal {

/// Takes the sequence tables of a data set in order, and finds the sequences whose key an earlier
/// sequence of the same or another chunk has. Keys that only rise cost nothing. Other keys are kept
/// in a set. When the set would exceed the limit, all keys go to a temporary file without a name.
/// The file is divided into parts by the hash of the keys, and each part fits the limit. The
/// answers come when all tables were seen.
///
/// The answers depend on the tables only. When they come also depends on the limit.
///
/// Threads: one call at a time.
class KeyCheck {
 public:
  /// Numbers of sequences within a chunk, ascending.
  using Repeated = std::vector<std::int64_t>;

  /// Returns the table of a chunk that was added before. Called once for each chunk, within the
  /// add() in which keys stop rising.
  using Earlier = std::function<std::shared_ptr<const SequenceTable>(std::int64_t chunk)>;

  /// A `memory_limit_bytes` of 0 means no limit. Values below 64 KiB count as 64 KiB.
  KeyCheck(std::int64_t memory_limit_bytes, Earlier earlier);
  KeyCheck(const KeyCheck&) = delete;
  KeyCheck& operator=(const KeyCheck&) = delete;
  ~KeyCheck();

  /// Takes the next chunk, and returns its repeated sequences. Returns nothing if the answer is
  /// late: finish() then returns the answers for this chunk and all later ones.
  ///
  /// Throws: IoError if the temporary file cannot be written; the exceptions of `earlier`. No call
  ///         may follow.
  [[nodiscard]] std::optional<Repeated> add(const SequenceTable& sequences);

  /// Returns the late answers, in the order of the chunks. Must be called once, after the last
  /// table. Takes about the limit at most, and the memory of the answers.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::vector<Repeated> finish();

  /// Returns the memory in use: about the limit at most, and 8 to 16 bytes for each chunk without
  /// an answer.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf::internal
