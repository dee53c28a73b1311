#include "sheaf/extend/join.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "support/text_data.h"

namespace sheaf {
namespace {

using conformance::ReferenceSequence;
using testing::ctf;
using testing::dense;
using testing::error_of;
using testing::keys_of;
using testing::sequences_of;
using testing::sparse;
using testing::texts_of;
using testing::with_streams;
using Texts = std::vector<std::string>;
using Keys = std::vector<std::uint64_t>;

NamedData x_file(const std::string& text, std::int64_t chunk_size_bytes = 1 << 20) {
  return ctf("x.ctf", text, with_streams({dense("x")}, chunk_size_bytes));
}
NamedData y_file(const std::string& text, std::int64_t chunk_size_bytes = 1 << 20) {
  return ctf("y.ctf", text, with_streams({dense("y")}, chunk_size_bytes));
}

/// Sequences of three streams, for one file or three files.
struct Corpus {
  struct Sequence {
    std::uint64_t key;
    std::int64_t samples[3];
  };
  std::vector<Sequence> sequences;

  static std::vector<StreamOptions> streams() {
    return {dense("x", 2), sparse("y", 1000), dense("z")};
  }

  /// Returns the rows of a sequence with some of the streams.
  static std::string rows(const Sequence& sequence, const std::vector<std::size_t>& streams) {
    std::string text;
    for (std::int64_t row = 0; row < 4; ++row) {
      std::string line;
      const std::string value = std::to_string(sequence.key * 10 + static_cast<std::uint64_t>(row));
      for (const std::size_t s : streams) {
        if (row >= sequence.samples[s]) continue;
        if (s == 0) line += " |x " + value + " 1";
        if (s == 1) line += " |y " + std::to_string(row) + ":" + value + " 999:2";
        if (s == 2) line += " |z " + value;
      }
      if (!line.empty()) text += std::to_string(sequence.key) + line + "\n";
    }
    return text;
  }

