#include "ops/order_inputs.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/extend/index.h"

#include "dataset/transformed_data.h"

namespace sheaf::internal {

OrderInputs order_inputs(const std::shared_ptr<const Deserializer>& data) {
  OrderInputs inputs;
  std::vector<std::int64_t> decoded_bytes;
  const Index& held = source_of(data)->index();
  for (ChunkIndex chunk{}; const std::optional<ChunkInfo> info = held.chunk(chunk);
       chunk = next(chunk)) {
    decoded_bytes.push_back(info->decoded_size_bytes);
    inputs.size_bytes += held.stored_size_bytes(chunk);
  }
  const auto shared = std::make_shared<const std::vector<std::int64_t>>(std::move(decoded_bytes));
  inputs.chunk_bytes = [shared](ChunkIndex chunk) {
    return static_cast<double>((*shared)[static_cast<std::size_t>(chunk)]);
  };
  inputs.counts = std::shared_ptr<const Counts>(data, &data->index());
  return inputs;
}

}  // namespace sheaf::internal
