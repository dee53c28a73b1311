// Faults in the files of a CTF data set: its data and its index file.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/reader.h"

#include "format/ctf/ctf_deserializer.h"
#include "index/index_file.h"
#include "index/index_file_keeper.h"
#include "io/limits.h"
#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::ctf {
namespace {

constexpr std::int64_t kSmall = 3 << 20;
constexpr std::int64_t kLarge = internal::IndexFileKeeper::kWriteMinBytes + (1 << 20);

/// Returns a text of about `size_bytes` with two streams.
std::string text_of(std::int64_t size_bytes) {
  std::string text;
  for (std::int64_t i = 0; std::ssize(text) < size_bytes; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(i) + " 2 |y " + std::to_string(i % 9) +
            ":1 |# so that there are fewer rows than otherwise\n";
  }
  return text;
}

/// Returns options without declared streams.
FormatOptions options_with(IndexMode mode) {
  FormatOptions options;
  options.chunk_size_bytes = 1 << 20;
  options.read_size_bytes = 64 << 10;
  options.index.mode = mode;
  return options;
}

struct Opened {
  std::vector<Stream> streams;
  std::int64_t sequences = 0;
  std::int64_t bytes_read = 0;
  std::vector<Diagnostic> warnings;
};

/// Opens a file and reads its index.
Opened open(const std::string& path, const FormatOptions& options) {
  const auto source = std::make_shared<testing::WatchedSource>(open_file(path));
  const CtfDeserializer data(source, options);
  Opened opened;
  opened.streams.assign(data.streams().begin(), data.streams().end());
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    opened.sequences += data.index().sequences(i)->size();
  }
  opened.bytes_read = source->bytes_read;
  opened.warnings = data.warnings();
  return opened;
}

/// Returns the kind and the text of the exception that `act` throws.
template <typename F>
std::string fault_of(F&& act) {
  try {
    act();
  } catch (const ConfigError& error) {
    return std::string("ConfigError: ") + error.what();
  } catch (const IoError& error) {
    return std::string("IoError: ") + error.what();
  } catch (const DataError& error) {
    return std::string("DataError: ") + error.what();
  }
  return "";
}

/// Returns the error of opening or reading.
std::string fault_of(const std::string& path, const FormatOptions& options) {
  return fault_of([&] {
    Reader reader(path, {.format = options});
    while (reader.next()) {
    }
  });
}

/// Returns the error of opening, or of reading the index.
std::string index_fault_of(const std::string& path, const FormatOptions& options) {
  return fault_of([&] { static_cast<void>(open(path, options)); });
}

// The head, the tail and the first piece, for a file of any size.
constexpr std::int64_t kOpeningBytesMax = 4 * (64 << 10);

TEST(CtfFaults, InferredStreamsAreReadFromTheIndexFile) {
  const TestFolder folder;
  folder.write("a.ctf", text_of(kSmall));
  const std::string path = folder.path("a.ctf");
  const Opened first = open(path, options_with(IndexMode::rebuild));
  EXPECT_GT(first.bytes_read, 2 * kSmall) << "once for streams, once for the index";
  for (const IndexMode mode : {IndexMode::automatic, IndexMode::require}) {
    const Opened again = open(path, options_with(mode));
    EXPECT_EQ(again.streams, first.streams);
    EXPECT_EQ(again.sequences, first.sequences);
    EXPECT_LE(again.bytes_read, kOpeningBytesMax);
    EXPECT_TRUE(again.warnings.empty());
  }

  FormatOptions one_dim = options_with(IndexMode::require);
  one_dim.streams = {{.name = "x"}, {.name = "y", .storage = Storage::sparse}};
  EXPECT_EQ(open(path, one_dim).streams, first.streams) << "whichever streams lack their dims";
  EXPECT_LE(open(path, one_dim).bytes_read, kOpeningBytesMax);
}

