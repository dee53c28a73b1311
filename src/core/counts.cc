#include "sheaf/extend/counts.h"

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {

std::int64_t Counts::chunk_cost(ChunkIndex chunk) const {
  const std::optional<SampleCounts> costs = this->costs(chunk);
  if (!costs) return 0;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < costs->size(); ++i) {
    if (!__builtin_add_overflow(sum, (*costs)[i], &sum)) continue;
    throw ConfigError(formatted(
        "costs: those of the sequences of chunk {} are more than a number of 63 bits together",
        static_cast<std::int64_t>(chunk)));
  }
  return sum;
}

}  // namespace sheaf
