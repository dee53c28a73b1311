#include "format/manifest/manifest_index.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

#include "format/manifest/manifest_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::manifest {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::counting_wav;
using testing::open_manifest;
using testing::plain_options;

/// Returns "samples@offset" of each sequence, with a bar before each chunk.
std::string index_told(const Index& index) {
  std::string text;
  for (ChunkIndex number{}; const auto info = index.chunk(number); number = next(number)) {
    text += "|";
    const auto table = index.sequences(number);
    for (std::int64_t i = 0; i < table->size(); ++i) {
      text += std::to_string(table->sample_count(i)) + "@" +
              std::to_string(table->location(i)->offset_bytes) + " ";
    }
  }
  return text;
}

std::string path_line(const std::string& path, const std::string& more = "") {
  return R"({"audio_filepath": ")" + path + "\"" + more + "}\n";
}

TEST(ManifestIndex, HasCountsAndLocations) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  const std::string lines = path_line("a.wav") + path_line("none.wav") + "\n{\n" +
                            path_line("a.wav", R"(, "offset": 0.5, "duration": 1)");
  EXPECT_EQ(index_told(open_manifest(*files, lines)->index()), "|20@44 0@0 0@0 10@54 ");
  FormatOptions small = plain_options();
  small.chunk_size_bytes = 1;
  EXPECT_EQ(index_told(open_manifest(*files, lines, small)->index()), "|20@44 |0@0 |0@0 |10@54 ");
}

TEST(ManifestIndex, ReadingTextsOpensNoFile) {
  const std::unique_ptr<FileSystem> files = memory_files();
  FormatOptions options;
  options.streams = {{.name = "text"}};
  const std::string lines = path_line("none.wav", R"(, "text": "a")") + path_line("x") +
                            path_line("y", R"(, "text": "")");
  EXPECT_EQ(index_told(open_manifest(*files, lines, options)->index()), "|1@0 0@0 1@0 ");
}

TEST(ManifestIndex, HeadersAreReadByAnyNumberOfThreads) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  for (const int count : {1, 63, 64, 65, 200}) {
    std::string lines;
    std::string expected = "|";
    for (int i = 0; i < count; ++i) {
      const int size = 1 + i % 20;
      lines += path_line("a.wav", R"(, "id": )" + std::to_string(i) + R"(, "duration": )" +
                                      std::to_string(size / 10) + "." + std::to_string(size % 10));
      expected += std::to_string(size) + "@44 ";
    }
    FormatOptions options = plain_options();
    options.extra["manifest.keys"] = "id";
    EXPECT_EQ(index_told(open_manifest(*files, lines, options)->index()), expected);
    const std::unique_ptr<Executor> threads = thread_pool(3);
    EXPECT_EQ(index_told(open_manifest(*files, lines, options, threads.get())->index()), expected);
  }
}

TEST(ManifestIndex, AnIndexFileGivesTheSameIndex) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  const std::string lines = path_line("a.wav") + path_line("a.wav", R"(, "offset": 1.5)");
  FormatOptions options = plain_options();
  options.index.mode = IndexMode::rebuild;
  const std::string expected = index_told(open_manifest(*files, lines, options)->index());
  EXPECT_EQ(expected, "|20@44 5@74 ");
  options.index.mode = IndexMode::automatic;
  EXPECT_EQ(index_told(open_manifest(*files, lines, options)->index()), expected);
}

TEST(ManifestIndex, TheFirstLineSetsTheChannels) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  write_file(*files, "bad.wav", "RIFF");
  const auto refusal = [&](const std::string& lines, const FormatOptions& options = {}) {
    return error_of<DataError>([&] { static_cast<void>(open_manifest(*files, lines, options)); });
  };
  const std::string missing = refusal(path_line("none.wav") + path_line("a.wav"));
  EXPECT_NE(missing.find("m.jsonl:1:20"), std::string::npos) << missing;
  EXPECT_NE(missing.find("[manifest-missing-file]"), std::string::npos) << missing;
  const std::string bad = refusal(path_line("bad.wav"));
  EXPECT_NE(bad.find("[wav-riff]"), std::string::npos) << bad;
  EXPECT_NE(refusal(path_line("a.wav", R"(, "duration": "1")")).find("[manifest-number]"),
            std::string::npos);
  FormatOptions declared;
  declared.streams = {{.name = "audio", .sample_shape = Shape{1}}};
  declared.extra["manifest.rate"] = "10";
  EXPECT_EQ(refusal(path_line("none.wav") + path_line("a.wav"), declared), "");
}

}  // namespace
}  // namespace sheaf::manifest
