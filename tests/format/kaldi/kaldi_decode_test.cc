#include "format/kaldi/kaldi_decode.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"

#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_test_objects.h"

namespace sheaf::kaldi {
namespace {

using internal::testing::begin_object;
using internal::testing::bytes_of;
using internal::testing::put_marked;

ProbedObject probed(const std::string& object, As as, ElementType type) {
  ReadOptions options{.as = as, .name = "x"};
  options.read_size_bytes = 1 << 20;
  options.type = type;
  options.shape = Shape{10};
  const Probed probed = probe_object(*memory_source(object, "a.ark"), 0, options);
  if (const auto* const fault = std::get_if<KaldiFault>(&probed)) {
    ADD_FAILURE() << internal::testing::text_of_fault(*fault);
    return {};
  }
  return std::get<ProbedObject>(probed);
}

template <typename T>
std::vector<T> fixed(const std::string& bytes, As as, ElementType type,
                     std::optional<ObjectPart> part = {}) {
  const ProbedObject object = probed(bytes, as, type);
  if (!part) part = std::get<ObjectPart>(part_of(object, {}, {}));
  const Stream stream{.name = "x", .element_type = type, .sample_shape = Shape{1}};
  std::vector<T> values(static_cast<std::size_t>(part->rows.count * part->cols.count));
  const auto fault = decode_fixed(object, bytes_of(bytes), stream, as, *part,
                                  reinterpret_cast<std::byte*>(values.data()));
  EXPECT_FALSE(fault) << internal::testing::fault_of(fault);
  return values;
}

TEST(KaldiDecode, ValuesTakeTheTypeOfTheStream) {
  const std::vector<double> values = {0.1, 2, 3, 4, 5, 6};
  std::string doubles;
  internal::encode_matrix<double>(values, 2, 3, doubles);
  EXPECT_EQ(fixed<double>(doubles, As::values, ElementType::f64), values);
  EXPECT_EQ(fixed<float>(doubles, As::values, ElementType::f32),
            (std::vector<float>{0.1F, 2, 3, 4, 5, 6}));
  const std::string text = "[\n 0.1 2 3\n 4 5 6 ]\n";
  EXPECT_EQ(fixed<double>(text, As::values, ElementType::f64), values);
  const ObjectPart part{.rows = {1, 1}, .cols = {1, 2}};
  EXPECT_EQ(fixed<float>(doubles, As::values, ElementType::f32, part), (std::vector<float>{5, 6}));
  EXPECT_EQ(fixed<float>(text, As::values, ElementType::f32, part), (std::vector<float>{5, 6}));
}

TEST(KaldiDecode, IntegersPairsAndScalarsAreDecoded) {
  std::string integers;
  internal::encode_integers(std::vector<std::int32_t>{3, -4, 5, 6}, integers);
  const std::vector<std::int32_t> expected = {3, -4, 5, 6};
  EXPECT_EQ(fixed<std::int32_t>(integers, As::values, ElementType::i32), expected);
  EXPECT_EQ(fixed<std::int32_t>("3 -4 5 6\n", As::values, ElementType::i32), expected);
  EXPECT_EQ(fixed<std::int32_t>("3 -4 ; 5 6\n", As::pairs, ElementType::i32), expected);
  std::string pairs = begin_object();
  put_marked(pairs, std::int32_t{2});
  for (const std::int32_t value : expected) put_marked(pairs, value);
  EXPECT_EQ(fixed<std::int32_t>(pairs, As::pairs, ElementType::i32), expected);
  std::string whole = begin_object();
  put_marked(whole, std::int32_t{7});
  EXPECT_EQ(fixed<std::int32_t>(whole, As::scalars, ElementType::i32),
            (std::vector<std::int32_t>{7}));
  std::string real = begin_object();
  put_marked(real, 2.5F);
  EXPECT_EQ(fixed<float>(real, As::scalars, ElementType::f32), std::vector<float>{2.5F});
  EXPECT_EQ(fixed<double>(real, As::scalars, ElementType::f64), std::vector<double>{2.5});
  std::string wide = begin_object();
  put_marked(wide, 2.5);
  EXPECT_EQ(fixed<float>(wide, As::scalars, ElementType::f32), std::vector<float>{2.5F});
}

struct Loose {
  std::vector<float> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> counts;
  std::string fault;

