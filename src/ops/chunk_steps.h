// File order in steps that end where a chunk ends.

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

/// One sweep in the order of the file. A step has sequences of one chunk: the first one, and then
/// those that still fit. So a conversion knows where the chunks of the input end.
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

/// Tells which steps are the last ones of their chunks.
class ChunkEnds {
 public:
  /// Returns whether a chunk counts. Empty: every chunk does.
  using EndsInput = std::function<bool(ChunkIndex)>;

  /// Lifetime: the counts must outlive it.
  explicit ChunkEnds(const Counts& counts, EndsInput ends_input = {})
      : counts_(counts), ends_input_(std::move(ends_input)) {}

  /// Counts the sequences of the next step, holes included. Returns whether their chunk ends with
  /// them.
  ///
  /// Pre: the steps are those of ChunkSteps.
  [[nodiscard]] bool add(std::int64_t sequence_count);

 private:
  const Counts& counts_;
  const EndsInput ends_input_;
  ChunkIndex chunk_{};
  std::int64_t come_ = 0;  // sequences of the chunk
};

}  // namespace sheaf::internal
