#include "format/kaldi/kaldi_values.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_test_objects.h"
#include "format/kaldi/kaldi_walk.h"
#include "reference/kaldi_reference.h"

namespace sheaf::internal {
namespace {

using testing::data_of;
using testing::fault_of;
using testing::good_head;

TEST(KaldiValues, RowRangesMayExceedTheMatrixByThreeRows) {
  const struct {
    KaldiListedRange range;
    const char* fault;
    KaldiRange rows;
  } cases[] = {
      {{0, 9}, "", {0, 10}},
      {{3, 3}, "", {3, 1}},
      {{0, 10}, "", {0, 10}},
      {{9, 12}, "", {9, 1}},  // the last row and three beyond
      {{0, 13}, "kaldi-range-end 0 0:13 of 10", {}},
      {{10, 10}, "kaldi-range-end 0 10:10 of 10", {}},
      {{4, 3}, "kaldi-range 0 4:3", {}},
      {{-1, 3}, "kaldi-range 0 -1:3", {}},
      {{0, std::numeric_limits<std::int64_t>::max()},
       "kaldi-range-end 0 0:9223372036854775807 of 10",
       {}},
  };
  for (const auto& c : cases) {
    const auto clipped = clip_row_range(c.range, 10);
    EXPECT_EQ(fault_of(clipped), c.fault);
    if (const auto* const rows = std::get_if<KaldiRange>(&clipped)) {
      EXPECT_EQ(*rows, c.rows);
    }
  }
}

TEST(KaldiValues, ColumnRangesMustLieWithinTheObject) {
  EXPECT_EQ(std::get<KaldiRange>(check_column_range({2, 9}, 10)), (KaldiRange{2, 8}));
  EXPECT_EQ(fault_of(check_column_range({2, 10}, 10)), "kaldi-range-end 0 2:10 of 10");
  EXPECT_EQ(fault_of(check_column_range({0, 0}, 0)), "kaldi-range-end 0 0:0 of 0");
}

template <typename Stored, typename T>
void expect_parts(const KaldiRange& rows, const KaldiRange& cols) {
  std::vector<Stored> values(7 * 5);
  std::iota(values.begin(), values.end(), Stored(0.1));
  std::string object;
  encode_matrix(std::span<const Stored>(values), 7, 5, object);
  const KaldiHead head = good_head(object);
  ASSERT_EQ(head.size_bytes, std::ssize(object));
  std::vector<T> to(static_cast<std::size_t>(rows.count * cols.count));
  decode_floats(head, data_of(object, head), rows, cols, std::span(to));
  for (std::int64_t i = 0; i < std::ssize(to); ++i) {
    const std::int64_t location = (rows.first + i / cols.count) * 5 + cols.first + i % cols.count;
    ASSERT_EQ(to[static_cast<std::size_t>(i)],
              static_cast<T>(values[static_cast<std::size_t>(location)]));
  }
}

TEST(KaldiValues, ARangeEqualsThatPartOfTheMatrix) {
  for (const KaldiRange rows : {KaldiRange{0, 7}, {2, 3}, {6, 1}, {0, 0}}) {
    for (const KaldiRange cols : {KaldiRange{0, 5}, {1, 3}, {4, 1}, {2, 0}}) {
      expect_parts<float, float>(rows, cols);
      expect_parts<float, double>(rows, cols);
      expect_parts<double, float>(rows, cols);
      expect_parts<double, double>(rows, cols);
    }
  }
}

TEST(KaldiValues, AVectorIsOneColumn) {
  const std::vector<double> values = {1.5, -2, 1e300};
  std::string object;
  encode_vector(std::span<const double>(values), object);
  const KaldiHead head = good_head(object);
  std::vector<double> to(2);
  decode_floats(head, data_of(object, head), {1, 2}, {0, 1}, std::span(to));
  EXPECT_EQ(to, (std::vector<double>{-2, 1e300}));
}

TEST(KaldiValues, CompressedMatricesAreDecoded) {
  std::vector<float> values(20);
  std::iota(values.begin(), values.end(), 0.0F);
  std::string object;
  ASSERT_TRUE(encode_compressed(values, 10, 2, KaldiMethod::one_byte_unsigned_integer, object));
  const KaldiHead head = good_head(object);
  std::vector<float> to(4);
  decode_floats(head, data_of(object, head), {1, 2}, {0, 2}, std::span(to));
  EXPECT_EQ(to, (std::vector<float>{2, 3, 4, 5}));
}

TEST(KaldiValues, IntegersNeedTheirSizeMarks) {
  for (std::size_t count = 0; count <= 40; ++count) {
    std::vector<std::int32_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<std::int32_t>(i * 2654435761U);
    }
    std::string object;
    encode_integers(values, object);
    const KaldiHead head = good_head(object);
    ASSERT_EQ(head.size_bytes, std::ssize(object));
    std::vector<std::int32_t> to(count);
    ASSERT_EQ(fault_of(decode_integers(data_of(object, head), head.data_begin, to)), "");
    ASSERT_EQ(to, values);
    for (std::size_t i = 0; i < count; ++i) {
      std::string damaged = object;
      damaged[7 + 5 * i] = '\6';
      ASSERT_EQ(fault_of(decode_integers(data_of(damaged, head), head.data_begin, to)),
                "kaldi-mark " + std::to_string(7 + 5 * i) + " the byte 6");
    }
  }
}

TEST(KaldiValues, PairsAreTwoIntegers) {
  std::string object = testing::begin_object();
  testing::put_marked(object, std::int32_t{2});
  for (const std::int32_t value : {1, 2, 3, 4}) testing::put_marked(object, value);
  const KaldiHead head = good_head(object, KaldiKind::pairs);
  ASSERT_EQ(head.size_bytes, std::ssize(object));
  std::vector<std::int32_t> to(static_cast<std::size_t>(head.rows * head.cols));
  EXPECT_EQ(fault_of(decode_integers(data_of(object, head), head.data_begin, to)), "");
  EXPECT_EQ(to, (std::vector<std::int32_t>{1, 2, 3, 4}));
}

TEST(KaldiValues, ListsRoundTrip) {
  const std::vector<std::int32_t> values = {5, -1, 7};
  const std::vector<std::int64_t> counts = {0, 2, 0, 1};
  std::string object;
  encode_lists(values, counts, object);
  const KaldiHead head = good_head(object, KaldiKind::lists);
  std::vector<std::int32_t> found(3);
  std::vector<std::int64_t> found_counts(4);
  EXPECT_EQ(fault_of(decode_lists(head, data_of(object, head), found, found_counts)), "");
  EXPECT_EQ(found, values);
  EXPECT_EQ(found_counts, counts);
  object[22] = '\1';  // the mark of -1: 7, two starts of 5, one value
  EXPECT_EQ(fault_of(decode_lists(head, data_of(object, head), found, found_counts)),
            "kaldi-mark 22 the byte 1");
}

struct SparseResult {
  std::vector<float> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> counts;
  std::string fault;
};

SparseResult sparse_of(const std::string& object, KaldiKind kind, std::int64_t dim,
                       std::size_t value_count) {
  const KaldiHead head = good_head(object, kind);
  SparseResult result;
  result.values.resize(value_count);
  result.indices.resize(value_count);
  result.counts.resize(static_cast<std::size_t>(head.rows));
  result.fault = fault_of(decode_sparse(head, data_of(object, head), dim,
                                        {result.values, result.indices, result.counts}));
  return result;
}

TEST(KaldiValues, SparseSamplesHaveAscendingIndices) {
  const std::vector<float> values = {0.5F, 0.25F, 1, 2};
  const std::vector<std::int32_t> indices = {7, 1, 0, 9};
  const std::vector<std::int64_t> counts = {2, 0, 2};
  std::string posterior;
  encode_posterior(values, indices, counts, posterior);
  std::string matrix;
  encode_sparse(values, indices, counts, 10, matrix);
  for (const bool is_matrix : {false, true}) {
    const auto found = sparse_of(is_matrix ? matrix : posterior,
                                 is_matrix ? KaldiKind::sparse : KaldiKind::posteriors, 10, 4);
    EXPECT_EQ(found.fault, "");
    EXPECT_EQ(found.values, (std::vector<float>{0.25F, 0.5F, 1, 2}));
    EXPECT_EQ(found.indices, (std::vector<std::int32_t>{1, 7, 0, 9}));
    EXPECT_EQ(found.counts, counts);
  }
}

TEST(KaldiValues, IndicesMustBeUniqueAndBelowTheDim) {
  const std::vector<float> values = {1, 2, 3};
  const auto fault = [&](const std::vector<std::int32_t>& indices, std::int64_t dim) {
    std::string object;
    encode_posterior(values, indices, std::vector<std::int64_t>{3}, object);
    return sparse_of(object, KaldiKind::posteriors, dim, 3).fault;
  };
  EXPECT_EQ(fault({0, 1, 9}, 10), "");
  EXPECT_EQ(fault({0, 1, 9}, 9), "kaldi-class 33 9 of 9");
  EXPECT_EQ(fault({0, -1, 9}, 10), "kaldi-class 23 -1 of 10");
  EXPECT_EQ(fault({4, 1, 4}, 10), "kaldi-repeated-class 33 4");
  EXPECT_EQ(fault({4, 4, 1}, 10), "kaldi-repeated-class 23 4");
}

TEST(KaldiValues, RowsOfASparseMatrixHaveTheDimOfTheStream) {
  std::string object;
  encode_sparse({}, {}, std::vector<std::int64_t>{0}, 10, object);
  EXPECT_EQ(sparse_of(object, KaldiKind::sparse, 10, 0).fault, "");
  EXPECT_EQ(sparse_of(object, KaldiKind::sparse, 11, 0).fault, "kaldi-row-dim 14 10 instead of 11");
}

TEST(KaldiValues, IndicesOfASampleAreSorted) {
  std::mt19937 random(5);
  for (std::size_t count = 0; count <= 33; ++count) {
    std::vector<std::int32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0);
    std::shuffle(indices.begin(), indices.end(), random);
    std::vector<float> values(indices.begin(), indices.end());
    ASSERT_EQ(sort_sparse_sample(values, indices), std::nullopt);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(indices[i], static_cast<std::int32_t>(i));
      ASSERT_EQ(values[i], static_cast<float>(i));
    }
    if (count < 2) continue;
    indices.front() = indices.back();
    ASSERT_EQ(sort_sparse_sample(values, indices), std::optional(indices.back()));
  }
}

