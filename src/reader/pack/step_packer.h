/// \file
/// The units of a slot become minibatches.

#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <vector>

#include "sheaf/extend/packer.h"
#include "sheaf/position.h"
#include "sheaf/types.h"

#include "reader/schedule.h"

namespace sheaf::internal {

/// Packs the steps of slots.
///
/// Threads: any number of threads may call a packer of steps. Each thread needs a slot of its own.
class StepPacker {
 public:
  /// Lifetime: the packer and the memory must outlive this and the minibatches.
  StepPacker(const Packer& packer, std::shared_ptr<const std::vector<Stream>> streams,
             std::shared_ptr<const RunIdentity> run, std::pmr::memory_resource& memory)
      : packer_(packer), streams_(std::move(streams)), run_(std::move(run)), memory_(memory) {}

  /// Packs all steps of a slot, up to the first one that fails: `slot.packed` has those before it.
  ///
  /// Pre:    all units of the slot were read.
  /// Throws: what a unit or the packer throws.
  void pack_all(Slot& slot) const;

  /// Packs one step of a slot, given by its number within the slot.
  ///
  /// Pre:    as above.
  /// Throws: as above.
  [[nodiscard]] Packed pack(const Slot& slot, std::size_t step) const;

 private:
  const Packer& packer_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::shared_ptr<const RunIdentity> run_;
  std::pmr::memory_resource& memory_;
};

}  // namespace sheaf::internal
