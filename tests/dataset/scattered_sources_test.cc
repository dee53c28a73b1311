// Data whose sequences lie in several sources: the index, the index file, and everything that reads
// such data.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/checked.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/join.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "index/index_file.h"
#include "index/made_up_tables.h"
#include "support/error_of.h"
#include "support/scattered_data.h"
#include "support/test_folder.h"
#include "support/text_data.h"

namespace sheaf {
namespace {

using internal::IndexFile;
using internal::IndexFileWriter;
using internal::IndexIdentity;
using internal::IndexRecord;
using testing::error_of;
using testing::ScatteredData;

/// Utterances of 1 to 9 samples with the values 100 * key and so on. They lie in three archives
/// with gaps between them, and not in the order of the archives.
struct Archives {
  std::vector<std::string> bytes{3};
  std::vector<ScatteredData::Utterance> utterances;

  explicit Archives(std::int64_t count) {
    std::mt19937_64 random(7);
    for (std::int64_t i = 0; i < count; ++i) {
      ScatteredData::Utterance each{.key = static_cast<std::uint64_t>(i),
                                    .location = {.source = static_cast<std::int64_t>(random() % 3)},
                                    .sample_count = 1 + static_cast<std::int64_t>(random() % 9)};
      std::string& archive = bytes[static_cast<std::size_t>(each.location.source)];
      archive += "key " + std::to_string(i) + " ";
      each.location.offset_bytes = std::ssize(archive);
      for (const float value : values_of(each)) {
        archive.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
      utterances.push_back(each);
    }
    std::shuffle(utterances.begin(), utterances.end(), random);
  }

  static std::vector<float> values_of(const ScatteredData::Utterance& utterance) {
    std::vector<float> values;
    for (std::int64_t s = 0; s < utterance.sample_count; ++s) {
      values.push_back(static_cast<float>(100 * static_cast<std::int64_t>(utterance.key) + s));
    }
    return values;
  }

  [[nodiscard]] std::shared_ptr<const ScatteredData> data(std::int64_t chunk_sequences) const {
    ScatteredData::Sources sources;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      sources.push_back(memory_source(bytes[i], "part" + std::to_string(i) + ".ark"));
    }
    return std::make_shared<const ScatteredData>(std::move(sources), utterances, chunk_sequences);
  }
};

std::vector<float> values_in(const SequenceView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.sample_count));
  std::memcpy(values.data(), view.values, values.size() * sizeof(float));
  return values;
}

TEST(ScatteredSources, EveryRangeIsReadFromItsSources) {
  const Archives archives(23);
  const auto data = checked(archives.data(10));
  std::size_t first_of_chunk = 0;
  for (ChunkIndex chunk{}; const auto info = data->index().chunk(chunk); chunk = next(chunk)) {
    const std::int64_t count = info->sequence_count;
    for (std::int64_t first = 0; first < count; ++first) {
      for (std::int64_t size = 1; size <= count - first; ++size) {
        Diagnostics diagnostics;
        const Chunk part = data->read({chunk, first, size}, diagnostics);
        for (std::int64_t i = 0; i < size; ++i) {
          const auto& expected =
              archives.utterances[first_of_chunk + static_cast<std::size_t>(first + i)];
          EXPECT_EQ(values_in(part.view(0, i)), Archives::values_of(expected));
        }
      }
    }
    first_of_chunk += static_cast<std::size_t>(count);
  }
  EXPECT_EQ(first_of_chunk, 23U);
}

TEST(ScatteredSources, AnyOrderDeliversEachSequenceOnce) {
  const Archives archives(200);
  for (const OrderAlgorithm algorithm :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    for (const MinibatchUnit unit : {MinibatchUnit::samples, MinibatchUnit::cost}) {
      std::map<std::uint64_t, int> delivered;
      OrderOptions order{.minibatch_size = 60, .unit = unit, .algorithm = algorithm};
      if (algorithm != OrderAlgorithm::file) order.window_chunks = 3;
      for (order.worker_count = 2; order.worker_index < 2; ++order.worker_index) {
        const auto data = archives.data(16);
        const std::shared_ptr<const Counts> counts(data, &data->index());
        Reader reader(data, make_sequencer(counts, order), ragged_packer());
        while (const std::optional<Minibatch> minibatch = reader.next()) {
          for (const SequenceKey& key : minibatch->keys()) ++delivered[key.low];
        }
      }
      EXPECT_EQ(delivered.size(), 200U);
      for (const auto& [key, times] : delivered) EXPECT_EQ(times, 1) << key;
    }
  }
}

TEST(ScatteredSources, CostsAreSizesInBytes) {
  const Archives archives(5);
  const auto data = archives.data(10);
  const std::optional<SampleCounts> costs = data->index().costs(ChunkIndex{});
  ASSERT_TRUE(costs);
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*costs)[i], 4 * archives.utterances[static_cast<std::size_t>(i)].sample_count);
  }
}

TEST(ScatteredSources, CanBeJoinedWithTextInAnotherOrder) {
  const Archives archives(40);
  std::string text;
  for (int key = 0; key < 40; ++key)
    text += std::to_string(key) + " |t " + std::to_string(key) + "\n";
  const auto joined =
      join({{archives.data(7), "utterances"},
            testing::ctf("t.ctf", text, testing::with_streams({testing::dense("t")}, 50))},
           {});
  std::size_t number = 0;
  for (ChunkIndex chunk{}; const auto info = joined->index().chunk(chunk); chunk = next(chunk)) {
    Diagnostics diagnostics;
    const Chunk all = joined->read({chunk, 0, info->sequence_count}, diagnostics);
    for (std::int64_t i = 0; i < info->sequence_count; ++i) {
      const auto& expected = archives.utterances[number++];
      EXPECT_EQ(values_in(all.view(0, i)), Archives::values_of(expected));
      EXPECT_EQ(values_in(all.view(1, i)), std::vector{static_cast<float>(expected.key)});
    }
  }
  EXPECT_EQ(number, 40U);
}

