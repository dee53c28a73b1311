#include "sheaf/extend/arrow_node.h"

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

TEST(ArrowNode, ExportsChildrenAndDictionaries) {
  const ArrowNode node = struct_of({named("a", numbers_of<std::int32_t>("i", {1, 2})),
                                    named("c", classes_of({0, 1}, {"x", "y"}))});
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  export_schema(node, *schema);
  ASSERT_EQ(schema->n_children, 2);
  EXPECT_STREQ(schema->children[0]->name, "a");
  EXPECT_EQ(schema->children[0]->dictionary, nullptr);
  EXPECT_STREQ(schema->children[1]->dictionary->format, "u");

  Taken<ArrowArray> array = nothing_taken<ArrowArray>();
  export_array(node, nullptr, *array);
  EXPECT_EQ(array->children[1]->dictionary->length, 2);
  EXPECT_EQ(static_cast<const std::int32_t*>(array->children[0]->buffers[1])[1], 2);
}

TEST(ArrowNode, TheOwnerLivesAsLongAsTheLastArray) {
  const auto owner = std::make_shared<int>(7);
  Taken<ArrowArray> array = nothing_taken<ArrowArray>();
  export_array(struct_of({numbers_of<std::int32_t>("i", {1})}), owner, *array);
  // A consumer may move a child out and release the parent.
  Taken<ArrowArray> child = nothing_taken<ArrowArray>();
  *child = *array->children[0];
  array->children[0]->release = nullptr;
  array.reset();
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(static_cast<const std::int32_t*>(child->buffers[1])[0], 1);
  child.reset();
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(ArrowNode, NullableFieldsAreMarked) {
  const ArrowNode node = with_validity(numbers_of<std::int32_t>("i", {1, 2}), {true, false});
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  export_schema(node, *schema);
  EXPECT_EQ(schema->flags, ARROW_FLAG_NULLABLE);
  EXPECT_EQ(node.null_count, 1);
}

}  // namespace
}  // namespace sheaf::columns