  /// Returns a file with some of the streams, and with the sequences in a given order.
  [[nodiscard]] NamedData file(const std::string& name, const std::vector<std::size_t>& streams,
                               const std::vector<std::size_t>& order, std::int64_t chunk_size_bytes,
                               KeyType keys) const {
    FormatOptions options = with_streams({}, chunk_size_bytes);
    options.keys = keys;
    for (const std::size_t s : streams) options.streams.push_back(Corpus::streams()[s]);
    std::string text;
    for (const std::size_t i : order) text += rows(sequences[i], streams);
    return ctf(name, text, options);
  }
};

Corpus any_corpus() {
  Corpus corpus;
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < count; ++i) {
    key += *rc::gen::inRange<std::uint64_t>(1, 100);
    Corpus::Sequence& sequence = corpus.sequences.emplace_back();
    sequence.key = key;
    for (std::int64_t& samples : sequence.samples) samples = *rc::gen::inRange(1, 5);
  }
  return corpus;
}

std::vector<std::size_t> any_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (*rc::gen::arbitrary<bool>()) return order;
  for (std::size_t i = count - 1; i > 0; --i) {
    std::swap(order[i], order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  return order;
}

RC_GTEST_PROP(Join, SplitAndShuffledFilesEqualTheSingleFile, ()) {
  const Corpus corpus = any_corpus();
  const std::size_t count = corpus.sequences.size();
  const auto keys = *rc::gen::element(KeyType::numeric, KeyType::text);
  const auto chunk_size = [] { return *rc::gen::element<std::int64_t>(1, 200, 1 << 20); };
  const std::vector<std::size_t> orders[] = {any_order(count), any_order(count), any_order(count)};
  JoinOptions options;
  options.primary = *rc::gen::inRange<std::int64_t>(0, 3);
  options.memory_limit_bytes =
      *rc::gen::element<std::optional<std::int64_t>>(std::nullopt, 1, 1000);
  options.held_bytes = *rc::gen::element<std::int64_t>(0, 2000, 1 << 20);

  std::vector<NamedData> members;
  for (std::size_t s = 0; s < 3; ++s) {
    members.push_back(corpus.file(std::to_string(s), {s}, orders[s], chunk_size(), keys));
  }
  const auto joined = join(members, options);
  const NamedData single = corpus.file(
      "all", {0, 1, 2}, orders[static_cast<std::size_t>(options.primary)], 1 << 20, keys);
  RC_ASSERT(sequences_of(*joined) == sequences_of(*single.data));
  RC_ASSERT(joined->warnings().empty());
  RC_ASSERT(std::ranges::equal(joined->streams(), single.data->streams()));
}

RC_GTEST_PROP(Join, MissingSequencesLeaveTheCommonOnes, ()) {
  const Corpus corpus = any_corpus();
  const std::size_t count = corpus.sequences.size();
  std::vector<std::size_t> both;
  std::vector<std::size_t> orders[2];
  for (const std::size_t i : any_order(count)) {
    const auto where = *rc::gen::inRange(0, 4);
    if (where != 1) orders[0].push_back(i);
    if (where != 2) orders[1].push_back(i);
    if (where != 1 && where != 2) both.push_back(i);
  }
  const auto missing = *rc::gen::element(MissingSequences::drop, MissingSequences::absent);
  RC_PRE(!both.empty());
  const NamedData members[] = {corpus.file("a", {0, 2}, orders[0], 100, KeyType::numeric),
                               corpus.file("b", {1}, orders[1], 150, KeyType::numeric)};
  const auto joined = join({members[0], members[1]}, {.missing_sequences = missing});
  if (missing == MissingSequences::drop) {
    const NamedData single = corpus.file("all", {0, 2, 1}, both, 1 << 20, KeyType::numeric);
    RC_ASSERT(sequences_of(*joined) == sequences_of(*single.data));
    return;
  }
  std::vector<ReferenceSequence> expected = sequences_of(*members[0].data);
  const std::vector<ReferenceSequence> others = sequences_of(*members[1].data);
  for (ReferenceSequence& sequence : expected) {
    const auto other = std::ranges::find(others, sequence.key, &ReferenceSequence::key);
    if (other == others.end()) {
      sequence.streams.push_back({.is_present = false, .samples = {}});
    } else {
      sequence.streams.push_back(other->streams[0]);
      sequence.sample_count = std::max(sequence.sample_count, other->sample_count);
    }
  }
  RC_ASSERT(sequences_of(*joined) == expected);
}

TEST(Join, MissingSequencesAreCountedAndNamed) {
  JoinOptions options;
  options.named_max = 2;
  const auto data = join({x_file("1 |x 1\n2 |x 1\n3 |x 1\n4 |x 1\n5 |x 1\n6 |x 1\n"),
                          y_file("2 |y 1\n9 |y 1\n4 |y 1\n6 |y 1\n")},
                         options);
  EXPECT_EQ(keys_of(*data), (Keys{2, 4, 6}));
  EXPECT_EQ(texts_of(data->warnings()),
            (Texts{"x.ctf:1: warning: expected sequence 1 in y.ctf, too, found none [join-missing]",
                   "x.ctf:3: warning: expected sequence 3 in y.ctf, too, found none [join-missing]",
                   "x.ctf: warning: expected its 6 sequences in all other files, found 3 that are "
                   "not in all of them: they are left out [join-missing]",
                   "y.ctf:2: warning: expected sequence 9 in x.ctf, too, found none "
                   "[join-unmatched]",
                   "y.ctf: warning: expected sequences that x.ctf has, too, found 1 of 4 that it "
                   "does not have: they are left out [join-unmatched]"}));
}

// Names the first such sequences of each member in file order, for any order of keys.
TEST(Join, TheFirstUnmatchedSequencesAreNamed) {
  const auto told = [](const std::string& x, const std::string& y, std::int64_t named_max) {
    JoinOptions options;
    options.named_max = named_max;
    std::string text;
    std::int64_t locations = 0;
    const auto data = join({x_file(x), y_file(y)}, options);
    for (const Diagnostic& each : data->warnings()) {
      if (each.code != "join-unmatched") continue;
      text += each.sequence_key.empty() ? "+" + std::to_string(each.count)
                                        : each.sequence_key + '@' + std::to_string(each.line) + ' ';
      locations += each.count;
    }
    return text + '=' + std::to_string(locations);
  };
  const std::string x = "3 |x 1\n5 |x 1\n";
  const std::string shuffled = "5 |y 1\n9 |y 1\n1 |y 1\n3 |y 1\n7 |y 1\n2 |y 1\n";
  const std::string rising = "1 |y 1\n2 |y 1\n3 |y 1\n4 |y 1\n5 |y 1\n6 |y 1\n7 |y 1\n";
  EXPECT_EQ(told(x, shuffled, 0), "+4=4");
  EXPECT_EQ(told(x, shuffled, 2), "9@2 1@3 +2=4");
  EXPECT_EQ(told(x, shuffled, 4), "9@2 1@3 7@5 2@6 +0=4");
  EXPECT_EQ(told(x, shuffled, 5), "9@2 1@3 7@5 2@6 +0=4");
  EXPECT_EQ(told(x, rising, 0), "+5=5");
  EXPECT_EQ(told(x, rising, 1), "1@1 +4=5");
  EXPECT_EQ(told(x, rising, 3), "1@1 2@2 4@4 +2=5");
  EXPECT_EQ(told(x, rising, 4), "1@1 2@2 4@4 6@6 +1=5");
  EXPECT_EQ(told(x, rising, 10), "1@1 2@2 4@4 6@6 7@7 +0=5");
  EXPECT_EQ(told(x, "3 |y 1\n5 |y 1\n", 10), "=0");
}

TEST(Join, LosingMostSequencesSuggestsConcatenation) {
  const auto data = join({x_file("1 |x 1\n2 |x 1\n3 |x 1\n"), y_file("3 |y 1\n")});
  const Texts texts = texts_of(data->warnings());
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_NE(texts[2].find("read one after the other"), std::string::npos) << texts[2];
}

TEST(Join, MissingSequencesCanBeAnError) {
  JoinOptions options;
  options.missing_sequences = MissingSequences::error;
  options.named_max = 1;
  try {
    (void)join({x_file("1 |x 1\n2 |x 1\n3 |x 1\n"), y_file("2 |y 1\n")}, options);
    FAIL() << "sequences are missing";
  } catch (const DataError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U);
    EXPECT_EQ(to_string(error.diagnostics()[0]),
              "x.ctf:1: error: expected sequence 1 in y.ctf, too, found none [join-missing]");
    EXPECT_EQ(message(error.diagnostics()[1]),
              "expected its 3 sequences in all other files, found 2 that are not in all of them");
  }
  EXPECT_EQ(keys_of(*join({x_file("1 |x 1\n"), y_file("2 |y 1\n1 |y 1\n")}, options)), (Keys{1}))
      << "sequences missing in the primary are no error";
}

TEST(Join, AbsentStreamsAreMarked) {
  JoinOptions options;
  options.missing_sequences = MissingSequences::absent;
  const auto data = join({x_file("1 |x 1\n2 |x 1\n"), y_file("2 |y 1\n")}, options);
  Diagnostics diagnostics;
  const Chunk chunk = data->read({ChunkIndex{0}}, diagnostics);
  EXPECT_FALSE(chunk.view(1, 0).is_present);
  EXPECT_EQ(chunk.view(1, 0).sample_count, 0);
  EXPECT_TRUE(chunk.view(1, 1).is_present);
  EXPECT_EQ(texts_of(data->warnings()).back(),
            "x.ctf: warning: expected its 2 sequences in all other files, found 1 that are not in "
            "all of them: they are delivered without those streams [join-missing]");
}

TEST(Join, ASequenceWithoutItsDefiningStreamIsLeftOut) {
  JoinOptions options;
  options.missing_sequences = MissingSequences::absent;
  FormatOptions y = with_streams({dense("y")});
  y.streams[0].defines_minibatch_size = true;
  const auto data =
      join({x_file("1 |x 1\n2 |x 1\n2 |x 1\n"), ctf("y.ctf", "2 |y 1\n", y)}, options);
  EXPECT_EQ(keys_of(*data), (Keys{2}));
  EXPECT_EQ(data->index().chunk(ChunkIndex{0})->sample_count, 1);
}

TEST(Join, LengthsAreThoseOfTheLongestOrTheDefiningStream) {
  const std::string x = "1 |x 1\n1 |x 1\n2 |x 1\n";
  const std::string y = "1 |y 1\n2 |y 1\n2 |y 1\n2 |y 1\n";
  const auto weights = [&](int defining) {
    FormatOptions options[] = {with_streams({dense("x")}), with_streams({dense("y")})};
    if (defining >= 0) options[defining].streams[0].defines_minibatch_size = true;
    const auto data = join({ctf("x.ctf", x, options[0]), ctf("y.ctf", y, options[1])});
    const auto table = data->index().sequences(ChunkIndex{0});
    EXPECT_EQ(data->index().chunk(ChunkIndex{0})->sample_count,
              table->sample_count(0) + table->sample_count(1));
    return std::pair(table->sample_count(0), table->sample_count(1));
  };
  EXPECT_EQ(weights(-1), (std::pair<std::int64_t, std::int64_t>(2, 3)));
  EXPECT_EQ(weights(0), (std::pair<std::int64_t, std::int64_t>(2, 1)));
  EXPECT_EQ(weights(1), (std::pair<std::int64_t, std::int64_t>(1, 3)));
}

TEST(Join, EmptyChunksAreDropped) {
  const auto data =
      join({x_file("1 |x 1\n2 |x 1\n3 |x 1\n4 |x 1\n", 7), y_file("2 |y 1\n4 |y 1\n")});
  EXPECT_EQ(testing::chunk_sizes(*data), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(data->index().chunk(ChunkIndex{1})->first_line, 4);
  EXPECT_EQ(data->index().chunk(ChunkIndex{1})->offset_bytes, 14);
}

TEST(Join, ARepeatedKeyIsRefusedWithBothLocations) {
  EXPECT_EQ(error_of<DataError>([] {
              (void)join({x_file("1 |x 1\n2 |x 1\n"), y_file("2 |y 1\n7 |y 1\n2 |y 1\n")});
            }),
            "y.ctf:3: error: expected a sequence key that no other sequence of the file has, found "
            "2, which is that of y.ctf:1, too [join-repeated-key]\n  sequences are joined by their "
            "keys, so a file has each key once");
}

TEST(Join, NoCommonKeyIsAnErrorWithAReason) {
  const std::string error = error_of<DataError>([] {
    (void)join({x_file("1 |x 1\n"), y_file("2 |y 1\n")});
  });
  EXPECT_NE(error.find("found none among its 1 sequences [join-empty]"), std::string::npos);
  EXPECT_NE(error.find("docs/joins.md"), std::string::npos) << error;

  FormatOptions texts = with_streams({dense("y")});
  texts.keys = KeyType::text;
  EXPECT_NE(error_of<DataError>([&] {
              (void)join({x_file("1 |x 1\n"), ctf("y.ctf", "1 |y 1\n", texts)});
            }).find("sequence keys are texts in one of x.ctf and y.ctf, and numbers in the other"),
            std::string::npos);
}

TEST(Join, RefusesInvalidMembersAndOptions) {
  const auto error = [](std::vector<NamedData> members, const JoinOptions& options = {}) {
    return error_of<ConfigError>([&] { (void)join(std::move(members), options); });
  };
  EXPECT_EQ(error({}), "join: there is nothing to join");
  EXPECT_EQ(error({{.data = nullptr, .name = "a"}}), "join: a is null");
  EXPECT_EQ(error({x_file("1 |x 1\n")}, {.primary = 1}),
            "primary: the number of a member, 0 .. 0: got 1");
  EXPECT_EQ(error({x_file("1 |x 1\n")}, {.memory_limit_bytes = -1}),
            "memory_limit_bytes must be at least 1, or empty (no limit): got -1");
  EXPECT_EQ(error({x_file("1 |x 1\n")}, {.held_bytes = -1}),
            "held_bytes must be 0 or more: got -1");
  EXPECT_EQ(error({x_file("1 |x 1\n"), ctf("z.ctf", "1 |x 1\n", with_streams({dense("x")}))}),
            "join: x.ctf and z.ctf both have a stream \"x\": leave it out of one of them, or give "
            "it another name there (alias; --stream NEW:...:alias=OLD)");
  FormatOptions defining[] = {with_streams({dense("x")}), with_streams({dense("y")})};
  for (FormatOptions& each : defining) each.streams[0].defines_minibatch_size = true;
  EXPECT_EQ(error({ctf("x.ctf", "1 |x 1\n", defining[0]), ctf("y.ctf", "1 |y 1\n", defining[1])}),
            "join: streams of x.ctf and of y.ctf define the minibatch size; one can");
}

TEST(Join, MembersInAnotherOrderAreHeldUpToALimit) {
  std::string x;
  std::string y;
  for (int i = 0; i < 100; ++i) {
    x += std::to_string(i) + " |x 1\n";
    y += std::to_string(i * 7 % 100) + " |y 1\n";
  }
  const auto memory = [](const std::string& first, const std::string& second, std::int64_t held) {
    return join({x_file(first), y_file(second)}, {.held_bytes = held})->index().memory_bytes();
  };
  std::string same = x;
  std::ranges::replace(same, 'x', 'y');
  const std::int64_t decoded = y_file(y).data->index().chunk(ChunkIndex{0})->decoded_size_bytes;
  EXPECT_EQ(memory(x, y, decoded) - memory(x, y, 0), decoded);
  EXPECT_EQ(memory(x, y, decoded - 1), memory(x, y, 0));
  EXPECT_EQ(memory(x, same, decoded), memory(x, same, 0)) << "it is in the same order";
}

TEST(Join, AHoleInAnyMemberIsAHole) {
  const auto data =
      join({x_file("1 |x 1\n2 |x bad\n3 |x 3\n"), y_file("3 |y wrong\n2 |y 2\n1 |y 1\n")});
  Diagnostics diagnostics;
  const Chunk chunk = data->read({ChunkIndex{0}}, diagnostics);
  EXPECT_EQ(std::vector<std::int64_t>(chunk.holes().begin(), chunk.holes().end()),
            (std::vector<std::int64_t>{1, 2}));
  for (const std::int64_t stream : {0, 1}) {
    EXPECT_EQ(chunk.view(stream, 0).sample_count, 1);
    EXPECT_EQ(chunk.view(stream, 1).sample_count, 0);
    EXPECT_EQ(chunk.view(stream, 2).sample_count, 0);
  }
  ASSERT_EQ(diagnostics.described().size(), 2U);
  EXPECT_EQ(diagnostics.described()[0].path, "x.ctf");
  EXPECT_EQ(diagnostics.entries()[0].sequence, 1);
  EXPECT_EQ(diagnostics.described()[1].path, "y.ctf");
  EXPECT_EQ(diagnostics.entries()[1].sequence, 2);
}

TEST(Join, DescribesTheFirstErrorsInItsOwnOrder) {
  std::string x;
  std::string y;
  constexpr int kCount = 300;
  for (int i = 0; i < kCount; ++i) x += std::to_string(i) + " |x 1\n";
  for (int i = kCount; i-- > 0;) y += std::to_string(i) + " |y bad\n";
  const auto data = join({x_file(x), y_file(y)});
  Diagnostics diagnostics(3);
  (void)data->read({ChunkIndex{0}}, diagnostics);
  ASSERT_EQ(diagnostics.entries().size(), std::size_t{kCount});
  ASSERT_EQ(diagnostics.described().size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const Diagnostic& described = diagnostics.described()[static_cast<std::size_t>(i)];
    EXPECT_EQ(described.sequence_key, std::to_string(i));
    EXPECT_EQ(described.line, kCount - i);
    EXPECT_EQ(described.code, "ctf-number");
  }
}

TEST(Join, TheFingerprintDependsOnMembersAndOptions) {
  const auto print = [](const std::string& y, const JoinOptions& options = {}) {
    return join({x_file("1 |x 1\n2 |x 1\n"), y_file(y)}, options)->fingerprint();
  };
  const std::string first = print("1 |y 1\n");
  EXPECT_EQ(first, print("1 |y 1\n"));
  EXPECT_NE(first, print("1 |y 2\n"));
  EXPECT_NE(first, print("1 |y 1\n", {.primary = 1}));
  EXPECT_NE(first, print("1 |y 1\n", {.missing_sequences = MissingSequences::absent}));
}

TEST(Join, ManyThreadsReadTheSame) {
  std::string x;
  std::string y;
  for (int i = 0; i < 200; ++i) {
    x += std::to_string(i) + " |x " + std::to_string(i) + "\n";
    y += std::to_string(i * 7 % 200) + " |y " + std::to_string(i * 7 % 200) + "\n";
  }
  const std::shared_ptr<const Deserializer> data =
      join({x_file(x, 100), y_file(y, 120)}, {.memory_limit_bytes = 1000});
  const auto expected = sequences_of(*data);
  std::vector<std::vector<ReferenceSequence>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { result = sequences_of(*data); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST(Join, JoinsCanBeNested) {
  const NamedData z = ctf("z.ctf", "2 |z 1\n1 |z 2\n", with_streams({dense("z")}));
  const NamedData inner = {.data = join({x_file("1 |x 1\n2 |x 2\n"), y_file("2 |y 1\n1 |y 1\n")}),
                           .name = "inner"};
  const auto data = join({inner, z});
  ASSERT_EQ(data->streams().size(), 3U);
  EXPECT_EQ(sequences_of(*data),
            sequences_of(*join({x_file("1 |x 1\n2 |x 2\n"), y_file("2 |y 1\n1 |y 1\n"), z})));
}

// Returns three members: x has 3, 2 and 4 samples, y has 3, 3 and 2, and v has one each.
std::vector<NamedData> uneven_members() {
  return {x_file("1 |x 1\n1 |x 2\n1 |x 3\n2 |x 4\n2 |x 5\n3 |x 6\n3 |x 7\n3 |x 8\n3 |x 9\n"),
          y_file("1 |y 1\n1 |y 2\n1 |y 3\n2 |y 4\n2 |y 5\n2 |y 6\n3 |y 7\n3 |y 8\n"),
          ctf("v.ctf", "1 |v 1\n2 |v 2\n3 |v 3\n", with_streams({dense("v")}, 1 << 20))};
}

std::vector<std::int64_t> lengths_of(const Deserializer& data) {
  std::vector<std::int64_t> lengths;
  const auto table = data.index().sequences(ChunkIndex{});
  for (std::int64_t i = 0; i < table->size(); ++i) lengths.push_back(table->sample_count(i));
  return lengths;
}

// Returns the number of samples of each stream in each sequence. `locations` gets the errors.
std::vector<std::vector<std::int64_t>> delivered_lengths(const Deserializer& data,
                                                         Texts& locations) {
  Diagnostics diagnostics;
  const std::int64_t count = data.index().chunk(ChunkIndex{})->sequence_count;
  const Chunk chunk = data.read({ChunkIndex{}, 0, count}, diagnostics);
  std::vector<std::vector<std::int64_t>> lengths;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::int64_t>& each = lengths.emplace_back();
    if (chunk.is_hole(i)) continue;
    for (std::int64_t s = 0; s < chunk.stream_count(); ++s) {
      each.push_back(chunk.view(s, i).sample_count);
    }
  }
  for (const Diagnostic& each : diagnostics.described()) locations.push_back(to_string(each));
  return lengths;
}

using Lists = std::vector<std::vector<std::int64_t>>;

TEST(Join, ComparesNoLengthsByDefault) {
  const auto data = join(uneven_members());
  Texts locations;
  EXPECT_EQ(lengths_of(*data), (std::vector<std::int64_t>{3, 3, 4}));
  EXPECT_EQ(delivered_lengths(*data, locations), (Lists{{3, 3, 1}, {2, 3, 1}, {4, 2, 1}}));
  EXPECT_EQ(locations, Texts{});
}

TEST(Join, CutsMembersToTheirCommonLength) {
  Texts locations;
  const auto data =
      join(uneven_members(),
           {.lengths = Lengths::equal, .length_tolerance = 2, .length_streams = {"x", "y"}});
  EXPECT_EQ(lengths_of(*data), (std::vector<std::int64_t>{3, 2, 2}));
  EXPECT_EQ(delivered_lengths(*data, locations), (Lists{{3, 3, 1}, {2, 2, 1}, {2, 2, 1}}));
  EXPECT_EQ(locations, Texts{});
}

TEST(Join, MakesAHoleOfASequenceWhoseLengthsDifferTooMuch) {
  Texts locations;
  const auto data =
      join(uneven_members(),
           {.lengths = Lengths::equal, .length_tolerance = 1, .length_streams = {"x", "y"}});
  EXPECT_EQ(lengths_of(*data), (std::vector<std::int64_t>{3, 2, 2}));
  EXPECT_EQ(delivered_lengths(*data, locations), (Lists{{3, 3, 1}, {2, 2, 1}, {}}));
  EXPECT_EQ(locations,
            (Texts{"y.ctf:7: error: expected 4 samples of sequence 3, as x.ctf has, or at "
                   "most 1 fewer, found 2 [join-length]"}));
}

TEST(Join, ComparesAllMembersByDefault) {
  Texts locations;
  const auto data = join(uneven_members(), {.lengths = Lengths::equal});
  EXPECT_EQ(delivered_lengths(*data, locations), (Lists{{}, {}, {}}));
  ASSERT_EQ(locations.size(), 3U);
  EXPECT_EQ(
      locations[0],
      "v.ctf:1: error: expected 3 samples of sequence 1, as x.ctf has, found 1 [join-length]");
}

TEST(Join, RequiresTheLengthOfThePrimary) {
  Texts locations;
  const auto data = join(uneven_members(), {.lengths = Lengths::primary, .length_streams = {"y"}});
  EXPECT_EQ(lengths_of(*data), (std::vector<std::int64_t>{3, 2, 4}));
  EXPECT_EQ(delivered_lengths(*data, locations), (Lists{{3, 3, 1}, {2, 2, 1}, {}}));
  ASSERT_EQ(locations.size(), 1U);
  EXPECT_EQ(locations[0],
            "y.ctf:7: error: expected at least 4 samples of sequence 3, as x.ctf has, found 2 "
            "[join-length]\n  in CNTK's words: Sequence with key '3' has '2' frame(s), whereas the "
            "primary sequence expects at least '4' frames");
}

TEST(Join, LeavesSamplesBehindThoseOfThePrimaryInPlace) {
  Texts locations;
  const auto data = join(uneven_members(), {.lengths = Lengths::at_least, .length_streams = {"y"}});
  EXPECT_EQ(lengths_of(*data), (std::vector<std::int64_t>{3, 2, 4}));
  EXPECT_EQ(delivered_lengths(*data, locations), (Lists{{3, 3, 1}, {2, 3, 1}, {}}));
  ASSERT_EQ(locations.size(), 1U);
  EXPECT_NE(locations[0].find("expected at least 4 samples of sequence 3, as x.ctf has, found 2"),
            std::string::npos);
}

TEST(Join, CanBeCutUnlessItKeepsSamplesBehindThoseOfThePrimary) {
  for (const Lengths lengths : {Lengths::any, Lengths::equal, Lengths::primary}) {
    EXPECT_TRUE(join(uneven_members(), {.lengths = lengths})->index().can_be_cut());
  }
  const std::shared_ptr<const Deserializer> data =
      join(uneven_members(), {.lengths = Lengths::at_least, .length_streams = {"y"}});
  EXPECT_FALSE(data->index().can_be_cut());
  const std::shared_ptr<const Deserializer> all =
      concatenate(std::vector<NamedData>{NamedData{data, "a join"}}, {});
  EXPECT_FALSE(all->index().can_be_cut());
  EXPECT_FALSE(join(std::vector<NamedData>{NamedData{all, "joins"}}, {})->index().can_be_cut());
}

TEST(Join, LeavesAbsentMembersOutOfTheComparison) {
  Texts locations;
  std::vector<NamedData> members = uneven_members();
  members[1] = y_file("1 |y 1\n1 |y 2\n1 |y 3\n");
  const auto data = join(std::move(members), {.missing_sequences = MissingSequences::absent,
                                              .lengths = Lengths::equal,
                                              .length_streams = {"x", "y"}});
  EXPECT_EQ(lengths_of(*data), (std::vector<std::int64_t>{3, 2, 4}));
  EXPECT_EQ(delivered_lengths(*data, locations), (Lists{{3, 3, 1}, {2, 0, 1}, {4, 0, 1}}));
}

TEST(Join, CountsADefiningStreamThatIsNotCompared) {
  std::vector<NamedData> members = uneven_members();
  StreamOptions defining = dense("v");
  defining.defines_minibatch_size = true;
  members[2] = ctf("v.ctf", "1 |v 1\n2 |v 2\n3 |v 3\n", with_streams({defining}, 1 << 20));
  const auto data =
      join(std::move(members),
           {.lengths = Lengths::equal, .length_tolerance = 2, .length_streams = {"x", "y"}});
  EXPECT_EQ(lengths_of(*data), (std::vector<std::int64_t>{1, 1, 1}));
}

TEST(Join, TheFingerprintDependsOnTheComparedLengths) {
  const auto print = [](const JoinOptions& options) {
    return join(uneven_members(), options)->fingerprint();
  };
  const std::string plain = print({});
  const std::string equal = print({.lengths = Lengths::equal, .length_tolerance = 2});
  EXPECT_NE(plain, equal);
  EXPECT_NE(equal, print({.lengths = Lengths::equal, .length_tolerance = 3}));
  EXPECT_NE(
      equal,
      print({.lengths = Lengths::equal, .length_tolerance = 2, .length_streams = {"x", "y"}}));
}

TEST(Join, RefusesInvalidLengthOptions) {
  const auto refusal = [](const JoinOptions& options) {
    return error_of<ConfigError>([&] { static_cast<void>(join(uneven_members(), options)); });
  };
  EXPECT_EQ(refusal({.lengths = Lengths::equal, .length_tolerance = -1}),
            "length_tolerance must be 0 or more: got -1");
  EXPECT_EQ(refusal({.length_tolerance = 1}),
            "length_tolerance: 1 samples are for lengths=equal; other lengths have no tolerance");
  EXPECT_EQ(refusal({.lengths = Lengths::primary, .length_tolerance = 1}),
            "length_tolerance: 1 samples are for lengths=equal; other lengths have no tolerance");
  EXPECT_EQ(refusal({.length_streams = {"x"}}),
            "length_streams: needs lengths=equal, lengths=primary or lengths=at_least");
  EXPECT_EQ(refusal({.lengths = Lengths::equal, .length_streams = {"yy"}}),
            "length_streams: there is no stream \"yy\"; did you mean \"y\"?");
}

}  // namespace
}  // namespace sheaf
