#include "packer/packed_rows.h"

#include <cstdint>
#include <memory_resource>
#include <vector>

#include <gtest/gtest.h>

#include "packer/made_up_data.h"

namespace sheaf::internal {
namespace {

using testing::to_buffer;
using testing::to_vector;

/// Packs two sequences of one value for each sample, anywhere in three slots of two steps.
TEST(PackedRows, SamplesAreWrittenToTheirRows) {
  const std::vector<float> values = {1, 2, 3};
  const auto bytes = reinterpret_cast<const std::byte*>(values.data());
  const std::vector<SequenceView> views = {
      {.values = bytes, .sample_count = 2, .value_count = 2},
      {.values = bytes + 8, .sample_count = 1, .value_count = 1}};
  std::pmr::memory_resource& memory = *std::pmr::new_delete_resource();
  const Sizes sizes = measure(views);
  const Stream stream = {.name = "x", .sample_shape = {1}};
  StreamBatch batch = begin_batch(Layout::packed, stream, views, sizes, memory);
  batch.slot_count = 3;
  batch.slots = to_buffer<std::int64_t>({2, 0});
  batch.begins = to_buffer<std::int64_t>({0, 1});
  pack_in_rows(stream, views, sizes, batch.row_count(), {}, batch, memory);
  EXPECT_EQ(to_vector<float>(batch.values), (std::vector<float>{0, 0, 1, 3, 0, 2}));
  EXPECT_EQ(to_vector<std::uint8_t>(batch.mask), (std::vector<std::uint8_t>{0, 0, 1, 1, 0, 1}));
}

}  // namespace
}  // namespace sheaf::internal
