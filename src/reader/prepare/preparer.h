/// \file
/// Applies transforms to the sequences of an item.

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

struct WorkItem;
struct Unit;

/// Consecutive sequences of an item, after the transforms.
struct PreparedRun {
  std::int64_t first = 0;  // number of the first sequence within the plan
  std::int64_t count = 0;

  std::vector<SequenceView> views = {};  // [sequence][stream]; empty views for holes
  std::vector<SequenceKey> keys = {};
  std::vector<std::string_view> key_texts = {};  // empty texts if keys are numbers
  std::vector<std::int64_t> sample_counts = {};  // of each whole sequence's longest stream
  std::pmr::monotonic_buffer_resource memory{&default_memory()};
  std::optional<Chunk> wide = std::nullopt;  // widened sequences to which views may refer

  /// An error or a warning of a transform about the data of a sequence.
  struct Finding {
    std::int64_t number = 0;  // number of the sequence within the plan
    TransformDiagnostic found;
  };
  std::vector<Finding> findings = {};    // in the order of the sequences
  std::vector<std::int64_t> holes = {};  // numbers of sequences with wrong data, ascending

  std::exception_ptr error = nullptr;  // about sequence `failed`; later sequences are not prepared
  std::int64_t failed = 0;
};

/// Applies a chain of transforms to the sequences of items.
///
/// Threads: any number of threads may call a preparer. Each thread needs its own part.
class Preparer {
 public:
  /// The approximate output of a part, which one thread prepares.
  static constexpr std::int64_t kPartBytes = std::int64_t{64} << 10;

  /// `takes_strides` says whether the views of the parts may have a sample_stride.
  ///
  /// Lifetime: the chain must outlive the preparer.
  explicit Preparer(const TransformChain& chain, bool takes_strides = false) noexcept
      : chain_(chain), takes_strides_(takes_strides) {}

  [[nodiscard]] std::size_t stream_count() const noexcept { return chain_.streams().size(); }

  /// Prepares the sequences of a part, as given by `first` and `count`. Leaves out holes and
  /// sequences of units that could not be read. Stores an exception of a transform in the part.
  ///
  /// Pre: the units of the item were read.
  void prepare(const WorkItem& item, PreparedRun& part) const noexcept;

  /// Draws the numbers of the ordered transforms for all sequences of an item, and stores the state
  /// after each step.
  ///
  /// Pre: the units of the item were read; draw() was called for all earlier items.
  void draw(WorkItem& item, ChainDraws& draws) const;

 private:
  [[nodiscard]] TransformChain::Call call_of(const WorkItem& item, PreparedRun& part,
                                             std::int64_t number, const Unit& unit,
                                             std::int64_t sequence) const;
  void prepare_one_by_one(const WorkItem& item, PreparedRun& part) const;
  void prepare_together(const WorkItem& item, PreparedRun& part) const;

  const TransformChain& chain_;
  bool takes_strides_;
};

}  // namespace sheaf::internal
