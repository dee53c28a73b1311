#include "sheaf/writer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/reader.h"

#include "packer/made_up_data.h"
#include "support/error_of.h"
#include "support/test_folder.h"
#include "writer/lines_format.h"

namespace sheaf {
namespace {

using testing::error_of;
using testing::lines_formats;
using testing::LinesSerializer;
using testing::small_minibatch;
using testing::to_buffer;

const std::vector<Stream> kStreams = {
    {.name = "x", .element_type = ElementType::f32, .sample_shape = {2}},
    {.name = "y",
     .element_type = ElementType::f64,
     .sample_shape = {9},
     .storage = Storage::sparse},
};

constexpr const char* kHeader = "x: dense f32 [2]\ny: sparse f64 [9]\n";
constexpr const char* kLines =  // of small_minibatch()
    "10 1,2|3,4 1:0.1,2:0.2\n"
    "11 - |0:0.3,8:0.4\n"
    "12 5,6 \n";

Writer writer_into(std::string& bytes, const WriterOptions& options = {},
                   std::span<const Stream> streams = kStreams) {
  return {memory_sink(bytes, "memory.lines"), streams, options, lines_formats()};
}

/// One sequence of a dense stream "v" of one value.
const std::vector<Stream> kScalars = {{.name = "v", .element_type = ElementType::f32}};

Chunk scalars(const std::vector<float>& values) {
  std::vector<Column> columns(1);
  columns[0].values = to_buffer(values);
  return {kScalars, std::ssize(values), std::move(columns)};
}

std::vector<SequenceKey> keys_of(const std::vector<std::uint64_t>& numbers) {
  std::vector<SequenceKey> keys;
  for (const std::uint64_t number : numbers) keys.push_back({number, 0});
  return keys;
}

void write_scalar(Writer& writer, std::int64_t turn, float value) {
  writer.write(turn, keys_of({static_cast<std::uint64_t>(turn)}), scalars({value}));
}

TEST(Writer, ThrowsAfterBeingMovedFrom) {
  std::string bytes;
  Writer writer = writer_into(bytes);
  Writer moved = std::move(writer);
  // NOLINTBEGIN(bugprone-use-after-move): programs make this mistake.
  const std::string expected = "the Writer was moved from: it can only be destroyed or assigned to";
  const Minibatch minibatch = small_minibatch(Layout::ragged);
  EXPECT_EQ(error_of<InternalError>([&] { writer.write(minibatch); }), expected);
  EXPECT_EQ(error_of<InternalError>([&] { writer.write(0, minibatch); }), expected);
  EXPECT_EQ(error_of<InternalError>([&] { writer.skip(0); }), expected);
  EXPECT_EQ(error_of<InternalError>([&] { writer.finish(); }), expected);
  EXPECT_EQ(error_of<InternalError>([&] { (void)writer.warnings(); }), expected);
  EXPECT_TRUE(writer.streams().empty());
  EXPECT_EQ(writer.stats().sequences, 0);
  writer.fail(std::make_exception_ptr(std::runtime_error("dropped")));
  writer = std::move(moved);
  writer.finish();
  EXPECT_EQ(bytes, kHeader);
  // NOLINTEND(bugprone-use-after-move)
}

TEST(Writer, WritesTheSequencesOfAMinibatchUnderTheirKeys) {
  for (const Layout layout : {Layout::ragged, Layout::padded}) {
    std::string bytes;
    Writer writer = writer_into(bytes);
    EXPECT_TRUE(std::ranges::equal(writer.streams(), kStreams));
    writer.write(small_minibatch(layout));
    writer.finish();
    EXPECT_EQ(bytes, std::string(kHeader) + kLines);
    EXPECT_EQ(writer.stats().sequences, 3);
    EXPECT_EQ(writer.stats().samples, 2 + 2 + 1);
    EXPECT_EQ(writer.stats().values_out_of_range, 0);
  }
}

TEST(Writer, WritesSequencesOfAListInItsOrder) {
  const Minibatch minibatch = small_minibatch(Layout::ragged);
  SequenceList list(std::make_shared<std::vector<Stream>>(kStreams));
  list.add(minibatch, 2);
  list.add(minibatch, 0);
  std::string bytes;
  Writer writer = writer_into(bytes);
  writer.write(0, list);
  writer.write(list);
  writer.finish();
  const std::string lines = "12 5,6 \n10 1,2|3,4 1:0.1,2:0.2\n";
  EXPECT_EQ(bytes, kHeader + lines + lines);
}

TEST(Writer, WritesAChunkWithoutItsHoles) {
  std::vector<Column> columns(1);
  columns[0].values = to_buffer<float>({1, 3});
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 1, 1, 2});
  const Chunk chunk(kScalars, 3, std::move(columns), {1});
  std::string bytes;
  Writer writer = writer_into(bytes, {}, kScalars);
  writer.write(keys_of({7, 8, 9}), chunk);
  writer.finish();
  EXPECT_EQ(bytes, "v: dense f32 []\n7 1\n9 3\n");
  EXPECT_EQ(writer.stats().sequences, 2);
}

