#include "sheaf/index_data.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "conformance/format_under_test.h"
#include "io/compressed/compress.h"
#include "ops/conversion_data.h"

namespace sheaf {
namespace {

class IndexData : public ::testing::Test, protected testing::ConversionData {
 protected:
  IndexReport index(const DataSpec& data, const IndexDataOptions& options = {}) {
    return index_data(data, options, {.files = &files()});
  }
};

DataSpec small_chunks(std::string path) {
  return {FilesSpec{.files = {std::move(path)}, .format = {.chunk_size_bytes = 500}}};
}

TEST_F(IndexData, WritesTheIndexFileAndCounts) {
  const IndexReport report = index(small_chunks("in.ctf"));
  EXPECT_EQ(report.sequences, kSequenceCount);
  EXPECT_EQ(report.samples, 1000);
  EXPECT_GT(report.chunks, 10);
  EXPECT_EQ(report.data_bytes, std::ssize(read("in.ctf")));
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].path, "in.ctf.sheaf-index");
  EXPECT_EQ(report.files[0].bytes, std::ssize(read("in.ctf.sheaf-index")));
  EXPECT_EQ(report.why_unused, "");
  EXPECT_FALSE(report.is_own_index());
}

TEST_F(IndexData, ARequiredIndexFileMustMatch) {
  EXPECT_THROW(static_cast<void>(index(small_chunks("in.ctf"), {.mode = IndexMode::require})),
               ConfigError);
  static_cast<void>(index(small_chunks("in.ctf")));
  EXPECT_EQ(index(small_chunks("in.ctf"), {.mode = IndexMode::require}).sequences, kSequenceCount);
  const DataSpec other{FilesSpec{.files = {"in.ctf"}}};
  EXPECT_THROW(static_cast<void>(index(other, {.mode = IndexMode::require})), ConfigError);
  EXPECT_THROW(static_cast<void>(index(other, {.mode = IndexMode::off})), ConfigError);
}

TEST_F(IndexData, AutomaticModeWritesNoIndexFileForSmallDataAndSaysWhy) {
  const IndexReport report = index(small_chunks("in.ctf"), {.mode = IndexMode::automatic});
  EXPECT_EQ(report.sequences, kSequenceCount);
  EXPECT_TRUE(report.files.empty());
  EXPECT_NE(report.why_unused, "");
}

TEST_F(IndexData, BinaryDataNeedNoIndexFile) {
  static_cast<void>(convert("in.cbf"));
  const IndexReport report = index({FilesSpec{.files = {"in.cbf"}}});
  EXPECT_EQ(report.sequences, kSequenceCount);
  EXPECT_TRUE(report.is_own_index());
}

TEST_F(IndexData, TheMembersOfAJoinAreIndexedInTurn) {
  write("more.ctf", "0 |y 1\n1 |y 2\n");
  JoinSpec join;
  for (const char* const path : {"in.ctf", "more.ctf"}) {
    join.members.push_back({FilesSpec{.files = {path}}});
  }
  std::int64_t last = 0;
  std::int64_t members = 0;
  const IndexReport report =
      index({join}, {.opened = [&](const OpenedData& data) { members = std::ssize(data.members); },
                     .run = {.progress = [&](std::int64_t bytes) {
                       EXPECT_GE(bytes, last);
                       last = bytes;
                     }}});
  EXPECT_EQ(report.sequences, kSequenceCount + 2);
  EXPECT_EQ(report.files.size(), 2U);
  EXPECT_EQ(members, 2);
  EXPECT_EQ(last, report.data_bytes);
}

// Returns the progress of indexing. Expects that it never goes back.
std::vector<std::int64_t> progress_of(const DataSpec& data, FileSystem& files,
                                      IndexDataOptions options = {}) {
  std::vector<std::int64_t> told;
  options.run.progress = [&told](std::int64_t bytes) {
    if (!told.empty()) {
      EXPECT_GE(bytes, told.back());
    }
    told.push_back(bytes);
  };
  static_cast<void>(index_data(data, options, {.files = &files}));
  return told;
}

