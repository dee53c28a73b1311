#include "format/kaldi/kaldi_text.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/kaldi/kaldi_test_objects.h"

namespace sheaf::internal {
namespace {

using testing::fault_of;

constexpr float kInf = std::numeric_limits<float>::infinity();

struct FloatsCase {
  std::string_view text;
  std::int64_t rows;
  std::int64_t cols;
  std::vector<float> values;
  std::string_view rest;  // after the object
};

template <typename Parse>
void expect_values(const std::vector<FloatsCase>& cases, Parse parse) {
  for (const FloatsCase& c : cases) {
    SCOPED_TRACE(c.text);
    const auto parsed = parse(c.text);
    ASSERT_EQ(fault_of(parsed), "");
    const auto& values = std::get<KaldiTextValues<float>>(parsed);
    EXPECT_EQ(values.rows, c.rows);
    EXPECT_EQ(values.cols, c.cols);
    EXPECT_EQ(values.values, c.values);
    EXPECT_EQ(c.text.substr(static_cast<std::size_t>(values.size_bytes)), c.rest);
  }
}

TEST(KaldiText, MatricesAreParsedAsByKaldi) {
  expect_values(
      {
          {" [\n  1 2 \n  3 4 ]\nkey", 2, 2, {1, 2, 3, 4}, "key"},  // as Kaldi writes
          {"[ 1 2 ; 3 4 ]", 2, 2, {1, 2, 3, 4}, ""},                // a semicolon ends a row
          {" [ ]\nkey", 0, 0, {}, "key"},                           // empty
          {"[]\nkey", 0, 0, {}, "key"},                             // empty, as one word
          {"[ 1\n\n;\n2]\r\nkey", 2, 1, {1, 2}, "key"},             // empty rows do not count
          {"[ 1-2\t3e1 ]\n\n", 1, 3, {1, -2, 30}, "\n"},  // a number ends where it can end
          {"[ inf INFINITY\n-0.5 1.e2 ]", 2, 2, {kInf, kInf, -0.5F, 100}, ""},
          {"[ 16777217 ]", 1, 1, {16777216}, ""},  // rounded, as in Kaldi
      },
      parse_text_matrix<float>);
}

TEST(KaldiText, NanAndInfinityAreAcceptedInAnyCase) {
  for (const char* const word : {"nan", "NaN", "NAN"}) {
    const auto parsed = parse_text_vector<double>(std::string("[ ") + word + " ]");
    EXPECT_TRUE(std::isnan(std::get<KaldiTextValues<double>>(parsed).values.at(0)));
  }
}

TEST(KaldiText, VectorsAreParsedAsByKaldi) {
  expect_values(
      {
          {" [ 1 2 ]\nkey", 2, 1, {1, 2}, "key"},
          {"[ ]", 0, 1, {}, ""},
          {"[]\nkey", 0, 1, {}, "key"},
          {"[ 1\t-2.5]\r\nkey", 2, 1, {1, -2.5F}, "key"},
          {"[ inf ]", 1, 1, {kInf}, ""},
      },
      parse_text_vector<float>);
}

TEST(KaldiText, WrongFloatsHaveAnOffset) {
  const struct {
    const char* text;
    const char* matrix;
    const char* vector;
  } cases[] = {
      {"", "kaldi-text 0 the end of the text", "kaldi-text 0 the end of the text"},
      {" x", "kaldi-text 1 \"x\"", "kaldi-text 1 \"x\""},
      {"[1 ]", "kaldi-text 0 \"[1\"", "kaldi-text 0 \"[1\""},
      {"[ 1", "kaldi-text 3 the end of the text", "kaldi-text 3 the end of the text"},
      {"[ .5 ]", "kaldi-number 2 \".5\"", "kaldi-number 2 \".5\""},
      {"[ +1 ]", "kaldi-number 2 \"+1\"", "kaldi-number 2 \"+1\""},
      {"[ -inf ]", "kaldi-number 2 \"-inf\"", "kaldi-number 2 \"-inf\""},
      {"[ inf]", "kaldi-number 2 \"inf]\"", "kaldi-number 2 \"inf]\""},
      {"[ 1e99 ]", "kaldi-number-range 2 \"1e99\"", "kaldi-number-range 2 \"1e99\""},
      {"[ 1x ]", "kaldi-number 3 \"x\"", "kaldi-text 3 \"x\""},
      {"[ 1 2\n 3 ]", "kaldi-text-row 7 1 values after 2", "kaldi-text 5 the end of the line"},
      {"[ 1 2\n 3 4 5;1 2 ]", "kaldi-text-row 7 3 values after 2",
       "kaldi-text 5 the end of the line"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(fault_of(parse_text_matrix<float>(c.text)), c.matrix);
    EXPECT_EQ(fault_of(parse_text_vector<float>(c.text)), c.vector);
  }
  EXPECT_EQ(fault_of(parse_text_matrix<double>("[ 1e99 ]")), "");
}

TEST(KaldiText, IntegersFormALine) {
  const auto parsed = parse_text_integers("1 -2  +3 2147483647 \nkey");
  ASSERT_EQ(fault_of(parsed), "");
  const auto& integers = std::get<KaldiTextValues<std::int32_t>>(parsed);
  EXPECT_EQ(integers.values, (std::vector<std::int32_t>{1, -2, 3, 2147483647}));
  EXPECT_EQ(integers.rows, 4);
  EXPECT_EQ(integers.size_bytes, 21);
  EXPECT_EQ(std::get<KaldiTextValues<std::int32_t>>(parse_text_integers("\nkey")).size_bytes, 1);
  EXPECT_EQ(std::get<KaldiTextValues<std::int32_t>>(parse_text_integers("7")).size_bytes, 1);
  EXPECT_EQ(fault_of(parse_text_integers("1 2147483648\n")), "kaldi-integer 2 \"2147483648\"");
  EXPECT_EQ(fault_of(parse_text_integers("1 2.5\n")), "kaldi-integer 3 \".5\"");
  EXPECT_EQ(fault_of(parse_text_integers("[ 1 ]\n")), "kaldi-integer 0 \"[\"");
}

TEST(KaldiText, FramesOfAPosteriorAreSorted) {
  const auto parsed = parse_text_posterior("[ 2 1 ] [ ] [ 7 .5 3 +0.25]\nkey", 10);
  ASSERT_EQ(fault_of(parsed), "");
  const auto& posterior = std::get<KaldiTextSparse>(parsed);
  EXPECT_EQ(posterior.indices, (std::vector<std::int32_t>{2, 3, 7}));
  EXPECT_EQ(posterior.values, (std::vector<float>{1, 0.25F, 0.5F}));
  EXPECT_EQ(posterior.counts, (std::vector<std::int64_t>{1, 0, 2}));
  EXPECT_EQ(posterior.size_bytes, 28);
}

TEST(KaldiText, SparseMatricesHaveTheirDim) {
  const auto parsed = parse_text_sparse("rows=2 dim=5 [ 4 1 0 2 ] dim=5 [ ] \nkey");
  ASSERT_EQ(fault_of(parsed), "");
  const auto& matrix = std::get<KaldiTextSparse>(parsed);
  EXPECT_EQ(matrix.dim, 5);
  EXPECT_EQ(matrix.indices, (std::vector<std::int32_t>{0, 4}));
  EXPECT_EQ(matrix.values, (std::vector<float>{2, 1}));
  EXPECT_EQ(matrix.counts, (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(matrix.size_bytes, 36);
}

TEST(KaldiText, WrongSamplesHaveAnOffset) {
  const struct {
    const char* text;
    const char* fault;
  } posteriors[] = {
      {"1 2 3\n", "kaldi-text 0 \"1\""},
      {"[ 1 1\n", "kaldi-text 5 the end of the text"},
      {"[ 1 ]\n", "kaldi-number 4 \"]\""},
      {"[ 1 1 ] ]\n", "kaldi-text 8 \"]\""},
      {"[ 1.5 1 ]\n", "kaldi-number 8 \"]\""},  // 1 and .5, then 1 alone
      {"[1 1 ]\n", "kaldi-text 0 \"[1\""},
      {"[ x 1 ]\n", "kaldi-integer 2 \"x\""},
      {"[ 9 1 10 1 ]\n", "kaldi-class 6 10 of 10"},
      {"[ -1 1 ]\n", "kaldi-class 2 -1 of 10"},
      {"[ 3 1 4 1 3 2 ]\n", "kaldi-repeated-class 1 3"},
      {"[ 3 1e99 ]\n", "kaldi-number-range 4 \"1e99\""},
  };
  for (const auto& c : posteriors) {
    EXPECT_EQ(fault_of(parse_text_posterior(c.text, 10)), c.fault) << c.text;
  }
  const struct {
    const char* text;
    const char* fault;
  } matrices[] = {
      {"rows=x ", "kaldi-text 0 \"rows=x\""},
      {"rows=-1 ", "kaldi-text 0 \"rows=-1\""},
      {"rows=2147483648 ", "kaldi-text 0 \"rows=2147483648\""},
      {"rows=2147483647 ", "kaldi-text 16 the end of the text"},
      {"rows=2 dim=5 [ ] dim=6 [ ]", "kaldi-row-dim 17 6 after 5"},
      {"rows=1 dim=5 ] ", "kaldi-text 13 \"]\""},
      {"rows=1 dim=5 [ 5 1 ] ", "kaldi-class 15 5 of 5"},
  };
  for (const auto& c : matrices) EXPECT_EQ(fault_of(parse_text_sparse(c.text)), c.fault) << c.text;
}

TEST(KaldiText, LocationsCountFromOne) {
  const std::string_view text = "ab\ncd\n";
  EXPECT_EQ(location_in_text(text, 0), (KaldiTextLocation{1, 1}));
  EXPECT_EQ(location_in_text(text, 2), (KaldiTextLocation{1, 3}));
  EXPECT_EQ(location_in_text(text, 3), (KaldiTextLocation{2, 1}));
  EXPECT_EQ(location_in_text(text, 6), (KaldiTextLocation{3, 1}));
}

}  // namespace
}  // namespace sheaf::internal
