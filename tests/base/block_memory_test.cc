#include "base/block_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <memory_resource>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sheaf::internal {
namespace {

TEST(BlockMemory, GivesBlocksOfAnySizeThatDoNotOverlap) {
  std::pmr::memory_resource& memory = block_memory();
  struct Block {
    std::size_t size;
    unsigned char* bytes;
  };
  for (int round = 0; round < 3; ++round) {  // from round 1 on, blocks come from memory given back
    std::vector<Block> blocks;
    for (std::size_t size = 1; size < 20'000'000; size += size / 3 + 1) {
      auto* const bytes = static_cast<unsigned char*>(memory.allocate(size, 64));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % 64, 0U);
      std::memset(bytes, static_cast<int>(blocks.size()), size);
      blocks.push_back({size, bytes});
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto [size, bytes] = blocks[i];
      EXPECT_EQ(bytes[0], static_cast<unsigned char>(i));
      EXPECT_EQ(bytes[size / 2], static_cast<unsigned char>(i));
      EXPECT_EQ(bytes[size - 1], static_cast<unsigned char>(i));
      memory.deallocate(bytes, size, 64);
    }
  }
}

TEST(BlockMemory, SmallBlocksShareASizeAndAreUsedAgain) {
  std::pmr::memory_resource& memory = block_memory();
  for (const std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                 std::size_t{68}, std::size_t{69}}) {
    std::vector<unsigned char*> blocks;
    for (unsigned char i = 0; i < 50; ++i) {
      blocks.push_back(static_cast<unsigned char*>(memory.allocate(size, 64)));
      std::memset(blocks.back(), i, size);
    }
    for (unsigned char i = 0; i < 50; ++i) {
      EXPECT_EQ(blocks[i][0], i) << size;
      EXPECT_EQ(blocks[i][size - 1], i) << size;
      memory.deallocate(blocks[i], size, 64);
    }
  }
}

// A new block is all zeros. A kept block has its old content.
TEST(BlockMemory, KeepsBlocksOfLessThanSixteenMebibytes) {
#if defined(SHEAF_SANITIZED)
  GTEST_SKIP() << "no block is kept there";
#else
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  std::pmr::memory_resource& memory = block_memory();
  for (const std::size_t size :
       {kMiB, 4 * kMiB - 1, 4 * kMiB, 4 * kMiB + 1, 16 * kMiB - 1, 16 * kMiB, 16 * kMiB + 1}) {
    auto* const first = static_cast<unsigned char*>(memory.allocate(size, 64));
    std::memset(first, 1, size);
    memory.deallocate(first, size, 64);
    auto* const second = static_cast<unsigned char*>(memory.allocate(size, 64));
    EXPECT_EQ(second[size / 2], size < 16 * kMiB ? 1 : 0) << size;
    memory.deallocate(second, size, 64);
  }
#endif
}

TEST(BlockMemory, SupportsLargerAlignments) {
  void* const block = block_memory().allocate(100'000, 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0U);
  block_memory().deallocate(block, 100'000, 4096);
}

TEST(BlockMemory, IsSafeFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 2000; ++i) {
        const std::size_t size = 10'000 + static_cast<std::size_t>((i * 7919 + t) % 500'000);
        auto* const bytes = static_cast<unsigned char*>(block_memory().allocate(size, 64));
        bytes[0] = bytes[size - 1] = static_cast<unsigned char>(t);
        std::this_thread::yield();
        EXPECT_EQ(bytes[0] + bytes[size - 1], 2 * t);
        block_memory().deallocate(bytes, size, 64);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Returns the exit status of a child that allocates immediately. The child has `seconds` seconds.
[[maybe_unused]] int status_of_child(unsigned seconds) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    for (std::size_t size = 100; size < 1'000'000; size *= 3) {
      void* const block = block_memory().allocate(size, 64);
      std::memset(block, 1, size);
      block_memory().deallocate(block, size, 64);
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(BlockMemory, AChildAllocatesWhateverThreadsOfTheParentDo) {
#if defined(SHEAF_SANITIZED)
  GTEST_SKIP() << "sanitizers have locks of their own";
#else
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &is_over] {
      // Sizes that displace each other, so that memory goes back to the system all the time.
      for (int i = 0; !is_over; ++i) {
        const std::size_t size = 600'000 + static_cast<std::size_t>((i * 7919 + t) % 3'000'000);
        void* const block = block_memory().allocate(size, 64);
        std::memset(block, 1, size);
        block_memory().deallocate(block, size, 64);
      }
    });
  }
  for (int i = 0; i < 200 && !HasFailure(); ++i) EXPECT_EQ(status_of_child(20), 0) << i;
  is_over = true;
  for (std::thread& thread : threads) thread.join();
#endif
}

