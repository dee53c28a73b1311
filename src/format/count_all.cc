#include "sheaf/extend/count_all.h"

#include <optional>

#include "base/saturated.h"

namespace sheaf {

DataCounts count_all(const Deserializer& data, Executor& executor) {
  data.build_index(executor, nullptr);
  DataCounts counts;
  const Index& index = data.index();
  for (ChunkIndex chunk{}; const std::optional<ChunkInfo> info = index.chunk(chunk);
       chunk = next(chunk)) {
    ++counts.chunks;
    counts.sequences = internal::saturated_sum(counts.sequences, info->sequence_count);
    counts.samples = internal::saturated_sum(counts.samples, info->sample_count);
  }
  return counts;
}

}  // namespace sheaf
