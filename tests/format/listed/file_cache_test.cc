#include "format/listed/file_cache.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

using Cache = FileCache<std::string>;

/// Opens files whose content is their path, and counts the calls.
struct Opener {
  Cache::Files find(Cache& cache, const std::vector<std::string_view>& paths) {
    const auto load = [this](std::span<const std::string_view> missing) {
      loads.push_back(missing.size());
      Cache::Files files;
      for (const std::string_view path : missing) {
        if (path == "error") throw std::runtime_error("no such disk");
        files.push_back(path == "none" ? nullptr : std::make_shared<const std::string>(path));
      }
      return files;
    };
    return cache.find_all(paths, load, [](const std::string& file) { return file != "unkept"; });
  }

  std::vector<std::size_t> loads;
};

TEST(FileCache, EachFileIsOpenedOnce) {
  Cache cache;
  Opener opener;
  const Cache::Files files = opener.find(cache, {"a", "a", "none", "", "b", "a", "unkept", "none"});
  ASSERT_EQ(files.size(), 8U);
  EXPECT_EQ(*files[0], "a");
  EXPECT_EQ(files[1], files[0]);
  EXPECT_EQ(files[5], files[0]);
  EXPECT_EQ(files[2], nullptr);
  EXPECT_EQ(files[3], nullptr);
  EXPECT_EQ(files[7], nullptr);
  EXPECT_EQ(*files[6], "unkept");
  EXPECT_EQ(opener.loads, std::vector<std::size_t>{4});
  EXPECT_EQ(cache.size(), 2U) << "a and b";
  EXPECT_EQ(opener.find(cache, {"b", "a"})[1], files[0]);
  EXPECT_EQ(opener.loads.size(), 1U) << "all known";
  EXPECT_NE(opener.find(cache, {"unkept"})[0], files[6]) << "opened again";
}

TEST(FileCache, RecentlyUsedFilesStayOpen) {
  Cache cache(2);
  Opener opener;
  const auto a = opener.find(cache, {"a"})[0];
  const auto b = opener.find(cache, {"b"})[0];
  static_cast<void>(opener.find(cache, {"a"}));
  static_cast<void>(opener.find(cache, {"c"}));
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(opener.find(cache, {"a"})[0], a);
  EXPECT_NE(opener.find(cache, {"b"})[0], b);
}

TEST(FileCache, AtMost64FilesAreOpenedAtOnce) {
  for (const std::size_t count : {63U, 64U, 65U, 128U, 129U}) {
    SCOPED_TRACE(count);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
    Cache cache;
    Opener opener;
    const Cache::Files files = opener.find(cache, {names.begin(), names.end()});
    ASSERT_EQ(files.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(*files[i], names[i]);
    EXPECT_EQ(opener.loads.size(), (count + 63) / 64);
    EXPECT_EQ(opener.loads.front(), std::min<std::size_t>(count, 64));
  }
}

TEST(FileCache, NoFileStaysOpenBeyondTheLimit) {
  for (const std::size_t count : {kOpenFilesMax - 1, kOpenFilesMax, kOpenFilesMax + 1}) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
    Cache cache;
    Opener opener;
    static_cast<void>(opener.find(cache, {names.begin(), names.end()}));
    EXPECT_EQ(cache.size(), std::min(count, kOpenFilesMax));
  }
}

TEST(FileCache, AnErrorLeavesTheCacheUnchanged) {
  Cache cache;
  Opener opener;
  EXPECT_THROW(static_cast<void>(opener.find(cache, {"a", "error"})), std::runtime_error);
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(*opener.find(cache, {"a"})[0], "a");
}

}  // namespace
}  // namespace sheaf::internal
