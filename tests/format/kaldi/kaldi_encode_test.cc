#include "format/kaldi/kaldi_encode.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/kaldi/kaldi_test_objects.h"
#include "format/kaldi/kaldi_text.h"

namespace sheaf::internal {
namespace {

using testing::begin_object;
using testing::put;
using testing::put_marked;

TEST(KaldiEncode, MatricesAreEncodedAsDocumented) {
  std::string expected = begin_object("FM ");
  put_marked(expected, std::int32_t{2});
  put_marked(expected, std::int32_t{1});
  put(put(expected, 1.5F), -2.0F);
  std::string found;
  encode_matrix(std::span<const float>(std::vector<float>{1.5F, -2}), 2, 1, found);
  EXPECT_EQ(found, expected);
}

TEST(KaldiEncode, MatricesWithoutValuesHaveNeitherRowsNorColumns) {
  std::string found;
  encode_matrix(std::span<const double>(), 3, 0, found);
  std::string expected = begin_object("DM ");
  put_marked(expected, std::int32_t{0});
  put_marked(expected, std::int32_t{0});
  EXPECT_EQ(found, expected);
}

TEST(KaldiEncode, TextHasSevenDigits) {
  const std::vector<float> values = {1,      0.1F,         123456789.0F,
                                     1e-20F, -3.14159274F, std::numeric_limits<float>::infinity()};
  std::string matrix;
  encode_text_matrix(std::span<const float>(values), 2, 3, matrix);
  EXPECT_EQ(matrix, " [\n  1 0.1 1.234568e+08 \n  1e-20 -3.141593 inf ]\n");
  std::string vector;
  encode_text_vector(std::span<const float>(values), vector);
  EXPECT_EQ(vector, " [ 1 0.1 1.234568e+08 1e-20 -3.141593 inf ]\n");
  std::string empty;
  encode_text_matrix(std::span<const float>(), 0, 0, empty);
  EXPECT_EQ(empty, " [ ]\n");
}

TEST(KaldiEncode, TextLinesRoundTrip) {
  const std::vector<std::int32_t> integers = {0, -7, 2147483647, -2147483647 - 1};
  std::string line;
  encode_text_integers(integers, line);
  EXPECT_EQ(line, "0 -7 2147483647 -2147483648 \n");
  EXPECT_EQ(std::get<KaldiTextValues<std::int32_t>>(parse_text_integers(line)).values, integers);

  std::string posterior;
  encode_text_posterior(std::vector<float>{0.5F, 1}, std::vector<std::int32_t>{3, 4},
                        std::vector<std::int64_t>{2, 0}, posterior);
  EXPECT_EQ(posterior, "[ 3 0.5 4 1 ] [ ] \n");
  EXPECT_EQ(std::get<KaldiTextSparse>(parse_text_posterior(posterior, 5)).counts,
            (std::vector<std::int64_t>{2, 0}));
}

}  // namespace
}  // namespace sheaf::internal
