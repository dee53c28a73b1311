#include "io/archive/entry_source.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "io/compressed/compressed_checks.h"

namespace sheaf::internal {
namespace {

TEST(PartSource, AddsTextAroundAPart) {
  const auto whole = memory_source("0123456789", "x");
  for (const std::string& before : {std::string(), std::string("ab")}) {
    for (const std::string& after : {std::string(), std::string("xyz")}) {
      const PartSource source(whole, "part",
                              {.begin = 3, .size = 4, .before = before, .after = after});
      const std::string expected = before + "3456" + after;
      ASSERT_EQ(source.size(), std::ssize(expected));
      EXPECT_EQ(source.name(), "part");
      for (std::int64_t begin = 0; begin <= source.size(); ++begin) {
        for (std::int64_t end = begin; end <= source.size(); ++end) {
          EXPECT_EQ(read_text(source, begin, end - begin),
                    expected.substr(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(end - begin)));
        }
      }
      EXPECT_THROW((void)read_text(source, -1, 1), IoError);
      EXPECT_THROW((void)read_text(source, source.size(), 1), IoError);
      EXPECT_THROW((void)read_text(source, source.size() + 1, 0), IoError);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
