// Tests the properties of a chain that are known before it sees a sequence.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/test_transforms.h"
#include "transform/test_chain.h"

namespace sheaf::internal {
namespace {

std::string message_of(const std::vector<Stream>& streams,
                       const std::vector<std::string_view>& texts) {
  try {
    static_cast<void>(chain_of(streams, texts));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ChainBinding, TextContainsEverythingThatChangesTheResult) {
  EXPECT_EQ(chain_of({dense("a")}, {"reverse", "function:name=halve"}, 3).text(),
            "reverse:a; halve:a:every=2");
  EXPECT_EQ(chain_of({dense("a")}, {"function:a:name=noise,as=b"}, 3).text(),
            "noise:a:as=b; seed 3");
}

TEST(ChainBinding, CountsTheDefiningStream) {
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

TEST(ChainBinding, RefusesAmbiguousCounts) {
  EXPECT_EQ(message_of({dense("a"), dense("b")}, {"function:a:name=halve"}),
            "transforms: the numbers of samples of \"a\" and \"b\" change in different ways, so it "
            "is open which of them minibatch sizes count; mark the stream of the data that defines "
            "the minibatch size, as in \"a:dense:mb\", or give the transform all streams");
  EXPECT_EQ(chain_of({dense("a"), dense("b")}, {"function:name=halve"}).sample_count(4), 2);
  EXPECT_EQ(
      chain_of({dense("a"), dense("b")}, {"function:a:name=halve", "select:a"}).sample_count(4), 2);
}

TEST(ChainBinding, NamesUnknownTypesAndStreams) {
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

TEST(ChainBinding, FusesCompatibleTransforms) {
  const auto& functions = testing::test_functions();
  const auto* const one = dynamic_cast<const testing::Adds*>(functions.at("add_1").get());
  const auto* const two = dynamic_cast<const testing::Adds*>(functions.at("add_2").get());
  const int before = one->applied_count + two->applied_count;
  const auto apply = [](const TransformChain& chain) {
    const std::vector<float> values = {10, 20};
    const SequenceView view{.values = reinterpret_cast<const std::byte*>(values.data()),
                            .sample_count = 2,
                            .value_count = 2};
    std::vector<SequenceView> results(chain.streams().size());
    std::pmr::monotonic_buffer_resource memory;
    TransformChain::Scratch scratch;
    static_cast<void>(chain.apply({}, {&view, 1}, {}, results, memory, scratch));
    float first = 0;
    std::memcpy(&first, results.back().values, sizeof(float));
    return first;
  };
  const TransformChain joined =
      chain_of({dense("a")}, {"function:a:name=add_1", "function:a:name=add_2"});
  EXPECT_EQ(apply(joined), 13);
  EXPECT_EQ(one->applied_count + two->applied_count, before);  // a merged transform did the work of
                                                               // both
  EXPECT_EQ(joined.text(), chain_of({dense("a")}, {"function:a:name=add_1"}).text() + "; " +
                               chain_of({dense("a")}, {"function:a:name=add_2"}).text());
  // The result of the first transform is also used, so nothing is merged.
  EXPECT_EQ(apply(chain_of({dense("a")}, {"function:a:name=add_1", "function:a:name=add_2,as=b"})),
            13);
  EXPECT_EQ(one->applied_count + two->applied_count, before + 2);
}

TEST(ChainBinding, RefusesOrderedDrawsAfterOtherTransforms) {
  EXPECT_EQ(chain_of({dense("a")}, {"function:a:name=ordered"}).ordered_count(), 1U);
  try {
    static_cast<void>(chain_of({dense("a")}, {"reverse:a", "function:a:name=ordered"}));
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("needs a stream of the data"), std::string::npos);
  }
}

}  // namespace
}  // namespace sheaf::internal
