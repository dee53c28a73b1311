#include "transform/transform_types.h"

#include <string>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

using internal::transform_type;
using internal::unknown_transform_type;

TEST(TransformTypes, EachTypeIsFoundByItsName) {
  for (const TransformType& type : builtin_transforms()) {
    EXPECT_EQ(transform_type(type.name), &type);
  }
  ASSERT_NE(transform_type("function"), nullptr);
  EXPECT_EQ(transform_type("function")->name, "function");
  EXPECT_EQ(transform_type("Reverse"), nullptr);
  EXPECT_EQ(transform_type(""), nullptr);
}

TEST(TransformTypes, UnknownTypesGetASuggestionOrAList) {
  EXPECT_EQ(unknown_transform_type("revers"),
            R"(there is no type "revers"; did you mean "reverse"?)");
  std::string all = R"(there is no type "no_such_one"; there are )";
  std::string_view separator;
  bool has_function = false;
  for (const TransformType& type : builtin_transforms()) {
    if (!has_function && type.name > "function") {
      all += std::string(separator) + "function";
      separator = ", ";
      has_function = true;
    }
    all += std::string(separator) + std::string(type.name);
    separator = ", ";
  }
  EXPECT_EQ(unknown_transform_type("no_such_one"), all);
}

}  // namespace
}  // namespace sheaf
