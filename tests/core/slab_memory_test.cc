#include "sheaf/extend/slab_memory.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "reader/run_all.h"

namespace sheaf {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// A program that adds the wanted slabs, and overwrites the spent slabs.
class Program {
 public:
  explicit Program(std::int64_t bytes_max = 64 * kMiB) : memory_(bytes_max) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    for (const auto& [slab, size] : slabs_) free(slab, size);
  }

  [[nodiscard]] SlabMemory& memory() noexcept { return memory_; }

  void turn() {
    const SlabMemory::Turn turn = memory_.turn();
    for (std::byte* slab : turn.spent) {
      const auto found = slabs_.find(slab);
      ASSERT_NE(found, slabs_.end()) << "the slab is not the memory's";
      std::memset(slab, 0xEE, static_cast<std::size_t>(found->second));
      free(slab, found->second);
      slabs_.erase(found);
      ++spent_;
    }
    for (std::int64_t i = 0; i < turn.slabs_wanted; ++i) {
      void* const slab = std::pmr::new_delete_resource()->allocate(
          static_cast<std::size_t>(turn.slab_bytes), Buffer::kAlignment);
      slabs_[static_cast<std::byte*>(slab)] = turn.slab_bytes;
      memory_.add(static_cast<std::byte*>(slab), turn.slab_bytes);
      ++added_;
    }
    bytes_most_ = std::max(bytes_most_, memory_.slab_bytes());
  }

  /// Returns whether an array lies in a slab.
  [[nodiscard]] bool has(const Buffer& array) const {
    return std::ranges::any_of(slabs_, [&](const auto& each) {
      const auto& [slab, size] = each;
      return array.data() >= slab && array.data() + array.size_bytes() <= slab + size;
    });
  }

  [[nodiscard]] std::int64_t added() const noexcept { return added_; }
  [[nodiscard]] std::int64_t spent() const noexcept { return spent_; }
  [[nodiscard]] std::int64_t bytes_most() const noexcept { return bytes_most_; }

 private:
  static void free(std::byte* slab, std::int64_t size) {
    std::pmr::new_delete_resource()->deallocate(slab, static_cast<std::size_t>(size),
                                                Buffer::kAlignment);
  }

  std::map<std::byte*, std::int64_t> slabs_;
  SlabMemory memory_;
  std::int64_t added_ = 0;
  std::int64_t spent_ = 0;
  std::int64_t bytes_most_ = 0;
};

Buffer filled(std::int64_t size, unsigned char byte, std::pmr::memory_resource& memory) {
  Buffer buffer(memory);
  buffer.resize(size);
  std::memset(buffer.mutable_data(), byte, static_cast<std::size_t>(size));
  return buffer;
}

bool holds(const Buffer& buffer, unsigned char byte) {
  return std::ranges::all_of(buffer.as<std::byte>(),
                             [&](std::byte each) { return each == std::byte{byte}; });
}

TEST(SlabMemory, ArraysOfASlabAreAlignedAndDoNotOverlap) {
  Program program;
  program.turn();
  std::vector<Buffer> arrays;
  for (unsigned char i = 0; i < 40; ++i) {
    arrays.push_back(filled(1 + 13 * i, i, program.memory()));
  }
  for (unsigned char i = 0; i < 40; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays[i].data()) % Buffer::kAlignment, 0U);
    EXPECT_TRUE(holds(arrays[i], i));
    EXPECT_TRUE(program.has(arrays[i]));
  }
  EXPECT_EQ(program.memory().ordinary_count(), 0);
}

TEST(SlabMemory, ArraysThatFitNoSlabUseOrdinaryMemory) {
  Program program;
  const Buffer first = filled(1000, 1, program.memory());
  EXPECT_FALSE(program.has(first)) << "there is no slab yet";
  program.turn();
  const Buffer small = filled(SlabMemory::kSlabBytesMin - 64, 2, program.memory());
  EXPECT_TRUE(program.has(small)) << "with the bytes before it, the array fills a slab";
  const Buffer large = filled(SlabMemory::kSlabBytesMin - 63, 3, program.memory());
  EXPECT_FALSE(program.has(large));
  EXPECT_TRUE(holds(first, 1));
  EXPECT_TRUE(holds(small, 2));
  EXPECT_TRUE(holds(large, 3));
  EXPECT_EQ(program.memory().ordinary_count(), 2);
}

TEST(SlabMemory, SlabsGrowWithTheLargestArray) {
  Program program;
  program.turn();
  EXPECT_EQ(program.memory().slab_bytes(), 2 * kMiB);
  static_cast<void>(filled(2 * kMiB, 1, program.memory()));
  program.turn();
  EXPECT_EQ(program.spent(), 2) << "unused, and too small";
  EXPECT_EQ(program.memory().slab_bytes(), 32 * kMiB) << "four arrays and the bytes before each";
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(program.has(filled(2 * kMiB, 2, program.memory())));
}

