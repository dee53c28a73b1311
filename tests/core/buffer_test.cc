#include "sheaf/extend/buffer.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/test_memory.h"

namespace sheaf {
namespace {

TEST(Buffer, KeepsItsBytesWhenItGrows) {
  Buffer buffer;
  for (std::int32_t i = 0; i < 10'000; ++i) buffer.push_back(i);
  ASSERT_EQ(buffer.size_bytes(), 40'000);
  const auto values = buffer.as<std::int32_t>();
  for (std::int32_t i = 0; i < 10'000; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i);
  EXPECT_LE(buffer.capacity_bytes(), 60'064);
}

TEST(Buffer, ReservesExactly) {
  Buffer buffer;
  buffer.reserve(1000);
  EXPECT_EQ(buffer.capacity_bytes(), 1000);
  EXPECT_TRUE(buffer.empty());
  buffer.resize(1000);
  EXPECT_EQ(buffer.capacity_bytes(), 1000);
}

TEST(Buffer, IsAligned) {
  for (const std::int64_t size : {1, 63, 64, 100'000}) {
    Buffer buffer;
    buffer.resize(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % Buffer::kAlignment, 0U);
  }
}

TEST(Buffer, ZerosAreZero) {
  const Buffer buffer = Buffer::zeros(1000);
  ASSERT_EQ(buffer.size_bytes(), 1000);
  for (const std::byte byte : buffer.as<std::byte>()) ASSERT_EQ(byte, std::byte{0});
  EXPECT_TRUE(Buffer::zeros(0).empty());
}

TEST(Buffer, ReturnsItsMemory) {
  testing::TestMemory memory;
  {
    Buffer buffer(memory);
    buffer.resize(100);
    buffer.resize(10'000);
    Buffer moved = std::move(buffer);
    EXPECT_EQ(memory.held_bytes(), moved.capacity_bytes());
    Buffer other(memory);
    other.resize(5000);
    other = std::move(moved);
    EXPECT_EQ(other.size_bytes(), 10'000);
    EXPECT_EQ(memory.held_bytes(), other.capacity_bytes());
  }
  EXPECT_EQ(memory.held_bytes(), 0);
}

TEST(Buffer, ABorrowedBufferKeepsItsOwnerAlive) {
  auto owner = std::make_shared<std::string>("bytes of another");
  const std::weak_ptr<std::string> watch = owner;
  {
    const Buffer buffer = Buffer::borrow(std::as_bytes(std::span(*owner)), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(buffer.capacity_bytes(), 0);
    EXPECT_EQ(std::memcmp(buffer.data(), "bytes", 5), 0);
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace sheaf
