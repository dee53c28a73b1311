#include "io/descriptor_cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "io/file_source.h"
#include "io/limits.h"
#include "support/allocated_memory.h"
#include "support/test_folder.h"
#include "support/write_file.h"

namespace sheaf::internal {
namespace {

using testing::text_of;

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }

int some_descriptor() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

std::string text_of_file(int number) {
  return std::string(static_cast<std::size_t>(10 + number), static_cast<char>('a' + number % 26));
}

/// Files in a folder, opened with one cache.
class OpenFiles {
 public:
  OpenFiles(int count, DescriptorCache& cache) {
    for (int i = 0; i < count; ++i) {
      folder_.write(std::to_string(i), text_of_file(i));
      sources_.push_back(open_file_source(path(i), cache));
    }
  }
  [[nodiscard]] std::string path(int number) const { return folder_.path(std::to_string(number)); }
  [[nodiscard]] const ByteSource& operator[](int number) const {
    return *sources_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int count() const { return static_cast<int>(sources_.size()); }
  void close(int number) { sources_[static_cast<std::size_t>(number)].reset(); }

 private:
  TestFolder folder_;
  std::vector<std::shared_ptr<const ByteSource>> sources_;
};

TEST(DescriptorCache, KeepsNoMoreThanItsCapacity) {
  for (const std::size_t capacity : {1U, 2U, 3U}) {
    SCOPED_TRACE(capacity);
    DescriptorCache cache(capacity);
    OpenFiles files(5, cache);
    for (const int i : {0, 1, 2, 3, 4, 4, 0, 3, 0, 0, 2, 1}) {
      EXPECT_EQ(text_of(files[i]), text_of_file(i));
      EXPECT_LE(cache.size(), capacity);
    }
    for (int i = 0; i < files.count(); ++i) files.close(i);
    EXPECT_EQ(cache.size(), 0U);
  }
}

TEST(DescriptorCache, APinnedDescriptorStaysOpen) {
  DescriptorCache cache(1);
  std::deque<DescriptorCache::Entry> entries(3);
  std::vector<int> descriptors;
  for (DescriptorCache::Entry& entry : entries) {
    descriptors.push_back(cache.add_pinned(entry, some_descriptor()));
  }
  EXPECT_EQ(cache.size(), 3U);  // more than the capacity, because all are in use
  EXPECT_TRUE(std::ranges::all_of(descriptors, is_open));
  EXPECT_FALSE(cache.make_room());

  DescriptorCache::unpin(entries[1]);
  EXPECT_TRUE(cache.make_room());
  EXPECT_EQ(DescriptorCache::pin(entries[1]), -1);
  EXPECT_FALSE(is_open(descriptors[1]));
  EXPECT_EQ(DescriptorCache::pin(entries[0]), descriptors[0]);
  for (DescriptorCache::Entry& entry : entries) cache.remove(entry);
  EXPECT_FALSE(is_open(descriptors[0]));
  EXPECT_FALSE(is_open(descriptors[2]));
}

TEST(DescriptorCache, FrequentlyUsedDescriptorsStayOpen) {
  DescriptorCache cache(3);
  std::deque<DescriptorCache::Entry> entries(30);
  DescriptorCache::Entry& often = entries[0];
  int opened = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (DescriptorCache::pin(often) < 0) {
      static_cast<void>(cache.add_pinned(often, some_descriptor()));
      ++opened;
    }
    DescriptorCache::unpin(often);
    static_cast<void>(cache.add_pinned(entries[i], some_descriptor()));
    DescriptorCache::unpin(entries[i]);
  }
  EXPECT_LE(opened, 2);  // once more after the first lap, in which all were marked as used
  for (DescriptorCache::Entry& entry : entries) cache.remove(entry);
}

TEST(DescriptorCache, TheFirstOfTwoDescriptorsOfAFileIsKept) {
  DescriptorCache cache(2);
  DescriptorCache::Entry entry;
  const int first = some_descriptor();
  const int second = some_descriptor();
  EXPECT_EQ(cache.add_pinned(entry, first), first);
  EXPECT_EQ(cache.add_pinned(entry, second), first);
  EXPECT_FALSE(is_open(second));
  DescriptorCache::unpin(entry);
  DescriptorCache::unpin(entry);
  EXPECT_TRUE(cache.make_room());
  EXPECT_FALSE(is_open(first));
}

TEST(DescriptorCache, ManyThreadsReadManyFilesOnFewDescriptors) {
  constexpr int kFiles = 20;
  constexpr int kThreads = 8;
  DescriptorCache cache(2);
  const OpenFiles files(kFiles, cache);
  std::atomic<int> wrong = 0;
  std::atomic<std::size_t> most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const int number = (i * (t + 1) + t) % kFiles;
        if (text_of(files[number]) != text_of_file(number)) ++wrong;
        most = std::max(most.load(), cache.size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(most, 2U + kThreads);  // one more for each running read
}

TEST(DescriptorCache, HoldsHalfOfTheSystemLimit) {
  const DescriptorCache cache;
  const DescriptorLimit limit(64);
  EXPECT_EQ(cache.capacity(), 32U);
}

TEST(DescriptorCache, ClosesDescriptorsWhenTheSystemRunsOut) {
  // Throws once before counting: a sanitizer opens descriptors when it first meets a type.
  const TestFolder folder;
  EXPECT_THROW(static_cast<void>(open_file_source(folder.path("none"), system_descriptors())),
               IoError);
  const DescriptorLimit limit(64);
  DescriptorCache cache(1000);
  std::vector<std::shared_ptr<const ByteSource>> sources;
  folder.write("a", "text");
  for (int i = 0; i < 200; ++i) sources.push_back(open_file_source(folder.path("a"), cache));
  for (const auto& source : sources) EXPECT_EQ(text_of(*source), "text");

  std::vector<int> others;
  while (cache.make_room()) {
  }
  for (int descriptor = some_descriptor(); descriptor >= 0; descriptor = some_descriptor()) {
    others.push_back(descriptor);
  }
  EXPECT_THROW(static_cast<void>(text_of(*sources[0])), IoError);
  ::close(others.back());
  for (const auto& source : sources) EXPECT_EQ(text_of(*source), "text");
  others.pop_back();
  for (const int descriptor : others) ::close(descriptor);
}

// Other threads read all the time, so many forks happen while one of the threads holds the mutex.
TEST(DescriptorCache, AForkedChildCanRead) {
  if (testing::allocated_memory() == 0) {
    GTEST_SKIP() << "the allocator of a sanitizer may be locked in a forked child";
  }
  const DescriptorLimit limit(32);
  const OpenFiles files(40, system_descriptors());
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; !is_over; ++i) static_cast<void>(text_of(files[i % files.count()]));
    });
  }
  for (int i = 0; i < 30; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      int wrong = 0;
      for (int number = 0; number < files.count(); ++number) {
        std::array<std::byte, 10> bytes{};
        files[number].read_at(0, bytes);
        if (static_cast<char>(bytes[9]) != text_of_file(number)[9]) ++wrong;
      }
      ::_exit(wrong);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    if (status != 0) break;
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace sheaf::internal
