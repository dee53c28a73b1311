// Whole runs in which memory runs out, at any single allocation or from any allocation on.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/join.h"
#include "sheaf/extend/transform.h"
#include "sheaf/open.h"
#include "sheaf/reader.h"
#include "sheaf/writer.h"

#include "faults/allocation_hook.h"

namespace sheaf::testing {
namespace {

// A walk tries at most about this many allocations, spread over the run.
constexpr std::int64_t kTriesMax = 150;
constexpr unsigned kSecondsMax = 20;  // for a run that takes milliseconds

std::atomic<std::int64_t> allocation_under_way = 0;

// Prints the current allocation if a run hangs or ends the program.
extern "C" void tell_allocation(int signal) {
  char text[] = "\nallocation                     : signal   \n";
  char* digit = text + 30;
  for (std::int64_t n = allocation_under_way; n > 0; n /= 10)
    *--digit = static_cast<char>('0' + n % 10);
  text[41] = static_cast<char>('0' + signal / 10);
  text[42] = static_cast<char>('0' + signal % 10);
  static_cast<void>(::write(STDERR_FILENO, text, sizeof text - 1));
  ::_exit(1);
}

using Data = std::shared_ptr<const Deserializer>;

/// Returns 40 sequences of one to three samples with two streams. Every sequence of the second half
/// has its own key.
std::string ctf_text(std::int64_t first_key) {
  std::string text;
  for (std::int64_t i = first_key; i < first_key + 40; ++i) {
    for (std::int64_t sample = 0; sample <= i % 3; ++sample) {
      text += std::to_string(i) + " |x " + std::to_string(i) + " 0.5 |y " + std::to_string(i % 9) +
              ":1\n";
    }
  }
  return text;
}

FormatOptions small_chunks(std::string_view format) {
  FormatOptions options{.format = std::string(format)};
  options.chunk_size_bytes = 300;
  options.read_size_bytes = 200;
  return options;
}

Data open(std::string bytes, const FormatOptions& options) {
  return find_format("", options).open({memory_source(std::move(bytes), "memory"), options});
}

Data open_ctf() { return open(ctf_text(0), small_chunks("ctf")); }

void append(std::string& text, const Minibatch& minibatch) {
  for (const SequenceKey& key : minibatch.keys()) text += std::to_string(key.low) + ' ';
  for (std::int64_t stream = 0; stream < std::ssize(minibatch.streams()); ++stream) {
    text += std::to_string(minibatch.batch(stream).memory_bytes()) + ' ';
    if (minibatch.sequence_count() == 0) continue;
    float value = 0;
    std::memcpy(&value, minibatch.sample(stream, 0, 0).values, sizeof value);
    text += std::to_string(value) + ' ';
  }
  text += '\n';
}

std::string indexed(const Data& data) {
  std::string text;
  for (ChunkIndex chunk{}; data->index().chunk(chunk); chunk = next(chunk)) {
    text += std::to_string(data->index().sequences(chunk)->size()) + ' ';
  }
  return text;
}

struct Way {
  OrderOptions order = {};
  Layout packing = Layout::padded;
  RunOptions run = {.threads = 1};
};

Reader make_reader(const Data& data, const Way& way) {
  const std::shared_ptr<const Counts> counts(data, &data->index());
  return {data, make_sequencer(counts, way.order), make_packer(way.packing, way.order), way.run};
}

std::string delivered(Reader& reader) {
  std::string text;
  while (const std::optional<Minibatch> minibatch = reader.next()) append(text, *minibatch);
  return text;
}

std::string read(const Data& data, const Way& way) {
  Reader reader = make_reader(data, way);
  return delivered(reader);
}

std::string convert(const Data& data, std::string_view format) {
  std::string bytes;
  WriterOptions options;
  options.format = {.format = std::string(format), .chunk_size_bytes = 300};
  Writer writer(memory_sink(bytes, "memory"), data->streams(), options);
  Reader reader = make_reader(data, {.packing = Layout::ragged});
  while (const std::optional<Minibatch> minibatch = reader.next()) writer.write(*minibatch);
  writer.finish();
  return bytes;
}

/// Returns the result of a run, or that memory ran out. Any other error fails the test.
std::optional<std::string> outcome(const std::function<std::string()>& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& error) {
    ADD_FAILURE() << "in place of std::bad_alloc: " << error.what();
  }
  return std::nullopt;
}

std::optional<std::string> outcome_at(const std::function<std::string()>& run, std::int64_t first,
                                      std::int64_t last) {
  allocation_under_way = first;
  ::alarm(kSecondsMax);
  const AllocationFault fault(first, last);
  return outcome(run);
}

/// Returns whether a failing run leaves more memory behind each time. Memory kept for reuse does
/// not grow each time.
bool leaks(const std::function<std::string()>& run, std::int64_t first, std::int64_t last) {
  for (int i = 0; i < 4; ++i) {
    const std::int64_t before = live_allocations();
    static_cast<void>(outcome_at(run, first, last));
    if (live_allocations() <= before) return false;
  }
  return true;
}

class AllocationFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGALRM, tell_allocation);
    std::signal(SIGABRT, tell_allocation);
  }
  void TearDown() override { ::alarm(0); }

  /// Lets each allocation of `run` fail, alone and with all later ones. After each failure, `later`
  /// does what a run without faults does. By default, `later` is `run`.
  void walk(const std::function<std::string()>& run, std::function<std::string()> later = {}) {
    if (!later) later = run;
    const std::string expected = run();
    ASSERT_EQ(run(), expected);
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(outcome_at(run, 0, 0), expected);
    const std::int64_t count = AllocationFault::count();
    ASSERT_GT(count, 20);
    const std::int64_t step = std::max<std::int64_t>(1, count / kTriesMax);
    std::int64_t thrown = 0;
    for (std::int64_t first = 1; first <= count; first += step) {
      for (const std::int64_t last : {first, INT64_MAX}) {
        SCOPED_TRACE(std::to_string(first) + (last == first ? " alone" : " and all behind it"));
        const std::int64_t before = live_allocations();
        const std::optional<std::string> result = outcome_at(run, first, last);
        if (result) {
          ASSERT_EQ(*result, expected);
        }
        thrown += !result;
        if (live_allocations() > before) {
          ASSERT_FALSE(leaks(run, first, last));
        }
        ASSERT_EQ(later(), expected);
      }
    }
    EXPECT_GT(thrown, count / step / 2);
  }
};

