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

/// A run of consecutive sequences of one chunk, about a megabyte of the file. The division of the
/// data into units depends only on the index.
struct ScanUnit {
  ChunkRange range;
  std::shared_ptr<const SequenceTable> sequences;  // the table of the whole chunk
  std::int64_t end_bytes = 0;     // the offset of the end; in a part, from the begin of the part
  std::int64_t stored_bytes = 0;  // the bytes of the files up to the end, for progress
  std::int64_t memory_bytes = 0;  // roughly how much memory reading the unit takes, including
                                  // results
};

/// Processes one unit on a thread of the executor, and returns a function that takes the results.
/// scan_data() calls the returned function on the thread of its caller.
using ScanWork = std::function<std::function<void()>(const ScanUnit&)>;

/// Calls `work` for every unit, and then calls the functions that `work` returned.
///
/// Order:   `work` runs for several units in parallel. The returned functions run one after the
///          other, in the order of the file, so the result is the same for any number of threads.
/// Throws:  the first error in the order of the file: an exception of `work`, of a returned
///          function, or of the index. The returned functions of all earlier units have run. Also
///          throws ConfigError for a unit that does not fit into the memory limit and for a limit
///          below 1, and what check_interruption() throws. When the call throws, no work is
///          running.
/// Threads: returned functions run on the calling thread.
/// Cost:    keeps a few units for each thread in memory at a time. Units and index together take at
///          most `memory_limit_bytes`. An empty limit means no limit.
void scan_data(const Deserializer& data, Executor& executor, const ScanWork& work,
               std::optional<std::int64_t> memory_limit_bytes = {});

}  // namespace sheaf
