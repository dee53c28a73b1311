#include "index/kept_points.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"
#include "sheaf/open.h"

#include "conformance/read_all.h"
#include "index/index_file.h"
#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

// Returns text rows of about 40 bytes. One row in a thousand has an error.
std::string some_rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(i * 7919 % 1009) + " |y 1:0.5 " +
            (i % 1000 == 77 ? "oops" : "17:1") + " |z 1.25 2.5 3.75\n";
  }
  return text;
}

const FormatOptions kRowOptions = {
    .streams = {{.name = "x", .sample_shape = Shape{1}},
                {.name = "y", .storage = Storage::sparse, .sample_shape = Shape{100}},
                {.name = "z", .sample_shape = Shape{3}}},
    .chunk_size_bytes = 100'000};

TEST(KeptPoints, CompressedDataEqualTheOriginal) {
  const TestFolder folder;
  const std::string rows = some_rows(20'000);
  folder.write("a.ctf", rows);
  folder.write("a.ctf.gz",
               gzip_member(rows.substr(0, 300'001)) + gzip_member(rows.substr(300'001)));
  folder.write("a.ctf.zst", zstd_frame(rows.substr(0, 7)) + zstd_frame(rows.substr(7)));
  folder.write("a.ctf.lz4", lz4_frame(rows));
  const auto plain = open_path(folder.path("a.ctf"), kRowOptions).data;
  const conformance::ReferenceResult expected = conformance::read_all(*plain);
  EXPECT_EQ(expected.error_count(), 20);
  const std::unique_ptr<Executor> pool = thread_pool(4);
  for (const std::string name : {"a.ctf.gz", "a.ctf.zst", "a.ctf.lz4"}) {
    SCOPED_TRACE(name);
    for (Executor* executor : {static_cast<Executor*>(nullptr), pool.get()}) {
      FormatOptions options = kRowOptions;
      const auto data = open_path(folder.path(name), options, {.executor = executor}).data;
      if (executor != nullptr) data->build_index(*executor, nullptr);
      EXPECT_EQ(conformance::read_all(*data), expected);
      EXPECT_EQ(data->fingerprint(), plain->fingerprint());
    }
  }
}

TEST(KeptPoints, AreStoredInTheIndexFileAndSaveThePass) {
  const TestFolder folder;
  const std::string rows = some_rows(200'000);  // enough for several points
  folder.write("a.ctf.gz", gzip_member(rows, {.level = 1}));
  FormatOptions options = kRowOptions;
  options.index.mode = IndexMode::rebuild;
  const auto expected = conformance::read_all(*open_path(folder.path("a.ctf.gz"), options).data);

  const auto file = open_file(folder.path("a.ctf.gz"));
  std::string why;
  const auto index = IndexFile::open(system_files(), folder.path("a.ctf.gz.sheaf-index"), why);
  ASSERT_NE(index, nullptr) << why;
  const std::string points = index->access_points();
  EXPECT_EQ(points, decompressed(file)->access_points());

  // A pass over the file would find this damage, which is far from both ends.
  std::string damaged = folder.read("a.ctf.gz");
  const std::size_t half = damaged.size() / 2;
  damaged.replace(half, 1000, std::string(1000, '\xFF'));
  folder.write("a.ctf.gz", damaged);
  options.index.mode = IndexMode::require;
  const auto again = open_path(folder.path("a.ctf.gz"), options).data;
  EXPECT_THROW((void)conformance::read_all(*again), IoError);
  Diagnostics diagnostics;
  EXPECT_GT(again->read({ChunkIndex{0}, 0, 10}, diagnostics).sequence_count(), 0);
  options.index.mode = IndexMode::off;
  EXPECT_THROW((void)open_path(folder.path("a.ctf.gz"), options).data, IoError);
}

TEST(KeptPoints, AreNotUsedForAnotherFile) {
  const TestFolder folder;
  FormatOptions options = kRowOptions;
  options.index.mode = IndexMode::rebuild;
  folder.write("a.ctf.gz", gzip_member(some_rows(5000)));
  (void)conformance::read_all(*open_path(folder.path("a.ctf.gz"), options).data);
  const std::string rows = some_rows(3000);
  folder.write("a.ctf.gz", gzip_member(rows));
  options.index.mode = IndexMode::automatic;
  const auto data = open_path(folder.path("a.ctf.gz"), options).data;
  EXPECT_EQ(conformance::read_all(*data).sequences.size(), 3000U);
}

TEST(KeptPoints, AreNotUsedIfDamaged) {
  const TestFolder folder;
  FormatOptions options = kRowOptions;
  options.index.mode = IndexMode::rebuild;
  folder.write("a.ctf.gz", gzip_member(some_rows(5000)));
  const auto expected = conformance::read_all(*open_path(folder.path("a.ctf.gz"), options).data);
  const std::string name = "a.ctf.gz.sheaf-index";
  std::string bytes = folder.read(name);
  const std::size_t at = bytes.find("SHEAFP");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'x';
  folder.write(name, bytes);
  options.index.mode = IndexMode::automatic;
  EXPECT_EQ(conformance::read_all(*open_path(folder.path("a.ctf.gz"), options).data), expected);
}

}  // namespace
}  // namespace sheaf::internal