TEST_F(AllocationFaults, OpeningAndIndexing) {
  const std::string cbf = convert(open_ctf(), "cbf");
  walk([&] { return indexed(open_ctf()); });
  walk([&] { return indexed(open(cbf, small_chunks("cbf"))); });
  walk([&] {
    return indexed(open("1 qid:1 1:2\n2 qid:1 2:3\n1 qid:2 1:1\n", {.format = "libsvm"}));
  });
  FormatOptions texts = small_chunks("ctf");
  texts.keys = KeyType::text;
  walk([&] { return indexed(open(ctf_text(0), texts)); });
}

/// Keeps decoded sequences.
class Decoded final : public DecodedSink {
 public:
  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return 100; }
  void add(const ChunkRange& /*range*/, Kept kept, std::int64_t /*first*/) override {
    chunks_.push_back(std::move(kept));
  }

 private:
  std::vector<Kept> chunks_;
};

// After memory ran out, the index of the same object is either right or fails again; it never
// differs. If several threads were building the index, it is built again.
TEST_F(AllocationFaults, AFailedIndexIsNeverWrong) {
  FormatOptions options = small_chunks("ctf");
  options.read_size_bytes = 64;  // gives the threads several blocks
  for (const bool at_once : {false, true}) {
    Data data;
    std::int64_t made_again = 0;
    const auto run = [&] {
      data = nullptr;
      data = open(ctf_text(0) + ctf_text(40) + ctf_text(80), options);
      Decoded decoded;
      if (at_once) data->build_index(*thread_pool(2), &decoded);
      return indexed(data);
    };
    const std::string expected = run();
    walk(run, [&] {
      const std::optional<std::string> again =
          data == nullptr ? std::nullopt : outcome([&] { return indexed(data); });
      made_again += again.has_value();
      return again.value_or(expected);
    });
    if (at_once) {
      EXPECT_GT(made_again, 50);
    }
  }
}

TEST_F(AllocationFaults, ReadingInEveryOrder) {
  const Data ctf = open_ctf();
  const Data cbf = open(convert(ctf, "cbf"), small_chunks("cbf"));
  for (const Data& data : {ctf, cbf}) {
    for (const OrderAlgorithm algorithm :
         {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(algorithm)) + " " + std::to_string(threads));
        Way way{.order = {.minibatch_size = 16, .algorithm = algorithm}};
        way.run.threads = threads;
        if (algorithm != OrderAlgorithm::file) way.order.window_chunks = 3;
        walk([&] { return read(data, way); });
        way.run.memory_limit_bytes = 64 << 20;
        if (threads == 2) walk([&] { return read(data, way); });
      }
    }
  }
}

