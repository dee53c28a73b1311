#include "sheaf/extend/concatenate.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/reader.h"

#include "conformance/read_all.h"
#include "support/test_folder.h"
#include "support/text_data.h"

namespace sheaf {
namespace {

using testing::ctf;
using testing::dense;
using testing::error_of;
using testing::keys_of;
using testing::sequences_of;
using testing::sparse;
using testing::with_streams;

/// Returns a sequence of `count` rows.
std::string rows(std::int64_t key, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    text += std::to_string(key) + " |x " + std::to_string(key * 10 + i) + " 1 |y 7:1\n";
  }
  return text;
}

RC_GTEST_PROP(Concatenate, PartsEqualTheWhole, ()) {
  const auto lengths = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 5)));
  FormatOptions options = with_streams({dense("x", 2), sparse("y", 10)},
                                       *rc::gen::element<std::int64_t>(1, 100, 1 << 20));
  options.keys = *rc::gen::element(KeyType::numeric, KeyType::text);
  std::string all;
  std::vector<std::string> texts(1);
  for (std::int64_t i = 0; i < std::ssize(lengths); ++i) {
    if (!texts.back().empty() && *rc::gen::inRange(0, 3) == 0) texts.emplace_back();
    const std::string text = rows(i * 37 % 1009, lengths[static_cast<std::size_t>(i)]);
    texts.back() += text;
    all += text;
  }
  std::vector<NamedData> members;
  for (const std::string& text : texts) {
    members.push_back(ctf(std::to_string(members.size()), text, options));
  }
  const auto parts = concatenate(std::move(members));
  const NamedData whole = ctf("all", all, options);
  RC_ASSERT(sequences_of(*parts) == sequences_of(*whole.data));
  RC_ASSERT(std::ranges::equal(parts->streams(), whole.data->streams()));
}

TEST(Concatenate, DiagnosticsNameTheirFile) {
  const FormatOptions options = with_streams({dense("x")});
  const auto data =
      concatenate({ctf("a", "1 |x 1\n", options), ctf("b", "2 |x 1\n3 |x bad\n", options)});
  Diagnostics diagnostics;
  const Chunk chunk = data->read({ChunkIndex{1}}, diagnostics);
  EXPECT_EQ(chunk.holes().size(), 1U);
  ASSERT_EQ(diagnostics.described().size(), 1U);
  EXPECT_EQ(diagnostics.described()[0].path, "b");
  EXPECT_EQ(diagnostics.described()[0].line, 2);
}

TEST(Concatenate, WarningsOfAllMembersAreReported) {
  const FormatOptions options = with_streams({dense("x")});
  const auto data =
      concatenate({ctf("a", "1 |x 1 |more 1\n", options), ctf("b", "2 |x 1 |other 1\n", options)});
  EXPECT_EQ(keys_of(*data).size(), 2U);
  const std::vector<Diagnostic> warnings = data->warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].path, "a");
  EXPECT_EQ(warnings[1].path, "b");
}

TEST(Concatenate, NumberedSequencesHaveNoKeyTexts) {
  FormatOptions options = with_streams({dense("x")});
  options.keys = KeyType::text;
  ConcatenateOptions numbered;
  numbered.keys = ConcatenatedKeys::number;
  const auto data =
      concatenate({ctf("a", "u |x 1\nv |x 1\n", options), ctf("b", "u |x 1\n", options)}, numbered);
  EXPECT_EQ(keys_of(*data), (std::vector<std::uint64_t>{0, 1, 2}));
  for (const auto& sequence : sequences_of(*data)) EXPECT_EQ(sequence.key_text, "");
}

/// Returns two larger members with a small one between them.
std::unique_ptr<Deserializer> large_and_small(FormatOptions options,
                                              const ConcatenateOptions& concatenate_options = {}) {
  options.read_size_bytes = 16;
  std::vector<std::string> texts(3);
  for (std::int64_t i = 0; i < 100; ++i) texts[0] += rows(i, 1 + i % 3);
  texts[1] = rows(1000, 2);
  for (std::int64_t i = 0; i < 70; ++i) texts[2] += rows(2000 + i, 1 + i % 4);
  std::vector<NamedData> members;
  for (const std::string& text : texts) {
    members.push_back(ctf(std::to_string(members.size()), text, options));
  }
  return concatenate(std::move(members), concatenate_options);
}

