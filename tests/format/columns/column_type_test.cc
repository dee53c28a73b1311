#include "format/columns/column_type.h"

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

FoundType type_of(const ArrowNode& node) {
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  export_schema(node, *schema);
  return column_type_of(*schema);
}

std::string name_of(const ArrowNode& node) {
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  export_schema(node, *schema);
  return type_name(*schema);
}

ArrowNode of_format(const char* format) { return {.format = format, .name = "x"}; }

ArrowNode list_type(const char* format, ArrowNode item) {
  ArrowNode node = of_format(format);
  node.children.push_back(std::move(item));
  return node;
}

TEST(ColumnType, NamesMatchPyarrow) {
  EXPECT_EQ(name_of(of_format("i")), "int32");
  EXPECT_EQ(name_of(of_format("tsu:UTC")), "timestamp[us, tz=UTC]");
  EXPECT_EQ(name_of(of_format("tss:")), "timestamp[s]");
  EXPECT_EQ(name_of(of_format("d:10,2")), "decimal(10,2)");
  EXPECT_EQ(name_of(list_type("+l", of_format("u"))), "list<string>");
  EXPECT_EQ(name_of(list_type("+w:3", of_format("f"))), "fixed_size_list<float>[3]");
  EXPECT_EQ(name_of(list_type("+s", of_format("f"))), "struct<x: float>");
  EXPECT_EQ(name_of(of_format("tdD")), "date32");
  EXPECT_EQ(name_of(of_format("??")), "Arrow format \"??\"");
}

TEST(ColumnType, UnsupportedTypesAreRefusedByName) {
  for (const char* format : {"n", "tdD", "tsu:", "d:10,2", "tts", "tDn", "w:0", "+r", "??"}) {
    const FoundType found = type_of(of_format(format));
    EXPECT_EQ(found.why_not, "no stream has values of the type " + name_of(of_format(format)));
  }
  EXPECT_NE(type_of(list_type("+vl", of_format("i"))).why_not.find("list_view<int32>"),
            std::string::npos);
  EXPECT_NE(type_of(list_type("+s", of_format("i"))).why_not.find("struct<x: int32>"),
            std::string::npos);
}

TEST(ColumnType, ListsNestTwiceAtMost) {
  const ArrowNode one = list_type("+l", of_format("i"));
  EXPECT_EQ(type_of(one).why_not, "");
  const ArrowNode two = list_type("+L", one);
  EXPECT_EQ(type_of(two).why_not, "");
  EXPECT_EQ(type_of(two).type.large_lists, (std::vector<bool>{true, false}));
  EXPECT_NE(type_of(list_type("+l", two)).why_not, "");
  EXPECT_EQ(type_of(list_type("+l", list_type("+w:2", of_format("i")))).why_not, "");
  EXPECT_NE(type_of(list_type("+l", list_type("+l", list_type("+w:2", of_format("i"))))).why_not,
            "");
  EXPECT_NE(type_of(list_type("+w:2", one)).why_not, "");
  EXPECT_EQ(type_of(list_type("+l", of_format("w:2"))).why_not, "");
  EXPECT_NE(type_of(list_type("+l", list_type("+l", of_format("w:2")))).why_not, "");
}

TEST(ColumnType, FixedListsNestUpToTheRankOfAShape) {
  ArrowNode node = of_format("f");
  for (int rank = 1; rank <= Shape::kRankMax; ++rank) {
    node = list_type("+w:2", std::move(node));
    EXPECT_EQ(type_of(node).why_not, "") << rank;
  }
  EXPECT_EQ(type_of(node).type.values_per_element(), 256);
  EXPECT_NE(type_of(list_type("+w:2", std::move(node))).why_not, "");
}

TEST(ColumnType, DictionariesHoldTexts) {
  ArrowNode node = of_format("i");
  node.dictionary.push_back(of_format("u"));
  EXPECT_EQ(type_of(node).type.kind, ColumnType::Kind::classes);
  node.dictionary[0].format = "l";
  EXPECT_EQ(type_of(node).why_not, "no stream has values of the type dictionary<int64>");
}

TEST(ColumnType, MetadataIsFoundByKey) {
  ArrowNode node = of_format("i");
  node.metadata = arrow_metadata({{"a", "1"}, {"b", ""}, {"c", "333"}});
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  export_schema(node, *schema);
  EXPECT_EQ(metadata_value(*schema, "c"), "333");
  EXPECT_EQ(metadata_value(*schema, "b"), "");
  EXPECT_EQ(metadata_value(*schema, "d"), "");
}

TEST(ColumnType, KeysAreWholeNumbersAndTexts) {
  const auto can = [](const char* format) {
    Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
    export_schema(of_format(format), *schema);
    return can_be_key(*schema);
  };
  for (const char* format : {"c", "L", "u", "Z", "vu", "vz"}) EXPECT_TRUE(can(format)) << format;
  for (const char* format : {"b", "f", "n", "w:3", "+l"}) EXPECT_FALSE(can(format)) << format;
}

}  // namespace
}  // namespace sheaf::columns
