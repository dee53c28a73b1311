#include "ops/sequence_values.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "ops/conversion_data.h"

namespace sheaf::internal {
namespace {

class SequenceValuesTest : public ::testing::Test, protected sheaf::testing::ConversionData {
 protected:
  SequenceValues values(const std::string& stream, std::int64_t* end = nullptr) {
    const auto threads = thread_pool(2);
    return {*open("in.ctf"), *threads, stream, [=](std::int64_t done) {
              if (end != nullptr) *end = done;
            }};
  }
};

TEST_F(SequenceValuesTest, AreTheFirstValueOrIndexOfEachSequence) {
  write("in.ctf", "0 |x 1.5 2 |s 3:1 4:1\n1 |x 2.5 2 |s 7:1\n1 |x 9 9\n2 |x z 1 |s 1:1\n");
  std::int64_t end = 0;
  const SequenceValues dense = values("x", &end);
  EXPECT_EQ(dense(ChunkIndex{}, 0), 1.5);
  EXPECT_EQ(dense(ChunkIndex{}, 1), 2.5);
  EXPECT_TRUE(std::isnan(dense(ChunkIndex{}, 2)));
  EXPECT_EQ(end, std::ssize(read("in.ctf")));
  const SequenceValues sparse = values("s");
  EXPECT_EQ(sparse(ChunkIndex{}, 0), 3);
  EXPECT_EQ(sparse(ChunkIndex{}, 1), 7);
}

TEST_F(SequenceValuesTest, ConstantAndMissingStreamsAreRefused) {
  write("in.ctf", "0 |x 1 |y 1 |s\n1 |x 1 |y 2 |s\n");
  const auto message = [&](const std::string& stream) {
    try {
      static_cast<void>(values(stream));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("z"), "noise_of z: there is no such stream; there are: x, y, s");
  EXPECT_EQ(message("x"),
            "noise_of x: all sequences have the same value in it: there is nothing to mix");
  EXPECT_EQ(message("s"), "noise_of s: no sequence has a value in it");
  EXPECT_EQ(message("y"), "");
}

}  // namespace
}  // namespace sheaf::internal
