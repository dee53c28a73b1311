// The joined minibatches that CNTK 2.x delivers, and the texts that it treats as equal keys:
// tests/golden/13_bundling.txt and 14_corpus.txt.
//
// In cases 1 to 3, member a has keys 0 to 5, in chunks of two sequences of two samples. In cases 1
// and 2, member b has two chunks: key 5 with 4 samples and key 0 with 2; key 4 with 3 samples and
// key 9 with 1. In case 2, b defines the minibatch size. In case 3, b has all keys with one sample
// each, and a defines the minibatch size. Case 4 is a single file of two chunks of four sequences;
// sequences 2, 4, 5, 6 and 7 have errors.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sheaf/extend/join.h"
#include "sheaf/reader.h"

#include "sequencer/golden.h"
#include "support/text_data.h"

namespace sheaf {
namespace {

using testing::ctf;
using testing::dense;
using testing::with_streams;

/// Returns sequences with these keys and numbers of samples.
std::string rows(const std::string& stream, const std::vector<std::pair<int, int>>& sequences) {
  std::string text;
  for (const auto& [key, samples] : sequences) {
    for (int i = 0; i < samples; ++i) text += fmt::format("{} |{} 1\n", key, stream);
  }
  return text;
}

std::unique_ptr<Deserializer> joined(int number) {
  constexpr std::int64_t kRowBytes = 7;
  FormatOptions a = with_streams({dense("a")}, 4 * kRowBytes);
  FormatOptions b = with_streams({dense("b")}, 6 * kRowBytes);
  a.streams[0].defines_minibatch_size = number == 3;
  b.streams[0].defines_minibatch_size = number == 2;
  const std::string b_rows = number == 3
                                 ? rows("b", {{5, 1}, {1, 1}, {0, 1}, {4, 1}, {2, 1}, {3, 1}})
                                 : rows("b", {{5, 4}, {0, 2}, {4, 3}, {9, 1}});
  return join({ctf("a", rows("a", {{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {5, 2}}), a),
               ctf("b", b_rows, b)});
}

std::string chunk_text(const Deserializer& data, ChunkIndex number, const ChunkInfo& chunk) {
  std::string text =
      fmt::format("chunk {} samples {} sequences {} :", static_cast<std::int64_t>(number),
                  chunk.sample_count, chunk.sequence_count);
  const auto table = data.index().sequences(number);
  for (std::int64_t i = 0; i < table->size(); ++i) {
    // Each sequence of a has two rows, so its line gives its number within the chunk.
    text += fmt::format(" (key {} len {} index {})", table->key(i).low, table->sample_count(i),
                        table->first_line(i) / 2);
  }
  return text;
}

std::string minibatch_text(const Minibatch& minibatch, std::int64_t number, std::int64_t position) {
  std::string text = fmt::format("mb {} pos {} eos {} eoe {} :", number, position,
                                 int{minibatch.ends_sweep}, int{minibatch.ends_epoch});
  for (std::int64_t i = 0; i < minibatch.sequence_count(); ++i) {
    text += ' ';
    for (std::int64_t s = 0; s < std::ssize(minibatch.streams()); ++s) {
      text += fmt::format("{}{} len {}", s == 0 ? "(" : ", ",
                          minibatch.keys()[static_cast<std::size_t>(i)].low,
                          minibatch.view(s, i).sample_count);
    }
    text += ')';
  }
  return text;
}

/// Returns the minibatches of a run in the form of the golden file.
std::vector<std::string> minibatch_texts(std::shared_ptr<const Deserializer> data,
                                         const OrderOptions& order, std::int64_t max_errors) {
  std::map<std::uint64_t, std::int64_t> samples;  // of each key
  for (ChunkIndex c{}; data->index().chunk(c); c = next(c)) {
    const auto table = data->index().sequences(c);
    for (std::int64_t i = 0; i < table->size(); ++i) {
      samples[table->key(i).low] = table->sample_count(i);
    }
  }
  const std::shared_ptr<const Counts> counts(data, &data->index());
  Reader reader(data, make_sequencer(counts, order), ragged_packer(),
                {.threads = 2, .max_errors = max_errors});
  std::vector<std::string> texts;
  std::int64_t position = 0;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    for (const SequenceKey& key : minibatch->keys()) position += samples.at(key.low);
    position += minibatch->hole_count;  // a hole of case 4 has one sample
    texts.push_back(minibatch_text(*minibatch, std::ssize(texts), position));
  }
  return texts;
}

/// Returns the lines of a case, with single blanks.
std::vector<std::string> expected(int number) {
  std::vector<std::string> lines;
  int at = 0;
  for (const std::vector<std::string>& words : testing::golden_lines("13_bundling.txt")) {
    if (words[0] == "case") at = std::stoi(words[1]);
    if (words[0] == "case" || at != number) continue;
    lines.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return lines;
}

TEST(JoinGolden, ChunksAndMinibatchesMatchCntk) {
  for (const int number : {1, 2, 3}) {
    const std::shared_ptr<const Deserializer> data = joined(number);
    std::vector<std::string> actual;
    for (ChunkIndex c{}; const auto chunk = data->index().chunk(c); c = next(c)) {
      actual.push_back(chunk_text(*data, c, *chunk));
    }
    OrderOptions order;
    order.algorithm = OrderAlgorithm::cntk;
    order.window_chunks = 2;
    order.minibatch_size = 4;
    for (std::string& text : minibatch_texts(data, order, 0)) actual.push_back(std::move(text));
    EXPECT_EQ(actual, expected(number)) << "case " << number;
  }
}

TEST(JoinGolden, SequencesWithErrorsAreLeftOutOfTheirMinibatches) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const bool is_wrong = i == 2 || i >= 4;
    text += fmt::format("{} |x {}\n", i, is_wrong ? "?" : "1");
  }
  const NamedData data = ctf("a", text, with_streams({dense("x")}, 28));
  OrderOptions order;
  order.minibatch_size = 3;
  EXPECT_EQ(minibatch_texts(data.data, order, 5), expected(4));
}

TEST(CorpusGolden, TextsHaveEqualKeysWhereCntkHasEqualIds) {
  for (const std::string kind : {"hash", "registry"}) {
    std::map<std::string, SequenceKey> key_of_id;
    std::set<SequenceKey> keys;
    for (const std::vector<std::string>& words : testing::golden_lines("14_corpus.txt")) {
      if (words[0] != kind) continue;
      const SequenceKey key = key_of_text(words[1].substr(1, words[1].size() - 2));
      const auto [known, is_new] = key_of_id.emplace(words[2], key);
      EXPECT_EQ(known->second, key) << words[1];
      EXPECT_EQ(keys.insert(key).second, is_new) << words[1];
    }
    EXPECT_GT(keys.size(), 3U);
  }
}

TEST(CorpusGolden, NumericKeysAreTheirOwnIds) {
  int count = 0;
  for (const std::vector<std::string>& words : testing::golden_lines("14_corpus.txt")) {
    if (words[0] != "numeric") continue;
    // `" 5"` becomes two words, but a blank before an id makes no difference.
    std::string text = words[1];
    if (words.size() > 3) text += ' ' + words[2];
    text = text.substr(1, text.size() - 2);
    const bool is_number = text.find_first_not_of(" 0123456789") == std::string::npos;
    if (!is_number) continue;  // "12abc" is refused
    const NamedData data = ctf("a", text + " |x 1\n", with_streams({dense("x")}));
    EXPECT_EQ(data.data->index().sequences(ChunkIndex{})->key(0).low, std::stoull(words.back()));
    ++count;
  }
  EXPECT_EQ(count, 4);
}

}  // namespace
}  // namespace sheaf
