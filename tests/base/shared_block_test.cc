#include "base/shared_block.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/buffer.h"

#include "support/test_memory.h"

namespace sheaf::internal {
namespace {

Buffer filled(std::size_t size, unsigned char byte, std::pmr::memory_resource& memory) {
  Buffer buffer(memory);
  buffer.resize(static_cast<std::int64_t>(size));
  std::memset(buffer.mutable_data(), byte, size);
  return buffer;
}

bool holds(const Buffer& buffer, unsigned char byte) {
  for (const std::byte each : buffer.as<std::byte>()) {
    if (each != std::byte{byte}) return false;
  }
  return true;
}

TEST(SharedBlock, ArraysDoNotOverlapAndAreAligned) {
  testing::TestMemory memory;
  std::vector<Buffer> arrays;
  {
    const SharedBlock::Maker block = SharedBlock::make(10'000, memory);
    for (unsigned char i = 0; i < 20; ++i) arrays.push_back(filled(10U + 20U * i, i, *block));
    EXPECT_EQ(memory.allocations(), 1);
  }
  for (unsigned char i = 0; i < 20; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays[i].data()) % Buffer::kAlignment, 0U);
    EXPECT_TRUE(holds(arrays[i], i));
  }
}

TEST(SharedBlock, GoesBackWithTheLastArrayWhateverTheOrder) {
  testing::TestMemory memory;
  SharedBlock::Maker block = SharedBlock::make(1000, memory);
  Buffer first = filled(100, 1, *block);
  Buffer second = filled(100, 2, *block);
  block.reset();
  EXPECT_GT(memory.held_bytes(), 1000);
  first = Buffer();
  EXPECT_TRUE(holds(second, 2));
  EXPECT_GT(memory.held_bytes(), 1000);
  second = Buffer();
  EXPECT_EQ(memory.held_bytes(), 0);

  block = SharedBlock::make(1000, memory);
  EXPECT_GT(memory.held_bytes(), 0);
  block.reset();
  EXPECT_EQ(memory.held_bytes(), 0) << "without arrays";
}

TEST(SharedBlock, WhatDoesNotFitComesFromTheMemoryBehind) {
  testing::TestMemory memory;
  SharedBlock::Maker block = SharedBlock::make(256, memory);
  Buffer small = filled(256, 1, *block);
  EXPECT_EQ(memory.allocations(), 1);
  Buffer large = filled(5000, 2, *block);
  EXPECT_EQ(memory.allocations(), 2);
  block.reset();
  small = Buffer();
  EXPECT_TRUE(holds(large, 2));
  large = Buffer();
  EXPECT_EQ(memory.held_bytes(), 0);
}

TEST(SharedBlock, AnArrayMayGrowWhenTheBlockIsClosed) {
  testing::TestMemory memory;
  SharedBlock::Maker block = SharedBlock::make(10'000, memory);
  Buffer array = filled(100, 7, *block);
  block.reset();
  array.resize(3000);
  EXPECT_EQ(memory.allocations(), 2) << "others may grow at the same time";
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(array.data()[i], std::byte{7});
  array = Buffer();
  EXPECT_EQ(memory.held_bytes(), 0);
}

TEST(SharedBlock, ArraysGoBackFromAnyThread) {
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<Buffer>> parts(4);
    {
      const SharedBlock::Maker block = SharedBlock::make(1 << 16, default_memory());
      for (unsigned char i = 0; i < 100; ++i) parts[i % 4U].push_back(filled(200, i, *block));
    }
    std::vector<std::thread> threads;
    for (std::vector<Buffer>& part : parts) {
      threads.emplace_back([part = std::move(part)]() mutable {
        for (Buffer& array : part) array = Buffer();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace sheaf::internal
