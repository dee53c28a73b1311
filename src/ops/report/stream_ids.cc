#include "ops/report/stream_ids.h"

namespace sheaf::internal {

bool may_be_ids(const Stream& stream, IdSource source, const ValueStat& stat) noexcept {
  if (source == IdSource::none) return false;
  if (source == IdSource::indices || stat.count == 0) return true;
  if (source == IdSource::one_hot) {
    const std::int64_t samples = stat.count / stream.sample_shape.size();
    return stat.non_finite == 0 && stat.min == 0 && stat.max == 1 &&
           stat.zeros == stat.count - samples;
  }
  if (is_whole(stream.element_type)) return true;
  return stat.non_finite == 0 && stat.min >= 0 && stat.max <= kFloatIdMax;
}

}  // namespace sheaf::internal
