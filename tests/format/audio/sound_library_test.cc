#include "format/audio/sound_library.h"

#include <future>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sheaf/extend/sound_library.h"

#include "support/allocated_memory.h"

namespace sheaf::internal {
namespace {

/// Makes sheaf look for the library elsewhere, for the lifetime of the object.
class OtherLibrary {
 public:
  explicit OtherLibrary(std::string path) { set_sound_library(std::move(path)); }
  OtherLibrary(const OtherLibrary&) = delete;
  OtherLibrary& operator=(const OtherLibrary&) = delete;
  ~OtherLibrary() { set_sound_library(before_); }

 private:
  const std::string before_ = sound_library();
};

TEST(SoundLibrary, AMissingLibraryIsReportedWithItsPath) {
  const OtherLibrary nowhere("/nowhere/libsndfile.so.1");
  EXPECT_EQ(sound_library(), "/nowhere/libsndfile.so.1");
  std::string why;
  EXPECT_EQ(find_sound_library(why), nullptr);
  EXPECT_NE(why.find("/nowhere/libsndfile.so.1"), std::string::npos) << why;
}

TEST(SoundLibrary, AnUnsuitableLibraryIsReportedWithItsPath) {
  const OtherLibrary other("libm.so.6");
  std::string why;
  EXPECT_EQ(find_sound_library(why), nullptr);
  EXPECT_NE(why.find("libm.so.6"), std::string::npos) << why;
}

TEST(SoundLibrary, TheLibraryIsLoadedOnce) {
  std::string why;
  const SoundLibrary* const library = find_sound_library(why);
  if (library == nullptr) GTEST_SKIP() << why << ": apt install libsndfile1";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::string reason;
      EXPECT_EQ(find_sound_library(reason), library);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::string(library->version()).substr(0, 10), "libsndfile");
  EXPECT_TRUE(library->reads(kSndfileSphere));
  EXPECT_FALSE(library->reads(0x7F0000));
}

TEST(SoundLibrary, AWrongPathKeepsTheLoadedLibrary) {
  std::string why;
  const SoundLibrary* const library = find_sound_library(why);
  if (library == nullptr) GTEST_SKIP() << why << ": apt install libsndfile1";
  {
    const OtherLibrary nowhere("/nowhere/libsndfile.so.1");
    EXPECT_EQ(find_sound_library(why), nullptr);
  }
  EXPECT_EQ(find_sound_library(why), library);
}

TEST(SoundLibrary, AForkedChildDoesNotWaitForThreadsOfItsParent) {
  std::string why;
  const SoundLibrary* const library = find_sound_library(why);
  if (library == nullptr) GTEST_SKIP() << why << ": apt install libsndfile1";
  if (testing::allocated_memory() == 0) {
    GTEST_SKIP() << "the allocator of a sanitizer may be locked in a forked child";
  }
  std::promise<void> is_held;
  std::promise<void> may_end;
  std::thread opening([&] {
    const std::shared_lock lock(library->opening);
    is_held.set_value();
    may_end.get_future().wait();
  });
  is_held.get_future().wait();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const bool is_free = library->opening.try_lock();
    ::_exit(is_free && find_sound_library(why) == library ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  may_end.set_value();
  opening.join();
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sheaf::internal
