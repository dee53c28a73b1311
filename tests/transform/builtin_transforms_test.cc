#include <algorithm>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/transform.h"

namespace sheaf {
namespace {

TEST(BuiltinTransforms, AreSortedByName) {
  EXPECT_TRUE(std::ranges::is_sorted(builtin_transforms(), {}, &TransformType::name));
}

TEST(BuiltinTransforms, HaveAFunctionUnlessTheyOnlySelectStreams) {
  for (const TransformType& type : builtin_transforms()) {
    const bool names_only = type.use == TransformUse::select || type.use == TransformUse::rename;
    EXPECT_EQ(type.make == nullptr, names_only) << type.name;
    EXPECT_FALSE(type.description.empty()) << type.name;
  }
}

TEST(BuiltinTransforms, RefuseUnknownOptions) {
  for (const TransformType& type : builtin_transforms()) {
    if (type.make == nullptr) continue;
    const auto make = [&] { static_cast<void>(type.make({.options = {{"no_such", "1"}}})); };
    EXPECT_THROW(make(), ConfigError) << type.name;
  }
}

}  // namespace
}  // namespace sheaf
