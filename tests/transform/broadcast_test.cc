#include <array>
#include <memory_resource>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_transform.h"
#include "transform/test_chain.h"

namespace sheaf {
namespace {

using testing::error_of;

TestSequence named(TestSequence sequence, std::string name) {
  sequence.stream.name = std::move(name);
  return sequence;
}

std::shared_ptr<const Transform> broadcast() {
  return make_type("broadcast", {{"like", "frames"}});
}

TEST(Broadcast, RepeatsTheOneSample) {
  for (const std::int64_t count : {1, 2, 7}) {
    const std::vector<TestSequence> made =
        run_transform(*broadcast(), {counting(count, 2), named(counting(1, 3), "speaker")});
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].stream.name, "speaker");
    EXPECT_EQ(made[0].samples,
              std::vector<std::vector<double>>(static_cast<std::size_t>(count), {0, 1, 2}));
  }
}

TEST(Broadcast, RepeatsASparseSample) {
  TestSequence sparse{
      .stream = {.name = "tag", .sample_shape = Shape{9}, .storage = Storage::sparse},
      .samples = {{0.5, 2}},
      .indices = {{1, 8}}};
  const std::vector<TestSequence> made = run_transform(*broadcast(), {counting(3, 1), sparse});
  EXPECT_EQ(made[0].samples, (std::vector<std::vector<double>>{{0.5, 2}, {0.5, 2}, {0.5, 2}}));
  EXPECT_EQ(made[0].indices, (std::vector<std::vector<std::int64_t>>{{1, 8}, {1, 8}, {1, 8}}));
}

TEST(Broadcast, SlicesEqualPartsOfTheWhole) {
  expect_slices(*broadcast(), {counting(6, 2), named(counting(1, 3), "speaker")});
}

TEST(Broadcast, RefusesSequencesOfSeveralSamples) {
  for (const std::int64_t count : {0, 2}) {
    EXPECT_EQ(
        error_of<ConfigError>([&] {
          run_transform(*broadcast(), {counting(3, 1), named(counting(count, 1), "speaker")});
        }),
        "stream \"speaker\" must have one sample, which is repeated: got " + std::to_string(count));
  }
}

// In a chain, `like` is read for its length only. No sample of `like` is made for the result.
TEST(Broadcast, HasTheLengthOfTheReferenceStream) {
  const std::vector<Stream> streams = {internal::dense("frames"), internal::dense("speaker")};
  const internal::TransformChain chain =
      internal::chain_of(streams, {"broadcast:speaker:like=frames", "clip:samples=2,at=end"});
  EXPECT_EQ(chain.text(), "broadcast:frames+speaker; clip:frames+speaker:samples=2,at=end");
  EXPECT_EQ(chain.sample_count(5), 2);

  const std::array<float, 4> frames = {1, 2, 3, 4};
  const float speaker = 7;
  const std::array<SequenceView, 2> views = {{
      {.values = reinterpret_cast<const std::byte*>(frames.data()), .sample_count = 4},
      {.values = reinterpret_cast<const std::byte*>(&speaker), .sample_count = 1},
  }};
  std::array<SequenceView, 2> results;
  std::pmr::monotonic_buffer_resource memory;
  internal::TransformChain::Scratch scratch;
  EXPECT_EQ(chain.apply({.needs_equal_streams = true}, views, SampleRange{1, 1}, results, memory,
                        scratch),
            2);
  EXPECT_EQ(*reinterpret_cast<const float*>(results[0].values), 4);
  EXPECT_EQ(*reinterpret_cast<const float*>(results[1].values), 7);
  EXPECT_EQ(results[1].sample_count, 1);

  std::array<SequenceView, 2> absent = views;
  absent[1] = {.is_present = false};
  chain.apply({}, absent, {}, results, memory, scratch);
  EXPECT_FALSE(results[1].is_present);
  EXPECT_TRUE(results[0].is_present);
}

TEST(Broadcast, CountsOneSampleIfItsStreamDefinesTheSize) {
  std::vector<Stream> streams = {internal::dense("frames"), internal::dense("speaker")};
  streams[1].defines_minibatch_size = true;
  const internal::TransformChain chain =
      internal::chain_of(streams, {"broadcast:speaker:like=frames"});
  EXPECT_TRUE(chain.keeps_counts());
  EXPECT_FALSE(chain.streams()[1].defines_minibatch_size);
}

TEST(Broadcast, NamesAMissingReferenceStream) {
  const auto refusal = [](std::string_view text) {
    return error_of<ConfigError>([&] {
      static_cast<void>(
          internal::chain_of({internal::dense("frames"), internal::dense("speaker")}, {text}));
    });
  };
  EXPECT_EQ(refusal("broadcast:speaker"),
            "transform \"broadcast:speaker\": like is needed: the name of a stream");
  EXPECT_EQ(refusal("broadcast:speaker:like=frame"),
            "transform \"broadcast:speaker:like=frame\": there is no stream \"frame\"; the streams "
            "are \"frames\", \"speaker\"; did you mean frames?");
  EXPECT_EQ(refusal("broadcast:speaker:like=speaker"),
            "transform \"broadcast:speaker:like=speaker\": the stream \"speaker\" is named twice");
  EXPECT_EQ(error_of<ConfigError>([] {
              const Stream variable{.name = "v", .sample_shape = Shape{Shape::kVariable}};
              static_cast<void>(broadcast()->outputs(std::vector{Stream{}, variable}));
            }),
            "stream \"v\" must have samples of a fixed shape: got dense f32 [*]");
}

}  // namespace
}  // namespace sheaf
