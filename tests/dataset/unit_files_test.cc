#include "dataset/unit_files.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/types.h"

#include "io/forwarding_files.h"
#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;

SequenceKey unit_number(std::uint64_t number) { return {number, 7}; }

CacheOptions in_folder(const TestFolder& folder, std::optional<std::int64_t> limit = {}) {
  return {.folder = folder.path("cache"), .limit_bytes = limit};
}

std::int64_t size_of_units(const TestFolder& folder) {
  std::int64_t size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("cache"))) {
    if (entry.path().extension() == ".unit") size += static_cast<std::int64_t>(entry.file_size());
  }
  return size;
}

void make_older(const std::string& path, std::chrono::hours hours) {
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - hours);
}

TEST(UnitFiles, KeepWrittenUnits) {
  const TestFolder folder;
  UnitFiles units(in_folder(folder), system_files());
  EXPECT_EQ(units.open(unit_number(1)), nullptr);
  EXPECT_FALSE(std::filesystem::exists(folder.path("cache"))) << "nothing is written yet";
  ASSERT_TRUE(units.write(unit_number(1), "abc"));
  EXPECT_EQ(units.open(unit_number(1))->size(), 3);
  EXPECT_EQ(UnitFiles(in_folder(folder), system_files()).open(unit_number(1))->size(), 3);
  EXPECT_EQ(folder.read("cache/00000000000000070000000000000001.unit"), "abc");
  units.remove(unit_number(1));
  EXPECT_EQ(units.open(unit_number(1)), nullptr);
  units.remove(unit_number(1));  // removing twice is not an error
}

TEST(UnitFiles, RefuseAFileInsteadOfAFolder) {
  const TestFolder folder;
  folder.write("cache", "a file");
  EXPECT_EQ(error_of<ConfigError>([&] { UnitFiles(in_folder(folder), system_files()); }),
            "cache: " + folder.path("cache") + " is a file; a cache is a folder");
}

TEST(UnitFiles, StayWithinTheLimit) {
  // One byte less than three units, exactly three, and one byte more.
  for (const std::int64_t limit : {299, 300, 301}) {
    const TestFolder folder;
    UnitFiles units(in_folder(folder, limit), system_files());
    EXPECT_TRUE(units.write(unit_number(1), std::string(100, 'a')));
    EXPECT_TRUE(units.write(unit_number(2), std::string(100, 'b')));
    EXPECT_EQ(units.write(unit_number(3), std::string(100, 'c')), limit >= 300);
    EXPECT_EQ(units.write(unit_number(4), "d"), limit != 300);
    EXPECT_LE(size_of_units(folder), limit);
    EXPECT_NE(units.open(unit_number(1)), nullptr) << "units that this run uses stay";
  }
}

TEST(UnitFiles, TheOldestUnitsOfOtherRunsAreRemoved) {
  const TestFolder folder;
  {
    UnitFiles earlier(in_folder(folder), system_files());
    for (std::uint64_t i = 0; i < 4; ++i) {
      ASSERT_TRUE(earlier.write(unit_number(i), std::string(100, 'a')));
      make_older(earlier.path_of(unit_number(i)), std::chrono::hours(i == 2 ? 9 : i + 1));
    }
  }
  folder.write("cache/notes.txt", std::string(1000, 'n'));
  folder.write("cache/0123.unit", std::string(1000, 'n'));
  UnitFiles units(in_folder(folder, 400), system_files());
  EXPECT_NE(units.open(unit_number(3)), nullptr);  // now in use
  ASSERT_TRUE(units.write(unit_number(4), std::string(100, 'b')));
  EXPECT_EQ(units.open(unit_number(2)), nullptr) << "the oldest goes first";
  ASSERT_TRUE(units.write(unit_number(5), std::string(100, 'b')));
  EXPECT_FALSE(std::filesystem::exists(units.path_of(unit_number(1))));
  ASSERT_TRUE(units.write(unit_number(6), std::string(100, 'b')));
  EXPECT_FALSE(std::filesystem::exists(units.path_of(unit_number(0))));
  EXPECT_FALSE(units.write(unit_number(7), std::string(100, 'b')));
  EXPECT_NE(units.open(unit_number(3)), nullptr);
  EXPECT_TRUE(std::filesystem::exists(folder.path("cache/notes.txt"))) << "not a file of a cache";
  EXPECT_TRUE(std::filesystem::exists(folder.path("cache/0123.unit")));
}

/// A file system that calls a function while a file is written.
class BusyFiles final : public ForwardingFiles {
 public:
  using ForwardingFiles::ForwardingFiles;
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override {
    auto sink = files().create(path, options);
    if (const auto work = std::exchange(meanwhile, nullptr)) work();
    return sink;
  }

  std::function<void()> meanwhile;
};

TEST(UnitFiles, UnfinishedFilesCountTowardsTheLimit) {
  const TestFolder folder;
  BusyFiles files(system_files());
  UnitFiles units(in_folder(folder, 250), files);
  files.meanwhile = [&] {
    // Waits until the folder is listed again, when the first file has no bytes yet.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(units.write(unit_number(2), std::string(100, 'b')));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(units.write(unit_number(3), std::string(100, 'c')));
  };
  EXPECT_TRUE(units.write(unit_number(1), std::string(100, 'a')));
  EXPECT_EQ(size_of_units(folder), 200);
  EXPECT_TRUE(units.write(unit_number(4), std::string(50, 'd'))) << "and count once";
}

TEST(UnitFiles, LeftoversOfKilledProcessesAreRemoved) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("cache"));
  UnitFiles units(in_folder(folder), system_files());
  const std::string old_part = units.path_of(unit_number(1)) + ".123-0.part";
  const std::string new_part = units.path_of(unit_number(2)) + ".124-0.part";
  const std::string foreign = folder.path("cache/report.part");
  for (const std::string& path : {old_part, new_part, foreign}) {
    folder.write("cache/" + std::filesystem::path(path).filename().string(), "half");
  }
  make_older(old_part, std::chrono::hours(2));
  make_older(foreign, std::chrono::hours(2));
  ASSERT_TRUE(units.write(unit_number(3), "abc"));
  EXPECT_FALSE(std::filesystem::exists(old_part));
  EXPECT_TRUE(std::filesystem::exists(new_part)) << "somebody may still write the file";
  EXPECT_TRUE(std::filesystem::exists(foreign));
}

TEST(UnitFiles, AFolderThatCannotBeCreatedIsAnError) {
  const TestFolder folder;
  folder.write("file", "");
  UnitFiles units({.folder = folder.path("file/cache")}, system_files());
  EXPECT_EQ(units.open(unit_number(1)), nullptr);
  EXPECT_NE(error_of<IoError>([&] { static_cast<void>(units.write(unit_number(1), "a")); }), "");
}

TEST(UnitFiles, UnitsOfOtherProcessesAreFound) {
  const TestFolder folder;
  UnitFiles a(in_folder(folder, 250), system_files());
  UnitFiles b(in_folder(folder, 250), system_files());
  ASSERT_TRUE(a.write(unit_number(1), std::string(100, 'a')));
  ASSERT_TRUE(b.write(unit_number(2), std::string(100, 'b')));
  EXPECT_NE(a.open(unit_number(2)), nullptr);
  ASSERT_TRUE(b.write(unit_number(3), std::string(100, 'c'))) << "in the place of unit 1";
  EXPECT_EQ(a.open(unit_number(1)), nullptr);
  EXPECT_LE(size_of_units(folder), 250);
}

}  // namespace
}  // namespace sheaf::internal
