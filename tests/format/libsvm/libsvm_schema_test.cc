#include "format/libsvm/libsvm_schema.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::libsvm {
namespace {

using testing::error_of;

TEST(LibsvmSchema, FindsStreamsByNameOrAlias) {
  const Schema schema = make_schema({.streams = {{.name = "x",
                                                  .alias = "features",
                                                  .storage = Storage::sparse,
                                                  .sample_shape = Shape{7}},
                                                 {.name = "label", .sample_shape = Shape{1}}},
                                     .skip_sequence_ids = true,
                                     .extra = {{"libsvm.base", "0"}}});
  EXPECT_EQ(schema.features, 0);
  EXPECT_EQ(schema.label, 1);
  EXPECT_EQ(schema.base, 0);
  EXPECT_TRUE(schema.skips_qids);
  EXPECT_EQ(make_schema({.streams = {{.name = "label", .sample_shape = Shape{1}}}}).features, -1);
}

TEST(LibsvmSchema, RefusesUnsupportedStreams) {
  struct Case {
    StreamOptions stream;
    std::string error;
  };
  const Case cases[] = {
      {{.name = "x", .sample_shape = Shape{1}},
       "stream \"x\": a libsvm file has \"label\" and \"features\", but no \"x\"; a stream of "
       "another "
       "name says which it is by its alias (alias=features)"},
      {{.name = "label", .sample_shape = Shape{2}},
       "stream \"label\": a row has one label, so a dense one has dim 1, got [2]"},
      {{.name = "features", .sample_shape = Shape{1 << 29}},
       "stream \"features\": dense features of 536870912 values a row; from 268435456 on they are "
       "read as sparse ones"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(error_of<Error>([&] { static_cast<void>(make_schema({.streams = {c.stream}})); }),
              c.error);
  }
}

TEST(LibsvmSchema, RefusesUnsupportedOptions) {
  struct Case {
    FormatOptions options;
    std::string error;
  };
  const Case cases[] = {
      {{.keys = KeyType::text}, "keys: the qids of libsvm are numbers, not text"},
      {{.compatibility = Compatibility::cntk},
       "compatibility: CNTK has no reader of libsvm to be compatible with"},
      {{.extra = {{"base", "1"}}}, "extra: libsvm has no option \"base\"; it has libsvm.base"},
      {{.extra = {{"libsvm.base", "2"}}}, "libsvm.base: expected 1 or 0, found \"2\""},
      {{.chunk_size_bytes = 0}, "chunk_size_bytes: at least 1, got 0"},
      {{}, ""},
  };
  for (const Case& c : cases)
    EXPECT_EQ(error_of<Error>([&] { check_options(c.options); }), c.error);
}

TEST(LibsvmBeginning, TheFirstDataRowDecidesWhatASequenceIs) {
  const auto begin = [](std::string text, bool skips) {
    return find_beginning(*memory_source(std::move(text), "t"), {.skip_sequence_ids = skips});
  };
  EXPECT_EQ(begin("# c\n\n1 qid:3\n2\n", false).mode, KeyMode::qids);
  EXPECT_EQ(begin("1 qid:3\n2\n", true).mode, KeyMode::rows);
  EXPECT_EQ(begin("1 1:1\n2 qid:3\n", false).mode, KeyMode::rows);
  EXPECT_EQ(begin("\xEF\xBB\xBF"
                  "1",
                  false)
                .offset,
            3);
  for (const char* good : {"-1", "+1", ".5", "1:1", "qid:1 1:1", "1,2"}) {
    EXPECT_EQ(begin(good, false).offset, 0) << good;
  }
}

TEST(LibsvmBeginning, RefusesOtherFiles) {
  const auto error = [](std::string text) {
    return error_of<Error>(
        [&] { static_cast<void>(find_beginning(*memory_source(std::move(text), "t"), {})); });
  };
  EXPECT_EQ(error(""),
            "t:1:1: error: expected at least one row with data, found an empty file "
            "[libsvm-empty]");
  EXPECT_EQ(error(" \n# 1\n"),
            "t:1:1: error: expected at least one row with data, found only blanks and comments "
            "[libsvm-empty]");
  const std::string ctf = error("\n |x 1\n");
  EXPECT_TRUE(
      ctf.starts_with("t:2:2: error: expected a row of a label and index:value, found "
                      "\"|x 1\" [libsvm-not-libsvm]"))
      << ctf;
  EXPECT_NE(ctf.find("the text looks like CTF"), std::string::npos);
  EXPECT_NE(error("label,a,b\n").find("[libsvm-not-libsvm]"), std::string::npos);
  EXPECT_NE(error("\xFE\xFF").find("[libsvm-utf16]"), std::string::npos);
}

}  // namespace
}  // namespace sheaf::libsvm
