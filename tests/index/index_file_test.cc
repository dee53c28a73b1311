#include "index/index_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"

#include "index/made_up_tables.h"
#include "io/limits.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

const IndexIdentity kIdentity{.options = "ctf x:dense:2",
                              .data = {.size_bytes = 71, .hash = 0x0123456789abcdef},
                              .modified_ns = 1'700'000'000'000'000'000};

/// Returns an index of two chunks, the example of docs/formats/index-file.md.
std::vector<IndexRecord> example_records() {
  IndexRecord first;
  first.info = {.offset_bytes = 0,
                .size_bytes = 30,
                .first_line = 1,
                .sequence_count = 3,
                .sample_count = 3,
                .decoded_size_bytes = 200,
                .hash = 0x1111111111111111};
  first.sequences = std::make_shared<const SequenceTable>(
      table_of({{.key = {.low = 7}, .offset_bytes = 0, .first_line = 0, .sample_count = 1},
                {.key = {.low = 8}, .offset_bytes = 10, .first_line = 1, .sample_count = 1},
                {.key = {.low = 9}, .offset_bytes = 20, .first_line = 2, .sample_count = 1}}));
  first.extra = {40, 50};
  IndexRecord second;
  second.info = {.offset_bytes = 30,
                 .size_bytes = 41,
                 .first_line = 4,
                 .sequence_count = 3,
                 .sample_count = 4,
                 .decoded_size_bytes = 250,
                 .hash = 0x2222222222222222};
  second.sequences = std::make_shared<const SequenceTable>(
      table_of({{.key = {.low = 12}, .offset_bytes = 0, .first_line = 0, .sample_count = 1},
                {.key = {.low = 10}, .offset_bytes = 9, .first_line = 1, .sample_count = 2},
                {.key = {.low = 15}, .offset_bytes = 31, .first_line = 3, .sample_count = 1}}));
  return {first, second};
}

void write_index(const std::string& path, const std::vector<IndexRecord>& records,
                 const IndexIdentity& identity = kIdentity, std::string_view notes = "a note") {
  IndexFileWriter writer(system_files(), path, identity);
  for (const IndexRecord& record : records) writer.add(record);
  writer.finish(notes);
}

bool equal(const IndexRecord& a, const IndexRecord& b) {
  return a.info == b.info && a.extra == b.extra &&
         sequences_of(*a.sequences) == sequences_of(*b.sequences);
}

std::unique_ptr<IndexFile> open_or_fail(const std::string& path) {
  std::string why;
  std::unique_ptr<IndexFile> file = IndexFile::open(system_files(), path, kIdentity, why);
  if (file == nullptr) throw std::runtime_error(why);
  EXPECT_EQ(why, "");
  return file;
}

/// Returns the reason why a file is refused, without its path.
std::string why_not(const std::string& path, const IndexIdentity& wanted = kIdentity) {
  std::string why;
  EXPECT_EQ(IndexFile::open(system_files(), path, wanted, why), nullptr);
  EXPECT_TRUE(why.starts_with(path + ": ")) << why;
  return why.size() < path.size() + 2 ? why : why.substr(path.size() + 2);
}

/// Returns whether a file or one of its records is refused. Expects that all other records are
/// right.
bool is_refused(const std::string& path, const std::vector<IndexRecord>& records) {
  std::string why;
  const std::unique_ptr<IndexFile> file = IndexFile::open(system_files(), path, kIdentity, why);
  if (file == nullptr) return !why.empty();
  EXPECT_EQ(file->chunk_count(), std::ssize(records));
  EXPECT_EQ(file->notes(), "a note");
  bool refused = false;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(file->info(static_cast<std::int64_t>(i)), records[i].info);
    try {
      EXPECT_TRUE(equal(file->record(static_cast<std::int64_t>(i)), records[i]));
    } catch (const IoError&) {
      refused = true;
    }
  }
  return refused;
}

/// Returns the worked example of a page: bytes in hexadecimal digits, on separate lines after an
/// offset.
std::string bytes_of_page(const std::string& path) {
  std::ifstream page(path);
  std::string bytes;
  for (std::string line; std::getline(page, line);) {
    std::istringstream words(line);
    std::string offset;
    words >> offset;
    if (offset.size() != 4 || offset.find_first_not_of("0123456789abcdef") != offset.npos) continue;
    EXPECT_EQ(std::stoul(offset, nullptr, 16), bytes.size()) << line;
    for (std::string word; words >> word && word.size() == 2;) {
      bytes.push_back(static_cast<char>(std::stoi(word, nullptr, 16)));
    }
  }
  return bytes;
}