// The tests below compare addresses of blocks. Under sanitizers, no block is kept.
#if !defined(SHEAF_SANITIZED)

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Takes all blocks from 1 to 16 MiB that the memory keeps, so that a test gets none of them.
class NoneIsKept {
 public:
  NoneIsKept() {
    // Largest first, so that no block serves a smaller request.
    for (std::size_t size = 16 * kMebibyte - 1; size >= kMebibyte; size -= size / 34) {
      const std::size_t count = 24 * kMebibyte / size + 1;
      for (std::size_t i = 0; i < count; ++i) {
        blocks_.emplace_back(block_memory().allocate(size, 64), size);
      }
    }
  }
  NoneIsKept(const NoneIsKept&) = delete;
  NoneIsKept& operator=(const NoneIsKept&) = delete;
  ~NoneIsKept() {
    for (const auto& [block, size] : blocks_) block_memory().deallocate(block, size, 64);
  }

 private:
  std::vector<std::pair<void*, std::size_t>> blocks_;  // never touched
};

void* given_back(std::size_t size) {
  void* const block = block_memory().allocate(size, 64);
  block_memory().deallocate(block, size, 64);
  return block;
}

// Between two powers of two there are 16 size classes, whose sizes differ by a 24th.
TEST(BlockMemory, LendsABlockForUpToAThirdLess) {
  for (const std::size_t size : {3 * kMebibyte, 6 * kMebibyte, 12 * kMebibyte}) {
    for (const std::size_t steps : {0U, 1U, 7U, 8U, 9U}) {
      SCOPED_TRACE(std::to_string(size) + ", " + std::to_string(steps));
      const NoneIsKept none;
      const std::size_t less = size - steps * (size / 24);
      void* const own = given_back(size);
      void* const lent = block_memory().allocate(less, 64);
      EXPECT_EQ(lent == own, steps <= 8);
      std::memset(lent, 1, less);
      block_memory().deallocate(lent, less, 64);
      EXPECT_EQ(given_back(size), own);  // the block has its own size again
    }
  }
}

TEST(BlockMemory, LendsNoHugeBlockForASmallOne) {
  const NoneIsKept none;
  void* const own = given_back(4 * kMebibyte);
  void* const smaller = block_memory().allocate(4 * kMebibyte - (kMebibyte / 8), 64);
  EXPECT_NE(smaller, own);
  block_memory().deallocate(smaller, 4 * kMebibyte - (kMebibyte / 8), 64);
}

// A used block has its old content.
TEST(BlockMemory, KeepsTwentyFourMebibytesOfHugeBlocks) {
  const NoneIsKept none;
  constexpr std::size_t kSize = 8 * kMebibyte;
  const auto used_count = [] {
    std::array<unsigned char*, 6> blocks{};
    std::ptrdiff_t used = 0;
    for (unsigned char*& block : blocks) {
      block = static_cast<unsigned char*>(block_memory().allocate(kSize, 64));
      used += block[kSize / 2];
      block[kSize / 2] = 1;
    }
    for (unsigned char* const block : blocks) block_memory().deallocate(block, kSize, 64);
    return used;
  };
  EXPECT_EQ(used_count(), 0);
  EXPECT_EQ(used_count(), 3);
}

