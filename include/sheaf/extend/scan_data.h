/// \file
/// Visits all data once, in parallel.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"

namespace sheaf {

/// A run of consecutive sequences of one chunk, about a megabyte of the file. The index alone
/// decides how the data are divided into units.
struct ScanUnit {
  ChunkRange range;
  std::shared_ptr<const SequenceTable> sequences;  // the table of the whole chunk
  std::int64_t end_bytes = 0;     // the offset of the end; of a part, from the begin of the part
  std::int64_t memory_bytes = 0;  // about how much memory reading the unit takes, results included
};

/// Processes one unit on a thread of the executor, and returns a function that takes the results.
/// The thread that called scan_data() calls this second function.
using ScanWork = std::function<std::function<void()>(const ScanUnit&)>;

/// Calls `work` for every unit, and then the functions that `work` returned.
///
/// Order:   `work` runs for several units in parallel. The returned functions run one after the
///          other, in the order of the file, so the result is the same for any number of threads.
/// Throws:  the first error in the order of the file: an exception of `work`, of a returned
///          function, or of the index. The returned functions of all earlier units have run. Also
///          ConfigError for a unit that does not fit into the memory limit, and for a limit below
///          1; and what check_interruption() throws. When the call throws, no work is running.
/// Threads: returned functions run on the calling thread.
/// Cost:    a few units for each thread are in memory at a time. Together with the index they take
///          at most `memory_limit_bytes`; an empty limit means no limit.
void scan_data(const Deserializer& data, Executor& executor, const ScanWork& work,
               std::optional<std::int64_t> memory_limit_bytes = {});

}  // namespace sheaf
