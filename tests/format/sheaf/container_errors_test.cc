#include "format/sheaf/container_errors.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"

#include "support/error_of.h"

namespace sheaf::container {
namespace {

TEST(ContainerErrors, AnErrorNamesFileOffsetAndExpectation) {
  const auto source = memory_source("", "x.sheaf");
  EXPECT_EQ(testing::error_of([&] { throw_damaged(*source, 72, kTableError, "another hash"); }),
            "x.sheaf: byte 72: error: expected the table that was written, found another hash "
            "[sheaf-table]");
}

TEST(ContainerErrors, EachKindHasAUniqueCode) {
  std::set<std::string_view> codes;
  for (const internal::ErrorKind& kind : {kMagicError, kVersionError, kFootError, kDirectoryError,
                                          kTableError, kHashError, kContentError}) {
    EXPECT_TRUE(kind.code.starts_with("sheaf-")) << kind.code;
    EXPECT_FALSE(kind.expected.empty()) << kind.code;
    codes.insert(kind.code);
  }
  EXPECT_EQ(codes.size(), 7U);
}

}  // namespace
}  // namespace sheaf::container