TEST(BlockMemory, BlocksThatAreLentBelongToOneThread) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([t] {
      std::array<std::pair<unsigned char*, std::size_t>, 3> held{};
      for (int i = 0; i < 600; ++i) {
        auto& [block, size] = held[static_cast<std::size_t>(i) % held.size()];
        if (block != nullptr) {
          EXPECT_EQ(block[0] + block[size - 1], 2 * t);
          block_memory().deallocate(block, size, 64);
        }
        size = 600'000 + static_cast<std::size_t>((i * 104'729 + t * 7919) % 9'000'000);
        block = static_cast<unsigned char*>(block_memory().allocate(size, 64));
        block[0] = block[size - 1] = static_cast<unsigned char>(t);
      }
      for (const auto& [block, size] : held) block_memory().deallocate(block, size, 64);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

constexpr std::size_t kKeptMax = 16 * kMebibyte;  // of blocks of less than 4 MiB
constexpr std::size_t kThreadKeptMax = std::size_t{128} << 10;
constexpr std::size_t kThreadBlockMax = std::size_t{32} << 10;

/// Makes the memory release the blocks of earlier tests, so that small blocks given back in a test
/// do not displace each other.
class SmallOnesAreKept {
 public:
  SmallOnesAreKept() {
    block_memory().deallocate(block_memory().allocate(kSize, 64), kSize, 64);
    block_ = block_memory().allocate(kSize, 64);
  }
  SmallOnesAreKept(const SmallOnesAreKept&) = delete;
  SmallOnesAreKept& operator=(const SmallOnesAreKept&) = delete;
  ~SmallOnesAreKept() { block_memory().deallocate(block_, kSize, 64); }

 private:
  static constexpr std::size_t kSize = 3 * kMebibyte;
  void* block_;  // frees as much room as it took
};

std::vector<void*> take(std::size_t size, std::size_t count) {
  std::vector<void*> blocks(count);
  for (void*& block : blocks) block = block_memory().allocate(size, 64);
  return blocks;
}

void give(const std::vector<void*>& blocks, std::size_t size) {
  for (void* const block : blocks) block_memory().deallocate(block, size, 64);
}

// Returns how many of these blocks another thread gets that asks for twice as many.
std::int64_t reached_by_others(const std::vector<void*>& blocks, std::size_t size) {
  std::int64_t count = 0;
  std::thread([&] {
    const std::vector<void*> got = take(size, 2 * blocks.size());
    count = std::ranges::count_if(
        got, [&](void* block) { return std::ranges::find(blocks, block) != blocks.end(); });
    give(got, size);
  }).join();
  return count;
}

TEST(BlockMemory, AThreadGetsItsSmallBlocksBackAtTheBordersOfEachSize) {
  std::thread([] {
    for (std::size_t step = 4; step <= 1024; step *= 2) {
      for (std::size_t border = 17 * step; border <= 32 * step; border += step) {
        void* const block = block_memory().allocate(border, 64);
        std::memset(block, 1, border);
        block_memory().deallocate(block, border, 64);
        void* const smaller = block_memory().allocate(border - step + 1, 64);
        EXPECT_EQ(smaller, block) << border;  // the smallest request of the same size class
        void* const larger = block_memory().allocate(border + 1, 64);
        EXPECT_NE(larger, block) << border;
        block_memory().deallocate(smaller, border - step + 1, 64);
        void* const below = block_memory().allocate(border - step, 64);
        if (border > 17 * step || step > 4) {
          EXPECT_NE(below, block) << border;  // a smaller request, unless all share a class
        }
        block_memory().deallocate(larger, border + 1, 64);
        block_memory().deallocate(below, border - step, 64);
      }
    }
  }).join();
}

TEST(BlockMemory, AThreadKeepsBlocksForItselfUpToALimit) {
  constexpr std::size_t kSize = kThreadBlockMax / 2;
  constexpr std::size_t kCount = kThreadKeptMax / kSize;
  const SmallOnesAreKept kept;
  std::thread([&] {
    std::vector<void*> blocks = take(kSize, kKeptMax / kSize + 1);  // more than earlier tests left
    const std::vector<void*> others(blocks.begin() + kCount + 1, blocks.end());
    void* const last = blocks[kCount];
    blocks.resize(kCount);
    give(blocks, kSize);
    EXPECT_EQ(reached_by_others(blocks, kSize), 0);
    block_memory().deallocate(last, kSize, 64);  // one block too many
    EXPECT_EQ(reached_by_others(blocks, kSize), kCount);
    EXPECT_EQ(block_memory().allocate(kSize, 64), last);
    block_memory().deallocate(last, kSize, 64);
    give(others, kSize);
  }).join();
}

