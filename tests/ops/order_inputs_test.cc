#include "ops/order_inputs.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/index.h"
#include "sheaf/open.h"

#include "ops/conversion_data.h"

namespace sheaf::internal {
namespace {

class InputsOfOrders : public ::testing::Test, protected testing::ConversionData {
 protected:
  [[nodiscard]] std::shared_ptr<const Deserializer> clipped_to_one_sample() {
    FilesSpec spec{.files = {"in.ctf"}};
    spec.format.chunk_size_bytes = 500;
    const TransformSpec clip{.type = "clip", .options = {{"samples", "1"}}};
    return sheaf::open(DataSpec{.content = spec, .transforms = {clip}}, {.files = &files()}).data;
  }

  [[nodiscard]] static std::int64_t sample_count(const Counts& counts) {
    std::int64_t samples = 0;
    for (ChunkIndex chunk{}; const std::optional<ChunkCounts> found = counts.chunk_counts(chunk);
         chunk = next(chunk)) {
      samples += found->sample_count;
    }
    return samples;
  }
};

TEST_F(InputsOfOrders, AWindowHoldsDataBeforeTransforms) {
  const auto plain = open("in.ctf", {.chunk_size_bytes = 500});
  const OrderInputs inputs = order_inputs(clipped_to_one_sample());
  EXPECT_EQ(inputs.size_bytes, std::ssize(read("in.ctf")));
  ChunkIndex chunk{};
  for (; const std::optional<ChunkInfo> info = plain->index().chunk(chunk); chunk = next(chunk)) {
    EXPECT_EQ(inputs.chunk_bytes(chunk), static_cast<double>(info->decoded_size_bytes));
  }
  EXPECT_GT(chunk, ChunkIndex{2});
}

TEST_F(InputsOfOrders, CountsAreThoseAfterTransforms) {
  EXPECT_EQ(sample_count(*order_inputs(open("in.ctf")).counts), 1000);
  EXPECT_EQ(sample_count(*order_inputs(clipped_to_one_sample()).counts), kSequenceCount);
}

}  // namespace
}  // namespace sheaf::internal
