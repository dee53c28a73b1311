#include "format/libsvm/libsvm_parser.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/libsvm/libsvm_deserializer.h"

namespace sheaf::libsvm {
namespace {

FormatOptions options_with(std::int64_t dim, std::string base) {
  FormatOptions options;
  options.streams = {{.name = "label"},
                     {.name = "features", .storage = Storage::sparse, .sample_shape = Shape{dim}}};
  options.extra = {{"libsvm.base", std::move(base)}};
  return options;
}

/// Returns the texts of the diagnostics about a file.
std::vector<std::string> errors_of(const std::string& text, const FormatOptions& options) {
  const LibsvmDeserializer data(memory_source(text, "t"), options);
  Diagnostics diagnostics;
  static_cast<void>(data.read({.chunk = {}}, diagnostics));
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : diagnostics.described()) {
    texts.push_back(to_string(diagnostic));
  }
  return texts;
}

TEST(LibsvmParser, ErrorsShowTheLocationAndAHint) {
  struct Case {
    std::string text;
    std::string base;
    std::string error;
  };
  const Case cases[] = {
      {"1 0:1\n", "1",
       "t:1:3: error: stream \"features\": expected an index from 1 to 3, found \"0\" "
       "[libsvm-index-range]\n  1 0:1\n    ^\n  indices from 0 on are read with libsvm.base=0 "
       "(--format-option libsvm.base=0)"},
      {"1 1:1 3:1\n", "0",
       "t:1:7: error: stream \"features\": expected an index from 0 to 2, found \"3\" "
       "[libsvm-index-range]\n  1 1:1 3:1\n        ^\n  indices from 1 on are read with "
       "libsvm.base=1 (--format-option libsvm.base=1)"},
      {"1 2:1 2:1\n", "1",
       "t:1:7: error: stream \"features\": expected an index above 2, found \"2\" "
       "[libsvm-order]\n  1 2:1 2:1\n        ^\n  indices ascend within a row, each at most once"},
      {"1 2:1.2.3\n", "1",
       "t:1:5: error: stream \"features\": expected a number, found \"1.2.3\" "
       "[libsvm-number]\n  1 2:1.2.3\n      ^~~~~"},
      {"1,3 2:1\n", "1",
       "t:1:1: error: stream \"label\": expected a label that is a number, found \"1,3\" "
       "[libsvm-label]\n  1,3 2:1\n  ^~~\n  a list of labels is read as a sparse stream (--stream "
       "label:sparse)"},
      {"2:1\n", "1",
       "t:1:1: error: stream \"label\": expected a label that is a number, found \"2:1\" "
       "[libsvm-label]\n  2:1\n  ^~~\n  data without labels are read without the stream label"},
      {"1\n2 qid:3\n", "1",
       "t:2:3: error: expected no qid, as the first row has none, found \"qid:3\" "
       "[libsvm-mixed]\n  2 qid:3\n    ^~~~~\n  skip_sequence_ids (--skip-sequence-ids) passes "
       "over "
       "all of them"},
      {"1 qid:4\n2 qid:3\n2 qid:4\n", "1",
       "t:3:3: error: expected a qid that no earlier sequence has (line 1 has it), found \"qid:4\" "
       "[libsvm-repeated-qid]\n  2 qid:4\n    ^~~~~"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(errors_of(c.text, options_with(3, c.base)), std::vector<std::string>{c.error});
  }
}

TEST(LibsvmParser, ReportsAllErrorsOfARow) {
  const std::vector<std::string> errors =
      errors_of("1 qid:1\nx qid:y 1:1 z 1:1\n", options_with(3, "1"));
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_NE(errors[0].find("2:3: error: expected qid: and a whole number"), std::string::npos);
  EXPECT_NE(errors[1].find("2:1: error: stream \"label\""), std::string::npos);
  EXPECT_NE(errors[2].find("2:13: error: stream \"features\": expected index:value"),
            std::string::npos);
}

TEST(LibsvmParser, ARowOfManyLabelsIsReadInLinearTime) {
  std::string text;
  for (int i = 300'000; i > 0; --i) text += std::to_string(i) + ",";
  FormatOptions options;
  options.streams = {{.name = "label", .storage = Storage::sparse}};
  EXPECT_TRUE(errors_of(text + "0\n", options).empty());
  EXPECT_EQ(errors_of(text + "300000\n", options).size(), 1U);
}

TEST(LibsvmParser, MissingDenseFeaturesAreZero) {
  FormatOptions options = options_with(4, "1");
  options.streams = {{.name = "features", .sample_shape = Shape{2, 2}}};
  const LibsvmDeserializer data(memory_source("1 2:5\n1\n1 1:1 4:-2\n", "t"), options);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  const auto values = chunk.columns()[0].values.as<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()),
            (std::vector<float>{0, 5, 0, 0, 0, 0, 0, 0, 1, 0, 0, -2}));
}

}  // namespace
}  // namespace sheaf::libsvm
