// Runs tests once for each instruction set.

#pragma once

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

namespace sheaf::internal {

/// Uses the kernels of one level, and restores the previous ones afterwards.
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
