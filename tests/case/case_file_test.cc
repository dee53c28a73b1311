#include "case/case_file.h"

#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::conformance {
namespace {

using std::string_literals::operator""s;

TEST(CaseFile, SectionsAreReadAsTheReadmeSays) {
  const CaseFile parsed = CaseFile::parse(
      "# what it is about\n"
      "--- streams  x: dense f64 [2,3] mb, y: sparse [9] index=i64 alias=L\n"
      "z: bytes [*]\n"
      "--- options chunk_size_bytes=7 depth=2\n"
      "--- input\n"
      "# no comment\n"
      "\n"
      "--- expect\n"
      "1 hole\n");
  ASSERT_EQ(parsed.options.streams.size(), 3U);
  const StreamOptions& x = parsed.options.streams[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.dtype, ElementType::f64);
  EXPECT_EQ(x.sample_shape, (Shape{2, 3}));
  EXPECT_TRUE(x.defines_minibatch_size);
  const StreamOptions& y = parsed.options.streams[1];
  EXPECT_EQ(y.storage, Storage::sparse);
  EXPECT_EQ(y.index_dtype, ElementType::i64);
  EXPECT_EQ(y.alias, "L");
  EXPECT_EQ(parsed.options.streams[2].sample_shape, Shape{Shape::kVariable});
  EXPECT_EQ(parsed.options.chunk_size_bytes, 7);
  EXPECT_EQ(parsed.options.extra.at("depth"), "2");
  EXPECT_EQ(parsed.input, "# no comment\n\n");
  EXPECT_EQ(parsed.expect, std::vector<std::string>{"1 hole"});
}

TEST(CaseFile, OptionsOfEveryFormatAreSet) {
  const auto options_of = [](const std::string& words) {
    return CaseFile::parse("--- streams x: [1]\n--- options " + words + "\n--- input\n--- expect\n")
        .options;
  };
  const FormatOptions set =
      options_of("compatibility=cntk missing_streams=allow keys=text skip_sequence_ids=true");
  EXPECT_EQ(set.compatibility, Compatibility::cntk);
  EXPECT_EQ(set.missing_streams, MissingStreams::allow);
  EXPECT_EQ(set.keys, KeyType::text);
  EXPECT_TRUE(set.skip_sequence_ids);
  EXPECT_TRUE(set.extra.empty());
  const FormatOptions unset =
      options_of("compatibility=strict missing_streams=error keys=numeric skip_sequence_ids=false");
  EXPECT_EQ(unset.compatibility, Compatibility::strict);
  EXPECT_EQ(unset.missing_streams, MissingStreams::error);
  EXPECT_EQ(unset.keys, KeyType::numeric);
  EXPECT_FALSE(unset.skip_sequence_ids);
}

TEST(CaseFile, WarningsAreComparedIfGiven) {
  const CaseFile none = CaseFile::parse("--- streams x: [1]\n--- input\n--- expect\n");
  EXPECT_FALSE(none.has_warnings);
  const CaseFile one =
      CaseFile::parse("--- streams x: [1]\n--- input\n--- expect\n--- warnings\n1:1: w [x]\n");
  EXPECT_TRUE(one.has_warnings);
  EXPECT_EQ(one.warnings, std::vector<std::string>{"1:1: w [x]"});
}

TEST(CaseFile, EscapedInputHasNoLineBreaksOfItsOwn) {
  const CaseFile parsed = CaseFile::parse(
      "--- streams x: [1]\n--- input escaped\n\\xEF\\xBB\\xBFa\\s\\0\nb\\r\\n\\\\\n--- expect\n");
  EXPECT_EQ(parsed.input, "\xEF\xBB\xBF"s + "a \0b\r\n\\"s);
}

TEST(CaseFile, WhatCannotBeMeantIsRefused) {
  for (const std::string_view text : {
           "--- streams x: [1]\n--- input\n",                                // no outcome
           "--- streams x: [1]\n--- expect\n",                               // no input
           "--- input\n--- expect\n",                                        // no streams
           "--- streams x: tall\n--- input\n--- expect\n",                   // an unknown word
           "--- streams x: [1]\n--- inputs\n--- expect\n--- expect\n",       // repeated sections
           "--- streams x: [1]\n--- outcome\n",                              // an unknown section
           "--- streams x: [1]\n--- input escaped \\q\n--- expect\n",        // an unknown escape
           "--- streams x: [1]\n--- input escaped \\x4\n--- expect\n",       // half an escape
           "about\n--- streams x: [1]\n--- input\n--- expect\n",             // a comment without #
           "--- streams x: [1]\n--- input\n--- expect\n--- data error e\n",  // two outcomes
           "--- streams x: [1]\n--- options keys=long\n--- input\n--- expect\n",  // unknown keys
           "--- streams x: [1]\n--- input\n--- data error e\n--- warnings\n",     // nothing is read
       }) {
    EXPECT_THROW(static_cast<void>(CaseFile::parse(text)), std::runtime_error) << text;
  }
}

TEST(CaseFile, ASequenceIsWrittenAsTheReadmeSays) {
  ReferenceSequence sequence;
  sequence.key.low = 7;
  sequence.streams = {
      {.is_present = true,
       .samples = {{{}, {}, {0x3F800000, 0x80000000}}, {{}, {}, {0, 0x3DCCCCCD}}}},
      {.is_present = true, .samples = {{{}, {4, 7}, {0x3FF0000000000000, 0}}, {}}},
      {.is_present = true, .samples = {{{2, 1}, {}, {5, 0xFFFFFFFF}}}},
      {.is_present = false, .samples = {}},
      {.is_present = true, .samples = {{{3}, {}, {0x61, 0, 0xFF}}, {{0}, {}, {}}}},
  };
  StreamOptions dense{.name = "a"};
  StreamOptions sparse{.name = "b", .storage = Storage::sparse, .dtype = ElementType::f64};
  StreamOptions image{.name = "c", .dtype = ElementType::i32};
  StreamOptions gone{.name = "d"};
  StreamOptions bytes{.name = "e", .dtype = ElementType::bytes};
  EXPECT_EQ(expect_line(sequence, {dense, sparse, image, gone, bytes}),
            "7 a=[[1 -0] [0 0.1]] b=[{4:1 7:0} {}] c=[2x1[5 -1]] d=absent e=[<6100ff> <>]");
  sequence.is_hole = true;
  EXPECT_EQ(expect_line(sequence, {dense}), "7 hole");
  sequence.key_text = "an4_007";
  EXPECT_EQ(expect_line(sequence, {dense}), "an4_007 hole");
}

}  // namespace
}  // namespace sheaf::conformance
