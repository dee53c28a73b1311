#include "base/block_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <thread>
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
  for (int round = 0; round < 3; ++round) {  // from the second on, from what was given back
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

// A new block is all zeros, one that was kept is as somebody left it.
TEST(BlockMemory, KeepsBlocksOfLessThanEightMebibytes) {
#if defined(SHEAF_SANITIZED)
  GTEST_SKIP() << "no block is kept there";
#else
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  std::pmr::memory_resource& memory = block_memory();
  for (const std::size_t size :
       {kMiB, 4 * kMiB - 1, 4 * kMiB, 4 * kMiB + 1, 8 * kMiB - 1, 8 * kMiB, 8 * kMiB + 1}) {
    auto* const first = static_cast<unsigned char*>(memory.allocate(size, 64));
    std::memset(first, 1, size);
    memory.deallocate(first, size, 64);
    auto* const second = static_cast<unsigned char*>(memory.allocate(size, 64));
    EXPECT_EQ(second[size / 2], size < 8 * kMiB ? 1 : 0) << size;
    memory.deallocate(second, size, 64);
  }
#endif
}

TEST(BlockMemory, TakesLargerAlignmentsToo) {
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

// How a child ended that allocates at once; it is given so many seconds.
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
      // Sizes that push each other out, so that memory goes back to the system all the time.
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

TEST(BlockMemory, SaysWhenThereIsNone) {
  EXPECT_THROW(static_cast<void>(block_memory().allocate(std::size_t{1} << 60, 64)),
               std::bad_alloc);
}

}  // namespace
}  // namespace sheaf::internal
