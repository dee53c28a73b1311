#include "sheaf/extend/counts.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf {
namespace {

/// One chunk of sequences with these costs.
class CostsOnly final : public Counts {
 public:
  explicit CostsOnly(std::vector<std::int64_t> costs) : costs_(std::move(costs)) {}

  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex /*chunk*/) const override {
    return ChunkCounts{.sequence_count = std::ssize(costs_)};
  }
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const override {
    return *costs(chunk);
  }
  [[nodiscard]] std::optional<SampleCounts> costs(ChunkIndex /*chunk*/) const override {
    if (costs_.empty()) return {};
    PackedInts::Builder builder;
    for (const std::int64_t cost : costs_) builder.push_back(cost);
    return SampleCounts(std::make_shared<const PackedInts>(builder.finish()));
  }

 private:
  std::vector<std::int64_t> costs_;
};

TEST(Counts, AddUpTheCostsOfAChunk) {
  EXPECT_EQ(CostsOnly({3, 0, 39}).chunk_cost(ChunkIndex{}), 42);
  EXPECT_EQ(CostsOnly({}).chunk_cost(ChunkIndex{}), 0);
}

TEST(Counts, DeclareNoCostsByDefault) {
  EXPECT_EQ(CostsOnly({}).cost_measure(), CostMeasure{});
  EXPECT_FALSE(CostsOnly({}).costs(ChunkIndex{}));
}

TEST(Counts, RefuseASumOfCostsThatIsTooLarge) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(CostsOnly({kMost, 0}).chunk_cost(ChunkIndex{}), kMost);
  EXPECT_THROW(static_cast<void>(CostsOnly({kMost, 1}).chunk_cost(ChunkIndex{})), ConfigError);
}

}  // namespace
}  // namespace sheaf
