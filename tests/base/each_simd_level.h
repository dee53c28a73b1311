// Tests that run once for each set of instructions.

#pragma once

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

namespace sheaf::internal {

/// Uses the kernels of one level, then those that were in use before.
class EachSimdLevel : public ::testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!set_simd_level(GetParam())) GTEST_SKIP() << "this machine has no such instructions";
  }
  void TearDown() override { set_simd_level(before_); }

 private:
  SimdLevel before_ = simd_level();
};

}  // namespace sheaf::internal
