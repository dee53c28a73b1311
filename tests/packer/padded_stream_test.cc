#include "packer/padded_stream.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"

#include "packer/made_up_data.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::to_vector;

TEST(PaddedStream, HasARowForEachSequence) {
  const Stream stream = {.name = "x", .sample_shape = {1}};
  const std::vector<float> values = {1, 2, 3, 4};
  const auto view = [&](std::size_t first, std::int64_t count) {
    return SequenceView{.values = std::as_bytes(std::span(values).subspan(first)).data(),
                        .sample_count = count,
                        .value_count = count};
  };
  const std::vector<SequenceView> views = {view(0, 1), view(1, 3)};
  for (const PadSide side : {PadSide::right, PadSide::left}) {
    const StreamBatch batch =
        pack_padded_stream(stream, views, measure(views),
                           {.length = 4, .pad_side = side, .fill = {}}, {default_memory()});
    EXPECT_EQ(batch.layout, Layout::padded);
    EXPECT_EQ(batch.sample_count_max, 4);
    EXPECT_EQ(batch.row_count(), 8);
    const bool is_left = side == PadSide::left;
    EXPECT_EQ(to_vector<float>(batch.values), is_left
                                                  ? (std::vector<float>{0, 0, 0, 1, 0, 2, 3, 4})
                                                  : (std::vector<float>{1, 0, 0, 0, 2, 3, 4, 0}));
    EXPECT_EQ(to_vector<std::uint8_t>(batch.mask),
              is_left ? (std::vector<std::uint8_t>{0, 0, 0, 1, 0, 1, 1, 1})
                      : (std::vector<std::uint8_t>{1, 0, 0, 0, 1, 1, 1, 0}));
  }
}

}  // namespace
}  // namespace sheaf::internal