TEST(IndexFile, RoundTrips) {
  const TestFolder folder;
  const std::vector<IndexRecord> records = example_records();
  write_index(folder.path("i"), records);
  const auto file = open_or_fail(folder.path("i"));
  ASSERT_EQ(file->chunk_count(), 2);
  EXPECT_EQ(file->notes(), "a note");
  EXPECT_EQ(file->identity().options, kIdentity.options);
  EXPECT_EQ(file->identity().data, kIdentity.data);
  EXPECT_EQ(file->identity().modified_ns, kIdentity.modified_ns);
  for (std::int64_t i = 1; i >= 0; --i) {
    EXPECT_EQ(file->info(i), records[static_cast<std::size_t>(i)].info);
    EXPECT_TRUE(equal(file->record(i), records[static_cast<std::size_t>(i)]));
  }
  EXPECT_GT(file->memory_bytes(), 0);
  EXPECT_EQ(folder.names(), std::set<std::string>{"i"});
}

TEST(IndexFile, HasTheDocumentedBytes) {
  const TestFolder folder;
  write_index(folder.path("i"), example_records());
  const std::string page = std::string(SHEAF_CASES_DIR) + "/../../docs/formats/index-file.md";
  EXPECT_EQ(folder.read("i"), bytes_of_page(page));
}

TEST(IndexFile, AnyIndexRoundTrips) {
  const bool holds = rc::check([] {
    const TestFolder folder;
    std::vector<IndexRecord> records;
    const auto chunk_count = *rc::gen::inRange(0, 5);
    for (int i = 0; i < chunk_count; ++i) {
      MadeUpChunk chunk = make_chunk(
          {.rows_max = *rc::gen::inRange(1, 4), .has_text_keys = *rc::gen::arbitrary<bool>()},
          *rc::gen::inRange(1, 300), *rc::gen::arbitrary<unsigned>());
      IndexRecord record;
      record.info.sequence_count = chunk.table.size();
      record.info.size_bytes = chunk.size_bytes;
      record.info.offset_bytes = *rc::gen::positive<std::int64_t>();
      record.info.hash = *rc::gen::arbitrary<std::uint64_t>();
      record.sequences = std::make_shared<const SequenceTable>(std::move(chunk.table));
      record.extra = *rc::gen::arbitrary<std::vector<std::int64_t>>();
      records.push_back(std::move(record));
    }
    const auto notes = *rc::gen::arbitrary<std::string>();
    write_index(folder.path("i"), records, kIdentity, notes);
    const auto file = open_or_fail(folder.path("i"));
    RC_ASSERT(file->notes() == notes);
    RC_ASSERT(file->chunk_count() == chunk_count);
    for (std::size_t i = 0; i < records.size(); ++i) {
      RC_ASSERT(equal(file->record(static_cast<std::int64_t>(i)), records[i]));
    }
  });
  EXPECT_TRUE(holds);
}

TEST(IndexFile, EveryFlippedBitIsDetected) {
  const TestFolder folder;
  const std::vector<IndexRecord> records = example_records();
  write_index(folder.path("i"), records);
  const std::string good = folder.read("i");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ (1U << bit));
      folder.write("i", bytes);
      EXPECT_TRUE(is_refused(folder.path("i"), records)) << i << ' ' << bit;
    }
  }
}

TEST(IndexFile, EveryOtherSizeIsDetected) {
  const TestFolder folder;
  const std::vector<IndexRecord> records = example_records();
  write_index(folder.path("i"), records);
  const std::string good = folder.read("i");
  for (std::size_t size = 0; size < good.size(); ++size) {
    folder.write("i", good.substr(0, size));
    EXPECT_EQ(why_not(folder.path("i")), size < 8 ? "not an index file" : "cut short") << size;
  }
  folder.write("i", good + '\0');
  EXPECT_EQ(why_not(folder.path("i")), "cut short");
  folder.write("i", good + good);
  EXPECT_EQ(why_not(folder.path("i")), "damaged");
}

TEST(IndexFile, ReplacedContentIsDetected) {
  const TestFolder folder;
  const std::vector<IndexRecord> records = example_records();
  write_index(folder.path("i"), records);
  const std::string good = folder.read("i");
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string bytes = good.substr(0, 16);
    for (std::size_t size = random() % 300; size > 0; --size) {
      bytes.push_back(static_cast<char>(random() % (round % 2 == 0 ? 2 : 256)));
    }
    folder.write("i", bytes + good.substr(good.size() - 8));
    EXPECT_TRUE(is_refused(folder.path("i"), records));
  }
}

struct Refusal {
  std::string bytes;
  const char* why;
};