TEST_F(AllocationFaults, OpeningAndReading) {
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    Way way{.order = {.minibatch_size = 16, .algorithm = algorithm, .window_chunks = 100}};
    way.run.threads = 2;
    walk([&] { return read(open_ctf(), way); });
  }
}

// Some transforms make little output, which packing prepares. Others make much, which several tasks
// share.
TEST_F(AllocationFaults, ReadingWithTransforms) {
  const Data ctf = open_ctf();
  for (const std::string_view reach : {"1", "2000"}) {
    DataSpec spec{ObjectSpec{.name = "ctf"}};
    const std::string wide = "context:x:left=" + std::string(reach) + ",right=1";
    for (const std::string_view text : {std::string_view("reverse"), std::string_view(wide)}) {
      spec.transforms.push_back(parse_transform(text));
    }
    const auto open_again = [&] {
      return sheaf::open(spec, {.objects = {{"ctf", {.data = ctf, .name = "ctf"}}}}).data;
    };
    for (const int threads : {1, 2}) {
      Way way{.order = {.minibatch_size = 16}};
      way.run.threads = threads;
      walk([&] { return read(open_again(), way); });
    }
  }
}

TEST_F(AllocationFaults, ReadingWithEveryPacker) {
  const Data data = open_ctf();
  Way way{.order = {.minibatch_size = 16}};
  for (const Layout packing : {Layout::ragged, Layout::packed}) {
    way.packing = packing;
    walk([&] { return read(data, way); });
  }
  way.order.split_frames = true;
  way.packing = Layout::frames;
  walk([&] { return read(data, way); });
  walk([&] {
    const OrderOptions order{
        .minibatch_size = 8, .long_sequences = LongSequences::split, .row_samples = 2};
    return read(data, {.order = order, .packing = Layout::packed});
  });
  walk([&] {
    const OrderOptions order{.minibatch_size = 8, .truncation_length = 2};
    return read(data, {.order = order, .packing = Layout::truncated});
  });
}

TEST_F(AllocationFaults, SeveralFiles) {
  FormatOptions options = small_chunks("ctf");
  options.streams = {{.name = "x"}};
  std::string other;
  for (int i = 39; i >= 0; --i) other += std::to_string(i) + " |z 1\n";
  const Way way{.order = {.minibatch_size = 16}};
  walk([&] {
    std::vector<NamedData> members;
    members.push_back({.data = open(ctf_text(0), options), .name = "a"});
    members.push_back({.data = open(other, small_chunks("ctf")), .name = "b"});
    return read(join(std::move(members)), way);
  });
  walk([&] {
    std::vector<NamedData> members;
    members.push_back({.data = open_ctf(), .name = "a"});
    members.push_back({.data = open(ctf_text(40), small_chunks("ctf")), .name = "b"});
    return read(concatenate(std::move(members)), way);
  });
}

TEST_F(AllocationFaults, Converting) {
  const Data data = open_ctf();
  for (const char* format : {"ctf", "cbf"}) walk([&] { return convert(data, format); });
}

// A reader that ran out of memory throws at every later call, and releases its memory.
TEST_F(AllocationFaults, AReaderThatFailedStaysFailed) {
  const Data data = open_ctf();
  const Way way{
      .order = {.minibatch_size = 16, .algorithm = OrderAlgorithm::cntk, .window_chunks = 3}};
  std::int64_t failed = 0;
  for (std::int64_t first = 1, in_a_row = 0; in_a_row < 20; ++first) {
    SCOPED_TRACE(first);
    Reader reader = make_reader(data, way);
    const auto all = [&] {
      while (reader.next()) {
      }
      return std::string();
    };
    in_a_row = outcome_at(all, first, first) ? in_a_row + 1 : 0;
    if (in_a_row > 0) continue;
    EXPECT_THROW(static_cast<void>(reader.next()), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(reader.next()), std::bad_alloc);
    ++failed;
  }
  EXPECT_GT(failed, 50);
}

// A lookup leaves the reader as it is, even if the lookup fails.
TEST_F(AllocationFaults, RandomAccess) {
  const Data data = open_ctf();
  const Way way{
      .order = {.minibatch_size = 16, .algorithm = OrderAlgorithm::keyed, .window_chunks = 3}};
  Reader reader = make_reader(data, way);
  static_cast<void>(delivered(reader));  // ends all running tasks
  walk([&] {
    std::string text;
    append(text, *reader.sequence(SequenceKey{.low = 17}));
    append(text, *reader.sequence_at(0, 5));
    return text;
  });
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.stats().sequences, 40);
}

}  // namespace
}  // namespace sheaf::testing