TEST(CtfFaults, AContradictionIsReportedFromTheIndexFile) {
  const TestFolder folder;
  folder.write("a.ctf", "0 |x 1 2 |y 1\n1 |x 1 2 |y 1:1\n");
  const std::string path = folder.path("a.ctf");
  FormatOptions options = options_with(IndexMode::rebuild);
  options.streams = {{.name = "x"}};
  EXPECT_EQ(open(path, options).sequences, 2);
  const std::string scanned = fault_of(path, options_with(IndexMode::off));
  EXPECT_NE(scanned.find("a.ctf:2:10: error: stream \"y\""), std::string::npos) << scanned;
  EXPECT_EQ(fault_of(path, options_with(IndexMode::require)), scanned);
}

TEST(CtfFaults, InferredStreamsAreAddedToAnIndexFile) {
  const TestFolder folder;
  folder.write("a.ctf", text_of(kSmall));
  const std::string path = folder.path("a.ctf");
  FormatOptions declared = options_with(IndexMode::rebuild);
  declared.streams = {
      {.name = "x", .sample_shape = Shape{2}},
      {.name = "y", .storage = Storage::sparse, .sample_shape = Shape{9}},
  };
  const Opened first = open(path, declared);
  EXPECT_EQ(fault_of(path, options_with(IndexMode::require)),
            "ConfigError: index: required, but " + path +
                ".sheaf-index: does not say which streams the data have; declare them");

  const Opened found = open(path, options_with(IndexMode::automatic));
  EXPECT_GT(found.bytes_read, kSmall);
  EXPECT_LT(found.bytes_read, 3 * kSmall / 2) << "the streams alone were looked for";
  EXPECT_EQ(found.streams, first.streams);
  const Opened again = open(path, options_with(IndexMode::require));
  EXPECT_LE(again.bytes_read, kOpeningBytesMax);
  EXPECT_EQ(again.sequences, first.sequences);
  declared.index.mode = IndexMode::require;
  EXPECT_EQ(open(path, declared).sequences, first.sequences);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a.ctf", "a.ctf.sheaf-index"}));
}

TEST(CtfFaults, StreamsInferredFromOtherDataAreNotUsed) {
  const TestFolder folder;
  folder.write("a.ctf", text_of(kSmall));
  const std::string path = folder.path("a.ctf");
  static_cast<void>(open(path, options_with(IndexMode::rebuild)));
  FormatOptions part = options_with(IndexMode::require);
  part.inference_size_bytes = 1 << 20;
  EXPECT_NE(fault_of(path, part).find("does not say which streams"), std::string::npos);
  part.keys = KeyType::text;
  part.inference_size_bytes = {};
  EXPECT_NE(fault_of(path, part).find("does not say which streams"), std::string::npos);

  folder.write("a.ctf", "0 |z 1\n" + text_of(kSmall));
  EXPECT_EQ(open(path, options_with(IndexMode::automatic)).streams.size(), 3U);
  EXPECT_NE(fault_of(path, options_with(IndexMode::require)).find("a.ctf.sheaf-index: made from"),
            std::string::npos);
}

/// Rewrites the index file of `path` with other notes. All checksums are right.
void change_notes(const std::string& path, std::string_view notes) {
  std::string why;
  const auto file = internal::IndexFile::open(system_files(), path, why);
  ASSERT_NE(file, nullptr) << why;
  internal::IndexFileWriter writer(system_files(), path, file->identity());
  for (std::int64_t i = 0; i < file->chunk_count(); ++i) writer.add(file->record(i));
  writer.finish(notes);
}

TEST(CtfFaults, ACorruptStreamRecordIsRewrittenWithAWarning) {
  const TestFolder folder;
  folder.write("a.ctf", text_of(kLarge));
  const std::string path = folder.path("a.ctf");
  const std::string index = index_file_path(path, "");
  const Opened first = open(path, options_with(IndexMode::automatic));
  for (const char* notes : {"nonsense", R"({"warnings":[],"found":{"how":"keys=numeric"}})"}) {
    SCOPED_TRACE(notes);
    change_notes(index, notes);
    EXPECT_NE(fault_of(path, options_with(IndexMode::require)), "");
    const Opened again = open(path, options_with(IndexMode::automatic));
    EXPECT_EQ(again.streams, first.streams);
    EXPECT_EQ(again.sequences, first.sequences);
    ASSERT_EQ(again.warnings.size(), 1U);
    EXPECT_EQ(again.warnings[0].found, index + ": damaged: its notes make no sense");
    EXPECT_LE(open(path, options_with(IndexMode::require)).bytes_read, kOpeningBytesMax);
  }
}

