#include "transform/chain.h"

#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "image/image_decoder.h"
#include "support/test_transforms.h"
#include "transform/test_chain.h"

namespace sheaf::internal {
namespace {

using Values = std::vector<std::vector<float>>;  // of each stream

// Applies a chain to streams of one value for each sample, and returns the values.
Values applied(const TransformChain& chain, const Values& values,
               const std::optional<SampleRange>& slice = {}, const ChainedSequence& sequence = {}) {
  std::vector<SequenceView> views;
  for (const std::vector<float>& stream : values) {
    const std::int64_t count = std::ssize(stream);
    views.push_back({.values = reinterpret_cast<const std::byte*>(stream.data()),
                     .sample_count = count,
                     .value_count = count});
  }
  std::vector<SequenceView> results(chain.streams().size());
  std::pmr::monotonic_buffer_resource memory;
  TransformChain::Scratch scratch;
  static_cast<void>(chain.apply(sequence, views, slice, results, memory, scratch));
  Values made;
  for (const SequenceView& view : results) {
    const auto* const first = reinterpret_cast<const float*>(view.values);
    made.emplace_back(first, first + view.sample_count);
  }
  return made;
}

TEST(TransformChain, AppliesOneTransformAfterTheOther) {
  const TransformChain chain =
      chain_of({dense("a")}, {"function:a:name=halve", "reverse:a", "function:a:name=halve"});
  EXPECT_EQ(applied(chain, {{0, 1, 2, 3, 4, 5, 6}}), (Values{{6, 2}}));
  EXPECT_EQ(chain.sample_count(7), 2);
  EXPECT_FALSE(chain.keeps_counts());
}

TEST(TransformChain, SlicesEqualPartsOfTheWhole) {
  const TransformChain chain =
      chain_of({dense("a"), dense("b")}, {"reverse", "function:a+b:name=halve", "reverse:b"});
  const Values values = {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {9, 8, 7, 6, 5, 4, 3, 2, 1}};
  const Values whole = applied(chain, values);
  EXPECT_EQ(whole, (Values{{8, 6, 4, 2, 0}, {9, 7, 5, 3, 1}}));
  for (std::int64_t first = 0; first < 5; ++first) {
    for (std::int64_t count = 0; first + count <= 5; ++count) {
      Values expected;
      for (const std::vector<float>& stream : whole) {
        expected.emplace_back(stream.begin() + first, stream.begin() + first + count);
      }
      EXPECT_EQ(applied(chain, values, SampleRange{first, count}), expected);
    }
  }
}

TEST(TransformChain, ClipsASliceAtTheEndOfEachStream) {
  const TransformChain chain = chain_of({dense("a"), dense("b")}, {"reverse"});
  EXPECT_EQ(applied(chain, {{0, 1, 2, 3}, {4}}, SampleRange{1, 2}), (Values{{2, 1}, {}}));
}

TEST(TransformChain, MakesStreamsOfNewNamesBesideTheOthers) {
  const TransformChain chain =
      chain_of({dense("a"), dense("b")}, {"reverse:a:as=r", "select:r+a", "rename:r:as=x"});
  ASSERT_EQ(chain.streams().size(), 2U);
  EXPECT_EQ(chain.streams()[0].name, "x");
  EXPECT_EQ(chain.streams()[1].name, "a");
  EXPECT_EQ(applied(chain, {{1, 2, 3}, {4}}), (Values{{3, 2, 1}, {1, 2, 3}}));
}

TEST(TransformChain, KeepsAbsentAndEmptyStreams) {
  const TransformChain chain = chain_of({dense("a"), dense("b")}, {"reverse"});
  const float value = 7;
  const std::vector<SequenceView> views = {
      {.is_present = false},
      {.values = reinterpret_cast<const std::byte*>(&value), .sample_count = 1, .value_count = 1}};
  std::vector<SequenceView> results(2);
  std::pmr::monotonic_buffer_resource memory;
  TransformChain::Scratch scratch;
  EXPECT_EQ(chain.apply({}, views, {}, results, memory, scratch), 1);
  EXPECT_FALSE(results[0].is_present);
  EXPECT_EQ(results[0].sample_count, 0);
  EXPECT_TRUE(results[1].is_present);
  EXPECT_EQ(applied(chain, {{}, {}}), (Values{{}, {}}));
}

TEST(TransformChain, RandomnessDependsOnSeedSweepSequenceAndPositionInTheChain) {
  const TransformChain chain =
      chain_of({dense("a"), dense("b")}, {"function:a:name=noise", "function:b:name=noise"}, 7);
  const Values first = applied(chain, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 1});
  EXPECT_NE(first[0], first[1]);  // the generators noise and noise#2 differ
  EXPECT_EQ(first, applied(chain, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 1}));
  EXPECT_NE(first[0], applied(chain, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 2})[0]);
  EXPECT_NE(first[0], applied(chain, {{0}, {0}}, {}, {.key = {6, 0}, .sweep = 1})[0]);
  const TransformChain other =
      chain_of({dense("a"), dense("b")}, {"function:a:name=noise", "function:b:name=noise"}, 8);
  EXPECT_NE(first[0], applied(other, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 1})[0]);
}

// A wrong image does not take the numbers away from a transform of another stream.
TEST(TransformChain, DrawsForTransformsBesideAWrongImage) {
  if (!has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const Stream images{
      .name = "image", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};
  for (const bool is_first : {true, false}) {
    std::vector<std::string_view> texts = {"decode:image",
                                           "crop:image:size=4,at=random,draws=ordered"};
    texts.insert(is_first ? texts.begin() : texts.end(), "function:a:name=ordered");
    const TransformChain chain = chain_of({dense("a"), images}, texts);
    ASSERT_EQ(chain.ordered_count(), 2U);
    const float value = 4;
    const std::string bytes = "no image";
    const std::vector<std::int64_t> offsets = {0, std::ssize(bytes)};
    const std::vector<SequenceView> sources = {
        {.values = reinterpret_cast<const std::byte*>(&value), .sample_count = 1, .value_count = 1},
        {.values = reinterpret_cast<const std::byte*>(bytes.data()),
         .sample_offsets = offsets.data(),
         .sample_count = 1,
         .value_count = offsets[1]}};
    ChainDraws draws(chain, {});
    DrawnNumbers drawn;
    EXPECT_FALSE(draws.draw(0, sources, drawn));
    EXPECT_FALSE(draws.draw(0, {}, drawn)) << "a hole";
    const std::size_t of_values = is_first ? 0 : 1;
    EXPECT_EQ(drawn.at(of_values).size(), 1U);
    EXPECT_EQ(drawn.at(1 - of_values).size(), 1U);
    EXPECT_EQ(drawn.at(1 - of_values)[0], -1) << "passed over";
    EXPECT_TRUE(drawn.at(2).empty() && drawn.at(3).empty());
    EXPECT_EQ(ChainDraws(chain, draws.state()).state(), draws.state());
  }
}

TEST(TransformChain, ErrorsNameTransformAndSequence) {
  const TransformChain chain = chain_of({dense("a")}, {"function:a:name=fails"});
  const auto text_of = [&](const ChainedSequence& sequence) -> std::string {
    try {
      static_cast<void>(applied(chain, {{1}}, {}, sequence));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(text_of({.key = {14, 0}}),
            "transform \"function:a:name=fails\": sequence 14: this cannot be");
  EXPECT_EQ(text_of({.key = {14, 1}, .key_text = "utt"}),
            "transform \"function:a:name=fails\": sequence \"utt\": this cannot be");
}

}  // namespace
}  // namespace sheaf::internal