  friend bool operator==(const Loose&, const Loose&) = default;
};

Loose loose(const std::string& bytes, As as) {
  const ProbedObject object = probed(bytes, as, ElementType::f32);
  const Stream stream{.name = "x", .sample_shape = Shape{10}, .storage = Storage::sparse};
  LooseSamples samples;
  Loose result;
  result.fault =
      internal::testing::fault_of(decode_loose(object, bytes_of(bytes), stream, as, samples));
  if (!result.fault.empty()) return result;
  result.values.resize(samples.values.size() / sizeof(float));
  if (!samples.values.empty()) {
    std::memcpy(result.values.data(), samples.values.data(), samples.values.size());
  }
  result.indices = samples.indices;
  result.counts = samples.counts;
  return result;
}

TEST(KaldiDecode, SparseSamplesAreDecoded) {
  std::string posterior;
  internal::encode_posterior(std::vector<float>{1, 0.5F, 0.25F}, std::vector<std::int32_t>{3, 7, 2},
                             std::vector<std::int64_t>{1, 0, 2}, posterior);
  const Loose expected{{1, 0.25F, 0.5F}, {3, 2, 7}, {1, 0, 2}, ""};
  EXPECT_EQ(loose(posterior, As::posteriors), expected) << "classes are sorted";
  EXPECT_EQ(loose("[ 3 1 ] [ ] [ 7 0.5 2 0.25 ]\n", As::posteriors), expected);
  std::string integers;
  internal::encode_integers(std::vector<std::int32_t>{3, 9}, integers);
  const Loose one_hot{{1, 1}, {3, 9}, {1, 1}, ""};
  EXPECT_EQ(loose(integers, As::one_hot), one_hot);
  EXPECT_EQ(loose("3 9\n", As::one_hot), one_hot);
}

TEST(KaldiDecode, ClassesMustBeBelowTheDim) {
  for (const std::int32_t wrong : {-1, 10}) {
    std::string integers;
    internal::encode_integers(std::vector<std::int32_t>{9, wrong}, integers);
    EXPECT_EQ(loose(integers, As::one_hot).fault,
              "kaldi-class 12 " + std::to_string(wrong) +
                  " as element 1, where the stream has 10 classes");
    std::string posterior;
    internal::encode_posterior(std::vector<float>{1}, std::vector<std::int32_t>{wrong},
                               std::vector<std::int64_t>{1}, posterior);
    EXPECT_EQ(loose(posterior, As::posteriors).fault.substr(0, 12), "kaldi-class ");
  }
}

TEST(KaldiDecode, ListsKeepTheirNumbers) {
  std::string lists;
  internal::encode_lists(std::vector<std::int32_t>{1, -2, 3}, std::vector<std::int64_t>{2, 0, 1},
                         lists);
  const Stream stream{
      .name = "x", .element_type = ElementType::i32, .sample_shape = Shape{Shape::kVariable}};
  for (const std::string& bytes : {lists, std::string("1 -2 ; ; 3 ;\n")}) {
    const ProbedObject object = probed(bytes, As::lists, ElementType::i32);
    LooseSamples samples;
    EXPECT_FALSE(decode_loose(object, bytes_of(bytes), stream, As::lists, samples));
    EXPECT_EQ(samples.counts, (std::vector<std::int64_t>{2, 0, 1}));
    std::vector<std::int32_t> values(3);
    ASSERT_EQ(samples.values.size(), 12U);
    std::memcpy(values.data(), samples.values.data(), 12);
    EXPECT_EQ(values, (std::vector<std::int32_t>{1, -2, 3}));
  }
}

}  // namespace
}  // namespace sheaf::kaldi
