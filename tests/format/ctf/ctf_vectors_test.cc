// Texts at the edges of the format, each with the outcome in CNTK 2.x and the outcome without
// CNTK's leniency.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/ctf/ctf_outcome.h"

namespace sheaf::ctf {
namespace {

struct Vector {
  int number = 0;  // texts with the same number belong together
  std::vector<StreamOptions> streams;
  std::string_view text;
  std::string_view cntk;    // outcome() if compatible with CNTK
  std::string_view strict;  // outcome() otherwise
  KeyType keys = KeyType::numeric;
  MissingStreams missing_streams = MissingStreams::error;
};

StreamOptions called(StreamOptions stream, std::string alias) {
  stream.alias = std::move(alias);
  return stream;
}

// Five sequences. The third has no samples of `a`.
constexpr std::string_view kTwoStreams =
    "100 |a 1 2 3 |b 100 200\n"
    "100 |a 4 5 6 |b 101 201\n"
    "100 |b 102983 14532 |a 7 8 9\n"
    "100 |a 7 8 9\n"
    "200 |b 300 400 |a 10 20 30\n"
    "333 |b 500 100\n"
    "333 |b 600 -900\n"
    "400 |a 1 2 3 |b 100 200\n"
    "|a 4 5 6 |b 101 201\n"
    "|a 4 5 6 |b 101 201\n"
    "500 |a 1 2 3 |b 100 200\n";

constexpr std::string_view kThreeStreamsAndComments =
    "|B 100:3 123:4 |C 8 |A 0 1 2 3 4 |# at the end\n"
    "|# in front |A 0 1.1 22 0.3 54 |C 123917 |B 1134:1.911 13331:0.014\n"
    "|C -0.001 |# between, with a bar '|#' |A 3.9 1.11 121.2 99.13 0.04 |B 999:0.001 "
    "918918:-9.19\n";

std::vector<Vector> vectors_of_rows_and_ids() {
  const auto A = dense("A", 1);
  return {
      {1, {A}, "|A 1\n\n|A 2\n", "0/1:(1) 1/1! 2/1:(2) err 1", "0/1:(1) 2/1:(2) err 0"},
      {2, {A}, "0 |A 1\n\n1 |A 2\n", "0/2:(1) 1/1:(2) err 2", "0/1:(1) 1/1:(2) err 0"},
      {3, {A}, "0 |A 1\n1 |A 2\n\n", "0/1:(1) 1/2:(2) err 2", "0/1:(1) 1/1:(2) err 0"},
      {4, {A}, "0 |A 1\n1 |A 2\n  ", "0/1:(1) 1/2:(2) err 1", "0/1:(1) 1/1:(2) err 0"},
      {5, {A}, "0 |A 1\n|# c\n0 |A 2\n", "0/3:(1)(2) err 2", "0/2:(1)(2) err 0"},
      {6, {A}, "|# c\n0 |A 1\n0 |A 2\n", "0/1! 1/1:(1) 2/1:(2) err 1", "0/2:(1)(2) err 0"},
      {7, {A}, "0 |A 1|#c\n 0 |A 2\n", "0/2:(1)(2) err 1", "0/2:(1)(2) err 0"},
      {8, {A}, " 0 |A 1\n 1 |A 2\n", "0/2:(1)(2) err 1", "0/1:(1) 1/1:(2) err 0"},
      {9, {A}, "\n\n|A 1\n|A 2\n", "2/1:(1) 3/1:(2) err 0", "2/1:(1) 3/1:(2) err 0"},
      {10, {A}, "\xEF\xBB\xBF 0 |A 1\n1 |A 2\n", "0/1:(1) 1/1:(2) err 0", "0/1:(1) 1/1:(2) err 0"},
      {11,
       {A},
       "0|A 1\n1|A 2\n0|A 3\n",
       "0/1:(1) 1/1:(2) 0/1:(3) err 0",
       "0/1:(1) 1/1:(2) 0/1! err ctf-repeated-id 3:1"},
      {12, {A}, "0|A 1\n00|A 2\n000 |A 3\n", "0/3:(1)(2)(3) err 0", "0/3:(1)(2)(3) err 0"},
      {13,
       {A},
       "|A 1\n0 |A 2\n0 |A 3\n",
       "0/1:(1) 1/1:(2) 2/1:(3) err 0",
       "0/1:(1) 1/1:(2) 2/1:(3) err warn ctf-ignored-id 2:1"},
      {14,
       {A},
       "0ab |A 1\n1.5 |A 2\n",
       "0/1:(1) 1/1:(2) err 2",
       "0/1! 1/1! err ctf-id 1:1 ctf-id 2:1"},
      {15,
       {A},
       "1 |A 1\n2\n2 |A 2\n",
       "1/1:(1) 2/2:(2) err 2",
       "1/1:(1) 2/1! err ctf-id-without-data 2:1"},
      {38,
       {A},
       "30000000000000000000 |A 1\n",
       "11553255926290448384/1:(1) err 0",
       "18446744073709551615/1! err ctf-id-range 1:1"},
      {42,
       {A},
       "0 |A 1\n1 |A 2\n3",
       "0/1:(1) 1/1:(2) err 0",
       "0/1:(1) 1/1:(2) 3/0! err ctf-id-without-data 3:1 ctf-missing-stream 3:1"},
      {45,
       {A},
       "utt1 |A 1\nutt1 |A 2\nutt2 |A 3\n",
       "utt1/2:(1)(2) utt2/1:(3) err 3",
       "utt1/2:(1)(2) utt2/1:(3) err 0",
       KeyType::text},
  };
}

std::vector<Vector> vectors_of_items() {
  const auto A = dense("A", 1);
  const auto B1 = dense("B", 1);
  return {
      {16, {A}, "0|A 1 |#|A 3\n", "0/1:(1)(3) err 1", "0/1! err ctf-repeated-stream 1:9"},
      {17, {A}, "0|A 1 |# x |# y |#A 3 |\n", "0/1:(1) err 1", "0/1! err ctf-name 1:23"},
      {18,
       {A},
       "|A 1 ||A 2\n",
       "0/1:(1)(2) err 2",
       "0/1! err ctf-name 1:6 ctf-repeated-stream 1:7"},
      {19,
       {A},
       "|A|A 1\n",
       "0/1:(0)(1) err 1",
       "0/1! err ctf-few-values 1:1 ctf-repeated-stream 1:3"},
      {20,
       {A},
       "|A 1|B 2 |AB 3|ABC\n",
       "0/1:(1) err 0",
       "0/1:(1) err warn ctf-unknown-stream 1:5 warn ctf-unknown-stream 1:10 warn "
       "ctf-unknown-stream 1:15"},
      {21,
       {A},
       "0 |A 1\n0 |C 3\n0 |A 2\n",
       "0/3:(1)(2) err 2",
       "0/2:(1)(2) err warn ctf-unknown-stream 2:3"},
      {22,
       {A},
       "|A 1\r|A 2\r",
       "0/1:(1)(2) err 1",
       "0/1! err ctf-control 1:5 ctf-repeated-stream 1:6"},
      {23, {A}, "|A 1\r\n|A 2\r\n", "0/1:(1) 1/1:(2) err 0", "0/1:(1) 1/1:(2) err 0"},
      {32,
       {A, B1},
       "0|A 1|A 2\n0|B 1\n",
       "0/2:(1)(2):(1) err 0",
       "0/1! err ctf-repeated-stream 1:6"},
      {39, {A}, "|A 1 |C", "0/1:(1) err 1", "0/1:(1) err warn ctf-unknown-stream 1:6"},
      {40, {A}, "|A 1 |C 5", "0/1:(1) err 0", "0/1:(1) err warn ctf-unknown-stream 1:6"},
      {41, {A, B1}, "0 junk |A 1 |B 2\n", "0/1:(1):(2) err 1", "0/1! err ctf-stray 1:3"},
      {44,
       {dense("A", 5), sparse("B", 1'000'000), dense("C", 1)},
       kThreeStreamsAndComments,
       "0/1:(0 1 2 3 4):{100:3 123:4}:(8) "
       "1/1:(0 1.1 22 0.3 54):{1134:1.911 13331:0.014}:(123917) "
       "2/1:(3.9 1.11 121.2 99.13 0.04):{999:0.001 918918:-9.19}:(-0.001) err 0",
       "0/1:(0 1 2 3 4):{100:3 123:4}:(8) "
       "1/1:(0 1.1 22 0.3 54):{1134:1.911 13331:0.014}:(123917) "
       "2/1:(3.9 1.11 121.2 99.13 0.04):{999:0.001 918918:-9.19}:(-0.001) err 0"},
      {46, {A}, "|A 1 |# caf\xC3\xA9\n", "0/1:(1) err 0", "0/1:(1) err 0"},
  };
}

std::vector<Vector> vectors_of_values() {
  const auto A = dense("A", 1);
  const auto A3 = dense("A", 3);
  const auto B = sparse("B", 5);
  return {
      {24, {A3}, "|A 1\n", "0/1:(1 0 0) err 0", "0/1! err ctf-few-values 1:1"},
      {25, {A3}, "0|A 1 2 3\n0|A 4 5", "0/2:(1 2 3)(4 5 0) err 0", "0/2! err ctf-few-values 2:2"},
      {26, {A3}, "|A 1 2 3 4 5", "0/1:(1 2 3) err 0", "0/1! err ctf-many-values 1:10"},
      {27, {dense("A", 2)}, "|A 1-2\n", "0/1:(1 -2) err 0", "0/1! err ctf-number 1:4"},
      {28,
       {A, B},
       "|A 1|B 3:1 1:2 3:7\n",
       "0/1:(1):{3:1 1:2 3:7} err 0",
       "0/1! err ctf-duplicate-index 1:16"},
      {29, {A, B}, "|A 1|B 5:1\n", "0/1! err 1", "0/1! err ctf-index-range 1:8"},
      {30, {A, B}, "|A 1|B\n", "0/1:(1):{} err 0", "0/1:(1):{} err 0"},
      {30, {A, B}, "|A 1|B", "0/1! err 1", "0/1:(1):{} err 0"},
      {31,
       {sparse("B", 3)},
       "0 |B 1:1\n0 |B\n0 |B 2:1\n",
       "0/3:{1:1}{}{2:1} err 0",
       "0/3:{1:1}{}{2:1} err 0"},
  };
}

std::vector<Vector> vectors_of_lengths() {
  const auto A = dense("A", 1);
  const auto B1 = dense("B", 1);
  const auto a = called(dense("features", 3), "a");
  const auto b = called(dense("labels", 2), "b");
  const std::string_view on_their_own = "0|A 1\n0|A 2\n0|B 1\n1|A 3|B 2\n";
  return {
      {33, {A, B1}, "0|A 1\n0|B 1\n", "0/2:(1):(1) err 1", "0/1:(1):(1) err 0"},
      {34,
       {A, defining(B1)},
       on_their_own,
       "0/1:(1)(2):(1) 1/1:(3):(2) err 0",
       "0/1:(1)(2):(1) 1/1:(3):(2) err 0"},
      {35,
       {defining(A), B1},
       on_their_own,
       "0/2:(1)(2):(1) 1/1:(3):(2) err 0",
       "0/2:(1)(2):(1) 1/1:(3):(2) err 0"},
      {36,
       {A, defining(B1)},
       "0|A 1\n0|A 2\n1|A 3|B 2\n",
       "1/1:(3):(2) err 0",
       "1/1:(3):(2) err warn ctf-dropped-sequence 1:1"},
      {37,
       {A, defining(B1)},
       "0|A 1|A 7|B 1\n1|A 3|B 2\n",
       "0/1:(1)(7):(1) 1/1:(3):(2) err 0",
       "0/1! 1/1:(3):(2) err ctf-repeated-stream 1:6"},
      {43,
       {a, b},
       kTwoStreams,
       "100/4:(1 2 3)(4 5 6)(7 8 9)(7 8 9):(100 200)(101 201)(102983 14532) "
       "200/1:(10 20 30):(300 400) 333/2! "
       "400/3:(1 2 3)(4 5 6)(4 5 6):(100 200)(101 201)(101 201) 500/1:(1 2 3):(100 200) err 0",
       "100/4:(1 2 3)(4 5 6)(7 8 9)(7 8 9):(100 200)(101 201)(102983 14532) "
       "200/1:(10 20 30):(300 400) 333/2! "
       "400/3:(1 2 3)(4 5 6)(4 5 6):(100 200)(101 201)(101 201) 500/1:(1 2 3):(100 200) "
       "err ctf-missing-stream 6:1"},
      {43,
       {a, b},
       kTwoStreams,
       "100/4:(1 2 3)(4 5 6)(7 8 9)(7 8 9):(100 200)(101 201)(102983 14532) "
       "200/1:(10 20 30):(300 400) 333/2:absent:(500 100)(600 -900) "
       "400/3:(1 2 3)(4 5 6)(4 5 6):(100 200)(101 201)(101 201) 500/1:(1 2 3):(100 200) err 0",
       "100/4:(1 2 3)(4 5 6)(7 8 9)(7 8 9):(100 200)(101 201)(102983 14532) "
       "200/1:(10 20 30):(300 400) 333/2:absent:(500 100)(600 -900) "
       "400/3:(1 2 3)(4 5 6)(4 5 6):(100 200)(101 201)(101 201) 500/1:(1 2 3):(100 200) err 0",
       KeyType::numeric,
       MissingStreams::allow},
  };
}

void check(const std::vector<Vector>& vectors) {
  for (const Vector& vector : vectors) {
    SCOPED_TRACE(vector.number);
    FormatOptions options;
    options.streams = vector.streams;
    options.keys = vector.keys;
    options.missing_streams = vector.missing_streams;
    EXPECT_EQ(outcome(std::string(vector.text), options), vector.strict);
    options.compatibility = Compatibility::cntk;
    EXPECT_EQ(outcome(std::string(vector.text), options), vector.cntk) << "compatible with CNTK";
  }
}

TEST(CtfVectors, RowsAndIdsHaveTheExpectedOutcome) { check(vectors_of_rows_and_ids()); }

TEST(CtfVectors, ItemsHaveTheExpectedOutcome) { check(vectors_of_items()); }

TEST(CtfVectors, ValuesHaveTheExpectedOutcome) { check(vectors_of_values()); }

TEST(CtfVectors, LengthsHaveTheExpectedOutcome) { check(vectors_of_lengths()); }

}  // namespace
}  // namespace sheaf::ctf