TEST(Writer, KeyTextsAreWritten) {
  Chunk chunk = scalars({1, 2});
  chunk.set_key_texts({"one", "two"});
  const std::vector<SequenceKey> keys = {key_of_text("one"), key_of_text("two")};
  std::string bytes;
  Writer writer = writer_into(bytes, {}, kScalars);
  writer.write(keys, chunk);

  SequenceList list(std::make_shared<std::vector<Stream>>(kScalars));
  for (std::int64_t n = 0; n < 2; ++n) list.add(keys[static_cast<std::size_t>(n)], chunk, n);
  writer.write(list);
  const Minibatch packed = ragged_packer()->pack(list);
  writer.write(packed);
  writer.finish();
  const std::string lines = "\"one\" 1\n\"two\" 2\n";
  EXPECT_EQ(bytes, "v: dense f32 []\n" + lines + lines + lines);
}

TEST(Writer, StreamsAreChosenRenamedAndConverted) {
  std::string bytes;
  Writer writer =
      writer_into(bytes, {.streams = {{.name = "y", .alias = "labels", .dtype = ElementType::f32},
                                      {.name = "x", .defines_minibatch_size = true}}});
  writer.write(small_minibatch(Layout::ragged));
  writer.finish();
  EXPECT_EQ(bytes,
            "labels: sparse f32 [9]\nx: dense f32 [2] *\n"
            "10 1:0.10000000149011612,2:0.20000000298023224 1,2|3,4\n"
            "11 |0:0.30000001192092896,8:0.4000000059604645 -\n"
            "12  5,6\n");
  EXPECT_EQ(writer.stats().samples, 2 + 0 + 1) << "x defines the minibatch size";
}

// The whole path through a format of the library: minibatches are written as they are read.
TEST(Writer, MinibatchesOfAReaderRoundTrip) {
  const TestFolder folder;
  const std::string text =
      "u1 |X 1 2 |y 3:0.1\n"
      "u1 |X -0 1e-7\n"
      "u-2 |y\n"
      "7 |X 0.5 3 |y 0:1 8:-2\n";
  folder.write("a.ctf", text);
  ReaderOptions options;
  options.format.streams = {
      {.name = "x", .alias = "X", .sample_shape = Shape{2}},
      {.name = "y", .storage = Storage::sparse, .sample_shape = Shape{9}},
  };
  options.format.keys = KeyType::text;
  options.format.missing_streams = MissingStreams::allow;
  options.order.unit = MinibatchUnit::sequences;
  for (const Layout layout : {Layout::ragged, Layout::padded}) {
    for (const std::int64_t size : {1, 3}) {
      options.packing = layout;
      options.order.minibatch_size = size;
      Reader reader(folder.path("a.ctf"), options);
      Writer writer(folder.path("b.ctf"), reader.streams(),
                    {.streams = {{.name = "x", .alias = "X"}, {.name = "y"}}});
      while (const auto minibatch = reader.next()) writer.write(*minibatch);
      writer.finish();
      EXPECT_EQ(folder.read("b.ctf"), text);
      EXPECT_EQ(writer.stats().sequences, 3);
      EXPECT_EQ(writer.stats().samples, 4);
    }
  }
}

TEST(Writer, CountsValuesThatTheFileCannotHold) {
  std::vector<Column> columns(1);
  columns[0].values = to_buffer<double>({1e300, 1, -1e39});
  const std::vector<Stream> streams = {{.name = "v", .element_type = ElementType::f64}};
  const Chunk chunk(streams, 3, std::move(columns));
  std::string bytes;
  Writer writer =
      writer_into(bytes, {.streams = {{.name = "v", .dtype = ElementType::f32}}}, streams);
  writer.write(keys_of({1, 2, 3}), chunk);
  writer.finish();
  EXPECT_EQ(bytes, "v: dense f32 []\n1 inf\n2 1\n3 -inf\n");
  EXPECT_EQ(writer.stats().values_out_of_range, 2);
}

