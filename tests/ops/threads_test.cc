#include "ops/threads.h"

#include <memory>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

TEST(OperationThreads, UseTheGivenExecutorOrCreateOne) {
  const std::unique_ptr<Executor> given = thread_pool(3);
  EXPECT_EQ(&OperationThreads({.threads = 2, .executor = given.get()}).executor(), given.get());
  EXPECT_EQ(OperationThreads({.threads = 2}).executor().thread_count(), 2);
  EXPECT_EQ(OperationThreads({}).executor().thread_count(), available_processors());
  EXPECT_THROW(OperationThreads({.threads = -1}), ConfigError);
}

}  // namespace
}  // namespace sheaf::internal