/// Rewrites the index file of `path`. The sequences of the first chunk get other sample counts or
/// other keys. All checksums are right.
void change_table(const std::string& path, std::int64_t key_step,
                  std::initializer_list<std::int64_t> sample_counts) {
  std::string why;
  const auto file = internal::IndexFile::open(system_files(), index_file_path(path, ""), why);
  ASSERT_NE(file, nullptr) << why;
  internal::IndexRecord record = file->record(0);
  SequenceTable::Columns columns = record.sequences->columns();
  columns.keys_low = PackedInts({0, key_step}, record.sequences->size());
  PackedInts::Builder samples;
  for (const std::int64_t count : sample_counts) samples.push_back(count);
  columns.sample_counts = std::make_shared<const PackedInts>(samples.finish());
  record.sequences = std::make_shared<const SequenceTable>(columns);
  internal::IndexFileWriter writer(system_files(), index_file_path(path, ""), file->identity());
  writer.add(record);
  writer.finish(file->notes());
}

TEST(CtfFaults, AForgedIndexFileDoesNotChangeTheData) {
  const TestFolder folder;
  const std::string path = folder.path("a.ctf");
  for (const bool has_defining : {false, true}) {
    folder.write("a.ctf", "0 |x 1 2 |y 3:1\n1 |x 3 4 |y 8:1\n1 |x 3 4\n2 |x 1 1 |y 0:1\n");
    FormatOptions options = options_with(IndexMode::rebuild);
    options.streams = {{.name = "x", .sample_shape = Shape{2}},
                       {.name = "y", .storage = Storage::sparse, .sample_shape = Shape{9}}};
    options.streams[0].defines_minibatch_size = has_defining;
    static_cast<void>(open(path, options));
    options.index.mode = IndexMode::automatic;
    change_table(path, 1, {1, 2, 1});
    EXPECT_EQ(fault_of(path, options), "");
    change_table(path, 1, {2, 1, 1});
    EXPECT_EQ(fault_of(path, options),
              "IoError: " + path +
                  ": near line 1: not what was there when it was indexed; the file has changed "
                  "since, at this line or before: index it anew (sheaf index " +
                  path + ")");
    EXPECT_FALSE(std::filesystem::exists(index_file_path(path, "")));
    options.index.mode = IndexMode::rebuild;
    static_cast<void>(open(path, options));
    options.index.mode = IndexMode::automatic;
    change_table(path, 2, {1, 2, 1});
    EXPECT_NE(fault_of(path, options).find("near line 2: not what was there"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(index_file_path(path, "")));
  }
}

// After one byte flips, the index file is refused with a reason, or the chunk with the byte causes
// an error that names the file. Other data are never delivered.
TEST(CtfFaults, EveryFlippedByteOfAnIndexFileIsDetected) {
  const TestFolder folder;
  folder.write("a.ctf", "0 |x 1 2 |y 3:1\n1 |x 3 4 |y 8:1\n0 |x 1 1 |y 0:1\n");
  const std::string path = folder.path("a.ctf");
  const Opened good = open(path, options_with(IndexMode::rebuild));
  const std::string bytes = folder.read("a.ctf.sheaf-index");
  int refused = 0;
  int errors = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    SCOPED_TRACE(i);
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    folder.write("a.ctf.sheaf-index", changed);
    try {
      const Opened opened = open(path, options_with(IndexMode::automatic));
      EXPECT_EQ(opened.streams, good.streams);
      EXPECT_EQ(opened.sequences, good.sequences);
      ASSERT_EQ(opened.warnings.size(), 1U);
      EXPECT_EQ(opened.warnings[0].code, "ctf-index-file");
      EXPECT_NE(opened.warnings[0].found.find(path + ".sheaf-index: "), std::string::npos);
      ++refused;
    } catch (const IoError& error) {
      EXPECT_EQ(std::string(error.what()),
                path +
                    ".sheaf-index: damaged: chunk 0 has a wrong checksum; it is removed, and "
                    "the next run scans the data");
      EXPECT_FALSE(std::filesystem::exists(path + ".sheaf-index"));
      ++errors;
    }
    folder.write("a.ctf.sheaf-index", changed);
    EXPECT_NE(index_fault_of(path, options_with(IndexMode::require)), "");
    EXPECT_TRUE(std::filesystem::exists(path + ".sheaf-index"));
  }
  EXPECT_EQ(refused + errors, std::ssize(bytes));
  EXPECT_GT(errors, 10);
}

