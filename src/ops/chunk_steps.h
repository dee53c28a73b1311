// File order in steps that never cross the end of a chunk.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Delivers one sweep in the order of the file. All sequences of a step lie in one chunk. A step
/// takes the next sequence and then each following sequence that fits. The step boundaries tell a
/// conversion where the chunks of the input end.
class ChunkSteps final : public Sequencer {
 public:
  /// Pre: sample_count_max >= 1.
  ChunkSteps(std::shared_ptr<const Counts> counts, std::int64_t sample_count_max) noexcept;

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "file"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;

 private:
  struct Cursor;

  const std::shared_ptr<const Counts> counts_;
  const std::int64_t sample_count_max_;
};

/// Tells which steps end a chunk.
class ChunkEnds {
 public:
  /// Returns whether the end of this chunk counts. Empty means that every chunk counts.
  using EndsInput = std::function<bool(ChunkIndex)>;

  /// Lifetime: the counts must outlive the object.
  explicit ChunkEnds(const Counts& counts, EndsInput ends_input = {})
      : counts_(counts), ends_input_(std::move(ends_input)) {}

  /// Counts the sequences of the next step, holes included. Returns whether the step ends a chunk
  /// that counts.
  ///
  /// Pre: the steps come from ChunkSteps.
  [[nodiscard]] bool add(std::int64_t sequence_count);

 private:
  const Counts& counts_;
  const EndsInput ends_input_;
  ChunkIndex chunk_{};
  std::int64_t come_ = 0;  // sequences of the current chunk so far
};

}  // namespace sheaf::internal