TEST(BlockMemory, AThreadSharesBlocksThatAreNotSmall) {
  const SmallOnesAreKept kept;
  std::thread([] {
    const std::vector<void*> small = take(kThreadBlockMax, 1);
    const std::vector<void*> large = take(kThreadBlockMax + 1, 1);
    give(small, kThreadBlockMax);
    give(large, kThreadBlockMax + 1);
    EXPECT_EQ(reached_by_others(small, kThreadBlockMax), 0);
    EXPECT_EQ(reached_by_others(large, kThreadBlockMax + 1), 1);
  }).join();
}

TEST(BlockMemory, AThreadThatEndsGivesItsBlocksToTheOthers) {
  const SmallOnesAreKept kept;
  constexpr std::size_t kSize = 5000;
  std::vector<void*> blocks;
  std::thread([&] {
    blocks = take(kSize, 10);
    give(blocks, kSize);
  }).join();
  EXPECT_EQ(reached_by_others(blocks, kSize), 10);
}

TEST(BlockMemory, AThreadKeepsBlocksThatAnotherTook) {
  constexpr std::size_t kSize = 6000;
  const std::vector<void*> blocks = take(kSize, 3);
  std::thread([&] {
    give(blocks, kSize);
    const std::vector<void*> again = take(kSize, 3);
    EXPECT_TRUE(std::ranges::is_permutation(again, blocks));
    give(again, kSize);
  }).join();
}

/// Outlives the list of kept blocks of a thread if made before the list.
struct EndsLate {
  std::vector<void*> blocks;
  EndsLate() = default;
  EndsLate(const EndsLate&) = delete;
  EndsLate& operator=(const EndsLate&) = delete;
  ~EndsLate() {
    give(blocks, 7000);
    give(take(7000, 2), 7000);
  }
};

TEST(BlockMemory, BlocksGivenBackAfterTheEndOfAThreadsListAreShared) {
  const SmallOnesAreKept kept;
  std::vector<void*> blocks;
  std::thread([&] {
    static thread_local EndsLate late;
    late.blocks = take(7000, 4);
    blocks = late.blocks;
    give(take(100, 1), 100);  // creates the list of the thread
  }).join();
  EXPECT_EQ(reached_by_others(blocks, 7000), 4);
}

#endif

TEST(BlockMemory, BlocksPassFromThreadToThread) {
  constexpr std::size_t kRounds = 300;
  constexpr std::size_t kThreads = 4;
  using Blocks = std::vector<std::pair<unsigned char*, std::size_t>>;
  std::array<std::array<std::promise<Blocks>, kRounds>, kThreads> handed;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&handed, t] {
      for (std::size_t round = 0; round < kRounds; ++round) {
        Blocks blocks;
        for (std::size_t i = 0; i < 20; ++i) {
          const std::size_t size = 1 + (i * 2654435761U + round * 977 + t) % 40'000;
          auto* const bytes = static_cast<unsigned char*>(block_memory().allocate(size, 64));
          std::memset(bytes, static_cast<int>(size % 251), size);
          blocks.emplace_back(bytes, size);
        }
        handed[t][round].set_value(std::move(blocks));
        const std::size_t from = (t + 1) % kThreads;
        for (const auto& [bytes, size] : handed[from][round].get_future().get()) {
          EXPECT_EQ(std::count(bytes, bytes + size, static_cast<unsigned char>(size % 251)),
                    static_cast<std::ptrdiff_t>(size));
          block_memory().deallocate(bytes, size, 64);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(BlockMemory, SaysWhenThereIsNone) {
  EXPECT_THROW(static_cast<void>(block_memory().allocate(std::size_t{1} << 60, 64)),
               std::bad_alloc);
}

}  // namespace
}  // namespace sheaf::internal
