#include "dataset/cached_data.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/open.h"
#include "sheaf/reader.h"

#include "base/text.h"
#include "io/forwarding_files.h"
#include "support/cached.h"
#include "support/interrupting.h"
#include "support/scoped_unit_size.h"
#include "support/test_folder.h"
#include "support/text_data.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::cache_setup;
using sheaf::testing::cached;
using sheaf::testing::error_of;
using sheaf::testing::ScopedUnitSize;
using sheaf::testing::unit_paths;

// Returns a chunk of `count` sequences of 50 bytes each.
NamedData fifty_bytes_each(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string line = formatted("{} |x {}", 1000 + i, i);
    line.resize(49, ' ');
    text += line + "\n";
  }
  return testing::ctf("data", std::move(text), testing::with_streams({testing::dense("x")}));
}

Chunk read(const Deserializer& data, std::int64_t first, std::int64_t count) {
  Diagnostics diagnostics;
  return data.read({ChunkIndex{0}, first, count}, diagnostics);
}

/// Counts decoded sequences, and waits before each read.
class Counting final : public Deserializer {
 public:
  explicit Counting(std::shared_ptr<const Deserializer> data, std::chrono::milliseconds wait = {})
      : data_(std::move(data)), wait_(wait) {}
  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return data_->streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return data_->index(); }
  [[nodiscard]] std::string fingerprint() const override { return data_->fingerprint(); }
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    std::this_thread::sleep_for(wait_);
    decoded += range.count;
    return data_->read(range, diagnostics);
  }
  [[nodiscard]] bool has_fast_random_access() const noexcept override { return true; }

  mutable std::atomic<std::int64_t> decoded = 0;

 private:
  std::shared_ptr<const Deserializer> data_;
  std::chrono::milliseconds wait_;
};

/// A file system whose new files cannot be finished.
class FullFiles final : public ForwardingFiles {
 public:
  using ForwardingFiles::ForwardingFiles;
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& /*options*/) override {
    ++create_count;
    throw IoError(path + ": cannot write: No space left on device");
  }
  int create_count = 0;
};

/// A file system whose cached units open slowly.
class SlowFiles final : public ForwardingFiles {
 public:
  using ForwardingFiles::ForwardingFiles;
  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return files().open(path);
  }
};

TEST(CachedData, DecodesEachUnitOnce) {
  const ScopedUnitSize unit(100);
  const auto files = memory_files();
  const auto source = std::make_shared<const Counting>(fifty_bytes_each(10).data);
  const auto data = cached(source, *files);
  static_cast<void>(read(*data, 0, 10));
  EXPECT_EQ(source->decoded, 10);
  EXPECT_EQ(unit_paths(*files).size(), 5U);
  static_cast<void>(read(*data, 2, 4));  // two units
  EXPECT_EQ(source->decoded, 10);
  files->remove(unit_paths(*files)[0]);
  const Chunk again = read(*data, 0, 10);
  EXPECT_EQ(source->decoded, 12) << "of the units, one is missing";
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(*reinterpret_cast<const float*>(again.view(0, i).values), static_cast<float>(i));
  }
  EXPECT_EQ(data->cache_counts().hits, 2 + 4);
  EXPECT_EQ(data->cache_counts().misses, 5 + 1);
}

TEST(CachedData, PartsComeFromTheFileOfTheirUnit) {
  const ScopedUnitSize unit(400);
  const auto files = memory_files();
  const auto source = std::make_shared<const Counting>(fifty_bytes_each(16).data);
  const auto data = cached(source, *files);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::int64_t i = 0; i < 16; ++i) {
      const Chunk one = read(*data, i, 1);
      ASSERT_EQ(one.sequence_count(), 1);
      EXPECT_EQ(*reinterpret_cast<const float*>(one.view(0, 0).values), static_cast<float>(i));
    }
  }
  EXPECT_EQ(source->decoded, 16) << "each unit is decoded once, for its first part";
  EXPECT_EQ(unit_paths(*files).size(), 2U);
  EXPECT_EQ(data->cache_counts().misses, 2);
  EXPECT_EQ(data->cache_counts().hits, 2 * 16 - 2);
  static_cast<void>(read(*data, 3, 10));  // parts of two units
  static_cast<void>(read(*data, 0, 16));
  EXPECT_EQ(source->decoded, 16) << "whole units have the same files";
}