TEST(KaldiValues, ScalarsAreDecodedToTheRequestedType) {
  std::string object = testing::begin_object();
  testing::put_marked(object, 2.5F);
  const KaldiHead four = good_head(object, KaldiKind::scalar);
  EXPECT_EQ(decode_scalar<float>(four, data_of(object, four)), 2.5F);
  EXPECT_EQ(decode_scalar<std::int32_t>(four, data_of(object, four)), 0x40200000);
  std::string wide = testing::begin_object();
  testing::put_marked(wide, 2.5);
  const KaldiHead eight = good_head(wide, KaldiKind::scalar);
  EXPECT_EQ(decode_scalar<double>(eight, data_of(wide, eight)), 2.5);
  EXPECT_EQ(decode_scalar<std::int64_t>(eight, data_of(wide, eight)), 0x4004000000000000);
}

/// Decodes any bytes as a reader would. Returns whether there were values.
bool decode_anything(const std::string& object, KaldiKind declared) {
  const auto parsed = testing::head_of(object, declared);
  const auto* const head = std::get_if<KaldiHead>(&parsed);
  if (head == nullptr || head->kind == KaldiKind::text || head->kind == KaldiKind::wave)
    return false;
  const auto data = data_of(object, *head);
  const auto rows = static_cast<std::size_t>(head->rows);
  if (head->size_bytes == KaldiHead::kUnknownSize) {
    KaldiWalk walk(*head, std::ssize(object));
    if (walk.take(data) || !walk.is_done()) return false;
    const auto size = static_cast<std::size_t>(walk.value_count());
    std::vector<std::int32_t> numbers(size);
    std::vector<std::int64_t> counts(rows);
    std::vector<float> values(size);
    const auto whole = data.first(static_cast<std::size_t>(walk.position() - head->data_begin));
    return !(head->kind == KaldiKind::lists
                 ? decode_lists(*head, whole, numbers, counts)
                 : decode_sparse(*head, whole, head->kind == KaldiKind::sparse ? walk.dim() : 10,
                                 {values, numbers, counts}));
  }
  const std::size_t cells = rows * static_cast<std::size_t>(head->cols);
  if (head->kind == KaldiKind::integers || head->kind == KaldiKind::pairs) {
    std::vector<std::int32_t> to(cells);
    return !decode_integers(data.first(5 * cells), head->data_begin, to);
  }
  std::vector<float> to(cells);
  if (head->kind != KaldiKind::scalar) {
    decode_floats(*head, data, {0, head->rows}, {0, head->cols}, std::span(to));
  }
  return true;
}

