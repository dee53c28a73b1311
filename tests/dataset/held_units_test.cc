#include "dataset/held_units.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "support/text_data.h"

namespace sheaf::internal {
namespace {

TEST(HeldUnits, AreReadOnce) {
  // Makes a chunk of 3 MiB, which has several units.
  std::string text;
  for (std::int64_t i = 0; i < 3000; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(i) + std::string(1000, ' ') + "\n";
  }
  const NamedData data =
      testing::ctf("a", text, testing::with_streams({testing::dense("x")}, std::int64_t{32} << 20));
  ASSERT_EQ(testing::chunk_sizes(*data.data).size(), 1U);
  HeldUnits held(*data.data);
  const std::shared_ptr<const HeldUnit> last = held.unit_of(ChunkIndex{0}, 2999);
  EXPECT_GT(last->first, 0);
  EXPECT_EQ(last->first + last->chunk.sequence_count(), 3000);
  EXPECT_EQ(held.unit_of(ChunkIndex{0}, last->first), last);
  EXPECT_NE(held.unit_of(ChunkIndex{0}, last->first - 1), last);
  for (std::int64_t i = 0; i < 3000; ++i) {
    const std::shared_ptr<const HeldUnit> unit = held.unit_of(ChunkIndex{0}, i);
    const SequenceView view = unit->chunk.view(0, i - unit->first);
    ASSERT_EQ(*reinterpret_cast<const float*>(view.values), static_cast<float>(i));
  }
}

TEST(HeldUnits, KeepTheirErrors) {
  const NamedData data =
      testing::ctf("a", "1 |x 1\n2 |x ?\n", testing::with_streams({testing::dense("x")}));
  HeldUnits held(*data.data);
  const std::shared_ptr<const HeldUnit> unit = held.unit_of(ChunkIndex{0}, 1);
  EXPECT_TRUE(unit->chunk.is_hole(1));
  EXPECT_EQ(unit->diagnostics.error_count(), 1);
}

}  // namespace
}  // namespace sheaf::internal
