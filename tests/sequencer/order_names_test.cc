#include <gtest/gtest.h>

#include "sheaf/order.h"

#include "dataset/spec_fields.h"

namespace sheaf {
namespace {

template <typename Words>
void expect_names(const Words& words) {
  for (const auto& word : words) EXPECT_EQ(to_string(word.value), word.word);
}

TEST(OrderNames, MatchTheNamesOfSpecs) {
  expect_names(internal::kUnits);
  expect_names(internal::kOrders);
  expect_names(internal::kBatchings);
  expect_names(internal::kSizes);
}

}  // namespace
}  // namespace sheaf
