#include "transform/chain.h"

#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/test_transforms.h"

namespace sheaf::internal {
namespace {

Stream dense(std::string_view name) {
  return {.name = std::string(name), .sample_shape = Shape{1}};
}

std::vector<TransformSpec> specs(const std::vector<std::string_view>& texts) {
  std::vector<TransformSpec> all;
  for (const std::string_view text : texts) all.push_back(parse_transform(text));
  return all;
}

TransformChain chain_of(const std::vector<Stream>& streams,
                        const std::vector<std::string_view>& texts, std::uint64_t seed = 0) {
  return {streams, specs(texts), {.seed = seed, .functions = &testing::test_functions()}};
}

std::string message_of(const std::vector<Stream>& streams,
                       const std::vector<std::string_view>& texts) {
  try {
    static_cast<void>(chain_of(streams, texts));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

using Values = std::vector<std::vector<float>>;  // of each stream

// Streams of one value a sample in, and out.
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

TEST(TransformChain, GivesASliceOfTheWhole) {
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

TEST(TransformChain, CutsASliceAtTheEndOfEachStream) {
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

TEST(TransformChain, KeepsAbsentAndEmptyStreamsAsTheyAre) {
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

TEST(TransformChain, KeysRandomnessBySeedSweepSequenceAndPlaceInTheChain) {
  const TransformChain chain =
      chain_of({dense("a"), dense("b")}, {"function:a:name=noise", "function:b:name=noise"}, 7);
  const Values first = applied(chain, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 1});
  EXPECT_NE(first[0], first[1]);  // noise and noise#2
  EXPECT_EQ(first, applied(chain, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 1}));
  EXPECT_NE(first[0], applied(chain, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 2})[0]);
  EXPECT_NE(first[0], applied(chain, {{0}, {0}}, {}, {.key = {6, 0}, .sweep = 1})[0]);
  const TransformChain other =
      chain_of({dense("a"), dense("b")}, {"function:a:name=noise", "function:b:name=noise"}, 8);
  EXPECT_NE(first[0], applied(other, {{0}, {0}}, {}, {.key = {5, 0}, .sweep = 1})[0]);
}

TEST(TransformChain, SaysWhatTheResultDependsOn) {
  EXPECT_EQ(chain_of({dense("a")}, {"reverse", "function:name=halve"}, 3).text(),
            "reverse:a; halve:a:every=2");
  EXPECT_EQ(chain_of({dense("a")}, {"function:a:name=noise,as=b"}, 3).text(),
            "noise:a:as=b; seed 3");
}

TEST(TransformChain, CountsTheStreamThatDefinesTheSize) {
  std::vector<Stream> streams = {dense("a"), dense("b")};
  streams[1].defines_minibatch_size = true;
  EXPECT_TRUE(chain_of(streams, {"function:a:name=halve"}).keeps_counts());
  EXPECT_EQ(chain_of(streams, {"function:b:name=halve"}).sample_count(9), 5);
  EXPECT_EQ(chain_of(streams, {"function:name=halve"}).sample_count(9), 5);
  EXPECT_TRUE(chain_of(streams, {"function:b:name=halve"}).streams()[1].defines_minibatch_size);
  EXPECT_FALSE(
      chain_of(streams, {"function:b:name=halve,as=c"}).streams()[2].defines_minibatch_size);
  EXPECT_TRUE(chain_of(streams, {"function:b:name=halve,as=c"}).keeps_counts());
  EXPECT_EQ(message_of(streams, {"function:a+b:name=halve"}),
            "transform \"function:a+b:name=halve\": the stream \"b\" defines the minibatch size; "
            "it must be the first that is read");
}

TEST(TransformChain, RefusesCountsThatAreOpen) {
  EXPECT_EQ(message_of({dense("a"), dense("b")}, {"function:a:name=halve"}),
            "transforms: the numbers of samples of \"a\" and \"b\" change in different ways, so it "
            "is open which of them minibatch sizes count; say which stream defines the minibatch "
            "size, or give the transform all streams");
  EXPECT_EQ(chain_of({dense("a"), dense("b")}, {"function:name=halve"}).sample_count(4), 2);
  EXPECT_EQ(
      chain_of({dense("a"), dense("b")}, {"function:a:name=halve", "select:a"}).sample_count(4), 2);
}

TEST(TransformChain, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(message_of({dense("a")}, {"revers:a"}),
            "transform \"revers:a\": there is no type \"revers\"; did you mean \"reverse\"?");
  EXPECT_EQ(message_of({dense("features"), dense("b")}, {"reverse:feature"}),
            "transform \"reverse:feature\": there is no stream \"feature\"; the streams are "
            "\"features\", \"b\"; did you mean features?");
  EXPECT_EQ(message_of({dense("a")}, {"reverse:a+a"}),
            "transform \"reverse:a+a\": the stream \"a\" is named twice");
  EXPECT_EQ(message_of({dense("a"), dense("b")}, {"rename:a:as=b"}),
            "transform \"rename:a:as=b\": two streams would be called \"b\"");
  EXPECT_EQ(message_of({dense("a"), dense("b")}, {"rename:a:as=x+y"}),
            "transform \"rename:a:as=x+y\": as needs one name for each of 1 streams, got 2");
  EXPECT_EQ(message_of({dense("a")}, {"select"}),
            "transform \"select\": the streams are needed, such as \"TYPE:features\"");
  EXPECT_EQ(message_of({dense("a")}, {"function:a:name=no"}),
            "transform \"function:a:name=no\": the program gives no function \"no\"");
}

TEST(TransformChain, NamesTransformAndSequenceWhereOneFails) {
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