TEST(CtfFaults, EveryTruncatedIndexFileIsDetected) {
  const TestFolder folder;
  folder.write("a.ctf", "0 |x 1 2 |y 3:1\n1 |x 3 4 |y 8:1\n");
  const std::string path = folder.path("a.ctf");
  const Opened good = open(path, options_with(IndexMode::rebuild));
  const std::string bytes = folder.read("a.ctf.sheaf-index");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    folder.write("a.ctf.sheaf-index", bytes.substr(0, size));
    const Opened opened = open(path, options_with(IndexMode::automatic));
    EXPECT_EQ(opened.sequences, good.sequences);
    ASSERT_EQ(opened.warnings.size(), 1U);
    EXPECT_TRUE(index_fault_of(path, options_with(IndexMode::require))
                    .starts_with("ConfigError: index: required, but " + path + ".sheaf-index: "));
  }
}

TEST(CtfFaults, AnIndexFileOfAnotherVersionIsReported) {
  const TestFolder folder;
  folder.write("a.ctf", "0 |x 1 2 |y 3:1\n");
  const std::string path = folder.path("a.ctf");
  static_cast<void>(open(path, options_with(IndexMode::rebuild)));
  std::string bytes = folder.read("a.ctf.sheaf-index");
  bytes[8] = 7;
  folder.write("a.ctf.sheaf-index", bytes);
  const std::string text = path + ".sheaf-index: of version 7; this sheaf reads versions 1 to 3";
  EXPECT_EQ(open(path, options_with(IndexMode::automatic)).warnings.at(0).found, text);
  EXPECT_EQ(fault_of(path, options_with(IndexMode::require)),
            "ConfigError: index: required, but " + text);
}

