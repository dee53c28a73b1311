#include "format/arrow/arrow_layout.h"

#include <optional>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::arrow {
namespace {

struct LayoutCase {
  std::string_view format;
  Layout layout;
  int buffers;
  int old_buffers;  // before version V5
};

TEST(ArrowLayout, EachTypeHasItsBuffers) {
  const LayoutCase cases[] = {
      {"n", {LayoutKind::nulls, 0}, 0, 0},               //
      {"b", {LayoutKind::bits, 0}, 2, 2},                //
      {"C", {LayoutKind::fixed, 1}, 2, 2},               //
      {"e", {LayoutKind::fixed, 2}, 2, 2},               //
      {"f", {LayoutKind::fixed, 4}, 2, 2},               //
      {"tDn", {LayoutKind::fixed, 8}, 2, 2},             //
      {"tsu:UTC", {LayoutKind::fixed, 8}, 2, 2},         // the zone may be any text
      {"tin", {LayoutKind::fixed, 16}, 2, 2},            //
      {"w:0", {LayoutKind::fixed, 0}, 2, 2},             // the smallest width
      {"w:42", {LayoutKind::fixed, 42}, 2, 2},           //
      {"d:9,2", {LayoutKind::fixed, 16}, 2, 2},          // 128 bits
      {"d:9,-2,256", {LayoutKind::fixed, 32}, 2, 2},     //
      {"d:9,2,32", {LayoutKind::fixed, 4}, 2, 2},        //
      {"u", {LayoutKind::texts, 4}, 3, 3},               //
      {"Z", {LayoutKind::texts, 8}, 3, 3},               //
      {"vu", {LayoutKind::views, 16}, 2, 2},             //
      {"+l", {LayoutKind::lists, 4}, 2, 2},              //
      {"+L", {LayoutKind::lists, 8}, 2, 2},              //
      {"+m", {LayoutKind::lists, 4}, 2, 2},              //
      {"+vL", {LayoutKind::list_views, 8}, 3, 3},        //
      {"+w:7", {LayoutKind::fixed_lists, 7}, 1, 1},      //
      {"+s", {LayoutKind::structs, 0}, 1, 1},            //
      {"+us:0,1", {LayoutKind::sparse_union, 0}, 1, 2},  //
      {"+ud:0", {LayoutKind::dense_union, 0}, 2, 3},     //
      {"+r", {LayoutKind::run_ends, 0}, 0, 1},           //
  };
  for (const LayoutCase& each : cases) {
    const std::optional<Layout> layout = layout_of(each.format);
    ASSERT_TRUE(layout.has_value()) << each.format;
    EXPECT_EQ(*layout, each.layout) << each.format;
    EXPECT_EQ(buffer_count(*layout, false), each.buffers) << each.format;
    EXPECT_EQ(buffer_count(*layout, true), each.old_buffers) << each.format;
  }
}

TEST(ArrowLayout, InvalidTypesHaveNoLayout) {
  for (const std::string_view format :
       {"", "x", "w:", "w:-1", "w:1x", "+w:", "d:9,2,x", "d:9,2,7", "ts", "tsx:", "+", "uu"}) {
    EXPECT_FALSE(layout_of(format).has_value()) << format;
  }
}

TEST(ArrowLayout, ListsHaveOneChildAndStructsAnyNumber) {
  EXPECT_EQ(child_count({LayoutKind::lists, 4}), 1);
  EXPECT_EQ(child_count({LayoutKind::fixed_lists, 2}), 1);
  EXPECT_EQ(child_count({LayoutKind::run_ends, 0}), 2);
  EXPECT_EQ(child_count({LayoutKind::fixed, 4}), 0);
  EXPECT_EQ(child_count({LayoutKind::structs, 0}), std::nullopt);
  EXPECT_EQ(child_count({LayoutKind::dense_union, 0}), std::nullopt);
}

}  // namespace
}  // namespace sheaf::arrow
