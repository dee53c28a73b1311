#include "sheaf/extend/scan_data.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/interruption.h"

#include "dataset/part_data.h"
#include "format/sheaf/container_data.h"
#include "index/units.h"
#include "support/error_of.h"
#include "support/interrupting.h"

namespace sheaf {
namespace {

// An index without data: chunks of `sequences` sequences of the same size.
class MadeUpData final : public Deserializer {
 public:
  MadeUpData(std::int64_t chunks, std::int64_t sequences, std::int64_t sequence_bytes,
             std::int64_t decoded_bytes = 0) {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      SequenceTable::Builder builder;
      for (std::int64_t i = 0; i < sequences; ++i) {
        builder.push_back({.offset_bytes = i * sequence_bytes, .sample_count = 1});
      }
      const std::int64_t size = sequences * sequence_bytes;
      index_.add(
          {.offset_bytes = chunk * size, .size_bytes = size, .decoded_size_bytes = decoded_bytes},
          builder.finish());
    }
  }

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return {}; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return ""; }
  [[nodiscard]] Chunk read(const ChunkRange& /*range*/, Diagnostics& /*d*/) const override {
    throw InternalError("nothing to read");
  }

 private:
  MemoryIndex index_;
};

struct Seen {
  std::int64_t chunk;
  std::int64_t first;
  std::int64_t count;
  std::int64_t end_bytes;

  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> scan(const Deserializer& data, int threads) {
  const std::unique_ptr<Executor> executor = thread_pool(threads);
  std::vector<Seen> seen;
  scan_data(data, *executor, [&seen](const ScanUnit& unit) {
    const Seen one{static_cast<std::int64_t>(unit.range.chunk), unit.range.first, unit.range.count,
                   unit.end_bytes};
    return [&seen, one] { seen.push_back(one); };
  });
  return seen;
}

TEST(ScanData, VisitsEverySequenceOnceInOrder) {
  constexpr std::int64_t kSequences = 5000;
  const MadeUpData data(7, kSequences, 700);
  const std::vector<Seen> seen = scan(data, 1);
  for (const int threads : {2, 5}) EXPECT_EQ(seen, scan(data, threads));
  std::int64_t chunk = 0;
  std::int64_t next_first = 0;
  for (const Seen& each : seen) {
    if (next_first == kSequences) {
      ++chunk;
      next_first = 0;
    }
    EXPECT_EQ(chunk, each.chunk);
    EXPECT_EQ(next_first, each.first);
    EXPECT_GT(each.count, 0);
    EXPECT_LE(each.count * 700, std::int64_t{1} << 20);
    next_first += each.count;
    EXPECT_EQ((chunk * kSequences + next_first) * 700, each.end_bytes);
  }
  EXPECT_EQ(6, chunk);
  EXPECT_EQ(kSequences, next_first);
  EXPECT_EQ(7U * 4, seen.size());  // 3.5 MB for each chunk
}

TEST(ScanData, BytesOfAPartCountFromItsStart) {
  const auto whole = std::make_shared<const MadeUpData>(8, 100, 700);
  const internal::PartData part(whole, {.number = 1, .count = 2}, nullptr);
  const std::vector<Seen> seen = scan(part, 2);
  ASSERT_EQ(4U, seen.size());
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ((i + 1) * 70'000, seen[static_cast<std::size_t>(i)].end_bytes);
  }
}

TEST(ScanData, StoredBytesOfAContainerAreThoseOfTheFile) {
  std::string rows;
  for (int i = 0; i < 400; ++i) rows += std::to_string(i) + " |x 1 2 3\n";
  const std::string bytes = testing::container_of(*testing::text_data_of("ctf", rows),
                                                  {.chunk_size_bytes = 1000, .batch_size = 10});
  const std::shared_ptr<const Deserializer> whole = testing::open_container_bytes(bytes);
  const auto last_of = [](const Deserializer& data) {
    const std::unique_ptr<Executor> executor = thread_pool(2);
    std::int64_t last = 0;
    scan_data(data, *executor, [&last](const ScanUnit& unit) {
      return [&last, stored = unit.stored_bytes] {
        EXPECT_GT(stored, last);
        last = stored;
      };
    });
    return last;
  };
  EXPECT_EQ(last_of(*whole), std::ssize(bytes));
  std::int64_t parts = 0;
  for (const std::int64_t number : {0, 1}) {
    parts += last_of(internal::PartData(whole, {.number = number, .count = 2}, nullptr));
  }
  EXPECT_EQ(parts, std::ssize(bytes));
}

TEST(ScanData, ASequenceLargerThanAUnitFormsAUnit) {
  EXPECT_EQ(12U, scan(MadeUpData(3, 4, std::int64_t{5} << 20), 2).size());
}

TEST(ScanData, DataThatExpandAreReadInSmallerUnits) {
  // 1 MB of the file takes 1 GB in memory. A step takes 16 MiB at most, and seldom less than half.
  const std::vector<Seen> seen = scan(MadeUpData(1, 1000, 1000, 1'000'000'000), 2);
  for (const Seen& each : seen) EXPECT_LE(each.count, 16);
  EXPECT_LT(seen.size(), 128U);
}

TEST(ScanData, UnitsMatchTheIndex) {
  const MadeUpData data(1, 5000, 700);
  const ChunkInfo chunk = *data.index().chunk(ChunkIndex{});
  const internal::Units units(chunk);
  const std::vector<Seen> seen = scan(data, 2);
  ASSERT_EQ(units.count(), std::ssize(seen));
  for (std::int64_t i = 0; i < units.count(); ++i) {
    EXPECT_EQ(units.first(i), seen[static_cast<std::size_t>(i)].first);
  }
}

TEST(ScanData, AUnitBeyondTheMemoryLimitIsRefused) {
  const MadeUpData data(1, 4, std::int64_t{5} << 20, std::int64_t{64} << 20);
  const std::unique_ptr<Executor> executor = thread_pool(2);
  const auto work = [](const ScanUnit& /*unit*/) { return [] {}; };
  EXPECT_NO_THROW(scan_data(data, *executor, work, std::int64_t{17} << 20));
  const std::string error = testing::error_of([&] { scan_data(data, *executor, work, 1 << 20); });
  EXPECT_TRUE(
      error.starts_with("memory_limit_bytes: 1048576 bytes are too few: the 1 sequences up "
                        "to byte 5242880 need "))
      << error;
}

TEST(ScanData, AnInterruptionEndsTheScan) {
  const MadeUpData data(40, 10, 200'000);
  const std::unique_ptr<Executor> executor = thread_pool(3);
  testing::Interrupting interruption(3);
  const InterruptionScope scope(interruption);
  const auto work = [](const ScanUnit& /*unit*/) { return [] {}; };
  EXPECT_THROW(scan_data(data, *executor, work), testing::Interrupted);
}

TEST(ScanData, EmptyDataNeedNoWork) { EXPECT_TRUE(scan(MadeUpData(0, 0, 0), 2).empty()); }

TEST(ScanData, TheFirstErrorOfTheFileEndsTheScan) {
  const MadeUpData data(40, 10, 200'000);  // 80 units
  for (const int threads : {1, 4}) {
    const std::unique_ptr<Executor> executor = thread_pool(threads);
    std::atomic<int> running = 0;
    std::int64_t taken = 0;
    const auto work = [&](const ScanUnit& unit) -> std::function<void()> {
      ++running;
      const auto chunk = static_cast<std::int64_t>(unit.range.chunk);
      const std::shared_ptr<void> leaving(nullptr, [&running](void*) { --running; });
      if (chunk >= 20) throw std::runtime_error("chunk " + std::to_string(chunk));
      return [&taken] { ++taken; };
    };
    try {
      scan_data(data, *executor, work);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ("chunk 20", error.what());
    }
    EXPECT_EQ(40, taken);
    EXPECT_EQ(0, running);
  }
}

TEST(ScanData, AnErrorInTheOrderedCallbackEndsTheScan) {
  const MadeUpData data(40, 10, 200'000);
  const std::unique_ptr<Executor> executor = thread_pool(3);
  std::int64_t taken = 0;
  const auto work = [&taken](const ScanUnit& /*unit*/) {
    return [&taken] {
      if (++taken == 5) throw std::runtime_error("enough");
    };
  };
  EXPECT_THROW(scan_data(data, *executor, work), std::runtime_error);
  EXPECT_EQ(5, taken);
}

}  // namespace
}  // namespace sheaf