TEST(CtfFaults, AnUnusableFolderForIndexFilesIsReported) {
  const TestFolder folder;
  folder.write("a.ctf", text_of(kSmall));
  folder.write("file", "");
  const std::string path = folder.path("a.ctf");
  const std::pair<std::string, std::string> cases[] = {
      {"none", "No such file or directory"},
      {"file", "Not a directory"},
  };
  for (const auto& [name, reason] : cases) {
    FormatOptions options = options_with(IndexMode::rebuild);
    options.index.directory = folder.path(name);
    const Opened opened = open(path, options);
    EXPECT_GT(opened.sequences, 10'000);
    ASSERT_EQ(opened.warnings.size(), 1U);
    EXPECT_NE(opened.warnings[0].found.find(options.index.directory), std::string::npos);
    EXPECT_NE(opened.warnings[0].found.find(reason), std::string::npos) << opened.warnings[0].found;
  }
  const FileSizeLimit full(1000);
  const Opened opened = open(path, options_with(IndexMode::rebuild));
  ASSERT_EQ(opened.warnings.size(), 1U);
  EXPECT_NE(opened.warnings[0].found.find("File too large"), std::string::npos);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a.ctf", "file"}));
}

TEST(CtfFaults, FilesOfOneNameInDifferentFoldersDoNotShareAnIndexFile) {
  const TestFolder folder;
  for (const char* each : {"a", "b", "indices"}) {
    std::filesystem::create_directory(folder.path(each));
  }
  folder.write("a/train.ctf", "0 |x 1\n");
  folder.write("b/train.ctf", "0 |x 1 2\n1 |x 1 2\n");
  FormatOptions options = options_with(IndexMode::rebuild);
  options.index.directory = folder.path("indices");
  EXPECT_EQ(open(folder.path("a/train.ctf"), options).sequences, 1);
  EXPECT_EQ(open(folder.path("b/train.ctf"), options).sequences, 2);
  options.index.mode = IndexMode::require;
  EXPECT_EQ(open(folder.path("a/train.ctf"), options).sequences, 1);
  EXPECT_EQ(open(folder.path("a/../b/train.ctf"), options).sequences, 2);
}

TEST(CtfFaults, UnreadableDataAreNamedWithTheReason) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("folder.ctf"));
  std::filesystem::create_symlink("loop.ctf", folder.path("loop.ctf"));
  ASSERT_EQ(::mkfifo(folder.path("pipe.ctf").c_str(), 0600), 0);
  folder.write("file", "");
  folder.write("empty.ctf", "");
  folder.write("utf16.ctf", std::string("\xFF\xFE|\0x\0", 6));
  const std::pair<std::string, std::string> cases[] = {
      {"none.ctf", "IoError: PATH: cannot open: No such file or directory"},
      {"file/a.ctf", "IoError: PATH: cannot open: Not a directory"},
      {"loop.ctf", "IoError: PATH: cannot open: Too many levels of symbolic links"},
      {"folder.ctf", "DataError: PATH: error: expected images such as CLASS/001.jpg, "},
      {"pipe.ctf",
       "IoError: PATH: not a regular file but a pipe: cat FILE | sheaf check - reads it"},
      {"empty.ctf", "DataError: PATH:1:1: error: expected at least one row with data, found an "},
      {"utf16.ctf", "DataError: PATH:1:1: error: expected UTF-8 or plain bytes, found a UTF-16 "},
  };
  for (const auto& [name, expected] : cases) {
    std::string text = expected;
    const std::size_t location = text.find("PATH");
    text.replace(location, 4, folder.path(name));
    const std::string error = fault_of(folder.path(name), options_with(IndexMode::automatic));
    EXPECT_TRUE(error.starts_with(text)) << error;
  }
}

TEST(CtfFaults, DataThatShrinkDuringReadingAreAnError) {
  const TestFolder folder;
  const std::string path = folder.path("a.ctf");
  const std::string text = text_of(kSmall);
  ReaderOptions options{.format = options_with(IndexMode::rebuild)};
  options.run.threads = 1;
  options.run.memory_limit_bytes = 4 << 20;
  for (const std::string& later : {text.substr(0, text.size() / 2), std::string()}) {
    SCOPED_TRACE(later.size());
    folder.write("a.ctf", text);
    Reader reader(path, options);
    ASSERT_TRUE(reader.next());
    folder.write("a.ctf", later);
    try {
      while (reader.next()) {
      }
      FAIL() << "vanished text was delivered";
    } catch (const IoError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": ")) << error.what();
    }
    EXPECT_THROW((void)reader.next(), IoError);
  }
}

