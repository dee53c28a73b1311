/// \file
/// The sequences of a slot go through the transforms.

#pragma once

#include <cstdint>
#include <exception>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"

#include "transform/chain.h"

namespace sheaf::internal {

struct Slot;
struct Unit;

/// Consecutive sequences of a slot, after the transforms.
struct PreparedPart {
  std::int64_t first = 0;  // number of the first sequence within the plan
  std::int64_t count = 0;

  std::vector<SequenceView> views = {};  // [sequence][stream]; of holes, nothing, as below
  std::vector<SequenceKey> keys = {};
  std::vector<std::string_view> key_texts = {};  // empty texts where keys are numbers
  std::vector<std::int64_t> sample_counts = {};  // of each whole sequence, in its longest stream
  std::pmr::monotonic_buffer_resource memory{&default_memory()};
  std::optional<Chunk> wide = std::nullopt;  // of narrow columns, which views may refer to

  /// What transforms found in the data of sequences.
  struct Finding {
    std::int64_t number = 0;  // of the sequence within the plan
    TransformFinding found;
  };
  std::vector<Finding> findings = {};    // in the order of the sequences
  std::vector<std::int64_t> holes = {};  // sequences with wrong data, by their numbers, rising

  std::exception_ptr error = nullptr;  // of the sequence `failed`; those behind are not prepared
  std::int64_t failed = 0;
};

/// Applies a chain to the sequences of slots.
///
/// Threads: any number of threads may call a preparer. Each thread needs a part of its own.
class Preparer {
 public:
  /// A part is prepared by one thread, and makes about so many bytes.
  static constexpr std::int64_t kPartBytes = std::int64_t{64} << 10;

  /// `takes_strides` says whether the views of the parts may have a sample_stride.
  ///
  /// Lifetime: the chain must outlive the preparer.
  explicit Preparer(const TransformChain& chain, bool takes_strides = false) noexcept
      : chain_(chain), takes_strides_(takes_strides) {}

  [[nodiscard]] std::size_t stream_count() const noexcept { return chain_.streams().size(); }

  /// Prepares the sequences of a part, whose `first` and `count` say which. Sequences of units that
  /// could not be read are left out, as holes are. What a transform throws stays in the part.
  ///
  /// Pre: the units of the slot were read.
  void prepare(const Slot& slot, PreparedPart& part) const noexcept;

  /// Draws the numbers of the ordered transforms for all sequences of a slot, and notes the state
  /// behind each step.
  ///
  /// Pre: the units of the slot were read; the slots before were drawn for.
  void draw(Slot& slot, ChainDraws& draws) const;

 private:
  [[nodiscard]] TransformChain::Call call_of(const Slot& slot, PreparedPart& part,
                                             std::int64_t number, const Unit& unit,
                                             std::int64_t sequence) const;
  void prepare_one_by_one(const Slot& slot, PreparedPart& part) const;
  void prepare_together(const Slot& slot, PreparedPart& part) const;

  const TransformChain& chain_;
  bool takes_strides_;
};

}  // namespace sheaf::internal