TEST(SlabMemory, ASlabIsFreedWithItsLastArrayInAnyOrder) {
  for (const bool is_first_kept : {true, false}) {
    Program program;
    program.turn();
    Buffer first = filled(400'000, 1, program.memory());
    Buffer second = filled(400'000, 2, program.memory());
    Buffer next = filled(400'000, 3, program.memory());  // in the next slab
    program.turn();
    const std::int64_t spent = program.spent();
    (is_first_kept ? second : first) = Buffer();
    program.turn();
    EXPECT_EQ(program.spent(), spent);
    EXPECT_TRUE(is_first_kept ? holds(first, 1) : holds(second, 2));
    (is_first_kept ? first : second) = Buffer();
    program.turn();
    EXPECT_EQ(program.spent(), spent + 1);
    EXPECT_TRUE(holds(next, 3));
    next = Buffer();
    program.turn();
    EXPECT_EQ(program.spent(), spent + 1) << "arrays are still cut from the slab";
  }
}

TEST(SlabMemory, SlabsNeverExceedTheBound) {
  Program program(4 * kMiB);
  std::vector<Buffer> held;
  for (unsigned char i = 0; i < 20; ++i) {
    program.turn();
    held.push_back(filled(700'000, i, program.memory()));
  }
  EXPECT_EQ(program.bytes_most(), 4 * kMiB);
  EXPECT_GT(program.memory().ordinary_count(), 10);
  for (unsigned char i = 0; i < 20; ++i) EXPECT_TRUE(holds(held[i], i));
  held.clear();
  for (int i = 0; i < 3; ++i) program.turn();
  EXPECT_TRUE(program.has(filled(700'000, 0, program.memory()))) << "slabs come back";
}

TEST(SlabMemory, ABoundOfZeroMakesAllMemoryOrdinary) {
  Program program(0);
  program.turn();
  EXPECT_TRUE(holds(filled(100, 1, program.memory()), 1));
  program.turn();
  EXPECT_EQ(program.added(), 0);
}

TEST(SlabMemory, MoreSpareSlabsAreKeptAfterAShortage) {
  Program program;
  const auto missing_in_a_burst = [&] {
    const std::int64_t before = program.memory().ordinary_count();
    std::vector<Buffer> burst;
    burst.reserve(12);
    for (int i = 0; i < 12; ++i) burst.push_back(filled(900'000, 1, program.memory()));
    return program.memory().ordinary_count() - before;
  };
  for (int i = 0; i < 20; ++i) {
    program.turn();
    static_cast<void>(missing_in_a_burst());
  }
  program.turn();
  EXPECT_EQ(missing_in_a_burst(), 0);
}

TEST(SlabMemory, HugeSizesAreRefused) {
  Program program;
  program.turn();
  EXPECT_THROW(
      static_cast<void>(program.memory().allocate(std::numeric_limits<std::size_t>::max() - 10, 8)),
      std::bad_alloc);
  EXPECT_TRUE(program.has(filled(10, 1, program.memory())));
}

TEST(SlabMemory, LargeAlignmentsAreKept) {
  Program program;
  program.turn();
  void* const array = program.memory().allocate(100, 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % 4096, 0U);
  program.memory().deallocate(array, 100, 4096);
}

TEST(SlabMemory, ThreadsAllocateAndReleaseConcurrently) {
  Program program(16 * kMiB);
  program.turn();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  std::atomic<int> running = 3;
  for (unsigned char t = 1; t <= 3; ++t) {
    threads.emplace_back([&, t] {
      std::vector<Buffer> held;
      for (int i = 0; i < 400; ++i) {
        held.push_back(filled(1 + (i * 7919) % 90'000, t, program.memory()));
        if (held.size() < 8) continue;
        // Releases memory on another thread than the one that cut it.
        std::thread([&] {
          for (const Buffer& each : held) wrong += holds(each, t) ? 0 : 1;
          held.clear();
        }).join();
      }
      --running;
    });
  }
  while (running > 0) program.turn();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(program.spent(), 2);
  EXPECT_LE(program.bytes_most(), 16 * kMiB);
}

TEST(SlabMemory, AReaderDeliversTheSameBytesFromSlabs) {
  std::string text;
  for (int i = 0; i < 4000; ++i) {
    text += std::to_string(i / 3) + " |x";
    for (int k = 0; k < 40; ++k) text += ' ' + std::to_string(i + k);
    text += " |s " + std::to_string(i % 90) + ":2\n";
  }
  const FormatOptions format{.format = "ctf"};
  const auto run = [&](Layout packing, Program* program) {
    const std::shared_ptr<const Deserializer> data =
        find_format("", format).open({memory_source(text, "memory"), format});
    OrderOptions order;
    order.minibatch_size = 30;
    order.unit = MinibatchUnit::samples;
    const std::shared_ptr<const Counts> counts(data, &data->index());
    Reader reader(data, make_sequencer(counts, order), make_packer(packing, order),
                  {.threads = 2, .minibatch_memory = program ? &program->memory() : nullptr});
    std::vector<std::string> texts;
    std::optional<Minibatch> before;  // held while the next one exists
    while (true) {
      if (program != nullptr) program->turn();
      std::optional<Minibatch> minibatch = reader.next();
      if (!minibatch) break;
      texts.push_back(testing::to_text(*minibatch));
      if (before) texts.push_back(testing::to_text(*before));
      before = std::move(minibatch);
    }
    return texts;
  };
  for (const Layout packing : {Layout::padded, Layout::ragged, Layout::packed}) {
    Program program(16 * kMiB);
    const std::vector<std::string> good = run(packing, nullptr);
    EXPECT_GT(good.size(), 200U);
    EXPECT_EQ(run(packing, &program), good);
    EXPECT_LE(program.bytes_most(), 16 * kMiB);
    EXPECT_GT(program.added(), 2);
  }
}

}  // namespace
}  // namespace sheaf