TEST(CachedData, PartsOfUnitsThatCannotBeKeptAreReadAlone) {
  const ScopedUnitSize unit(400);
  const auto memory = memory_files();
  FullFiles full(*memory);
  CacheSetup narrow = cache_setup(*memory);
  narrow.memory_bytes = 1;
  CacheSetup limited = cache_setup(*memory);
  limited.options.limit_bytes = 1;
  for (const CacheSetup& setup : {cache_setup(full), narrow, limited}) {
    const auto source = std::make_shared<const Counting>(fifty_bytes_each(8).data);
    const CachedData data(source, setup);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t i = 0; i < 8; ++i) {
        const Chunk one = read(data, i, 1);
        EXPECT_EQ(*reinterpret_cast<const float*>(one.view(0, 0).values), static_cast<float>(i));
      }
    }
    // Without memory, the unit is not decoded. Otherwise it is decoded once, for the first part.
    EXPECT_EQ(source->decoded, setup.memory_bytes ? 16 : 8 + 15);
    EXPECT_EQ(data.warnings().size(), 1U);
    EXPECT_TRUE(unit_paths(*memory).empty());
  }
}

// Two processes may share a cache that is too small for both, and remove each other's files.
TEST(CachedData, AUnitIsDecodedOnceForItsPartsEvenIfItsFileIsGone) {
  const ScopedUnitSize unit(400);
  const auto files = memory_files();
  const auto source = std::make_shared<const Counting>(fifty_bytes_each(8).data);
  const auto data = cached(source, *files);
  for (std::int64_t i = 0; i < 8; ++i) {
    const Chunk one = read(*data, i, 1);
    EXPECT_EQ(*reinterpret_cast<const float*>(one.view(0, 0).values), static_cast<float>(i));
    for (const std::string& path : unit_paths(*files)) files->remove(path);
  }
  EXPECT_EQ(source->decoded, 8 + 7) << "then each part alone";
  EXPECT_EQ(data->cache_counts().misses, 8);
}

TEST(CachedData, ThreadsThatReadPartsOfAUnitDecodeItOnce) {
  constexpr std::int64_t kThreads = 4;
  const ScopedUnitSize unit(400);
  const auto files = memory_files();
  const auto source =
      std::make_shared<const Counting>(fifty_bytes_each(8).data, std::chrono::milliseconds(50));
  const auto data = cached(source, *files);
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Chunk one = read(*data, i, 1);
      EXPECT_EQ(*reinterpret_cast<const float*>(one.view(0, 0).values), static_cast<float>(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(source->decoded, 8 + kThreads - 1);
  EXPECT_EQ(unit_paths(*files).size(), 1U);
}

TEST(CachedData, ErrorsBesideAPartDoNotChangeThePart) {
  const ScopedUnitSize unit(1000);
  const auto files = memory_files();
  const NamedData text = testing::ctf("data", "1 |x 1\n2 |x ?\n3 |x 1\n4 |x 1\n",
                                      testing::with_streams({testing::dense("x")}));
  const auto data = cached(text.data, *files);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::int64_t i = 0; i < 4; ++i) {
      Diagnostics diagnostics;
      const Chunk one = data->read({ChunkIndex{0}, i, 1}, diagnostics);
      EXPECT_EQ(one.is_hole(0), i == 1);
      EXPECT_EQ(diagnostics.described().size(), i == 1 ? 1U : 0U);
    }
  }
  EXPECT_TRUE(unit_paths(*files).empty());
}

