#include "ops/all_parts.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

std::string refusal_of(const std::vector<std::int64_t>& numbers, std::int64_t count) {
  std::vector<NamedPart> parts;
  for (const std::int64_t number : numbers) {
    parts.push_back({"file " + std::to_string(parts.size()), {.number = number, .count = count}});
  }
  return testing::error_of([&] { check_all_parts(parts); });
}

TEST(AllParts, EachPartMustOccurOnce) {
  EXPECT_EQ(refusal_of({0, 1, 2}, 3), "none");
  EXPECT_EQ(refusal_of({0}, 1), "none");
  EXPECT_EQ(refusal_of({1, 2}, 3), "part 0/3 is missing");
  EXPECT_EQ(refusal_of({0, 2}, 3), "part 1/3 is missing");
  EXPECT_EQ(refusal_of({0, 1}, 3), "part 2/3 is missing");
  EXPECT_EQ(refusal_of({0, 1, 1, 2}, 3), "file 1 and file 2 are both part 1/3");
  EXPECT_EQ(refusal_of({0, 0}, 1), "file 0 and file 1 are both part 0/1");
}

}  // namespace
}  // namespace sheaf::internal
