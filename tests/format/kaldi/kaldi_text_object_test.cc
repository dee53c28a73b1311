#include "format/kaldi/kaldi_text_object.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "format/kaldi/kaldi_test_objects.h"

namespace sheaf::kaldi {
namespace {

/// Returns "kind rows x cols: values / indices / counts (size)", or the error.
std::string told(std::string_view text, As as, ElementType type = ElementType::f32) {
  constexpr std::int64_t kDim = 10;
  const auto parsed = parse_text_object(text, as, type, kDim);
  if (const auto* const fault = std::get_if<internal::KaldiFault>(&parsed)) {
    return internal::testing::text_of_fault(*fault);
  }
  const auto& object = std::get<TextObject>(parsed);
  std::string told = std::string(to_string(object.kind)) + " " + std::to_string(object.rows) + "x" +
                     std::to_string(object.cols) + ":";
  const auto add = [&told](const auto& numbers, char mark) {
    if (numbers.empty()) return;
    told += std::string(" ") + mark;
    for (const auto number : numbers) {
      std::string digits = std::to_string(number);
      if (digits.find('.') != std::string::npos) digits.resize(digits.find('.') + 3);
      told += " " + digits;
    }
  };
  add(object.values, 'v');
  add(object.indices, 'i');
  add(object.counts, 'c');
  return told + " (" + std::to_string(object.size_bytes) + ")";
}

TEST(KaldiTextObject, BracketsAndLineEndsDetermineTheKind) {
  struct Case {
    std::string_view text;
    As as;
    std::string_view told;
  };
  const Case cases[] = {
      {" [\n  1 2\n  3 4 ]\nb", As::values, "matrix 2x2: v 1.00 2.00 3.00 4.00 (17)"},
      {"[ 1 2 ; 3 4 ]\n", As::values, "matrix 2x2: v 1.00 2.00 3.00 4.00 (14)"},
      {" [ 1 2 ]\n", As::values, "vector 2x1: v 1.00 2.00 (9)"},
      {" [ 1 2 ]\n", As::frames, "vector 2x1: v 1.00 2.00 (9)"},
      {"1 -2 3\nb", As::values, "vector of int32 3x1: v 1.00 -2.00 3.00 (7)"},
      {"1 2\n", As::one_hot, "vector of int32 2x1: v 1.00 2.00 (4)"},
      {"\n", As::values, "vector of int32 0x1: (1)"},
      {"1 2 ; 3 4\nb", As::pairs, "vector of pairs of int32 2x2: v 1.00 2.00 3.00 4.00 (10)"},
      {"\n", As::pairs, "vector of pairs of int32 0x2: (1)"},
      {"1 2 ; ; 3 ;\n", As::lists, "vector of vectors of int32 3x0: v 1.00 2.00 3.00 c 2 0 1 (12)"},
      {"[ 3 0.5 7 1 ] [ ] [ 2 1 ]\n", As::posteriors,
       "posterior 3x10: v 0.50 1.00 1.00 i 3 7 2 c 2 0 1 (26)"},
      {"2.5\nb", As::scalars, "scalar 1x1: v 2.50 (4)"},
      {" 7 \r\n", As::scalars, "scalar 1x1: v 7.00 (5)"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.text, c.as), c.told) << c.text;
}

TEST(KaldiTextObject, ErrorsHaveAnOffset) {
  struct Case {
    std::string_view text;
    As as;
    std::string_view told;
  };
  const Case cases[] = {
      {"1 2 ; 3\n", As::pairs, "kaldi-text 5 1 numbers"},
      {"1 x ; 3\n", As::lists, "kaldi-integer 2 \"x\""},
      {"1 2 ; 3 x\n", As::pairs, "kaldi-integer 8 \"x\""},
      {"x\n", As::scalars, "kaldi-number 0 \"x\""},
      {"1 2\n", As::scalars, "kaldi-number 0 \"1 2\""},
      {"\n", As::scalars, "kaldi-number 0 \"\""},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.text, c.as), c.told) << c.text;
  EXPECT_EQ(told("2.5\n", As::scalars, ElementType::i32), "kaldi-number 0 \"2.5\"");
}

TEST(KaldiTextObject, NumbersAreRoundedToTheType) {
  const auto value = [](ElementType type) {
    return std::get<TextObject>(parse_text_object("[ 0.1 ]\n", As::values, type, 1)).values[0];
  };
  EXPECT_EQ(value(ElementType::f32), double{0.1F});
  EXPECT_EQ(value(ElementType::f64), 0.1);
}

}  // namespace
}  // namespace sheaf::kaldi
