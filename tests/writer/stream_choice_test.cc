#include "writer/stream_choice.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "packer/made_up_data.h"

namespace sheaf::internal {
namespace {

const std::vector<Stream> kGiven = {
    {.name = "x", .element_type = ElementType::f64, .sample_shape = {2}},
    {.name = "y",
     .element_type = ElementType::f32,
     .sample_shape = {9},
     .storage = Storage::sparse,
     .defines_minibatch_size = true},
    {.name = "n", .element_type = ElementType::i32, .sample_shape = {}},
};

std::string refusal(const std::vector<WrittenStream>& written) {
  try {
    const StreamChoice choice(kGiven, written);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(StreamChoice, SelectsAllStreamsByDefault) {
  const StreamChoice choice(kGiven, {});
  EXPECT_TRUE(std::ranges::equal(choice.streams(), kGiven));
  EXPECT_EQ(choice.source(0), 0);
  EXPECT_EQ(choice.source(2), 2);
}

TEST(StreamChoice, StreamsAreChosenRenamedAndConvertedInTheOrderGiven) {
  const std::vector<WrittenStream> written = {
      {.name = "y", .dtype = ElementType::f64, .defines_minibatch_size = false},
      {.name = "x", .alias = "features", .dtype = ElementType::f32},
      {.name = "x", .defines_minibatch_size = true},
  };
  const StreamChoice choice(kGiven, written);
  ASSERT_EQ(choice.streams().size(), 3U);
  Stream y = kGiven[1];
  y.element_type = ElementType::f64;
  y.defines_minibatch_size = false;
  EXPECT_EQ(choice.streams()[0], y);
  EXPECT_EQ(choice.source(0), 1);
  EXPECT_EQ(choice.streams()[1],
            (Stream{.name = "features", .element_type = ElementType::f32, .sample_shape = {2}}));
  EXPECT_EQ(choice.source(1), 0);
  Stream x = kGiven[0];
  x.defines_minibatch_size = true;
  EXPECT_EQ(choice.streams()[2], x);
}

TEST(StreamChoice, InvalidSelectionsAreRefused) {
  EXPECT_EQ(refusal({{.name = "z"}}),
            "no stream is named \"z\": what is to be written has \"x\", \"y\", \"n\"");
  EXPECT_EQ(refusal({{.name = "n", .dtype = ElementType::bytes}}),
            "stream \"n\": i32 values cannot be written as bytes: bytes are no numbers");
  EXPECT_EQ(refusal({{.name = "n", .dtype = ElementType::bf16}}), "none");
  EXPECT_EQ(refusal({{.name = "x"}, {.name = "y", .alias = "x"}}),
            "two streams would be written as \"x\"");
  EXPECT_EQ(refusal({{.name = "x", .defines_minibatch_size = true}, {.name = "y"}}),
            "streams \"x\" and \"y\" both define the minibatch size; one at most can");
  EXPECT_THROW(StreamChoice({}, {}), ConfigError);
}

TEST(StreamChoice, ConvertsTheValuesOfEachSequence) {
  const std::vector<Stream> given = {kGiven[0], kGiven[1]};
  const std::vector<WrittenStream> written = {{.name = "x", .dtype = ElementType::f32},
                                              {.name = "y"}};
  const StreamChoice choice(given, written);
  std::vector<Column> columns(2);
  columns[0].values = testing::to_buffer<double>({1, 0.1, -1e300, 4, 5, HUGE_VAL});
  columns[0].sequence_offsets = testing::to_buffer<std::int64_t>({0, 2, 2, 3});
  columns[0].presence = testing::to_buffer<std::uint8_t>({1, 0, 1});
  columns[1].values = testing::to_buffer<float>({1, 2, 3});
  columns[1].indices = testing::to_buffer<std::int32_t>({8, 0, 1});
  columns[1].sample_offsets = testing::to_buffer<std::int64_t>({0, 1, 1, 2, 3});
  columns[1].sequence_offsets = testing::to_buffer<std::int64_t>({0, 1, 3, 4});
  const Chunk chunk(given, 3, std::move(columns));
  std::vector<std::vector<SequenceView>> views(2);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t n = 0; n < 3; ++n) {
      views[static_cast<std::size_t>(i)].push_back(chunk.view(i, n));
    }
  }

  const ChosenViews chosen = choice.convert({views[0], views[1]});
  EXPECT_EQ(chosen.values_out_of_range, 1);
  EXPECT_EQ(chosen.views[1].data(), views[1].data());  // no conversion is needed
  ASSERT_EQ(chosen.views[0].size(), 3U);
  const auto values = [&](std::size_t n) {
    const SequenceView& view = chosen.views[0][n];
    const auto* const first = reinterpret_cast<const float*>(view.values);
    return std::vector<float>(first, first + view.value_count);
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(values(0), (std::vector<float>{1, 0.1F, -kInfinity, 4}));
  EXPECT_EQ(values(1), std::vector<float>());
  EXPECT_EQ(values(2), (std::vector<float>{5, kInfinity}));
  EXPECT_EQ(chosen.views[0][0].sample_count, 2);
  EXPECT_FALSE(chosen.views[0][1].is_present);

  EXPECT_EQ(choice.sample_count(chosen.views), 4) << "y defines the minibatch size";
  const std::vector<WrittenStream> longest = {{.name = "x"},
                                              {.name = "y", .defines_minibatch_size = false}};
  EXPECT_EQ(StreamChoice(given, longest).sample_count(chosen.views), 2 + 2 + 1);
}

TEST(StreamChoice, NamesTheFirstValueThatTheTypeCannotHold) {
  const std::vector<Stream> given = {kGiven[0]};
  std::vector<Column> columns(1);
  columns[0].values = testing::to_buffer<double>({1, 255, 3, 4, 0, 256});
  columns[0].sequence_offsets = testing::to_buffer<std::int64_t>({0, 1, 1, 3});
  const Chunk chunk(given, 3, std::move(columns));
  std::vector<SequenceView> views;
  for (std::int64_t n = 0; n < 3; ++n) views.push_back(chunk.view(0, n));
  const auto converted = [&](ElementType type) {
    return StreamChoice(given, std::vector<WrittenStream>{{.name = "x", .dtype = type}})
        .convert({views});
  };
  const ChosenViews wide = converted(ElementType::u16);
  EXPECT_FALSE(wide.lost);
  EXPECT_EQ(reinterpret_cast<const std::uint16_t*>(wide.views[0][2].values)[3], 256);
  const ChosenViews narrow = converted(ElementType::u8);
  ASSERT_TRUE(narrow.lost);
  EXPECT_EQ(narrow.lost->stream, 0U);
  EXPECT_EQ(narrow.lost->sequence, 2U);
  EXPECT_EQ(narrow.lost->value, 3);
  EXPECT_EQ(narrow.lost->text, "256");
}

}  // namespace
}  // namespace sheaf::internal