TEST(IndexFile, ErrorsDescribeOtherFiles) {
  const TestFolder folder;
  write_index(folder.path("i"), example_records());
  const std::string good = folder.read("i");
  std::string newer = good;
  newer[8] = 4;
  const Refusal cases[] = {
      {"", "not an index file"},                                  // an empty file
      {"0 |x 1 2\n1 |x 3 4\n2 |x 5 6\n", "not an index file"},    // text
      {newer, "of version 4; this sheaf reads versions 1 to 3"},  // a future version
      {good.substr(0, good.size() - 1), "cut short"},             //
      {good.substr(0, 8), "cut short"},                           //
  };
  for (const Refusal& refusal : cases) {
    folder.write("i", refusal.bytes);
    EXPECT_EQ(why_not(folder.path("i")), refusal.why);
  }
  EXPECT_EQ(why_not(folder.path("none")), "cannot open: No such file or directory");
  EXPECT_EQ(why_not(folder.path(".")), "not a regular file but a directory");
}

TEST(IndexFile, ReplacesOnlyIndexFiles) {
  const TestFolder folder;
  write_index(folder.path("i"), example_records());
  const std::string good = folder.read("i");
  for (const std::string& old : {std::string(), good.substr(0, 5), good.substr(0, 20), good}) {
    folder.write("i", old);  // left over by a crash of the machine, for example
    write_index(folder.path("i"), example_records());
    EXPECT_EQ(folder.read("i"), good);
  }
  const std::string data = "0 |x 1 2\n";
  folder.write("i", data);
  try {
    write_index(folder.path("i"), example_records());
    FAIL() << "replaced";
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(),
              folder.path("i") + ": not an index file, so it is not replaced: move or remove it");
  }
  EXPECT_EQ(folder.read("i"), data);
  EXPECT_EQ(folder.names(), std::set<std::string>{"i"});
}

TEST(IndexFile, IsRefusedForOtherDataAndOptions) {
  const TestFolder folder;
  write_index(folder.path("i"), example_records());
  IndexIdentity wanted = kIdentity;
  wanted.modified_ns += 1;  // the file was copied or touched
  std::string why;
  EXPECT_NE(IndexFile::open(system_files(), folder.path("i"), wanted, why), nullptr) << why;
  wanted.data.hash += 1;
  EXPECT_EQ(why_not(folder.path("i"), wanted),
            "made from data 71-0123456789abcdef, not 71-0123456789abcdf0");
  wanted.options = "ctf y:dense:2";
  EXPECT_EQ(why_not(folder.path("i"), wanted),
            "made with options \"ctf x:dense:2\", not \"ctf y:dense:2\"");
}

TEST(IndexFile, AFileTruncatedWhileOpenIsAnError) {
  const TestFolder folder;
  write_index(folder.path("i"), example_records());
  const auto file = open_or_fail(folder.path("i"));
  std::filesystem::resize_file(folder.path("i"), 20);
  EXPECT_THROW((void)file->record(0), IoError);
}

TEST(IndexFile, ADamagedRecordIsNamed) {
  const TestFolder folder;
  write_index(folder.path("i"), example_records());
  std::string bytes = folder.read("i");
  bytes[16] = static_cast<char>(bytes[16] ^ 1);
  folder.write("i", bytes);
  const auto file = open_or_fail(folder.path("i"));
  try {
    (void)file->record(0);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(std::string(error.what()),
              folder.path("i") + ": damaged: chunk 0 has a wrong checksum");
  }
  EXPECT_TRUE(equal(file->record(1), example_records()[1]));
}

TEST(IndexFile, AccessPointsRoundTrip) {
  const TestFolder folder;
  const std::string path = folder.path("i");
  const std::vector<IndexRecord> records = example_records();
  const auto write = [&](const std::string& points) {
    IndexFileWriter writer(system_files(), path, kIdentity, points);
    for (const IndexRecord& record : records) writer.add(record);
    writer.finish("a note");
  };
  write("");
  const std::string without = folder.read("i");
  EXPECT_EQ(without[8], 1);  // the version
  EXPECT_EQ(open_or_fail(path)->access_points(), "");
  write("some points");
  const std::string bytes = folder.read("i");
  EXPECT_EQ(bytes[8], 2);
  EXPECT_EQ(bytes.size(), without.size() + 11 + 16);
  EXPECT_EQ(open_or_fail(path)->access_points(), "some points");

  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    folder.write("i", changed);
    bool refused = is_refused(path, records);
    std::string why;
    if (const auto file = IndexFile::open(system_files(), path, why)) {
      try {
        EXPECT_EQ(file->access_points(), "some points") << i;
      } catch (const IoError&) {
        refused = true;
      }
    }
    EXPECT_TRUE(refused) << i;
  }
}

