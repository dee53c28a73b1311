// The costs of data sets with several members.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/join.h"
#include "sheaf/extend/sequencer.h"

#include "support/error_of.h"
#include "support/fake_deserializer.h"
#include "support/text_data.h"

namespace sheaf {
namespace {

using testing::ctf;
using testing::dense;
using testing::error_of;
using testing::FakeData;
using testing::FakeDeserializer;
using testing::with_streams;
using CostList = std::vector<std::int64_t>;

NamedData x_text(const std::string& text) {
  return ctf("x.ctf", text, with_streams({dense("x")}, 8));
}
NamedData z_text(const std::string& text) {
  return ctf("z.ctf", text, with_streams({dense("z")}, 8));
}

/// Returns data with the keys 1000 and 1001, and the streams "x" and "y".
NamedData costed(const std::string& measure, CostList costs) {
  FakeData data;
  data.lengths = {{1, 1}};
  data.measure = {.name = measure};
  if (!measure.empty()) data.costs = {std::move(costs)};
  return {std::make_shared<const FakeDeserializer>(std::move(data)), "fake " + measure};
}

/// Returns the costs of all sequences, or nothing. Checks that sums agree with them.
CostList costs_of(const Deserializer& data) {
  CostList all;
  for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
    const std::optional<SampleCounts> costs = data.index().costs(chunk);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; costs && i < costs->size(); ++i) {
      all.push_back((*costs)[i]);
      sum += all.back();
    }
    EXPECT_EQ(data.index().chunk_cost(chunk), sum);
  }
  return all;
}

std::string refusal_of(const std::shared_ptr<const Deserializer>& data) {
  const std::shared_ptr<const Counts> counts(data, &data->index());
  return error_of(
      [&] { static_cast<void>(make_sequencer(counts, {.unit = MinibatchUnit::cost})); });
}

TEST(Costs, OfTextAreItsSizeInBytes) {
  const NamedData file = x_text("1 |x 1\n2 |x 12345\n2 |x 3\n3 |x 2\n");
  EXPECT_EQ(file.data->index().cost_measure().name, "bytes");
  EXPECT_EQ(costs_of(*file.data), (CostList{7, 18, 7}));
}

TEST(Costs, OfAConcatenationComeFromItsMembers) {
  for (const ConcatenatedKeys keys : {ConcatenatedKeys::distinct, ConcatenatedKeys::number}) {
    const auto both =
        concatenate({x_text("1 |x 1\n2 |x 12\n"), x_text("3 |x 123\n4 |x 1\n")}, {.keys = keys});
    EXPECT_EQ(both->index().cost_measure().name, "bytes");
    EXPECT_EQ(costs_of(*both), (CostList{7, 8, 9, 7}));
  }
  const std::shared_ptr<const Deserializer> numbered =
      concatenate({costed("pixels", {3, 0}), costed("pixels", {1 << 20, 9})},
                  {.keys = ConcatenatedKeys::number});
  EXPECT_EQ(costs_of(*numbered), (CostList{3, 0, 1 << 20, 9}));
}

TEST(Costs, OfAConcatenationAreUndeclaredIfMembersDiffer) {
  const ConcatenateOptions options{.keys = ConcatenatedKeys::number};
  const std::shared_ptr<const Deserializer> different =
      concatenate({costed("pixels", {3, 0}), costed("ms", {1, 9})}, options);
  EXPECT_EQ(costs_of(*different), CostList{});
  EXPECT_EQ(
      refusal_of(different),
      "unit \"cost\": the data declare no cost of a sequence: fake pixels declares \"pixels\", "
      "and fake ms declares \"ms\"; leave unit out, or read data that declare one "
      "(docs/options.md)");
  const std::shared_ptr<const Deserializer> without =
      concatenate({costed("pixels", {3, 0}), costed("", {})}, options);
  EXPECT_EQ(
      refusal_of(without),
      "unit \"cost\": the data declare no cost of a sequence: fake pixels declares \"pixels\", "
      "and fake  declares no cost; leave unit out, or read data that declare one "
      "(docs/options.md)");
}

TEST(Costs, OfJoinedTextCountTheBytesOfAllFiles) {
  // The same keys in two orders.
  for (const char* z : {"1 |z 1\n2 |z 2222\n", "2 |z 2222\n1 |z 1\n"}) {
    const std::shared_ptr<const Deserializer> joined =
        join({x_text("1 |x 1\n2 |x 12\n"), z_text(z)}, {});
    EXPECT_EQ(joined->index().cost_measure().name, "bytes");
    EXPECT_EQ(costs_of(*joined), (CostList{14, 18}));
    EXPECT_EQ(joined->index().sequences(ChunkIndex{})->columns().rare,
              nullptr);  // offsets give the costs
  }
}

TEST(Costs, OfAJoinAddUpTheDeclaredCosts) {
  const auto z = [] { return z_text("1001 |z 1\n1000 |z 22\n"); };
  const std::shared_ptr<const Deserializer> one = join({costed("", {}), z()}, {});
  EXPECT_EQ(one->index().cost_measure().name, "bytes");
  EXPECT_EQ(costs_of(*one), (CostList{11, 10}));
  const std::shared_ptr<const Deserializer> sum = join({costed("bytes", {300, 0}), z()}, {});
  EXPECT_EQ(costs_of(*sum), (CostList{311, 10}));
  // An index kept in a file has the same costs.
  const std::shared_ptr<const Deserializer> small =
      join({costed("bytes", {300, 0}), z()}, {.memory_limit_bytes = 1});
  EXPECT_EQ(costs_of(*small), (CostList{311, 10}));
  const std::shared_ptr<const Deserializer> none = join({costed("", {})}, {});
  EXPECT_EQ(costs_of(*none), CostList{});
}

TEST(Costs, OfAJoinAreUndeclaredIfMembersDiffer) {
  const std::shared_ptr<const Deserializer> joined =
      join({costed("pixels", {3, 0}), z_text("1000 |z 1\n1001 |z 22\n")}, {});
  EXPECT_EQ(
      refusal_of(joined),
      "unit \"cost\": the data declare no cost of a sequence: fake pixels declares \"pixels\", "
      "and z.ctf declares \"bytes\"; leave unit out, or read data that declare one "
      "(docs/options.md)");
}

TEST(Costs, OfAbsentSequencesAreZero) {
  const std::shared_ptr<const Deserializer> joined =
      join({costed("pixels", {3, 5}), z_text("1001 |z 1\n")},
           {.missing_sequences = MissingSequences::absent});
  EXPECT_EQ(joined->index().cost_measure().name, "");
  const std::shared_ptr<const Deserializer> text =
      join({x_text("1 |x 1\n2 |x 12\n"), z_text("1 |z 1\n")},
           {.missing_sequences = MissingSequences::absent});
  EXPECT_EQ(costs_of(*text), (CostList{14, 8}));
}

}  // namespace
}  // namespace sheaf
