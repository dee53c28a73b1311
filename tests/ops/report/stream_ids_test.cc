#include "ops/report/stream_ids.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

template <typename T>
const std::byte* id_bytes(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

template <typename T>
std::vector<std::int64_t> ids_of(const Stream& stream, const std::vector<T>& numbers,
                                 bool* are_ids = nullptr) {
  std::vector<std::int64_t> ids;
  const bool result = visit_ids(stream, id_bytes(numbers), std::ssize(numbers),
                                [&](std::int64_t id) { ids.push_back(id); });
  if (are_ids != nullptr) *are_ids = result;
  return ids;
}

TEST(StreamIds, IndicesAndWholeNumbersAreIds) {
  const Stream sparse{.name = "x", .sample_shape = {9}, .storage = Storage::sparse};
  EXPECT_EQ(ids_of<std::int32_t>(sparse, {3, 8}), (std::vector<std::int64_t>{3, 8}));
  const Stream whole{.name = "x", .element_type = ElementType::i64};
  EXPECT_EQ(ids_of<std::int64_t>(whole, {-5, 1'000'000}),
            (std::vector<std::int64_t>{-5, 1'000'000}));
}

TEST(StreamIds, AFractionIsNotAnId) {
  const Stream stream{.name = "x"};
  bool are_ids = true;
  EXPECT_EQ(ids_of<float>(stream, {1, 2, 2.5F, 3}, &are_ids), (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(are_ids);
}

TEST(StreamIds, StatisticsIndicatePossibleIds) {
  const Stream scalar{.name = "x"};
  EXPECT_TRUE(may_be_ids(scalar, IdSource::values, {.count = 2, .min = 0, .max = 65'535}));
  EXPECT_FALSE(may_be_ids(scalar, IdSource::values, {.count = 2, .min = 0, .max = 65'536}));
  EXPECT_FALSE(may_be_ids(scalar, IdSource::values, {.count = 2, .min = -1, .max = 1}));
  EXPECT_FALSE(
      may_be_ids(scalar, IdSource::values, {.count = 2, .non_finite = 1, .min = 0, .max = 1}));
  const Stream vector{.name = "x", .sample_shape = {4}};
  EXPECT_TRUE(may_be_ids(vector, IdSource::one_hot, {.count = 8, .zeros = 6, .min = 0, .max = 1}));
  EXPECT_FALSE(may_be_ids(vector, IdSource::one_hot, {.count = 8, .zeros = 5, .min = 0, .max = 1}));
  EXPECT_FALSE(may_be_ids(vector, IdSource::one_hot, {.count = 8, .zeros = 6, .min = 0, .max = 2}));
  EXPECT_FALSE(may_be_ids(vector, IdSource::none, {}));
}

TEST(StreamIds, OneHotSamplesHaveIds) {
  const Stream stream{.name = "x", .sample_shape = {3}};
  std::vector<std::int64_t> ids;
  const auto keep = [&](std::int64_t id) { ids.push_back(id); };
  EXPECT_TRUE(visit_one_hot_ids(stream, id_bytes<float>({0, 0, 1, 1, 0, 0}), 2, keep));
  EXPECT_EQ(ids, (std::vector<std::int64_t>{2, 0}));
  // These two samples have the same statistics as one-hot samples.
  EXPECT_FALSE(visit_one_hot_ids(stream, id_bytes<float>({1, 1, 0, 0, 0, 0}), 2, keep));
  EXPECT_FALSE(visit_one_hot_ids(stream, id_bytes<float>({0, 0.5F, 0}), 1, keep));
}

}  // namespace
}  // namespace sheaf::internal
