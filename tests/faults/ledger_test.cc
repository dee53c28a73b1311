// Compares the memory that a reader counts with the memory that the allocator handed out.

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"
#include "sheaf/spec.h"

#include "faults/allocation_hook.h"
#include "support/test_folder.h"

namespace sheaf::testing {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// The ledger does not count blocks kept for reuse (at most 16 MiB) and plans of steps (4 MiB).
constexpr std::int64_t kBeside = 20 * kMiB;

constexpr std::int64_t kLimit = 80 * kMiB;
constexpr std::int64_t kTablesBytes = kLimit / 8;  // tables of the index, which count in full

struct Shape {
  const char* name;
  std::string (*text)();
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

std::string tiny_sequences() {
  std::string text;
  for (int key = 0; key < 700'000; ++key) {
    text += std::to_string(key) + " |x " + std::to_string(key % 10) + " |y " +
            std::to_string(key % 7) + ":1\n";
  }
  return text;
}

std::string long_sequences() {
  std::string text;
  for (int key = 0; key < 200; ++key) {
    for (int sample = 0; sample < 5'000; ++sample) {
      text += std::to_string(key) + " |x 0.5 |y 1:1 7:0.25 9:3\n";
    }
  }
  return text;
}

std::string uneven_sequences() {
  std::string text;
  for (int key = 0; key < 120'000; ++key) {
    for (int sample = 0; sample < (key % 16 == 0 ? 64 : 1); ++sample) {
      text += std::to_string(key) + " |x 3 4 5 6 |y 1:1 2:1 3:1 4:1 5:1\n";
    }
  }
  return text;
}

std::string wrong_sequences() {
  std::string text;
  for (int key = 0; key < 500'000; ++key) {
    text += std::to_string(key) + (key % 4 == 0 ? " |x wrong |y 3:1\n" : " |x 1 |y 3:1 4:1\n");
  }
  return text;
}

struct Way {
  OrderAlgorithm order = OrderAlgorithm::file;
  Layout layout = Layout::padded;
  int threads = 1;
};

constexpr Way kWays[] = {{OrderAlgorithm::file, Layout::ragged, 3},
                         {OrderAlgorithm::cntk, Layout::padded, 1},
                         {OrderAlgorithm::keyed, Layout::ragged, 3}};

class LedgerLaws : public ::testing::TestWithParam<Shape> {};

/// The most memory that the ledger of a run counted, and the most that the allocator handed out.
struct Peaks {
  std::int64_t ledger = 0;
  std::int64_t allocator = 0;
};

Peaks peaks_of(const std::shared_ptr<const ByteSource>& source, const Way& way) {
  const std::int64_t before = live_bytes();
  forget_live_bytes_max();
  FormatOptions format{.format = "ctf"};
  format.chunk_size_bytes = kMiB;
  format.index.memory_limit_bytes = kTablesBytes;
  const std::shared_ptr<const Deserializer> data = find_format("", format).open({source, format});
  OrderOptions order{.minibatch_size = 512, .algorithm = way.order};
  if (way.order != OrderAlgorithm::file) order.window_chunks = kAll;
  const std::shared_ptr<const Counts> counts(data, &data->index());
  const RunOptions run{.threads = way.threads, .memory_limit_bytes = kLimit, .max_errors = kAll};
  Reader reader(data, make_sequencer(counts, order), make_packer(way.layout, order), run);
  while (std::optional<Minibatch> minibatch = reader.next()) minibatch.reset();
  return {.ledger = reader.stats().memory_bytes_max, .allocator = live_bytes_max() - before};
}

TEST_P(LedgerLaws, TheLedgerMatchesTheAllocator) {
  const std::shared_ptr<const ByteSource> source = memory_source(GetParam().text(), "memory");
  for (const Way& way : kWays) {
    const Peaks peaks = peaks_of(source, way);
    SCOPED_TRACE(static_cast<int>(way.order));
    EXPECT_LE(peaks.allocator, peaks.ledger + kBeside);
    EXPECT_GE(peaks.allocator + kBeside + kTablesBytes, peaks.ledger);
    EXPECT_LE(peaks.ledger, kLimit);
  }
}

// Units on their way into the cache or out of it share an eighth of the limit with the index.
TEST_P(LedgerLaws, ACacheStaysWithinItsShare) {
  const TestFolder folder;
  folder.write("data.ctf", GetParam().text());
  for (const Way& way : kWays) {
    SCOPED_TRACE(static_cast<int>(way.order));
    for (const char* const pass : {"writing", "reading"}) {
      SCOPED_TRACE(pass);
      Spec spec{.data = {FilesSpec{.files = {folder.path("data.ctf")}}}};
      std::get<FilesSpec>(spec.data.content).format.chunk_size_bytes = kMiB;
      spec.read = {.order = {.minibatch_size = 512, .algorithm = way.order},
                   .packing = way.layout,
                   .max_errors = kAll,
                   .cache = {.folder = folder.path("cache")}};
      if (way.order != OrderAlgorithm::file) spec.read.order.window_chunks = kAll;
      const std::int64_t before = live_bytes();
      forget_live_bytes_max();
      Reader reader(spec, {.threads = way.threads, .memory_limit_bytes = kLimit});
      while (std::optional<Minibatch> minibatch = reader.next()) minibatch.reset();
      const ReaderStats stats = reader.stats();
      EXPECT_LE(live_bytes_max() - before, stats.memory_bytes_max + kBeside);
      EXPECT_LE(stats.memory_bytes_max, kLimit);
      EXPECT_GT(stats.cache_hits + stats.cache_misses, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LedgerLaws,
                         ::testing::Values(Shape{"tiny", tiny_sequences},
                                           Shape{"long", long_sequences},
                                           Shape{"uneven", uneven_sequences},
                                           Shape{"wrong", wrong_sequences}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace sheaf::testing
