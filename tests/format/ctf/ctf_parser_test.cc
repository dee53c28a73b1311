#include "format/ctf/ctf_parser.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/ctf/ctf_deserializer.h"

namespace sheaf::ctf {
namespace {

template <typename T>
std::vector<T> list(const Buffer& buffer) {
  const auto values = buffer.as<T>();
  return {values.begin(), values.end()};
}

std::vector<std::string> messages(const Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic& d : diagnostics.described()) {
    texts.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.code + ": " +
                    message(d));
  }
  return texts;
}

const FormatOptions kParserOptions = {
    .streams = {{.name = "x", .alias = "F", .sample_shape = Shape{2}},
                {.name = "y", .storage = Storage::sparse, .sample_shape = Shape{10}}}};

TEST(CtfParser, ReadsColumns) {
  const CtfDeserializer data(
      memory_source("0 |F 1 2 |y 3:1\n0 |F 3 4 |y 9:2 1:0.5\n7|F -1 .5|y\n", "text"),
      kParserOptions);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);

  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(chunk.sequence_count(), 2);
  const Column& x = chunk.columns()[0];
  EXPECT_EQ(list<float>(x.values), (std::vector<float>{1, 2, 3, 4, -1, .5F}));
  EXPECT_EQ(list<std::int64_t>(x.sequence_offsets), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_TRUE(x.sample_offsets.empty());
  const Column& y = chunk.columns()[1];
  EXPECT_EQ(list<std::int32_t>(y.indices), (std::vector<std::int32_t>{3, 1, 9}));
  EXPECT_EQ(list<float>(y.values), (std::vector<float>{1, .5F, 2}));
  EXPECT_EQ(list<std::int64_t>(y.sample_offsets), (std::vector<std::int64_t>{0, 1, 3, 3}));
}

TEST(CtfParser, WritesNoOffsetsForSequencesOfOneSample) {
  const CtfDeserializer data(memory_source("|F 1 2 |y 1:1\n|F 3 4 |y\n", "text"), kParserOptions);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  EXPECT_TRUE(chunk.columns()[0].sequence_offsets.empty());
  EXPECT_TRUE(chunk.columns()[1].sequence_offsets.empty());
}

TEST(CtfParser, DropsASequenceWithErrorsAndReportsEachError) {
  const CtfDeserializer data(memory_source("0 |F 1 2 |y 1:1\n"
                                           "1 |F 1 2 |y 1:1\n"
                                           "1 |F 1 1.2.3 |y 10:1\n"
                                           "1 |F 1 |y 1\n"
                                           "2 |F 5 6 |y 2:1\n",
                                           "text"),
                             kParserOptions);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  EXPECT_EQ(messages(diagnostics),
            (std::vector<std::string>{
                "3:8 ctf-number: stream \"x\": expected a number, found \"1.2.3\"",
                "3:17 ctf-index-range: stream \"y\": expected an index below 10, found \"10\"",
                "4:3 ctf-few-values: stream \"x\": expected 2 values, found 1",
                "4:11 ctf-pair: stream \"y\": expected index:value, found \"1\""}));
  ASSERT_EQ(chunk.sequence_count(), 3);
  EXPECT_EQ(std::vector<std::int64_t>(chunk.holes().begin(), chunk.holes().end()),
            std::vector<std::int64_t>{1});
  EXPECT_EQ(list<float>(chunk.columns()[0].values), (std::vector<float>{1, 2, 5, 6}));
  EXPECT_EQ(list<std::int64_t>(chunk.columns()[0].sequence_offsets),
            (std::vector<std::int64_t>{0, 1, 1, 2}));
  EXPECT_EQ(diagnostics.entries()[0].sequence, 1);
}

TEST(CtfParser, ErrorsQuoteTheirRow) {
  const CtfDeserializer data(memory_source("318 |y 1:1 |F 0.5 1.2.3\n", "train.ctf"),
                             kParserOptions);
  Diagnostics diagnostics;
  (void)data.read({.chunk = {}}, diagnostics);
  ASSERT_EQ(diagnostics.described().size(), 1U);
  EXPECT_EQ(to_string(diagnostics.described()[0]),
            "train.ctf:1:19: error: stream \"x\": expected a number, found \"1.2.3\" [ctf-number]\n"
            "  318 |y 1:1 |F 0.5 1.2.3\n"
            "                    ^~~~~");
  EXPECT_EQ(diagnostics.described()[0].sequence_key, "318");
  EXPECT_EQ(diagnostics.described()[0].byte_offset, 18);
}

