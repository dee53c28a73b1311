#include "format/arrow/ipc_fields.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/flatbuffer.h"
#include "format/arrow/ipc_schema.h"
#include "support/error_of.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;

ArrowNode read_back(const ArrowNode& type) {
  const std::string bytes = flat_bytes(schema_draft(type));
  const auto file = memory_source("", "t");
  return read_schema(flat_root({.file = file.get(), .bytes = std::as_bytes(std::span(bytes))}),
                     kVersion5)
      .type;
}

TEST(IpcFields, EachTypeRoundTrips) {
  ArrowNode type{.format = "+s"};
  constexpr std::string_view kFormats[] = {"n", "b", "c", "C", "s", "S", "i", "I",   "l",  "L",
                                           "e", "f", "g", "u", "U", "z", "Z", "w:0", "w:7"};
  for (const std::string_view format : kFormats) {
    type.children.push_back({.format = std::string(format), .name = "x" + std::string(format)});
  }
  const ArrowNode item{.format = "i", .name = "item", .is_nullable = true};
  for (const std::string_view format : {"+l", "+L", "+w:0", "+w:12", "+s"}) {
    type.children.push_back({.format = std::string(format), .children = {item}});
  }
  const ArrowNode back = read_back(type);
  ASSERT_EQ(back.children.size(), type.children.size());
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    const ArrowNode& one = back.children[i];
    const ArrowNode& other = type.children[i];
    EXPECT_EQ(one.format, other.format);
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.is_nullable, other.is_nullable);
    ASSERT_EQ(one.children.size(), other.children.size());
    if (!one.children.empty()) {
      EXPECT_EQ(one.children[0].format, "i");
      EXPECT_EQ(one.children[0].name, "item");
      EXPECT_TRUE(one.children[0].is_nullable);
    }
  }
}

TEST(IpcFields, MetadataRoundTrips) {
  const std::string metadata = arrow_metadata({{"a", std::string("\0b", 2)}, {"", ""}});
  ArrowNode type{.format = "+s", .metadata = metadata};
  type.children.push_back({.format = "i", .metadata = metadata});
  const ArrowNode back = read_back(type);
  EXPECT_EQ(back.metadata, metadata);
  EXPECT_EQ(back.children[0].metadata, metadata);
}

TEST(IpcFields, OtherTypesAreRefused) {
  for (const std::string_view format : {"tdD", "d:9,2", "vu", "+vl", "+m", "+r", "+us:", "x"}) {
    const ArrowNode type{.format = "+s", .children = {{.format = std::string(format)}}};
    EXPECT_THROW((void)schema_draft(type), InternalError) << format;
  }
  const ArrowNode words{.format = "i", .dictionary = {{.format = "u"}}};
  EXPECT_EQ(error_of([&] { (void)schema_draft({.format = "+s", .children = {words}}); }),
            "an Arrow array of type \"i\" cannot be written");
}

}  // namespace
}  // namespace sheaf::arrow