TEST(KaldiValues, DamagedAndTruncatedObjectsStayWithinBounds) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> numbers = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> counts = {4, 0, 2};
  std::vector<std::pair<KaldiKind, std::string>> objects(8);
  encode_matrix(std::span<const float>(values), 2, 3, objects[0].second);
  encode_vector(std::span<const float>(values), objects[1].second);
  EXPECT_TRUE(encode_compressed(values, 2, 3, KaldiMethod::speech_feature, objects[2].second));
  EXPECT_TRUE(encode_compressed(values, 2, 3, KaldiMethod::two_byte, objects[3].second));
  encode_integers(numbers, objects[4].second);
  for (std::size_t i = 0; i <= 4; ++i) objects[i].first = KaldiKind::integers;
  objects[5].first = KaldiKind::lists;
  encode_lists(numbers, counts, objects[5].second);
  objects[6].first = KaldiKind::posteriors;
  encode_posterior(values, numbers, counts, objects[6].second);
  objects[7].first = KaldiKind::sparse;
  encode_sparse(values, numbers, counts, 10, objects[7].second);
  for (auto& [kind, object] : objects) {
    const KaldiKind declared = kind == KaldiKind::sparse ? KaldiKind::integers : kind;
    ASSERT_TRUE(decode_anything(object, declared)) << to_string(kind);
    for (std::size_t size = 0; size < object.size(); ++size) {
      EXPECT_FALSE(decode_anything(object.substr(0, size), declared)) << to_string(kind) << size;
    }
    for (std::size_t i = 2; i < object.size(); ++i) {
      for (const int change : {1, 4, 5, 127, 128, 255}) {
        std::string damaged = object;
        damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ change);
        decode_anything(damaged, declared);  // the sanitizers check this
        damaged[i] = static_cast<char>(change);
        decode_anything(damaged, declared);
      }
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
