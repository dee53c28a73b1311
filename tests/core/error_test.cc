#include "sheaf/error.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/diagnostic.h"

namespace sheaf {
namespace {

const std::vector<Diagnostic> kDiagnostics = {
    {.path = "train.ctf", .line = 1, .expected = "a number", .found = "\"x\""},
    {.path = "train.ctf", .line = 7, .expected = "a name", .found = "\"|\""}};

TEST(DataError, ShowsItsLastDiagnostic) {
  const DataError error(kDiagnostics);
  EXPECT_EQ(error.what(), to_string(kDiagnostics[1]));
  EXPECT_EQ(error.diagnostics().size(), 2U);
}

TEST(DataError, ItsCopiesShareTheDiagnostics) {
  std::vector<DataError> copies;
  {
    const DataError error(kDiagnostics);
    copies.push_back(error);
    EXPECT_EQ(copies[0].diagnostics().data(), error.diagnostics().data());
  }
  EXPECT_EQ(copies[0].diagnostics()[0], kDiagnostics[0]);
}

TEST(Errors, DeriveFromOneClass) {
  EXPECT_THROW(throw ConfigError("option"), Error);
  EXPECT_THROW(throw IoError("file"), Error);
  EXPECT_THROW(throw InternalError("promise"), Error);
  EXPECT_THROW(throw DataError(kDiagnostics), Error);
}

}  // namespace
}  // namespace sheaf