TEST(Writer, TurnsOfSeveralThreadsGiveTheSameBytes) {
  constexpr std::int64_t kTurns = 300;
  std::string expected = "v: dense f32 []\n";
  for (std::int64_t turn = 0; turn < kTurns; ++turn) {
    if (turn % 5 != 0) expected += std::to_string(turn) + " -" + std::to_string(turn) + ".5\n";
  }
  for (const int thread_count : {1, 2, 8}) {
    std::string bytes;
    Writer writer = writer_into(bytes, {.waiting_bytes_max = 20}, kScalars);
    std::atomic<std::int64_t> next = 0;
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(thread_count));
    for (int i = 0; i < thread_count; ++i) {
      threads.emplace_back([&] {
        for (std::int64_t turn = next++; turn < kTurns; turn = next++) {
          if (turn % 5 == 0) {
            writer.skip(turn);
          } else {
            write_scalar(writer, turn, -0.5F - static_cast<float>(turn));
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    writer.finish();
    EXPECT_EQ(bytes, expected) << thread_count;
    EXPECT_EQ(writer.stats().sequences, kTurns - kTurns / 5);
  }
  EXPECT_EQ(LinesSerializer::live_blocks, 0);
}

TEST(Writer, WaitingBytesAreLimited) {
  std::string bytes;
  Writer writer = writer_into(bytes, {.waiting_bytes_max = 10}, kScalars);
  write_scalar(writer, 1, 1);  // "1 1\n", 4 bytes
  write_scalar(writer, 2, 2);
  std::atomic<bool> is_through = false;
  std::thread third([&] {
    write_scalar(writer, 3, 3);
    is_through = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(is_through);
  write_scalar(writer, 0, 0);
  third.join();
  writer.finish();
  EXPECT_EQ(bytes, "v: dense f32 []\n0 0\n1 1\n2 2\n3 3\n");
}

TEST(Writer, TheFileExistsOnceItIsFinished) {
  const TestFolder folder;
  {
    Writer writer(folder.path("a.lines"), kScalars, {}, lines_formats());
    write_scalar(writer, 0, 1);
    EXPECT_FALSE(folder.names().contains("a.lines"));
    writer.finish();
    EXPECT_EQ(folder.read("a.lines"), "v: dense f32 []\n0 1\n");
  }
  EXPECT_EQ(folder.names(), std::set<std::string>{"a.lines"});
  {
    Writer unfinished(folder.path("b.lines"), kScalars, {}, lines_formats());
    write_scalar(unfinished, 0, 1);
  }
  EXPECT_EQ(folder.names(), std::set<std::string>{"a.lines"});
}

// Encoding fails for the value 13, and appending for 99.
TEST(Writer, AnExistingFileIsKeptOnRequest) {
  const TestFolder folder;
  folder.write("a.lines", "before");
  const WriterOptions refuse{.existing = Existing::refuse};
  EXPECT_THROW(Writer(folder.path("a.lines"), kScalars, refuse, lines_formats()), ConfigError);
  EXPECT_THROW(Writer("/dev/null", kScalars, {.format = {.format = "lines"}}, lines_formats()),
               ConfigError);
  EXPECT_EQ(folder.read("a.lines"), "before");
  EXPECT_EQ(folder.names().size(), 1U);
}

TEST(Writer, AnErrorWakesTheOtherThreadsAndLeavesNoFile) {
  for (const auto& [value, expected] :
       {std::pair(13.0F, "lines: byte 0: error: stream \"v\": expected no 13"),
        std::pair(99.0F, "disk full")}) {
    SCOPED_TRACE(expected);
    const TestFolder folder;
    {
      Writer writer(folder.path("a.lines"), kScalars, {.waiting_bytes_max = 0}, lines_formats());
      std::vector<std::string> errors(3);
      std::vector<std::thread> threads;
      for (std::int64_t i = 0; i < 3; ++i) {
        threads.emplace_back([&writer, &errors, i] {
          errors[static_cast<std::size_t>(i)] =
              error_of([&] { write_scalar(writer, i + 1, static_cast<float>(i)); });
        });
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(error_of([&, value = value] { write_scalar(writer, 0, value); }), expected);
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(errors, std::vector<std::string>(3, expected));
      EXPECT_EQ(error_of([&] { write_scalar(writer, 9, 1); }), expected);
      EXPECT_EQ(error_of([&] { writer.skip(9); }), expected);
      EXPECT_EQ(error_of([&] { writer.finish(); }), expected);
    }
    EXPECT_TRUE(folder.names().empty());
  }
  EXPECT_EQ(LinesSerializer::live_blocks, 0);
}

TEST(Writer, AThreadThatFailsElsewhereWakesOthers) {
  std::string bytes;
  Writer writer = writer_into(bytes, {.waiting_bytes_max = 0}, kScalars);
  std::string error;
  std::thread waiting([&] { error = error_of([&] { write_scalar(writer, 1, 1); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  writer.fail(std::make_exception_ptr(std::runtime_error("no scores")));
  waiting.join();
  EXPECT_EQ(error, "no scores");
  EXPECT_EQ(error_of([&] { writer.finish(); }), "no scores");
}

TEST(Writer, AMissingTurnIsAnErrorAndLeavesNoFile) {
  const TestFolder folder;
  {
    Writer writer(folder.path("a.lines"), kScalars, {}, lines_formats());
    write_scalar(writer, 0, 1);
    write_scalar(writer, 2, 1);
    EXPECT_EQ(error_of([&] { writer.finish(); }),
              folder.path("a.lines") +
                  ": turn 1 is missing: turn 2 was written, and none may be left out; skip() those "
                  "without sequences");
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(Writer, AnEmptyMinibatchWritesNothing) {
  const auto streams = std::make_shared<std::vector<Stream>>(kStreams);
  std::string bytes;
  Writer writer = writer_into(bytes);
  writer.write(padded_packer()->pack(SequenceList(streams)));
  writer.write(small_minibatch(Layout::ragged));
  writer.finish();
  EXPECT_EQ(bytes, std::string(kHeader) + kLines);
}

TEST(Writer, NothingIsWrittenAfterFinish) {
  std::string bytes;
  Writer writer = writer_into(bytes, {}, kScalars);
  writer.finish();
  EXPECT_EQ(error_of([&] { write_scalar(writer, 0, 1); }),
            "memory.lines: finished: nothing can be written any more");
  EXPECT_EQ(bytes, "v: dense f32 []\n");
}

TEST(Writer, TheFormatMustBeWritable) {
  const TestFolder folder;
  EXPECT_EQ(error_of([&] { Writer(folder.path("a.seen"), kScalars, {}, lines_formats()); }),
            folder.path("a.seen") + ": seen is read only; what can be written: lines");
  EXPECT_EQ(error_of([&] {
              Writer(folder.path("a.lines"), kScalars, {.format = {.extra = {{"a", "b"}}}},
                     lines_formats());
            }),
            "lines: no options");
  EXPECT_EQ(error_of([&] {
              Writer(folder.path("a.lines"), kScalars, {.streams = {{.name = "w"}}},
                     lines_formats());
            }),
            "no stream is named \"w\": what is to be written has \"v\"");
  EXPECT_TRUE(folder.names().empty());
  EXPECT_THROW(Writer(folder.path("no/a.lines"), kScalars, {}, lines_formats()), IoError);

  std::string bytes;
  Writer by_name(memory_sink(bytes, "memory"), kScalars, {.format = {.format = "lines"}},
                 lines_formats());
  by_name.finish();
  EXPECT_EQ(bytes, "v: dense f32 []\n");
}

TEST(Writer, UnsupportedDataAreRefused) {
  std::string bytes;
  const auto refusal = [&](const auto& write, std::span<const Stream> streams = kStreams) {
    Writer writer = writer_into(bytes, {}, streams);
    return error_of([&] { write(writer); });
  };
  EXPECT_EQ(refusal([](Writer& writer) { writer.write(small_minibatch(Layout::packed)); }),
            "a `packed` minibatch cannot be written: samples of a sequence do not lie together "
            "there; deliver `ragged` or `padded` ones");
  EXPECT_EQ(
      refusal([](Writer& writer) { writer.write(small_minibatch(Layout::ragged)); }, kScalars),
      "the streams to write are not those of the writer: x: dense f32 [2], y: sparse f64 [9]; it "
      "takes v: dense f32 []");
  EXPECT_EQ(refusal([](Writer& writer) {
              writer.write(SequenceList(std::make_shared<std::vector<Stream>>(kScalars)));
            }),
            "the streams to write are not those of the writer: v: dense f32 []; it takes x: dense "
            "f32 [2], y: sparse f64 [9]");
  EXPECT_EQ(refusal([](Writer& writer) { writer.write(keys_of({1}), scalars({1})); }),
            "the chunk to write has 1 streams; the writer takes 2: x: dense f32 [2], y: sparse f64 "
            "[9]");
  EXPECT_EQ(refusal(
                [](Writer& writer) {
                  writer.write(keys_of({1}), scalars({1, 2}));
                },
                kScalars),
            "1 keys were given for a chunk of 2 sequences");

  const Chunk chunk = scalars({5});
  SequenceList cut(std::make_shared<std::vector<Stream>>(kScalars));
  cut.add({4, 0}, chunk, 0, {.first = 0, .count = 1});
  EXPECT_EQ(refusal([&](Writer& writer) { writer.write(cut); }, kScalars), "none");
  cut.add({5, 0}, chunk, 0, {.first = 0, .count = 0});
  EXPECT_EQ(refusal([&](Writer& writer) { writer.write(cut); }, kScalars),
            "0 samples from sample 0 of the 1 of sequence 5 cannot be written: sequences are "
            "written whole; deliver them without truncation");
}

}  // namespace
}  // namespace sheaf