TEST(CachedData, ASlowCacheOfPartsIsStillUsedForUnits) {
  const ScopedUnitSize unit(100);
  const auto memory = memory_files();
  SlowFiles files(*memory);
  CacheSetup setup = cache_setup(files);
  setup.trial_unit_count = 3;
  const auto source = std::make_shared<const Counting>(fifty_bytes_each(20).data);
  const CachedData data(source, setup);
  for (std::int64_t i = 0; i < 20; i += 2) static_cast<void>(read(data, i, 1));
  EXPECT_EQ(source->decoded, 3 * (2 + 3) + 7)
      << "three units are decoded, and a part is timed three times";
  EXPECT_TRUE(unit_paths(files).empty());
  ASSERT_EQ(data.warnings().size(), 1U);
  EXPECT_EQ(data.warnings()[0].code, "cache-slow");
  EXPECT_NE(data.warnings()[0].found.find("for parts"), std::string::npos);
  static_cast<void>(read(data, 0, 2));
  EXPECT_EQ(unit_paths(files).size(), 1U);
}

TEST(CachedData, ATrialNeedsNoMoreMemoryThanWriting) {
  // Writing a unit of eight float32 takes four times its columns, and its file is as large again.
  // Some of these limits suffice for writing, and for nothing besides.
  for (std::int64_t memory = 64; memory <= 4096; memory += 32) {
    const auto files = memory_files();
    CacheSetup setup = cache_setup(*files);
    setup.memory_bytes = memory;
    setup.trial_unit_count = 1;
    const CachedData data(fifty_bytes_each(8).data, setup);
    EXPECT_EQ(read(data, 0, 8).sequence_count(), 8);
    EXPECT_EQ(read(data, 3, 2).sequence_count(), 2);
  }
}

TEST(CachedData, NamesDependOnAllThatIsRead) {
  const ScopedUnitSize unit(100);
  const auto files = memory_files();
  const auto expect_new = [&](const NamedData& data, CacheSetup setup) {
    const std::size_t before = unit_paths(*files).size();
    static_cast<void>(read(CachedData(data.data, std::move(setup)), 0, 2));
    EXPECT_EQ(unit_paths(*files).size(), before + 1);
  };
  const std::string text = "1 |x 1 |y 1\n2 |x 2 |y 2\n";
  const FormatOptions options = testing::with_streams({testing::dense("x")});
  expect_new(testing::ctf("data", text, options), cache_setup(*files));
  FormatOptions other = options;
  other.dtype = ElementType::f64;
  expect_new(testing::ctf("data", text, other), cache_setup(*files));
  other = options;
  other.streams[0].alias = "y";
  expect_new(testing::ctf("data", text, other), cache_setup(*files));
  expect_new(testing::ctf("data", "1 |x 1 |y 1\n2 |x 3 |y 2\n", options), cache_setup(*files));
  CacheSetup setup = cache_setup(*files);
  setup.stamp = [] { return std::optional<std::string>("changed"); };
  expect_new(testing::ctf("data", text, options), setup);
  // The name of the file does not matter.
  const std::size_t before = unit_paths(*files).size();
  static_cast<void>(read(CachedData(testing::ctf("copy", text, options).data, setup), 0, 2));
  EXPECT_EQ(unit_paths(*files).size(), before);
}

TEST(CachedData, IsNotUsedWhenFileChangesCannotBeDetected) {
  const auto files = memory_files();
  CacheSetup setup = cache_setup(*files);
  setup.stamp = [] { return std::optional<std::string>(); };
  const CachedData data(fifty_bytes_each(3).data, setup);
  EXPECT_EQ(read(data, 0, 3).sequence_count(), 3);
  EXPECT_TRUE(unit_paths(*files).empty());
  ASSERT_EQ(data.warnings().size(), 1U);
  EXPECT_EQ(data.warnings()[0].code, "cache-times");
}

TEST(CachedData, UnitsWithErrorsAreReadFromTheData) {
  const ScopedUnitSize unit(16);
  const auto files = memory_files();
  const NamedData text = testing::ctf("data", "1 |x 1\n2 |x ?\n3 |x 1\n4 |x 1\n5 |x 1\n6 |x 1\n",
                                      testing::with_streams({testing::dense("x")}));
  for (int pass = 0; pass < 2; ++pass) {
    const auto data = cached(text.data, *files);
    Diagnostics diagnostics;
    const Chunk chunk = data->read({ChunkIndex{0}, 0, 6}, diagnostics);
    EXPECT_TRUE(chunk.is_hole(1));
    ASSERT_EQ(diagnostics.described().size(), 1U);
    EXPECT_EQ(diagnostics.described()[0].line, 2);
    EXPECT_EQ(data->cache_counts().misses, pass == 0 ? 3 : 1);
  }
  EXPECT_EQ(unit_paths(*files).size(), 2U);
}