TEST(CtfParser, NamesTheOtherLineOfARepeatedIdAndTheRowOfAMissingStream) {
  const CtfDeserializer data(memory_source("5 |F 1 2 |y\n6 |F 1 2\n6 |F 1 2\n5 |F 1 2 |y\n", "t"),
                             kParserOptions);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  EXPECT_EQ(chunk.holes().size(), 2U);
  ASSERT_EQ(diagnostics.described().size(), 2U);
  EXPECT_EQ(to_string(diagnostics.described()[0]),
            "t:2:1: error: stream \"y\": expected at least one sample in each sequence, found none "
            "[ctf-missing-stream]\n  6 |F 1 2\n  ^\n"
            "  missing_streams=allow (--missing-streams allow) reads it without");
  EXPECT_EQ(
      to_string(diagnostics.described()[1]),
      "t:4:1: error: expected an id that no earlier sequence has (line 1 has it), found \"5\" "
      "[ctf-repeated-id]\n  5 |F 1 2 |y\n  ^\n  the rows of a sequence stand together: sort -s -n "
      "-k1,1 FILE; files "
      "that each count from 0 are not put into one: give them all, with same_keys=\"number\" "
      "(--same-keys number)");
}

TEST(CtfParser, NeedsNoMemoryForMissingValues) {
  FormatOptions options = kParserOptions;
  options.streams[0].sample_shape = Shape{std::int64_t{1} << 40};
  const CtfDeserializer data(memory_source("0 |F 1 2 |y\n", "text"), options);
  EXPECT_LT(data.index().chunk(ChunkIndex{})->decoded_size_bytes, 10'000);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  EXPECT_EQ(messages(diagnostics),
            std::vector<std::string>{"1:3 ctf-few-values: stream \"x\": expected 1099511627776 "
                                     "values, found 2"});
  EXPECT_LT(chunk.memory_bytes(), 10'000);
}

TEST(CtfParser, NeedsLittleMemoryForThousandsOfMissingStreams) {
  FormatOptions options;
  for (int i = 0; i < 5000; ++i) {
    options.streams.push_back({.name = "s" + std::to_string(i), .sample_shape = Shape{1}});
  }
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + " |s7 1\n";
  const CtfDeserializer data(memory_source(text, "text"), options);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  EXPECT_EQ(chunk.holes().size(), 100U);
  EXPECT_EQ(diagnostics.described()[6].stream, "s6");
  EXPECT_EQ(diagnostics.described()[7].stream, "s8");
  // All errors of thirteen sequences, some of the next, and one of each other sequence.
  EXPECT_EQ(std::ssize(diagnostics.entries()), Diagnostics::kNotedMax + 100 - 14);
}

TEST(CtfParser, SortsAnyNumberOfPairs) {
  constexpr int kDim = 5003;  // a prime, so that the steps reach each index once
  FormatOptions options = kParserOptions;
  options.streams.erase(options.streams.begin());
  options.streams[0].sample_shape = Shape{kDim};
  for (const int step : {1, 2, 2501, kDim - 1}) {
    std::string text = "0 |y";
    for (int i = 1; i <= kDim; ++i) {
      const int index = static_cast<int>(std::int64_t{i} * step % kDim);
      text += " " + std::to_string(index) + ":" + std::to_string(index + 1);
    }
    const CtfDeserializer data(memory_source(text + "\n", "text"), options);
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = {}}, diagnostics);
    ASSERT_TRUE(diagnostics.empty());
    const auto indices = list<std::int32_t>(chunk.columns()[0].indices);
    const auto values = list<float>(chunk.columns()[0].values);
    ASSERT_EQ(indices.size(), static_cast<std::size_t>(kDim));
    for (int i = 0; i < kDim; ++i) {
      EXPECT_EQ(indices[static_cast<std::size_t>(i)], i);
      EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(i + 1));
    }
  }
}

TEST(CtfParser, DescribesOnlyErrorsThatAreKept) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + " |F x 1 |y\n";
  const CtfDeserializer data(memory_source(text, "text"), kParserOptions);
  Diagnostics diagnostics(3);
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  EXPECT_EQ(chunk.holes().size(), 50U);
  EXPECT_EQ(diagnostics.entries().size(), 50U);
  EXPECT_EQ(diagnostics.described().size(), 3U);
  EXPECT_EQ(diagnostics.entries()[49].byte_offset, static_cast<std::int64_t>(text.size()) - 7);
}

}  // namespace
}  // namespace sheaf::ctf