TEST_F(IndexData, ProgressCountsTheBytesOfACompressedFile) {
  const std::string bytes = gzip_member(read("in.ctf"));
  ASSERT_LT(2 * bytes.size(), read("in.ctf").size());
  write("in.ctf.gz", bytes);
  const DataSpec data = small_chunks("in.ctf.gz");
  for (const int threads : {1, 4}) {
    const std::vector<std::int64_t> told =
        progress_of(data, files(), {.run = {.threads = threads}});
    EXPECT_GT(told.size(), 10U);
    EXPECT_LT(told[told.size() / 2], std::ssize(bytes));
    EXPECT_EQ(told.back(), std::ssize(bytes));
  }
}

TEST_F(IndexData, ProgressCountsAContainerWithoutChunks) {
  const Format& format = conformance::format_named("sheaf");
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = Shape{2}}};
  format.create({.sink = files().create("empty.sheaf"), .streams = streams, .options = {}})
      ->finish();
  const DataSpec data{FilesSpec{.files = {"empty.sheaf"}}};
  EXPECT_EQ(progress_of(data, files()),
            (std::vector<std::int64_t>{std::ssize(read("empty.sheaf"))}));
}

TEST_F(IndexData, ProgressOfAPartCountsTheBytesOfAllItsLists) {
  write("more.ctf", "0 |y 1\n1 |y 2\n");
  JoinSpec join;
  std::int64_t size = 0;
  for (const char* const path : {"in.ctf", "more.ctf"}) {
    join.members.push_back(small_chunks(path));
    size += std::ssize(read(path));
  }
  DataSpec data{join};
  data.part = {.number = 0, .count = 1};
  std::vector<std::int64_t> sizes;
  std::int64_t opened = 0;
  const std::vector<std::int64_t> told =
      progress_of(data, files(),
                  {.begin = [&](std::int64_t bytes) { sizes.push_back(bytes); },
                   .opened = [&](const OpenedData& /*data*/) { ++opened; }});
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{size}));
  EXPECT_EQ(opened, 2);
  EXPECT_GT(told.size(), 10U);
  EXPECT_EQ(told.back(), size);
}

TEST_F(IndexData, ManyThreadsWriteTheSameFileAndReportProgress) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7 % 3001) + " |x 1 2 |y 3:1\n";
  write("large.ctf", text);
  DataSpec data = small_chunks("large.ctf");
  std::get<FilesSpec>(data.content).format.read_size_bytes = 100;  // a block has 800 bytes
  std::string bytes;
  for (const int threads : {1, 4}) {
    std::int64_t last = 0;
    std::int64_t calls = 0;
    const auto thread = std::this_thread::get_id();
    const IndexReport report =
        index(data, {.run = {.threads = threads, .progress = [&](std::int64_t done) {
                               EXPECT_EQ(std::this_thread::get_id(), thread);
                               EXPECT_GE(done, last);
                               last = done;
                               ++calls;
                             }}});
    EXPECT_EQ(report.sequences, 3000);
    EXPECT_GT(report.chunks, 100);
    EXPECT_EQ(last, report.data_bytes);
    EXPECT_GT(calls, 1);
    const std::string found = read("large.ctf.sheaf-index");
    if (!bytes.empty()) {
      EXPECT_EQ(found, bytes);
    }
    bytes = found;
  }
}

TEST_F(IndexData, AnErrorInTheProgressCallbackEndsIndexing) {
  const auto stop = [](std::int64_t /*done*/) { throw std::runtime_error("stop"); };
  EXPECT_THROW(static_cast<void>(index(small_chunks("in.ctf"), {.run = {.progress = stop}})),
               std::runtime_error);
}

TEST_F(IndexData, AnInterruptionEndsIndexing) {
  class Always final : public Interruption {
   public:
    void check() override { throw std::runtime_error("interrupted"); }
  };
  Always interruption;
  const InterruptionScope scope(interruption);
  EXPECT_THROW(static_cast<void>(index(small_chunks("in.ctf"))), std::runtime_error);
  EXPECT_FALSE(exists("in.ctf.sheaf-index"));
}

/// Several files of a format, and the index files made by parts.
class IndexParts : public IndexData {
 protected:
  static constexpr std::int64_t kFiles = 5;

