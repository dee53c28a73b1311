#include "ops/report/stream_roles.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

Stream dense(const std::string& name, ElementType type, Shape shape = {}) {
  return {.name = name, .element_type = type, .sample_shape = shape};
}

Stream sparse(const std::string& name) {
  return {.name = name, .sample_shape = {10}, .storage = Storage::sparse};
}

TEST(StreamRoles, FindsTheSourceOfIds) {
  EXPECT_EQ(id_source_of(sparse("x")), IdSource::indices);
  EXPECT_EQ(id_source_of(dense("x", ElementType::f32)), IdSource::values);
  EXPECT_EQ(id_source_of(dense("x", ElementType::i32, {128})), IdSource::values);
  EXPECT_EQ(id_source_of(dense("x", ElementType::i64, {Shape::kVariable})), IdSource::values);
  EXPECT_EQ(id_source_of(dense("x", ElementType::f32, {10})), IdSource::one_hot);
  EXPECT_EQ(id_source_of(dense("x", ElementType::u8, {10})), IdSource::one_hot);
  EXPECT_EQ(id_source_of(dense("x", ElementType::f32, {70'000})), IdSource::none);
  EXPECT_EQ(id_source_of(dense("x", ElementType::f32, {Shape::kVariable})), IdSource::none);
  EXPECT_EQ(id_source_of(dense("x", ElementType::bytes, {Shape::kVariable})), IdSource::none);
}

TEST(StreamRoles, ClassNamesIdentifyLabels) {
  Stream named = dense("quality", ElementType::i64);
  named.class_names = std::make_shared<const std::vector<std::string>>(2, "good");
  EXPECT_EQ(label_streams(std::vector<Stream>{sparse("labels"), named}),
            (std::vector<bool>{false, true}));
}

TEST(StreamRoles, StreamNamesIdentifyLabels) {
  EXPECT_EQ(label_streams(std::vector<Stream>{dense("x", ElementType::f32),
                                              dense("My Labels", ElementType::f32, {3})}),
            (std::vector<bool>{false, true}));
  EXPECT_EQ(label_streams(std::vector<Stream>{dense("Y", ElementType::f32), sparse("yes")}),
            (std::vector<bool>{true, false}));
}

TEST(StreamRoles, ClassesBesideMeasuredValuesAreLabels) {
  EXPECT_EQ(label_streams(std::vector<Stream>{dense("a", ElementType::f32, {40}), sparse("b"),
                                              dense("c", ElementType::i32)}),
            (std::vector<bool>{false, true, true}));
}

TEST(StreamRoles, OtherStreamsAreNotLabels) {
  EXPECT_EQ(label_streams(std::vector<Stream>{sparse("a"), sparse("b")}),
            (std::vector<bool>{false, false}));
  EXPECT_EQ(label_streams(std::vector<Stream>{dense("label", ElementType::f32)}),
            (std::vector<bool>{false}));
  EXPECT_TRUE(label_streams({}).empty());
}

}  // namespace
}  // namespace sheaf::internal
