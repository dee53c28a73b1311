// What a reader says of its memory, beside what is counted.

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "reader/fetch/chunk_memory.h"
#include "reader/plan/planner.h"
#include "support/test_memory.h"

namespace sheaf {
namespace {

/// Sequences of one sample, but for each eighth, which has 64: padded, they are eight times as
/// much.
std::string uneven_text() {
  std::string text;
  for (int key = 0; key < 3000; ++key) {
    for (int sample = 0; sample < (key % 8 == 0 ? 64 : 1); ++sample) {
      text += std::to_string(key) + " |x";
      for (int value = 0; value < 8; ++value) text += ' ' + std::to_string(value);
      text += '\n';
    }
  }
  return text;
}

std::int64_t decoded_bytes(const Deserializer& data) {
  std::int64_t bytes = 0;
  for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
    Diagnostics diagnostics;
    bytes += internal::held_bytes(data.read({chunk}, diagnostics));
  }
  return bytes;
}

std::shared_ptr<const Deserializer> open_uneven() {
  const FormatOptions options{.format = "ctf"};
  return find_format("", options).open({memory_source(uneven_text(), "memory"), options});
}

// The sum is taken of peaks that may come one after the other; what else there is, tables and
// views, is far less than the data.
TEST(MemoryAccount, OfAPaddedKeyedRunIsNearWhatIsAllocated) {
  for (const std::optional<std::int64_t> limit :
       {std::optional<std::int64_t>(), std::optional(std::int64_t{64} << 20)}) {
    const std::shared_ptr<const Deserializer> data = open_uneven();
    testing::TestMemory memory;
    OrderOptions order;
    order.algorithm = OrderAlgorithm::keyed;
    order.window_chunks = 64;
    order.minibatch_size = 16;
    order.unit = MinibatchUnit::sequences;
    const std::shared_ptr<const Counts> counts(data, &data->index());
    Reader reader(data, make_sequencer(counts, order), make_packer(Layout::padded, order),
                  {.threads = 2, .memory_limit_bytes = limit, .minibatch_memory = &memory});
    while (std::optional<Minibatch> minibatch = reader.next()) minibatch.reset();
    const std::int64_t allocated = decoded_bytes(*data) + memory.held_bytes_max();
    const std::int64_t buffers = 2 * internal::Planner::kReadBufferBytes;
    const std::int64_t said = reader.stats().memory_bytes_max;
    EXPECT_GE(said, decoded_bytes(*data) + memory.held_bytes_max() / 2)
        << "limit " << limit.value_or(0);
    EXPECT_LE(said, allocated + allocated / 2 + buffers + data->index().memory_bytes());
  }
}

}  // namespace
}  // namespace sheaf