  // Makes files of different sizes. `text_of` returns the content of a file.
  void make_files(const std::string& extension,
                  const std::function<std::string(std::int64_t)>& text_of) {
    data_.content = FilesSpec{};
    for (std::int64_t i = 0; i < kFiles; ++i) {
      const std::string path = "part-" + std::to_string(i) + "." + extension;
      write(path, text_of(i));
      spec().files.push_back(path);
    }
  }

  FilesSpec& spec() { return std::get<FilesSpec>(data_.content); }

  // Returns the index files in the order of the data. A missing file gives an empty text.
  std::vector<std::string> index_files() {
    std::vector<std::string> texts;
    for (const std::string& path : spec().files) {
      const std::string name = path + ".sheaf-index";
      texts.push_back(exists(name) ? read(name) : "");
      if (exists(name)) files().remove(name);
    }
    return texts;
  }

  // Returns how many files each part indexed. Expects the same index files as for the whole data.
  std::vector<std::int64_t> indexed_by_parts(std::int64_t count) {
    data_.part.reset();
    const IndexReport whole = index(data_);
    EXPECT_EQ(whole.why_unused, "");
    const std::vector<std::string> expected = index_files();
    std::vector<std::int64_t> indexed;
    std::int64_t sequences = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      data_.part = {.number = i, .count = count};
      const IndexReport part = index(data_);
      EXPECT_EQ(part.why_unused, "");
      sequences += part.sequences;
      indexed.push_back(std::ssize(part.files));
    }
    EXPECT_EQ(sequences, whole.sequences);
    EXPECT_EQ(index_files(), expected);
    return indexed;
  }

  DataSpec data_;
};

std::string ctf_text(std::int64_t first, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += std::to_string(first + i) + " |x 1 2\n";
  return text;
}

TEST_F(IndexParts, AFileBelongsToThePartOfItsFirstByte) {
  make_files("ctf", [](std::int64_t i) { return ctf_text(100 * i, i == 1 ? 80 : 10); });
  spec().format.streams = {{.name = "x", .sample_shape = {{2}}}};
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(indexed_by_parts(1), Counts({5}));
  EXPECT_EQ(indexed_by_parts(2), Counts({2, 3}));
  EXPECT_EQ(indexed_by_parts(3), Counts({2, 0, 3}));
  EXPECT_EQ(std::ssize(indexed_by_parts(1000)), 1000);
  spec().format.streams.clear();
  data_.part = {.number = 0, .count = 2};
  EXPECT_THROW(static_cast<void>(index(data_)), ConfigError);  // the dim of x may differ in other
                                                               // files
}

TEST_F(IndexParts, DependentFilesStayTogether) {
  make_files("mlf", [](std::int64_t i) {
    std::string text = "#!MLF!#\n";
    for (std::int64_t k = 0; k <= i; ++k) {  // the first key is the key of the file before
      text += "\"" + std::to_string(10 * (i + k)) + ".lab\"\n0 100000 a\n.\n";
    }
    return text;
  });
  write("states", "a\nb\n");
  spec().format.extra = {{"mlf.states", "states"}};
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(indexed_by_parts(1), Counts({5}));
  EXPECT_EQ(indexed_by_parts(3), Counts({5, 0, 0}));
}

TEST(IndexDataFolders, AreCreatedOrRefused) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "index_data_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "in.ctf";
  const std::string row = "0 |x 1\n";
  const std::unique_ptr<ByteSink> sink = create_file(path, {});
  sink->write(std::as_bytes(std::span(row)));
  sink->finish();
  const auto with_folder = [&](const std::string& name) {
    return DataSpec{FilesSpec{.files = {path}, .format = {.index = {.directory = name}}}};
  };
  EXPECT_EQ(index_data(with_folder(folder / "a" / "b")).files.size(), 1U);
  try {
    static_cast<void>(index_data(with_folder(path)));
    ADD_FAILURE() << "a file is no folder";
  } catch (const IoError& error) {
    EXPECT_EQ(std::string(error.what()).find("index_dir " + path + ": cannot be made: "), 0U);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sheaf