TEST(ScatteredSources, MessagesNameTheSource) {
  Archives archives(1);
  ScatteredData::Utterance& only = archives.utterances.front();
  const std::string at = "part" + std::to_string(only.location.source) + ".ark: byte " +
                         std::to_string(only.location.offset_bytes);
  const auto both = concatenate({{archives.data(1), "first"}, {archives.data(1), "second"}}, {});
  EXPECT_EQ(error_of([&] { static_cast<void>(both->index().chunk(ChunkIndex{1})); }),
            at +
                ": error: expected a sequence key that no other file has, found 0, which is that "
                "of " +
                at + ", too [concatenation-repeated-key]");
}

class IndexOfSources : public ::testing::Test {
 protected:
  void write(const IndexIdentity& identity) const {
    IndexFileWriter writer(system_files(), path_, identity);
    for (const IndexRecord& record : records_) writer.add(record);
    writer.finish("");
  }

  /// Returns the reason why the index file is not used.
  [[nodiscard]] std::string why_not(const IndexIdentity& wanted) const {
    std::string why;
    EXPECT_EQ(IndexFile::open(system_files(), path_, wanted, why), nullptr);
    return why.substr(std::min(why.size(), path_.size() + 2));
  }

  void SetUp() override {
    const Index& index = data_->index();
    for (ChunkIndex chunk{}; const auto info = index.chunk(chunk); chunk = next(chunk)) {
      records_.push_back({.info = *info, .sequences = index.sequences(chunk), .extra = {}});
    }
    for (std::size_t i = 0; i < archives_.bytes.size(); ++i) {
      const std::string name = "part" + std::to_string(i) + ".ark";
      identity_.sources.push_back(
          {.name = name, .data = {.size_bytes = std::ssize(archives_.bytes[i]), .hash = 1000 + i}});
    }
  }

  const Archives archives_{60};
  const std::shared_ptr<const ScatteredData> data_ = archives_.data(25);
  const TestFolder folder_;
  const std::string path_ = folder_.path("i");
  std::vector<IndexRecord> records_;
  IndexIdentity identity_{.options = "ark", .data = {.size_bytes = 9, .hash = 1}};
};

TEST_F(IndexOfSources, ReturnsTheLocations) {
  write(identity_);
  std::string why;
  const auto file = IndexFile::open(system_files(), path_, identity_, why);
  ASSERT_NE(file, nullptr) << why;
  ASSERT_EQ(file->chunk_count(), std::ssize(records_));
  for (std::int64_t i = 0; i < file->chunk_count(); ++i) {
    EXPECT_EQ(sequences_of(*file->record(i).sequences),
              sequences_of(*records_[static_cast<std::size_t>(i)].sequences));
  }
}

TEST_F(IndexOfSources, IsRejectedAfterASourceChanged) {
  write(identity_);
  IndexIdentity wanted = identity_;
  wanted.sources[1].data.hash = 7;
  const std::string size = std::to_string(archives_.bytes[1].size());
  EXPECT_EQ(why_not(wanted), "made from data " + size + "-00000000000003e9 of part1.ark, not " +
                                 size + "-0000000000000007");
  wanted = identity_;
  wanted.sources[2].name = "other.ark";
  EXPECT_EQ(why_not(wanted), "made from the source part2.ark, not other.ark");
  wanted.sources.pop_back();
  EXPECT_EQ(why_not(wanted), "made from 3 sources, not 2");
  wanted = identity_;
  wanted.data.hash = 2;
  EXPECT_EQ(why_not(wanted), "made from data 9-0000000000000001, not 9-0000000000000002");
}

// Reads nothing outside the sources, regardless of the content of an index file.
TEST_F(IndexOfSources, RefusesLocationsOutsideTheSources) {
  const auto error_of_record = [&] {
    std::string why;
    const auto file = IndexFile::open(system_files(), path_, identity_, why);
    return error_of([&] { static_cast<void>(file->record(0)); });
  };
  const std::string expected = path_ + ": damaged: chunk 0 has sequences outside of their sources";
  write(identity_);
  EXPECT_EQ(error_of_record(), "no error");
  IndexIdentity shorter = identity_;
  for (internal::IndexedSource& source : shorter.sources) source.data.size_bytes -= 1;
  write(shorter);
  EXPECT_NE(error_of([&] {
              std::string why;
              const auto file = IndexFile::open(system_files(), path_, shorter, why);
              for (std::int64_t i = 0; i < 3; ++i) static_cast<void>(file->record(i));
            }),
            "no error");  // the last utterance ends with its archive
  const std::vector<SequenceInfo> right = sequences_of(*records_[0].sequences);
  for (const SourceLocation location :
       {SourceLocation{3, 0}, SourceLocation{-1, 0}, SourceLocation{0, -1},
        SourceLocation{0, std::int64_t{1} << 62}}) {
    std::vector<SequenceInfo> wrong = right;
    wrong[5].location = location;
    records_[0].sequences = std::make_shared<const SequenceTable>(table_of(wrong));
    write(identity_);
    EXPECT_EQ(error_of_record(), expected);
  }
  std::vector<SequenceInfo> without = right;
  for (SequenceInfo& sequence : without) sequence.location.reset();
  records_[0].sequences = std::make_shared<const SequenceTable>(table_of(without));
  write(identity_);
  EXPECT_EQ(error_of_record(), expected);
}

}  // namespace
}  // namespace sheaf