TEST(Concatenate, AllThreadsIndexAndDecodeTheMembers) {
  const FormatOptions options = with_streams({dense("x", 2), sparse("y", 10)}, 400);
  const std::unique_ptr<Executor> threads = thread_pool(2);
  const auto plain = large_and_small(options);
  const auto data = large_and_small(options);
  const std::vector<conformance::DecodedRange> ranges =
      conformance::build_index(*data, *threads, 1000);
  EXPECT_EQ(sequences_of(*data), sequences_of(*plain));
  std::int64_t decoded = 0;
  std::int64_t count = 0;
  for (const conformance::DecodedRange& range : ranges) {
    count += range.range.count;
    if (range.chunk == nullptr) continue;
    decoded += range.range.count;
    EXPECT_EQ(conformance::decoded_range(*data, range),
              conformance::read_range(*plain, range.range));
  }
  EXPECT_EQ(count, 170);
  EXPECT_EQ(decoded, 170) << "the small one is for nothing";
}

TEST(Concatenate, NoMoreChunksAreDecodedThanRequested) {
  const FormatOptions options = with_streams({dense("x", 2), sparse("y", 10)}, 400);
  const std::unique_ptr<Executor> threads = thread_pool(2);
  const auto plain = large_and_small(options);
  const std::vector<conformance::DecodedRange> all =
      conformance::build_index(*large_and_small(options), *threads, 1000);
  const std::int64_t chunk_count = 1 + static_cast<std::int64_t>(all.back().range.chunk);
  for (std::int64_t chunks_max = 0; chunks_max < chunk_count + 3; ++chunks_max) {
    SCOPED_TRACE(chunks_max);
    const auto data = large_and_small(options);
    const std::vector<conformance::DecodedRange> ranges =
        conformance::build_index(*data, *threads, chunks_max);
    EXPECT_TRUE(ranges.empty() || chunk_count <= chunks_max);
    EXPECT_EQ(sequences_of(*data), sequences_of(*plain));
  }
}

TEST(Concatenate, EachChunkIsReportedOnceDuringIndexing) {
  class Counting final : public DecodedSink {
   public:
    [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return 0; }
    void add(const ChunkRange& /*range*/, Kept /*kept*/, std::int64_t /*first*/) override {}
    void found(const ChunkInfo& chunk) override { bytes += chunk.size_bytes; }

    std::atomic<std::int64_t> bytes = 0;
  };
  const auto data = large_and_small(with_streams({dense("x", 2), sparse("y", 10)}, 400));
  const std::unique_ptr<Executor> threads = thread_pool(2);
  Counting counting;
  data->build_index(*threads, &counting);
  std::int64_t bytes = 0;
  for (ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
    bytes += data->index().chunk(i)->size_bytes;
  }
  EXPECT_EQ(counting.bytes, bytes);
}

TEST(Concatenate, NumberedSequencesAreDecodedWithoutKeyTexts) {
  FormatOptions options = with_streams({dense("x", 2), sparse("y", 10)}, 400);
  const std::unique_ptr<Executor> threads = thread_pool(2);
  for (const KeyType keys : {KeyType::numeric, KeyType::text}) {
    options.keys = keys;
    const auto data = large_and_small(options, {.keys = ConcatenatedKeys::number});
    std::int64_t decoded = 0;
    for (const conformance::DecodedRange& range : conformance::build_index(*data, *threads, 1000)) {
      if (range.chunk != nullptr) decoded += range.range.count;
    }
    EXPECT_EQ(decoded, keys == KeyType::text ? 0 : 170);
    for (const auto& sequence : sequences_of(*data)) EXPECT_EQ(sequence.key_text, "");
  }
}

