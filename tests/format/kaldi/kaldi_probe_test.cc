#include "format/kaldi/kaldi_probe.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_test_objects.h"

namespace sheaf::kaldi {
namespace {

using internal::testing::begin_object;
using internal::testing::put;
using internal::testing::put_marked;

ReadOptions options_of(As as, std::int64_t dim = 0) {
  ReadOptions options{.as = as, .name = "x"};
  options.read_size_bytes = 1 << 20;
  if (dim > 0) options.shape = Shape{dim};
  return options;
}

Probed probed(const std::string& object, As as = As::values) {
  return probe_object(*memory_source("before" + object + "behind", "a.ark"), 6, options_of(as, 50));
}

/// Returns "kind samples x dim, values, size", or the error.
std::string told(const Probed& probed) {
  if (const auto* const fault = std::get_if<KaldiFault>(&probed)) {
    return internal::testing::text_of_fault(*fault);
  }
  const auto& object = std::get<ProbedObject>(probed);
  return std::string(to_string(object.head.kind)) + " " + std::to_string(object.sample_count) +
         "x" + std::to_string(object.dim) + ", " + std::to_string(object.value_count) + ", " +
         std::to_string(object.size_bytes);
}

std::string integers(std::int32_t count) {
  std::string object;
  internal::encode_integers(std::vector<std::int32_t>(static_cast<std::size_t>(count), 3), object);
  return object;
}

std::string vector(std::size_t count) {
  std::string object;
  internal::encode_vector<float>(std::vector<float>(count, 1), object);
  return object;
}

TEST(KaldiProbe, CountsTheSamplesOfEachKind) {
  std::string matrix;
  internal::encode_matrix<double>(std::vector<double>(6, 1), 2, 3, matrix);
  std::string posterior;
  internal::encode_posterior(std::vector<float>{1, 0.5F, 0.5F}, std::vector<std::int32_t>{3, 1, 2},
                             std::vector<std::int64_t>{1, 0, 2}, posterior);
  std::string sparse;
  internal::encode_sparse(std::vector<float>{1}, std::vector<std::int32_t>{3},
                          std::vector<std::int64_t>{0, 1}, 7, sparse);
  std::string lists;
  internal::encode_lists(std::vector<std::int32_t>{1, 2, 3}, std::vector<std::int64_t>{3, 0},
                         lists);
  std::string scalar = begin_object();
  put_marked(scalar, std::int32_t{7});
  struct Case {
    std::string object;
    As as;
    std::string_view told;
  };
  const Case cases[] = {
      {matrix, As::values, "matrix 2x3, 0, 63"},
      {vector(5), As::values, "vector 1x5, 0, 30"},
      {vector(5), As::frames, "vector 5x1, 0, 30"},
      {vector(0), As::frames, "vector 0x1, 0, 10"},
      {integers(4), As::values, "vector of int32 4x1, 0, 27"},
      {integers(4), As::one_hot, "vector of int32 4x1, 0, 27"},
      {integers(4), As::pairs, "kaldi-cut 33 33 of 47 bytes"},  // twice as many numbers
      {posterior, As::posteriors, "posterior 3x-1, 3, 52"},
      {sparse, As::values, "sparse matrix 2x7, 1, 46"},
      {lists, As::lists, "vector of vectors of int32 2x-1, 3, 32"},
      {scalar, As::scalars, "scalar 1x1, 0, 7"},
      {" [\n 1 2\n 3 4 ]\n", As::values, "matrix 2x2, 4, 15"},
      {"1 2 3\n", As::values, "vector of int32 3x1, 3, 6"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(probed(c.object, c.as)), c.told);
}

// A text is parsed from more and more bytes: 32, then blocks of 64 KiB.
TEST(KaldiProbe, TextsMayHaveAnySize) {
  for (const std::int64_t size : {31, 32, 33, 65'535, 65'536, 65'537, 200'001}) {
    std::string text(static_cast<std::size_t>(size), '7');
    for (std::size_t i = 1; i < text.size(); i += 2) text[i] = ' ';
    text.back() = '\n';
    const auto source = memory_source(text + "b 1\n", "a.ark");
    const Probed probed = probe_object(*source, 0, options_of(As::values));
    ASSERT_TRUE(std::holds_alternative<ProbedObject>(probed)) << told(probed);
    EXPECT_EQ(std::get<ProbedObject>(probed).sample_count, size / 2) << size;
    EXPECT_EQ(std::get<ProbedObject>(probed).size_bytes, size);
  }
}

// Reads blocks of 64 KiB.
TEST(KaldiProbe, ScannedObjectsMayHaveAnySize) {
  for (const std::int64_t frames : {13'100, 13'106, 13'107, 13'108, 40'000}) {
    std::string object;
    internal::encode_posterior({}, {}, std::vector<std::int64_t>(static_cast<std::size_t>(frames)),
                               object);
    const auto source = memory_source(object + "b", "a.ark");
    const Probed probed = probe_object(*source, 0, options_of(As::posteriors, 5));
    EXPECT_EQ(std::get<ProbedObject>(probed).size_bytes, std::ssize(object)) << frames;
  }
}

TEST(KaldiProbe, TheFirstObjectDeterminesTheStream) {
  const auto stream = [](const std::string& object, const ReadOptions& options) {
    const Probed probed = probe_object(*memory_source(object, "a.ark"), 0, options);
    return to_string(stream_of(options, &std::get<ProbedObject>(probed)));
  };
  std::string matrix;
  internal::encode_matrix<double>(std::vector<double>(6, 1), 2, 3, matrix);
  ReadOptions options = options_of(As::values);
  EXPECT_EQ(stream(matrix, options), "x: dense f64 [3]");
  EXPECT_EQ(stream(integers(3), options), "x: dense i32 [1]");
  options.type = ElementType::f32;
  EXPECT_EQ(stream(matrix, options), "x: dense f32 [3]");
  options.shape = Shape{4};
  EXPECT_EQ(stream(matrix, options), "x: dense f32 [4]") << "the declaration counts";
}

TEST(KaldiProbe, MismatchedObjectsAreReported) {
  const auto misfit = [](const std::string& object, const Stream& stream, As as) {
    const auto found = misfit_of(std::get<ProbedObject>(probed(object, as)), stream, as);
    return found ? std::string(found->kind->code) + ": " + found->found : "";
  };
  const Stream floats{.name = "x", .sample_shape = Shape{5}};
  const Stream ints{.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{1}};
  const Stream sparse{.name = "x", .sample_shape = Shape{50}, .storage = Storage::sparse};
  EXPECT_EQ(misfit(vector(5), floats, As::values), "");
  EXPECT_EQ(misfit(vector(4), floats, As::values), "kaldi-other-dim: 4, where the stream has 5");
  EXPECT_EQ(misfit(integers(3), ints, As::values), "");
  EXPECT_EQ(misfit(integers(3), floats, As::values),
            "kaldi-other-kind: a vector of int32 for a dense stream of f32");
  EXPECT_EQ(misfit(vector(5), ints, As::values),
            "kaldi-other-kind: a vector for a dense stream of i32");
  EXPECT_EQ(misfit(integers(3), sparse, As::one_hot), "");
  EXPECT_EQ(misfit(vector(5), sparse, As::values),
            "kaldi-other-kind: a vector for a sparse stream of f32");
}

TEST(KaldiProbe, RangesSelectParts) {
  std::string matrix;
  internal::encode_matrix<float>(std::vector<float>(12, 1), 4, 3, matrix);
  const auto part = [&](const std::string& object, auto rows, auto cols) -> std::string {
    const auto picked = part_of(std::get<ProbedObject>(probed(object)), rows, cols);
    if (const auto* const fault = std::get_if<KaldiFault>(&picked))
      return std::string(fault->kind->code);
    const auto& [r, c] = std::get<ObjectPart>(picked);
    return std::to_string(r.first) + "+" + std::to_string(r.count) + ", " +
           std::to_string(c.first) + "+" + std::to_string(c.count);
  };
  using Range = std::optional<internal::KaldiListedRange>;
  const Range none;
  EXPECT_EQ(part(matrix, none, none), "0+4, 0+3");
  EXPECT_EQ(part(matrix, Range({1, 2}), none), "1+2, 0+3");
  EXPECT_EQ(part(matrix, Range({1, 6}), Range({2, 2})), "1+3, 2+1") << "three rows behind the last";
  EXPECT_EQ(part(matrix, Range({1, 7}), none), "kaldi-range-end");
  EXPECT_EQ(part(matrix, none, Range({0, 3})), "kaldi-range-end");
  EXPECT_EQ(part(vector(5), Range({1, 2}), none), "1+2, 0+1");
  EXPECT_EQ(part(vector(5), Range({1, 2}), Range({0, 0})), "kaldi-range");
  EXPECT_EQ(part(integers(5), Range({1, 2}), none), "kaldi-range");
}

}  // namespace
}  // namespace sheaf::kaldi