TEST(CachedData, AFullDiskEndsOnlyTheWriting) {
  const ScopedUnitSize unit(100);
  const auto memory = memory_files();
  FullFiles files(*memory);
  const auto data = cached(fifty_bytes_each(10).data, files);
  EXPECT_EQ(read(*data, 0, 10).sequence_count(), 10);
  EXPECT_EQ(read(*data, 0, 10).sequence_count(), 10);
  EXPECT_EQ(files.create_count, 1);
  ASSERT_EQ(data->warnings().size(), 1U);
  EXPECT_EQ(data->warnings()[0].code, "cache-write");
  EXPECT_NE(data->warnings()[0].found.find("No space left"), std::string::npos);
}

TEST(CachedData, WarnsAboutUnitsBeyondTheLimit) {
  const ScopedUnitSize unit(100);
  const auto files = memory_files();
  CacheSetup setup = cache_setup(*files);
  setup.options.limit_bytes = 2000;
  const CachedData data(fifty_bytes_each(20).data, setup);
  for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(read(data, 0, 20).sequence_count(), 20);
  const auto unit_count = std::ssize(unit_paths(*files));
  EXPECT_GE(unit_count, 1);
  EXPECT_LT(unit_count, 10);
  EXPECT_EQ(data.cache_counts().hits, unit_count) << "units of this run stay";
  ASSERT_EQ(data.warnings().size(), 1U);
  EXPECT_EQ(data.warnings()[0].code, "cache-full");
}

TEST(CachedData, ACacheThatIsSlowIsNotUsed) {
  const ScopedUnitSize unit(100);
  const auto memory = memory_files();
  SlowFiles files(*memory);
  CacheSetup setup = cache_setup(files);
  setup.trial_unit_count = 3;
  const auto source = std::make_shared<const Counting>(fifty_bytes_each(20).data);
  const CachedData data(source, setup);
  for (std::int64_t i = 0; i < 10; ++i) static_cast<void>(read(data, 2 * i, 2));
  EXPECT_EQ(source->decoded, 20 + 2 * 3 * 3) << "three units are timed three times";
  EXPECT_TRUE(unit_paths(files).empty()) << "unused units are removed";
  EXPECT_EQ(data.cache_counts().misses, 3);
  ASSERT_EQ(data.warnings().size(), 1U);
  EXPECT_EQ(data.warnings()[0].code, "cache-slow");
}

TEST(CachedData, ACacheThatIsFastIsUsed) {
  const ScopedUnitSize unit(100);
  const auto files = memory_files();
  CacheSetup setup = cache_setup(*files);
  setup.trial_unit_count = 3;
  const auto source =
      std::make_shared<const Counting>(fifty_bytes_each(20).data, std::chrono::milliseconds(20));
  for (int run = 0; run < 2; ++run) {
    const CachedData data(source, setup);
    for (std::int64_t i = 0; i < 10; ++i) static_cast<void>(read(data, 2 * i, 2));
    EXPECT_TRUE(data.warnings().empty());
    EXPECT_EQ(data.cache_counts().hits, run == 0 ? 0 : 10);
  }
  EXPECT_EQ(unit_paths(*files).size(), 10U);
}

