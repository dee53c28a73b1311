/// \file
/// All of the data once, in parallel.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"

namespace sheaf {

/// Consecutive sequences of a chunk, about a megabyte of the file: what is read at once. The units
/// depend on the index alone.
struct ScanUnit {
  ChunkRange range;
  std::shared_ptr<const SequenceTable> sequences;  // of the chunk
  std::int64_t end_bytes = 0;                      // where the unit ends in the file
  std::int64_t memory_bytes = 0;                   // to read the unit, and of what comes out: about
};

/// What is done with a unit: called on a thread of the executor. The caller's thread calls what
/// the function returns.
using ScanWork = std::function<std::function<void()>(const ScanUnit&)>;

/// Calls `work` for every unit.
///
/// Order:  units in parallel; what `work` returns in the order of the file. So the whole is the
///         same for any number of threads.
/// Throws: the first error in the order of the file, of `work`, of what `work` returned, or of
///         finding chunks; what lies before the error has been called. What check_interruption()
///         throws. No work is under way any more then.
///         ConfigError for a unit that does not fit the memory limit.
/// Cost:   few units are ahead of the one that is called next, so memory is bounded by what so many
///         units keep. All units under way are within the limit (0: none).
void scan_data(const Deserializer& data, Executor& executor, const ScanWork& work,
               std::optional<std::int64_t> memory_limit_bytes = {});

}  // namespace sheaf
