#include "base/permutation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

template <typename Permutation>
std::vector<std::int64_t> numbers_of(const Permutation& permutation) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < permutation.size(); ++i) numbers.push_back(permutation(i));
  return numbers;
}

template <typename Permutation>
bool is_permutation(const Permutation& permutation) {
  std::vector<std::int64_t> numbers = numbers_of(permutation);
  std::ranges::sort(numbers);
  std::vector<std::int64_t> all(numbers.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return numbers == all;
}

// Returns how far counts are from equal ones. The result is about 0 +- 1 for random counts.
double chi_square_excess(const std::vector<std::int64_t>& counts) {
  const double mean = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0LL)) /
                      static_cast<double>(counts.size());
  double sum = 0;
  for (const std::int64_t count : counts) {
    sum += (static_cast<double>(count) - mean) * (static_cast<double>(count) - mean) / mean;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST(KeyedPermutation, IsOneOfEverySizeAndKey) {
  for (std::int64_t size = 1; size <= 300; ++size) {
    for (std::uint64_t key = 0; key < 3; ++key) {
      ASSERT_TRUE(is_permutation(KeyedPermutation(key, size))) << size << " " << key;
    }
  }
  for (const std::int64_t size : {4095, 4096, 4097, 65535, 65537, 100003}) {
    ASSERT_TRUE(is_permutation(KeyedPermutation(7, size))) << size;
  }
}

TEST(KeyedPermutation, LargeOnesStayWithinTheirSize) {
  for (const std::int64_t size : {std::int64_t{10'000'000'000}, std::int64_t{1} << 61}) {
    const KeyedPermutation permutation(3, size);
    for (std::int64_t i = 0; i < 1000; ++i) {
      const std::int64_t number = permutation(size - 1 - i * 7919);
      ASSERT_GE(number, 0);
      ASSERT_LT(number, size);
    }
  }
}

TEST(KeyedPermutation, IsFrozen) {
  EXPECT_EQ(numbers_of(KeyedPermutation(1, 10)),
            (std::vector<std::int64_t>{0, 6, 2, 3, 9, 5, 1, 8, 7, 4}));
  EXPECT_EQ(KeyedPermutation(42, 1'000'000)(123'456), 106591);
  EXPECT_EQ(KeyedPermutation(42, 10'000'000'000)(9'876'543'210), 907918771);
}

// Each number is equally likely at each index.
TEST(KeyedPermutation, EveryNumberComesToEveryIndexEquallyOften) {
  for (const std::int64_t size : {2, 3, 5, 8, 13, 50}) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(size * size));
    for (std::uint64_t key = 0; key < 20'000; ++key) {
      const KeyedPermutation permutation(key_of(99, key), size);
      for (std::int64_t i = 0; i < size; ++i) {
        ++counts[static_cast<std::size_t>(i * size + permutation(i))];
      }
    }
    EXPECT_LT(std::abs(chi_square_excess(counts)), 5) << size;
  }
}

// Returns how far the counts of pairs of numbers at pairs of parts are from random counts, in
// standard deviations of a chi-square test.
template <typename Make>
double pair_excess(const Make& make, std::int64_t size, std::int64_t gap) {
  constexpr std::int64_t kParts = 8;
  constexpr std::uint64_t kTrials = 100'000;
  std::vector<double> sizes(kParts);
  for (std::int64_t i = 0; i < size; ++i) ++sizes[static_cast<std::size_t>(i * kParts / size)];
  std::vector<double> counts(kParts * kParts);
  for (std::uint64_t key = 0; key < kTrials; ++key) {
    const auto permutation = make(key_of(5, key), size);
    const std::int64_t a = permutation(size / 3) * kParts / size;
    const std::int64_t b = permutation(size / 3 + gap) * kParts / size;
    ++counts[static_cast<std::size_t>(a * kParts + b)];
  }
  double sum = 0;
  for (std::size_t a = 0; a < kParts; ++a) {
    for (std::size_t b = 0; b < kParts; ++b) {
      const double others = sizes[b] - (a == b ? 1 : 0);
      const double mean = static_cast<double>(kTrials) * sizes[a] * others /
                          (static_cast<double>(size) * static_cast<double>(size - 1));
      const double excess = counts[a * kParts + b] - mean;
      sum += excess * excess / mean;
    }
  }
  const double freedom = kParts * kParts - 1;
  return std::abs(sum - freedom) / std::sqrt(2 * freedom);
}

// In small sizes the hash has too little room: pairs differ by a few percent.
TEST(KeyedPermutation, PairsComeToPairsOfIndicesAsIfDrawn) {
  const auto make = [](std::uint64_t key, std::int64_t size) {
    return KeyedPermutation(key, size);
  };
  for (const std::int64_t size : {200, 1000, 2441}) {
    for (const std::int64_t gap : {1, 2, 7}) EXPECT_LT(pair_excess(make, size, gap), 5);
  }
}

// Steps are prime to the size, so sizes with small factors lack some distances.
TEST(Steps, OfAnyOnesPairsComeToPairsOfIndicesAsIfDrawn) {
  for (const std::int64_t size : {997, 2441, 30'011}) {
    for (const std::int64_t gap : {1, 2, 7, 64}) {
      EXPECT_LT(pair_excess(Steps::any, size, gap), 5) << size << " " << gap;
    }
  }
  EXPECT_LT(pair_excess(Steps::any, 30'000, 1), 15);
}

TEST(KeyedPermutation, OtherKeysHaveNothingInCommon) {
  constexpr std::int64_t kSize = 1000;
  for (std::uint64_t key = 0; key < 50; ++key) {
    const KeyedPermutation a(key, kSize);
    const KeyedPermutation b(key + 1, kSize);
    std::int64_t equal = 0;
    for (std::int64_t i = 0; i < kSize; ++i) equal += a(i) == b(i) ? 1 : 0;
    EXPECT_LT(equal, 12) << key;
  }
}

TEST(Steps, AreAPermutation) {
  for (std::int64_t size = 1; size <= 300; ++size) {
    const auto key = static_cast<std::uint64_t>(size);
    for (const Steps& steps : {Steps::even(key, size), Steps::any(key, size)}) {
      ASSERT_TRUE(is_permutation(steps)) << size;
      for (std::int64_t i = 0; i + 1 < size; ++i) ASSERT_EQ(steps.next(steps(i)), steps(i + 1));
    }
  }
}

TEST(Steps, TheInverseLeadsBack) {
  for (std::int64_t size = 1; size <= 300; ++size) {
    const Steps steps = Steps::any(static_cast<std::uint64_t>(size), size);
    const Steps back = steps.inverse();
    for (std::int64_t i = 0; i < size; ++i) ASSERT_EQ(back(steps(i)), i) << size;
  }
  const Steps steps = Steps::even(1, (std::int64_t{1} << 61) + 1);
  EXPECT_EQ(steps.inverse()(steps(123'456'789'012'345)), 123'456'789'012'345);
}

TEST(Steps, LargeOnesAgreeWithTheirSteps) {
  for (const std::int64_t size : {(std::int64_t{1} << 32) - 1, std::int64_t{1} << 32,
                                  (std::int64_t{1} << 32) + 1, std::int64_t{1} << 61}) {
    for (const Steps& steps : {Steps::even(3, size), Steps::any(3, size)}) {
      for (std::int64_t i = 0; i < 1000; ++i) {
        const std::int64_t index = size - 2 - i * 7919;
        ASSERT_EQ(steps.next(steps(index)), steps(index + 1)) << size << " " << index;
      }
    }
  }
}

TEST(Steps, AreFrozen) {
  EXPECT_EQ(numbers_of(Steps::even(1, 10)),
            (std::vector<std::int64_t>{2, 9, 6, 3, 0, 7, 4, 1, 8, 5}));
  EXPECT_EQ(numbers_of(Steps::any(1, 10)),
            (std::vector<std::int64_t>{2, 1, 0, 9, 8, 7, 6, 5, 4, 3}));
  EXPECT_EQ(Steps::any(42, 10'000'000'000)(9'876'543'210), 8918644731);
  EXPECT_EQ(Steps::even(42, 10'000'000'000)(9'876'543'210), 7550964971);
}

// The numbers at consecutive indices fill equal parts almost equally.
TEST(Steps, OfEvenOnesAnyConsecutiveNumbersLieEvenly) {
  constexpr std::int64_t kParts = 8;
  for (const std::int64_t size : {10'000, 9'973, 65'536, 30'030}) {
    for (std::uint64_t key = 0; key < 100; ++key) {
      const Steps steps = Steps::even(key, size);
      for (const std::int64_t count : {8, 80, 400}) {
        for (std::int64_t first = 0; first + count <= 2000; first += 371) {
          std::array<std::int64_t, kParts> found{};
          for (std::int64_t i = first; i < first + count; ++i) {
            ++found[static_cast<std::size_t>(steps(i) * kParts / size)];
          }
          const auto [least, most] = std::ranges::minmax(found);
          ASSERT_GE(least, count / kParts - 6) << size << " " << key << " " << count;
          ASSERT_LE(most, count / kParts + 6) << size << " " << key << " " << count;
        }
      }
    }
  }
}

TEST(Steps, StartAnywhereEquallyOften) {
  std::vector<std::int64_t> counts(50);
  for (std::uint64_t key = 0; key < 50'000; ++key) {
    ++counts[static_cast<std::size_t>(Steps::even(key, 50)(0))];
  }
  EXPECT_LT(std::abs(chi_square_excess(counts)), 5);
}

TEST(BlockPermutation, MovesNumbersWithinTheirBlocksAlone) {
  for (const std::int64_t size : {1, 15, 16, 17, 100}) {
    const BlockPermutation permutation(3, size, 16);
    EXPECT_TRUE(is_permutation(permutation));
    for (std::int64_t i = 0; i < size; ++i) EXPECT_EQ(permutation(i) / 16, i / 16);
  }
}

TEST(Below, GivesEveryNumberEquallyOften) {
  std::vector<std::int64_t> counts(10);
  for (std::uint64_t i = 0; i < 100'000; ++i)
    ++counts[static_cast<std::size_t>(below(mixed(i), 10))];
  EXPECT_LT(std::abs(chi_square_excess(counts)), 5);
}

}  // namespace
}  // namespace sheaf::internal