TEST(CachedData, ATrialDisregardsReadsThatHadToWait) {
  /// A file system whose cached units open slowly every other time.
  class BusyFiles final : public ForwardingFiles {
   public:
    using ForwardingFiles::ForwardingFiles;
    [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
      if (++open_count % 2 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return files().open(path);
    }
    int open_count = 0;
  };
  const ScopedUnitSize unit(100);
  const auto memory = memory_files();
  BusyFiles files(*memory);
  CacheSetup setup = cache_setup(files);
  setup.trial_unit_count = 3;
  const auto source =
      std::make_shared<const Counting>(fifty_bytes_each(20).data, std::chrono::milliseconds(100));
  const CachedData data(source, setup);
  for (std::int64_t i = 0; i < 4; ++i) static_cast<void>(read(data, 2 * i, 2));
  EXPECT_EQ(files.open_count, 3 * 2) << "each unit is timed a second time";
  EXPECT_TRUE(data.warnings().empty());
  EXPECT_EQ(unit_paths(files).size(), 4U);
}

TEST(CachedData, AnInterruptionIsNotReportedAsDamage) {
  const ScopedUnitSize unit(100);
  /// A file system whose files check for interruptions.
  class WaitingFiles final : public ForwardingFiles {
   public:
    using ForwardingFiles::ForwardingFiles;
    [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
      return std::make_shared<const testing::WaitingSource>(files().open(path));
    }
  };
  const auto memory = memory_files();
  WaitingFiles files(*memory);
  const auto data = cached(fifty_bytes_each(10).data, files);
  static_cast<void>(read(*data, 0, 10));
  const std::vector<std::string> paths = unit_paths(files);
  testing::Refusing refusing;
  {
    const InterruptionScope scope(refusing);
    EXPECT_THROW(static_cast<void>(read(*data, 0, 10)), testing::Interrupted);
  }
  EXPECT_EQ(unit_paths(files), paths);
  EXPECT_TRUE(data->warnings().empty());
  EXPECT_EQ(read(*data, 0, 10).sequence_count(), 10);
}

TEST(CachedData, UnitsAboveTheMemoryShareAreNotCached) {
  // Eight float32 and their offsets need about four times as much.
  for (const std::int64_t memory : {1, 1 << 20}) {
    const auto files = memory_files();
    CacheSetup setup = cache_setup(*files);
    setup.memory_bytes = memory;
    const CachedData data(fifty_bytes_each(8).data, setup);
    EXPECT_EQ(data.index().memory_bytes(),
              fifty_bytes_each(8).data->index().memory_bytes() + memory);
    static_cast<void>(read(data, 0, 8));
    EXPECT_EQ(unit_paths(*files).size(), memory == 1 ? 0U : 1U);
    EXPECT_EQ(data.warnings().size(), memory == 1 ? 1U : 0U);
    static_cast<void>(read(data, 0, 8));
    EXPECT_EQ(data.cache_counts().hits, memory == 1 ? 0 : 1);
  }
}

TEST(CachedData, ReadersFindTheUnitsOfEarlierRuns) {
  const TestFolder folder;
  folder.write("data.ctf", "1 |x 1\n2 |x 2\n3 |x 3\n");
  const ReaderOptions options{.cache = {.folder = folder.path("kept")}, .run = {.threads = 1}};
  for (int run = 0; run < 2; ++run) {
    Reader reader(folder.path("data.ctf"), options);
    std::int64_t sequences = 0;
    while (const auto minibatch = reader.next()) sequences += minibatch->sequence_count();
    EXPECT_EQ(sequences, 3);
    EXPECT_EQ(reader.stats().cache_hits, run);
    EXPECT_EQ(reader.stats().cache_misses, 1 - run);
  }
}

TEST(CachedData, RefusesALimitWithoutAFolder) {
  const TestFolder folder;
  folder.write("data.ctf", "1 |x 1\n");
  const auto refusal = [&](CacheOptions cache) {
    return error_of<ConfigError>(
        [&] { Reader(folder.path("data.ctf"), {.cache = std::move(cache)}); });
  };
  EXPECT_EQ(refusal({.limit_bytes = 1}),
            "cache_limit: there is no cache to limit; name its folder with `cache`");
  EXPECT_EQ(refusal({.folder = folder.path("c"), .limit_bytes = 0}),
            "cache_limit must be at least 1, or empty (no limit): got 0");
  EXPECT_EQ(refusal({.folder = folder.path("c"), .limit_bytes = 1}), "");
}

}  // namespace
}  // namespace sheaf::internal