TEST(IndexFile, CanBeReadByManyThreads) {
  const TestFolder folder;
  const std::vector<IndexRecord> records = example_records();
  write_index(folder.path("i"), records);
  const auto file = open_or_fail(folder.path("i"));
  const std::unique_ptr<Executor> pool = thread_pool(4);
  for (int i = 0; i < 100; ++i) {
    pool->submit([&file, &records, i] {
      EXPECT_TRUE(equal(file->record(i % 2), records[static_cast<std::size_t>(i % 2)]));
    });
  }
}

TEST(IndexFileWriter, LeavesNoFileUnlessFinished) {
  const TestFolder folder;
  {
    IndexFileWriter writer(system_files(), folder.path("i"), kIdentity);
    writer.add(example_records()[0]);
    EXPECT_FALSE(std::filesystem::exists(folder.path("i")));
  }
  EXPECT_EQ(folder.names(), std::set<std::string>());
}

TEST(IndexFileWriter, ConcurrentWritersDoNoHarm) {
  const TestFolder folder;
  const std::vector<IndexRecord> records = example_records();
  write_index(folder.path("alone"), records);
  {
    const std::unique_ptr<Executor> pool = thread_pool(4);
    for (int i = 0; i < 16; ++i) {
      pool->submit([&folder, &records] { write_index(folder.path("i"), records); });
    }
    for (int i = 0; i < 100; ++i) {
      std::string why;
      const auto file = IndexFile::open(system_files(), folder.path("i"), kIdentity, why);
      if (file == nullptr) {
        EXPECT_TRUE(why.ends_with("No such file or directory")) << why;
      } else {
        EXPECT_TRUE(equal(file->record(1), records[1]));
      }
    }
  }
  EXPECT_EQ(folder.read("i"), folder.read("alone"));
  EXPECT_EQ(folder.names(), (std::set<std::string>{"alone", "i"}));
}

TEST(IndexFileWriter, AFullDiskIsAnErrorWithPathAndReason) {
  const TestFolder folder;
  const FileSizeLimit limit(100);
  try {
    write_index(folder.path("i"), example_records());
    FAIL();
  } catch (const IoError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with(folder.path("i"))) << text;
    EXPECT_TRUE(text.ends_with(": cannot write: File too large")) << text;
  }
  EXPECT_EQ(folder.names(), std::set<std::string>());
}

TEST(IndexFileWriter, ATableOfAnotherSizeIsAnInternalError) {
  const TestFolder folder;
  IndexFileWriter writer(system_files(), folder.path("i"), kIdentity);
  IndexRecord record = example_records()[0];
  record.info.sequence_count = 4;
  EXPECT_THROW(writer.add(record), InternalError);
}

TEST(IndexFile, IsLittleLargerThanItsTables) {
  const TestFolder folder;
  IndexFileWriter writer(system_files(), folder.path("i"), kIdentity);
  std::int64_t data_size = 0;
  for (std::uint64_t i = 0; i < 5; ++i) {
    MadeUpChunk chunk = make_chunk({}, 50'000, i);
    data_size += chunk.size_bytes;
    IndexRecord record;
    record.info.sequence_count = chunk.table.size();
    record.sequences = std::make_shared<const SequenceTable>(std::move(chunk.table));
    writer.add(record);
  }
  writer.finish("");
  const auto size = static_cast<double>(std::filesystem::file_size(folder.path("i")));
  EXPECT_LE(100 * size / static_cast<double>(data_size), 2.1);
}

TEST(IndexFilePath, IsBesideTheDataOrInTheGivenFolder) {
  EXPECT_EQ(index_file_path("data/train.ctf", ""), "data/train.ctf.sheaf-index");
  EXPECT_TRUE(internal::is_index_path("data/train.ctf.sheaf-index"));
  EXPECT_FALSE(internal::is_index_path("data/sheaf-index"));
  // The first half of the XXH3 hash of the path, computed separately.
  EXPECT_EQ(index_file_path("/data/train.ctf", "/tmp/i"), "/tmp/i/train.ctf.ab5e21ca.sheaf-index");
  EXPECT_EQ(index_file_path("/data/./x/../train.ctf", "i/"), "i/train.ctf.ab5e21ca.sheaf-index");
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(index_file_path("train.ctf", "i"), index_file_path(here + "/train.ctf", "i"));
  EXPECT_NE(index_file_path("/a/train.ctf", "i"), index_file_path("/b/train.ctf", "i"));
}

}  // namespace
}  // namespace sheaf::internal