// With an index file, each sweep reads all chunks again and detects data that changed since they
// were indexed.
TEST(CtfFaults, DataThatChangeDuringReadingAreAnError) {
  const TestFolder folder;
  const std::string path = folder.path("a.ctf");
  const std::string text = text_of(kSmall);
  for (const OrderAlgorithm order : {OrderAlgorithm::file, OrderAlgorithm::cntk}) {
    for (const std::size_t location : {text.size() / 10, text.size() / 2, text.size() - 100}) {
      SCOPED_TRACE(location);
      folder.write("a.ctf", text);
      ReaderOptions options{.format = options_with(IndexMode::rebuild)};
      options.order = {.sweeps = 5, .algorithm = order, .seed = 1};
      if (order == OrderAlgorithm::cntk) options.order.window_chunks = 1;
      options.run.threads = 1;
      options.run.memory_limit_bytes = 4 << 20;
      Reader reader(path, options);
      std::optional<Minibatch> minibatch = reader.next();
      while (!minibatch->ends_sweep) minibatch = reader.next();

      std::string changed = text;  // good data of the same size
      const std::size_t digit = changed.find("|x ", location) + 3;
      changed[digit] = changed[digit] == '1' ? '2' : '1';
      std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << changed;
      const std::string error = fault_of([&] {
        while (reader.next()) {
        }
      });
      EXPECT_TRUE(error.starts_with("IoError: " + path + ": near line ")) << error;
      EXPECT_NE(error.find("the file has changed since"), std::string::npos) << error;
    }
  }
}

TEST(CtfFaults, DataReplacedDuringReadingAreReadToTheirEnd) {
  const TestFolder folder;
  const std::string text = text_of(kSmall);
  folder.write("a.ctf", text);
  folder.write("new", "0 |x 5 6 |y 1:1\n");
  const std::string path = folder.path("a.ctf");
  ReaderOptions options{.format = options_with(IndexMode::off)};
  options.order.sweeps = 2;
  options.run.memory_limit_bytes = 8 << 20;
  Reader reader(path, options);
  std::int64_t count = reader.next()->sequence_count();
  std::filesystem::rename(folder.path("new"), path);  // the system keeps open files
  while (const auto minibatch = reader.next()) count += minibatch->sequence_count();
  EXPECT_EQ(count, 2 * std::ranges::count(text, '\n'));
  Reader next(path, options);
  EXPECT_EQ(next.next()->sequence_count(), 2);
}

TEST(CtfFaults, DataDeletedDuringReadingAreReadToTheirEnd) {
  const TestFolder folder;
  folder.write("a.ctf", text_of(kSmall));
  const std::string path = folder.path("a.ctf");
  ReaderOptions options{.format = options_with(IndexMode::off)};
  std::int64_t expected = 0;
  for (Reader reader(path, options); const auto minibatch = reader.next();) {
    expected += minibatch->sequence_count();
  }
  Reader reader(path, options);
  std::filesystem::remove(path);  // the system keeps open files
  std::int64_t count = 0;
  while (const auto minibatch = reader.next()) count += minibatch->sequence_count();
  EXPECT_EQ(count, expected);
}

TEST(CtfFaults, DataChangedSinceIndexingAreDetected) {
  const TestFolder folder;
  const std::string path = folder.path("a.ctf");
  const std::string text = text_of(kSmall);
  folder.write("a.ctf", text);
  static_cast<void>(open(path, options_with(IndexMode::rebuild)));

  std::string changed = text;  // of the same size, changed in the middle
  const std::size_t digit = changed.find("|x ", changed.size() / 2) + 3;
  changed[digit] = changed[digit] == '1' ? '2' : '1';
  folder.write("a.ctf", changed);
  EXPECT_NE(fault_of(path, options_with(IndexMode::require)).find("the file has changed since"),
            std::string::npos);
  EXPECT_NE(fault_of(path, options_with(IndexMode::automatic)).find("the file has changed since"),
            std::string::npos);
  EXPECT_EQ(fault_of(path, options_with(IndexMode::automatic)), "") << "its index file is gone";

  folder.write("a.ctf", text);
  static_cast<void>(open(path, options_with(IndexMode::rebuild)));
  folder.write("a.ctf", text + "99999999 |x 1 2 |y\n");
  EXPECT_NE(fault_of(path, options_with(IndexMode::require)).find("a.ctf.sheaf-index: made from"),
            std::string::npos);
  const Opened longer = open(path, options_with(IndexMode::automatic));
  ASSERT_EQ(longer.warnings.size(), 1U);
  EXPECT_EQ(longer.warnings[0].code, "ctf-index-file");
}

}  // namespace
}  // namespace sheaf::ctf