TEST(Concatenate, RefusesStreamsThatDiffer) {
  const auto error = [](const FormatOptions& a, const FormatOptions& b) {
    return error_of<ConfigError>([&] {
      (void)concatenate({ctf("a", "1 |x 1 |y 1:1\n", a), ctf("b", "2 |x 1 |y 1:1\n", b)});
    });
  };
  const std::string rest =
      "; files that are read one after the other have the same streams: declare them, with the "
      "largest dim that any file has";
  const FormatOptions both = with_streams({dense("x"), sparse("y", 10)});
  EXPECT_EQ(error(both, with_streams({dense("x")})),
            "a has a stream y: sparse f32 [10], and b does not" + rest);
  EXPECT_EQ(error(with_streams({sparse("y", 10)}), both),
            "b has a stream x: dense f32 [1], and a does not" + rest);
  EXPECT_EQ(error(both, with_streams({dense("x"), sparse("y", 11)})),
            "a has the stream y: sparse f32 [10], and b has it as y: sparse f32 [11]" + rest);
  EXPECT_EQ(error(both, with_streams({sparse("y", 10), dense("x")})),
            "b has streams in another order than a: \"y\" comes before \"x\"" + rest);
  FormatOptions defining = both;
  defining.streams[0].defines_minibatch_size = true;
  EXPECT_EQ(
      error(both, defining),
      "a has the stream x: dense f32 [1], and b has it as x: dense f32 [1], which defines the "
      "minibatch size" +
          rest);
}

TEST(Concatenate, RefusesAnEmptyList) {
  EXPECT_EQ(error_of<ConfigError>([] { (void)concatenate({}); }),
            "concatenate: there is nothing to read");
  EXPECT_EQ(error_of<ConfigError>([] { (void)concatenate({{.data = nullptr, .name = "a"}}); }),
            "concatenate: a is null");
  EXPECT_EQ(error_of<ConfigError>(
                [] { (void)concatenate({ctf("a", "1 |x 1\n")}, {.memory_limit_bytes = -1}); }),
            "memory_limit_bytes must be at least 1, or empty (no limit): got -1");
}

TEST(Concatenate, TheFingerprintDependsOnMembersOrderAndOptions) {
  const auto print = [](const std::string& a, const std::string& b,
                        const ConcatenateOptions& options = {}) {
    return concatenate({ctf("a", a), ctf("b", b)}, options)->fingerprint();
  };
  const std::string first = print("1 |x 1\n", "2 |x 1\n");
  EXPECT_EQ(first, print("1 |x 1\n", "2 |x 1\n"));
  EXPECT_NE(first, print("2 |x 1\n", "1 |x 1\n"));
  EXPECT_NE(first, print("1 |x 1\n", "3 |x 1\n"));
  ConcatenateOptions numbered;
  numbered.keys = ConcatenatedKeys::number;
  EXPECT_NE(first, print("1 |x 1\n", "2 |x 1\n", numbered));
}

TEST(Concatenate, ASingleFileIsOpenedUnchanged) {
  const TestFolder folder;
  folder.write("part-2.ctf", "3 |x 1\n");
  folder.write("part-1.ctf", "1 |x 1\n2 |x 1\n");
  FormatOptions format;
  format.index.memory_limit_bytes = 1 << 20;
  EXPECT_EQ(keys_of(*open_path(folder.path("part-*.ctf"), format).data),
            (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(open_path(folder.path("part-2.ctf"), format).data->fingerprint().starts_with("ctf:"));
}

TEST(Concatenate, AReaderDeliversAllFiles) {
  const TestFolder folder;
  folder.write("a.ctf", "1 |x 1\n2 |x 2\n");
  folder.write("b.ctf", "3 |x 3\n4 |x 4\n");
  const FilesSpec files{.files = {folder.path("a.ctf"), folder.path("b.ctf")}};
  const std::shared_ptr<const Deserializer> data = open(DataSpec{files}).data;
  const std::shared_ptr<const Counts> counts(data, &data->index());
  OrderOptions order;
  order.algorithm = OrderAlgorithm::keyed;
  order.window_chunks = 2;
  order.minibatch_size = 3;
  Reader reader(data, make_sequencer(counts, order), padded_packer(), {.threads = 2});
  std::vector<std::uint64_t> keys;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    for (const SequenceKey& key : minibatch->keys()) keys.push_back(key.low);
  }
  std::ranges::sort(keys);
  EXPECT_EQ(keys, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(reader.sequence(SequenceKey{.low = 3})->sequence_count(), 1);
}

}  // namespace
}  // namespace sheaf
